//! What Nebo's frames mean: wire values to core values and back.

mod action;
mod history;
mod outcome;
mod question;

pub(super) use action::{action, input};
pub(super) use history::{History, messages};
pub(super) use outcome::{ask_value, resolved, told};
pub(super) use question::{NO_PROMPT, SKIP, questions, widget};

use sayso_core::ask::{Ask, Matter, Question};
use sayso_core::view::AskView;

/// What the requests about an ask are called towards a browser: Nebo's own id where the asker
/// speaks Nebo, so that the agent's frame and the browser's have the same one, and ours otherwise.
pub(super) fn request_base(view: &AskView) -> String {
    match &view.ask.wire_id {
        Some(wire_id) if view.agent.dialect.as_str() == super::DIALECT.name => wire_id.to_string(),
        Some(_) | None => view.ask.id.to_string(),
    }
}

/// What the request number `count` about an ask is called, counted from 0.
pub(super) fn request_id(base: &str, count: usize) -> String {
    if count == 0 {
        base.to_owned()
    } else {
        format!("{base}/{}", count + 1)
    }
}

/// What stands above a question: the title of its ask, where it has one, and its text.
pub(super) fn prompt(ask: &Ask, question: &Question) -> String {
    match ask.title.as_deref() {
        Some(title) if title != question.text => format!("{title}\n\n{}", question.text),
        Some(_) | None => question.text.clone(),
    }
}

/// What stands above a form, which a browser of this language cannot fill in.
pub(super) fn form_prompt(matter: &Matter) -> String {
    let message = match matter {
        Matter::Form(form) => form.message(),
        Matter::Questions(_) | Matter::Approval(_) => "",
    };
    format!(
        "{message}\n\nThis is a form, which can't be filled in here. Answer it on the sayso \
             page."
    )
}
