//! The feed's events as text. What everyone gets is written once and shared.

use sayso_core::id::Seq;
use sayso_core::time::Time;
use sayso_dialects::native::map::{conversation_to_wire, entry_to_wire};
use sayso_dialects::native::wire::{
    AgentChange, AgentRow, EntryChange, FeedEvent, Mark, RuleChange, Saying, TurnChange, WireTime,
};
use sayso_dialects::native::write::{AskEvent, write_ask_event, write_delivery_event};
use sayso_hub::{AgentView, FeedItem, News};

use super::ws::{json_of, text_of};

/// What an event with an ask usually needs.
const EVENT_BYTES: usize = 2048;

/// An item as every device gets it: one line, written once.
pub(crate) fn line(item: &FeedItem) -> &str {
    item.rendering(|| written(item))
}

fn written(item: &FeedItem) -> String {
    let mut out = Vec::with_capacity(EVENT_BYTES);
    // News that is not journaled has no place, and is written without one.
    let seq = item.seq.unwrap_or_default();
    match &item.news {
        News::Asked(view) => write_ask_event(AskEvent::Asked, seq, item.at, view, &mut out),
        News::Closed(view) => write_ask_event(AskEvent::Closed, seq, item.at, view, &mut out),
        News::Delivery(marks) => write_delivery_event(seq, item.at, marks, &mut out),
        News::Agent(view) => return agent_event(view, item.at),
        News::Rule(rule) => {
            return json_of(&FeedEvent::Rule(RuleChange {
                seq: seq.0,
                at: WireTime(item.at),
                rule: rule.to_string(),
            }));
        }
        News::Entry(entry) => {
            return json_of(&FeedEvent::Entry(Box::new(EntryChange {
                seq: seq.0,
                at: WireTime(item.at),
                entry: entry_to_wire(entry),
            })));
        }
        News::Saying {
            conversation,
            from,
            text,
        } => {
            return json_of(&FeedEvent::Saying(Saying {
                at: WireTime(item.at),
                conversation: conversation_to_wire(conversation),
                from: *from as u64,
                text: text.as_ref().to_owned(),
            }));
        }
        News::Turn { conversation, turn } => {
            return json_of(&FeedEvent::Turn(TurnChange {
                at: WireTime(item.at),
                conversation: conversation_to_wire(conversation),
                turn: (*turn).into(),
            }));
        }
    }
    text_of(out)
}

/// An agent came or went, or is here.
pub(crate) fn agent_event(view: &AgentView, at: Time) -> String {
    json_of(&FeedEvent::Agent(AgentChange {
        at: WireTime(at),
        agent: agent_row(view),
    }))
}

/// An agent as a row of a list.
pub(crate) fn agent_row(view: &AgentView) -> AgentRow {
    let agent = &view.agent;
    AgentRow {
        id: agent.id.to_string(),
        name: agent.name.as_str().to_owned(),
        dialect: agent.dialect.as_str().to_owned(),
        token: agent.token.to_string(),
        connected: view.connected,
        open: view.open as u64,
        unreadable_at: view.unreadable_at.map(WireTime),
        links: view.reach.links as u64,
        since: view.reach.since.map(WireTime),
        left_at: view.reach.left_at.map(WireTime),
        last_ask_at: view.last_ask_at.map(WireTime),
    }
}

pub(crate) fn ready(seq: Seq) -> String {
    json_of(&FeedEvent::Ready(Mark { seq: seq.0 }))
}

pub(crate) fn reset(seq: Seq) -> String {
    json_of(&FeedEvent::Reset(Mark { seq: seq.0 }))
}
