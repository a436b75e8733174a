//! The feed's events as text. What everyone gets is written once and shared.

use std::sync::Arc;

use sayso_core::agent::Agent;
use sayso_core::id::Seq;
use sayso_core::time::Time;
use sayso_dialects::native::wire::{AgentChange, AgentRow, FeedEvent, Mark, WireTime};
use sayso_dialects::native::write::{AskEvent, write_ask_event, write_delivery_event};
use sayso_hub::{FeedItem, News};

use super::ws::{json_of, text_of};

/// What an event with an ask usually needs.
const EVENT_BYTES: usize = 1024;

/// An item as a device gets it: one line for each frame, with the place it stands for.
pub(crate) enum Lines {
    /// Written once for everyone.
    Shared(Arc<str>, Seq),
    /// Written for this device, which stands at a place of its own.
    Own(String),
}

/// Writes an item for a device that has been told everything up to `cursor`.
pub(crate) fn lines(item: &FeedItem, cursor: Seq) -> Lines {
    match &item.news {
        News::Agent { agent, connected } => {
            Lines::Own(agent_event(agent, *connected, cursor, item.at))
        }
        News::Asked(_) | News::Closed(_) | News::Delivery(_) => {
            let seq = item.seq.unwrap_or(cursor);
            Lines::Shared(item.rendering(|| written(item, seq).into()), seq)
        }
    }
}

fn written(item: &FeedItem, seq: Seq) -> String {
    let mut out = Vec::with_capacity(EVENT_BYTES);
    match &item.news {
        News::Asked(view) => write_ask_event(AskEvent::Asked, seq, item.at, view, &mut out),
        News::Closed(view) => write_ask_event(AskEvent::Closed, seq, item.at, view, &mut out),
        News::Delivery(marks) => {
            for (at, mark) in marks.iter().enumerate() {
                let last = at + 1 == marks.len();
                // Only the last of them moves the cursor: whoever is cut in between gets all again.
                let place = if last {
                    seq
                } else {
                    Seq(seq.0.saturating_sub(1))
                };
                write_delivery_event(place, mark.at, mark.ask, mark.delivery, &mut out);
                if !last {
                    out.push(b'\n');
                }
            }
        }
        News::Agent { .. } => {}
    }
    text_of(out)
}

/// An agent came or went, or is here.
pub(crate) fn agent_event(agent: &Agent, connected: bool, cursor: Seq, at: Time) -> String {
    json_of(&FeedEvent::Agent(AgentChange {
        seq: cursor.0,
        at: WireTime(at),
        agent: agent_row(agent, connected),
    }))
}

/// An agent as a row of a list.
pub(crate) fn agent_row(agent: &Agent, connected: bool) -> AgentRow {
    AgentRow {
        id: agent.id.to_string(),
        name: agent.name.as_str().to_owned(),
        dialect: agent.dialect.as_str().to_owned(),
        token: agent.token.to_string(),
        connected,
        open: 0,
    }
}

pub(crate) fn ready(seq: Seq) -> String {
    json_of(&FeedEvent::Ready(Mark { seq: seq.0 }))
}

pub(crate) fn reset(seq: Seq) -> String {
    json_of(&FeedEvent::Reset(Mark { seq: seq.0 }))
}
