//! An ask as questions, for that is all this language can show.
//!
//! What is composed here for an approval or a form is escaped. Texts and labels of questions go out
//! as they are, because they come back as keys and values.

use sayso_core::ask::{Choice, Matter, Pick, Question};
use sayso_core::view::AskView;

use super::super::wire;
use super::form;
use crate::approval_text;
use crate::texts;

/// The questions that are shown for an ask. No two of them have the same text.
pub(crate) fn card(view: &AskView) -> Vec<Question> {
    match &view.ask.matter {
        Matter::Questions(questions) => keyed(questions),
        Matter::Approval(action) => vec![approval_text::question(view, action)],
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
