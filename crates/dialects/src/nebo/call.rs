//! The tool call that an agent's model writes: it asks, waits, and returns what the model reads.

use sayso_core::ask::{Draft, Matter};
use sayso_core::outcome::Outcome;
use sayso_core::time::Time;
use sayso_core::view::AskView;

use super::map;
use super::wire::{ToolAsk, ToolResultBody};
use crate::call::{Call, CallReply, Called};
use crate::read;

/// `agent(resource: message, action: ask, ..)` as a call.
#[derive(Debug)]
pub(super) struct MessageCall;

impl Call for MessageCall {
    fn read(&self, body: &[u8], _now: Time) -> Called {
        let ask: ToolAsk = match read::read_kindly(body) {
            Ok(ask) => ask,
            Err(error) => return Called::Reply(failure(400, &error.to_string())),
        };
        let resource = ask.resource.as_deref().unwrap_or("message");
        let wrong = match (resource, ask.action.as_deref()) {
            ("message", Some("ask")) => None,
            ("message", Some(other)) => Some(format!("Unknown action: {other}. Available: ask")),
            ("message", None) => Some("'action' is required. Available: ask".to_owned()),
            (other, _) => Some(format!("Unknown resource: {other}. Available: message")),
        };
        if let Some(wrong) = wrong {
            return Called::Reply(failure(200, &wrong));
        }
        let filled = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let Some(prompt) = filled(ask.prompt).or_else(|| filled(ask.text)) else {
            return Called::Reply(failure(200, map::NO_PROMPT));
        };
        let matter = Matter::Questions(map::questions(&prompt, ask.widgets));
        Called::Ask {
            agent: None,
            draft: Box::new(Draft::new(matter)),
        }
    }

    fn write(&self, _body: &[u8], view: &AskView) -> CallReply {
        let Some(closing) = view.closing.as_deref() else {
            return failure(500, "The ask is still open.");
        };
        match &closing.outcome {
            Outcome::Answered(_) | Outcome::Dismissed { .. } => {
                let content = map::ask_value(&view.ask.matter, closing);
                CallReply::of(&ToolResultBody {
                    content: &content,
                    is_error: None,
                })
            }
            Outcome::Expired => failure(200, "Nobody answered in time."),
            Outcome::Withdrawn { note } => failure(
                200,
                note.as_deref().unwrap_or("The question was withdrawn."),
            ),
        }
    }

    fn refuse(&self, _body: &[u8], why: &str, status: u16) -> CallReply {
        failure(status, why)
    }
}

fn failure(status: u16, content: &str) -> CallReply {
    let failed = ToolResultBody {
        content,
        is_error: Some(true),
    };
    CallReply::of(&failed).status(status)
}
