//! The frames a browser gets, written.
//!
//! None of them has a line end in it: browsers split what they get at line ends.

use sayso_core::ask::Matter;
use sayso_core::time::Time;
use sayso_core::view::AskView;
use serde::Serialize;

use super::super::map;
use super::super::wire::{
    self, ActionShown, Ask, AskShown, Choice, Envelope, Event, Failure, Widget,
};
use super::shown::{SKIP_LABEL, ShownAsk};
use crate::time::TimeText;

/// A frame with a body, or without one.
pub(super) fn event<B: Serialize>(name: &'static str, data: Option<B>, now: Time) -> String {
    wire::written(&Event {
        name,
        data,
        timestamp: TimeText::new(now).as_str(),
    })
}

/// What is wrong, where the person sees it.
pub(super) fn error(session_id: &str, request_id: Option<&str>, error: &str, now: Time) -> String {
    let failure = Failure {
        session_id,
        request_id,
        error,
    };
    event("error", Some(failure), now)
}

/// The request that is on the screen.
pub(super) fn request(shown: &ShownAsk, session_id: Option<&str>, now: Time) -> String {
    let id = shown.request_id();
    let ask = &shown.view.ask;
    match &ask.matter {
        Matter::Approval(action) => {
            let input = map::input(action);
            let body = ActionShown {
                tool: &action.tool,
                input: &input,
                session_id,
            };
            about("approval_request", &id, &body, now)
        }
        Matter::Questions(_) | Matter::Form(_) => {
            let (prompt, widget) = match shown.question() {
                Some(question) => (map::prompt(ask, question), map::widget(question)),
                None => (map::form_prompt(&ask.matter), skip_button()),
            };
            let body = AskShown {
                prompt: &prompt,
                widgets: &[widget],
                session_id,
            };
            about("ask_request", &id, &body, now)
        }
    }
}

/// That an ask ended. Browsers pass over a type they do not know, so old ones are not disturbed.
pub(super) fn resolved(
    view: &AskView,
    id: &str,
    session_id: Option<&str>,
    now: Time,
) -> Option<String> {
    let body = map::resolved(view, session_id)?;
    let name = match &view.ask.matter {
        Matter::Approval(_) => "approval_resolved",
        Matter::Questions(_) | Matter::Form(_) => "ask_resolved",
    };
    Some(about(name, id, &body, now))
}

fn about<B: Serialize>(name: &'static str, id: &str, body: &B, now: Time) -> String {
    let inner = || Envelope {
        request_id: id,
        body,
    };
    wire::written(&Ask {
        name,
        id,
        request_id: id,
        body,
        data: inner(),
        payload: inner(),
        timestamp: TimeText::new(now).as_str(),
    })
}

/// The one thing a browser can do with what it cannot fill in.
fn skip_button() -> Widget {
    Widget {
        kind: "buttons".to_owned(),
        options: Some(vec![Choice::Label(SKIP_LABEL.to_owned())]),
        ..Widget::default()
    }
}
