//! An ask as questions, for that is all this language can show.
//!
//! What is composed here for an approval or a form is escaped. Texts and labels of questions go out
//! as they are, because they come back as keys and values.

use sayso_core::ask::{Choice, Look, Matter, Pick, Question};
use sayso_core::view::AskView;

use super::super::wire;
use super::{approval, form};
use crate::texts;

/// Longest text that is composed for an approval or a form; nobody reads more in a chat.
pub(super) const TEXT_BYTES_MAX: usize = 4 * 1024;

/// The questions that are shown for an ask. No two of them have the same text.
pub(crate) fn card(view: &AskView) -> Vec<Question> {
    match &view.ask.matter {
        Matter::Questions(questions) => keyed(questions),
        Matter::Approval(action) => vec![approval::question(view, action)],
        Matter::Form(form) => keyed(&form::questions(form)),
    }
}

fn keyed(questions: &[Question]) -> Vec<Question> {
    let with_key = |(question, key): (&Question, String)| Question {
        text: key,
        ..question.clone()
    };
    questions
        .iter()
        .zip(texts::text_keys(questions))
        .map(with_key)
        .collect()
}

/// A question of ours, with these labels to choose from.
pub(super) fn question(text: String, pick: Pick, labels: Vec<String>) -> Question {
    let choice = |label: String| Choice {
        label,
        ..Choice::default()
    };
    Question {
        text,
        tag: None,
        pick,
        choices: labels.into_iter().map(choice).collect(),
        look: Look::List,
        default: Vec::new(),
        free_text: true,
        required: false,
    }
}

/// The questions in the words of the language. Front ends may not take an absent header or
/// description, so an empty one goes out.
pub(crate) fn to_wire(questions: Vec<Question>) -> Vec<wire::Question> {
    let choice = |choice: Choice| wire::Choice {
        label: choice.label,
        description: choice.description.unwrap_or_default(),
        preview: choice.preview,
    };
    let question = |question: Question| wire::Question {
        text: question.text,
        header: question.tag.unwrap_or_default(),
        multi_select: question.pick == Pick::Many,
        options: question.choices.into_iter().map(choice).collect(),
    };
    questions.into_iter().map(question).collect()
}
