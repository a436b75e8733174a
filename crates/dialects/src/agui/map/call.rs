//! An ask as a call of a tool that the front end draws, for those that know no interrupts.

use sayso_core::ask::{Matter, Pick, Question};
use sayso_core::view::AskView;
use serde_json::value::RawValue;

use super::super::wire::{
    Arguments, ChoiceCard, HeaderQuestion, QuestionList, SnakeQuestion, Tool,
};
use super::header::headers;
use super::questions::questions;
use super::schema;
use crate::approval_text;
use crate::frames::written;
use crate::object::{Entries, Object};
use crate::texts;

/// The tool that documents and front ends know.
const QUESTION_TOOL: &str = "ask_user_question";
/// The same, as Agno has it itself.
const AGNO_TOOL: &str = "ask_user";

/// In which of the two ways asks are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ShownAs {
    /// As the outcome of the run.
    Interrupts,
    /// As calls of tools without a result.
    ToolCalls(FrontEndTools),
}

/// The tools of the front end, as far as they matter here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FrontEndTools {
    asking: Asking,
    /// Every name that was declared: an approval of one of them is a call of it.
    names: Vec<String>,
}

/// How the tool that asks wants its questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asking {
    /// `ask_user_question(questions_json)`.
    Json,
    /// `ask_user_question(questions)`.
    Camel,
    /// `ask_user(questions)`.
    Snake,
}

impl FrontEndTools {
    /// The tools that a front end declares; nothing where none of them asks.
    pub(crate) fn declared(tools: &[Object<Tool>]) -> Option<Self> {
        let named = |name: &str| tools.iter().find(|tool| tool.0.name == name);
        let asking = match (named(QUESTION_TOOL), named(AGNO_TOOL)) {
            (Some(tool), _) if wants_list(&tool.0) => Asking::Camel,
            (Some(_), _) => Asking::Json,
            (None, Some(_)) => Asking::Snake,
            (None, None) => return None,
        };
        Some(Self::with(asking, tools))
    }

    /// The same where the settings say that there are tools, whatever is declared.
    pub(crate) fn supposed(tools: &[Object<Tool>]) -> Self {
        Self::declared(tools).unwrap_or_else(|| Self::with(Asking::Json, tools))
    }

    fn with(asking: Asking, tools: &[Object<Tool>]) -> Self {
        let names = tools.iter().map(|tool| tool.0.name.clone()).collect();
        Self { asking, names }
    }

    /// The call that shows an ask.
    pub(crate) fn call<'a>(&self, view: &'a AskView) -> ShownCall<'a> {
        if let Matter::Approval(action) = &view.ask.matter
            && self.names.contains(&action.tool)
            && approval_text::may_allow(view, action)
            && schema::is_object(&action.input)
            && let Ok(input) = serde_json::from_str::<&RawValue>(&action.input)
        {
            return ShownCall {
                name: &action.tool,
                arguments: written(&Arguments::Input(input)),
            };
        }
        let questions = questions(view);
        let arguments = match self.asking {
            Asking::Json => {
                let list = camel(&questions);
                let questions_json = written(&list);
                written(&Arguments::Json { questions_json })
            }
            Asking::Camel => written(&Arguments::List {
                questions: QuestionList::Camel(camel(&questions)),
            }),
            Asking::Snake => written(&Arguments::List {
                questions: QuestionList::Snake(snake(&questions)),
            }),
        };
        let name = match self.asking {
            Asking::Json | Asking::Camel => QUESTION_TOOL,
            Asking::Snake => AGNO_TOOL,
        };
        ShownCall { name, arguments }
    }
}

/// A call of a tool.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ShownCall<'a> {
    /// Which tool.
    pub(crate) name: &'a str,
    /// Its arguments, as JSON.
    pub(crate) arguments: String,
}

/// Whether a declared tool takes its questions as a list and not as JSON in a string.
fn wants_list(tool: &Tool) -> bool {
    type Keys = Entries<Box<RawValue>>;
    let read = |raw: &RawValue| serde_json::from_str::<Keys>(raw.get()).ok();
    let properties = tool
        .parameters
        .as_deref()
        .and_then(read)
        .and_then(|schema| read(schema.get("properties")?));
    properties.is_some_and(|properties| {
        properties.get("questions").is_some() && properties.get("questions_json").is_none()
    })
}

fn options(question: &Question) -> Vec<ChoiceCard<'_>> {
    let choices = question.choices.iter().map(|choice| ChoiceCard {
        label: &choice.label,
        // The tool's contract has one for every choice.
        description: Some(choice.description.as_deref().unwrap_or("")),
        preview: choice.preview.as_deref(),
        recommended: choice.recommended,
    });
    choices.collect()
}

/// The questions under names that no two of them share, so that answers find back.
fn named(questions: &[Question]) -> impl Iterator<Item = (String, String, &Question)> {
    let names = texts::text_keys(questions).into_iter();
    names
        .zip(headers(questions))
        .zip(questions)
        .map(|((text, header), question)| (text, header, question))
}

fn camel(questions: &[Question]) -> Vec<HeaderQuestion<'_>> {
    named(questions)
        .map(|(text, header, question)| HeaderQuestion {
            question: text,
            header,
            options: options(question),
            multi_select: question.pick == Pick::Many,
        })
        .collect()
}

fn snake(questions: &[Question]) -> Vec<SnakeQuestion<'_>> {
    named(questions)
        .map(|(text, header, question)| SnakeQuestion {
            question: text,
            header,
            options: options(question),
            multi_select: question.pick == Pick::Many,
        })
        .collect()
}
