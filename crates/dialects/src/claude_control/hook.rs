//! The call that a hook of type `http` makes: what a hook is told in, its decision out.
//!
//! The CLI closes the call when the terminal says no first, and then the ask ends with it. After a yes
//! in the terminal it leaves the call open; then the ask ends when the tool has run, or with the turn.

use sayso_core::id::AgentName;
use sayso_core::time::Time;
use sayso_core::view::AskView;

use super::map::{HookEvent, read_hook};
use crate::Ended;
use crate::call::{Call, CallReply, Called, Tie, Tied};

/// `POST /hooks/claude`.
#[derive(Debug)]
pub(super) struct HookCall;

/// What a hook says that decides nothing.
const NOTHING: &str = "{}";
const AGENT: &str = "claude-code (http hook)";

impl Call for HookCall {
    fn read(&self, body: &[u8], _now: Time) -> Called {
        match read_hook(body) {
            Ok(HookEvent::Ask(ask)) => Called::Ask {
                agent: AgentName::new(AGENT).ok(),
                draft: Box::new(ask.draft),
            },
            Ok(
                HookEvent::Ran { .. }
                | HookEvent::Over { .. }
                | HookEvent::Notice { .. }
                | HookEvent::Nothing,
            ) => Called::Reply(CallReply::json(NOTHING.to_owned())),
            Err(error) => Called::Reply(CallReply::text(400, error.to_string())),
        }
    }

    fn write(&self, body: &[u8], view: &AskView) -> CallReply {
        let said = match (read_hook(body), Ended::of(view)) {
            (Ok(HookEvent::Ask(ask)), Some(ended)) => ask.write(&ended),
            (_, _) => None,
        };
        CallReply::json(said.unwrap_or_else(|| NOTHING.to_owned()))
    }

    /// Any status but a good one leaves the terminal's prompt as it was.
    fn refuse(&self, _body: &[u8], why: &str, status: u16) -> CallReply {
        CallReply::text(status, why)
    }

    fn tied(&self) -> Option<Tied> {
        Some(Tied {
            agent: AGENT,
            note: "answer in the terminal",
            decided: "Decided in the terminal.",
        })
    }

    fn tie(&self, body: &[u8]) -> Option<Tie> {
        match read_hook(body).ok()? {
            HookEvent::Ask(ask) => Some(Tie {
                conversation: ask.conversation,
                about: Some(ask.about),
            }),
            HookEvent::Ran {
                conversation,
                about,
            } => Some(Tie {
                conversation,
                about: Some(about),
            }),
            HookEvent::Over { conversation } => Some(Tie {
                conversation,
                about: None,
            }),
            HookEvent::Notice { .. } | HookEvent::Nothing => None,
        }
    }
}
