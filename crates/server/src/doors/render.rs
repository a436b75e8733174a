//! The feed's events as text. What several devices get is written once and shared.

use std::sync::Arc;

use sayso_core::id::{Epoch, Seq};
use sayso_core::time::Time;
use sayso_dialects::native::map::{conversation_to_wire, entry_to_wire};
use sayso_dialects::native::wire::{
    AgentChange, AgentRow, EntryChange, FeedEvent, Mark, Ready, RuleChange, Saying, TurnChange,
    WireTime,
};
use sayso_dialects::native::write::{AskEvent, write_ask_event, write_delivery_event};
use sayso_hub::{AgentView, FeedItem, News, PersonPass};

use super::ws::{json_of, write_json};

/// Appends an item as every device gets it: one line.
pub(crate) fn item(item: &Arc<FeedItem>, out: &mut Vec<u8>) {
    item.write(out, |out| write(item, out));
}

fn write(item: &FeedItem, out: &mut Vec<u8>) {
    // News that is not journaled has no place, and is written without one.
    let (seq, at) = (item.seq.unwrap_or_default(), WireTime(item.at));
    let event = match &item.news {
        News::Asked(view) => return write_ask_event(AskEvent::Asked, seq, item.at, view, out),
        News::Closed(view) => return write_ask_event(AskEvent::Closed, seq, item.at, view, out),
        News::Delivery(marks) => return write_delivery_event(seq, item.at, marks, out),
        News::Agent(view) => FeedEvent::Agent(agent_change(view, item.at)),
        News::Rule(rule) => FeedEvent::Rule(RuleChange {
            seq: seq.0,
            at,
            rule: rule.to_string(),
        }),
        News::Erased(head) => FeedEvent::Reset(Mark { seq: head.0 }),
        News::Entry(entry) => FeedEvent::Entry(Box::new(EntryChange {
            seq: seq.0,
            at,
            entry: entry_to_wire(entry),
        })),
        News::Saying {
            conversation,
            from,
            text,
        } => FeedEvent::Saying(Saying {
            at,
            conversation: conversation_to_wire(conversation),
            from: *from as u64,
            text: text.as_ref().to_owned(),
        }),
        News::Turn { conversation, turn } => FeedEvent::Turn(TurnChange {
            at,
            conversation: conversation_to_wire(conversation),
            turn: (*turn).into(),
        }),
    };
    write_json(&event, out);
}

/// An agent came or went, or is here.
pub(crate) fn agent_event(view: &AgentView, at: Time) -> String {
    json_of(&FeedEvent::Agent(agent_change(view, at)))
}

fn agent_change(view: &AgentView, at: Time) -> AgentChange {
    AgentChange {
        at: WireTime(at),
        agent: agent_row(view),
    }
}

/// An agent as a row of a list.
pub(crate) fn agent_row(view: &AgentView) -> AgentRow {
    let agent = &view.agent;
    AgentRow {
        id: agent.id.to_string(),
        name: agent.shown_name().into_owned(),
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

pub(crate) fn ready(seq: Seq, epoch: Epoch, pass: &PersonPass) -> String {
    json_of(&FeedEvent::Ready(Ready {
        seq: seq.0,
        epoch: epoch.to_string(),
        person: pass.person().as_str().to_owned(),
        device: pass.device_name().as_str().to_owned(),
    }))
}

pub(crate) fn reset(seq: Seq) -> String {
    json_of(&FeedEvent::Reset(Mark { seq: seq.0 }))
}
