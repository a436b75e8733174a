//! An ask as questions, where a front end can draw nothing better.

use sayso_core::answer::Reply;
use sayso_core::ask::{Choice, Look, Matter, Pick, Question};
use sayso_core::escape::escape_block;
use sayso_core::form::Form;
use sayso_core::view::AskView;

use crate::approval_text::{self, DISMISS};

/// The questions that stand for an ask.
pub(super) fn questions(view: &AskView) -> Vec<Question> {
    match &view.ask.matter {
        Matter::Questions(questions) => questions.clone(),
        Matter::Approval(action) => vec![button(approval_text::question(view, action))],
        Matter::Form(form) => {
            let choices = vec![Choice::new(DISMISS)];
            vec![button(Question {
                tag: Some("Form".to_owned()),
                ..Question::new(elsewhere(form), Pick::One, choices)
            })]
        }
    }
}

fn button(question: Question) -> Question {
    Question {
        look: Look::Buttons,
        required: true,
        ..question
    }
}

fn elsewhere(form: &Form) -> String {
    let message = escape_block(form.message());
    format!("{message}\n\nThis form cannot be filled in here: answer on the sayso page.")
}

/// Whether a reply dismisses a form.
pub(super) fn dismisses(reply: &Reply) -> bool {
    reply.labels == [DISMISS]
}
