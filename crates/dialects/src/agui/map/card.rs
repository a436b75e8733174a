//! An ask as an interrupt: in words, as a schema, and whole for those that draw it themselves.

use sayso_core::action::Flag;
use sayso_core::ask::{Matter, Question};
use sayso_core::form::Form;
use sayso_core::view::AskView;

use super::super::wire::{ActionCard, Card, ChoiceCard, Interrupt, QuestionCard};
use super::{fields, schema};
use crate::approval_text;
use crate::texts;
use crate::time::WireTime;

/// The ask under this name.
pub(crate) fn interrupt<'a>(view: &'a AskView, id: &'a str) -> Interrupt<'a> {
    let (reason, message, response_schema) = match &view.ask.matter {
        Matter::Questions(questions) => (
            "input_required",
            asked(view, questions),
            schema::questions(questions),
        ),
        Matter::Approval(action) => (
            "confirmation",
            approval_text::text(view, action),
            schema::approval(view, action),
        ),
        Matter::Form(form) => ("input_required", wanted(form), schema::form(form)),
    };
    Interrupt {
        id,
        reason,
        message,
        response_schema,
        expires_at: view.ask.deadline.map(WireTime),
        metadata: card(view),
    }
}

/// The questions, one a line.
fn asked(view: &AskView, questions: &[Question]) -> String {
    let title = view.ask.title.iter().map(String::as_str);
    let texts = questions.iter().map(|question| question.text.as_str());
    title.chain(texts).collect::<Vec<_>>().join("\n")
}

fn wanted(form: &Form) -> String {
    let message = form.message();
    match (fields::fillable(form), form) {
        (Err(why), _) => format!("{message}\n\nIt cannot be filled in here: {why}."),
        (Ok(_), Form::Page { url, .. }) => format!("{message}\n\n{url}"),
        (Ok(_), Form::Fields { .. }) => message.to_owned(),
    }
}

fn card(view: &AskView) -> Card<'_> {
    let (mut questions, mut action, mut url) = (Vec::new(), None, None);
    match &view.ask.matter {
        Matter::Questions(asked) => {
            let keys = texts::text_keys(asked).into_iter();
            questions = keys
                .zip(asked)
                .map(|(key, question)| question_card(key, question))
                .collect();
        }
        Matter::Approval(wanted) => {
            action = Some(ActionCard {
                tool: &wanted.tool,
                input: &wanted.input,
                cwd: wanted.cwd.as_deref(),
                reason: wanted.reason.as_deref(),
                risk: wanted.risk.level.word(),
                reasons: &wanted.risk.reasons,
                flags: wanted.flags.iter().copied().map(Flag::word).collect(),
                scopes: view.scopes.iter().map(|scope| scope.word()).collect(),
            });
        }
        Matter::Form(Form::Page { url: page, .. }) => url = Some(page.as_str()),
        Matter::Form(Form::Fields { .. }) => {}
    }
    Card {
        ask: view.ask.id.to_string(),
        digest: view.ask.digest.to_string(),
        agent: view.agent.name.as_str(),
        matter: view.ask.matter.kind().word(),
        title: view.ask.title.as_deref(),
        questions,
        action,
        url,
    }
}

fn question_card(key: String, question: &Question) -> QuestionCard<'_> {
    let choices = question.choices.iter().map(|choice| ChoiceCard {
        label: &choice.label,
        description: choice.description.as_deref(),
        preview: choice.preview.as_deref(),
        recommended: choice.recommended,
    });
    QuestionCard {
        key,
        text: &question.text,
        tag: question.tag.as_deref(),
        pick: question.pick.word(),
        choices: choices.collect(),
        default: &question.default,
        free_text: question.free_text,
        required: question.required,
    }
}
