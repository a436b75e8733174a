//! The feed: what happens as text that is the same for every device, and where a device goes on.

use sayso_core::id::Seq;
use sayso_core::time::Time;

use super::map::{conversation_to_wire, entry_to_wire};
use super::wire::{
    AgentChange, AgentRow, ConversationRef, EntryChange, FeedEvent, Mark, Ready, RuleChange,
    Saying, TurnChange, WireTime,
};
use super::write::{AskEvent, write_ask_event, write_delivery_event};
use crate::{AgentCard, Frames, PersonNews, Resumed, StatusNews};

/// Appends news at a place in the journal, or beside it, as every device gets it: one line. What is
/// told to one connection alone is nothing here.
pub fn write(seq: Option<Seq>, at: Time, news: &PersonNews<'_>, out: &mut Vec<u8>) {
    // News that is not journaled has no place, and is written without one.
    let (seq, when) = (seq.unwrap_or_default(), WireTime(at));
    let event = match *news {
        PersonNews::Asked(view) => return write_ask_event(AskEvent::Asked, seq, at, view, out),
        PersonNews::Closed(view) => return write_ask_event(AskEvent::Closed, seq, at, view, out),
        PersonNews::Status(StatusNews::Delivery(marks)) => {
            return write_delivery_event(seq, at, marks, out);
        }
        PersonNews::Status(StatusNews::Agent(card)) => agent_event(&card, at),
        PersonNews::Status(StatusNews::Rule(rule)) => FeedEvent::Rule(RuleChange {
            seq: seq.0,
            at: when,
            rule: rule.to_string(),
        }),
        PersonNews::Status(StatusNews::Erased(head)) => FeedEvent::Reset(Mark { seq: head.0 }),
        PersonNews::Entry(entry) => FeedEvent::Entry(Box::new(EntryChange {
            seq: seq.0,
            at: when,
            entry: entry_to_wire(entry),
        })),
        PersonNews::Saying {
            conversation,
            from,
            text,
        } => FeedEvent::Saying(Saying {
            at: when,
            conversation: conversation_to_wire(conversation),
            from: from as u64,
            text: text.to_owned(),
        }),
        PersonNews::Turn {
            conversation,
            name,
            turn,
            saying: _,
        } => FeedEvent::Turn(TurnChange {
            at: when,
            conversation: ConversationRef {
                id: conversation.to_string(),
                name: name.to_owned(),
            },
            turn: turn.into(),
        }),
        PersonNews::Opened { .. }
        | PersonNews::Resumed(_)
        | PersonNews::Began(_)
        | PersonNews::Recorded { .. }
        | PersonNews::Refused { .. }
        | PersonNews::Done
        | PersonNews::Elapsed
        | PersonNews::Controlled { .. }
        | PersonNews::Taken => return,
    };
    // Neither a value of ours nor memory can fail to be written.
    let _ = serde_json::to_writer(out, &event);
}

/// What a device is told before anything else.
pub fn greet(resumed: &Resumed<'_>, now: Time, frames: &mut dyn Frames) {
    let seq = resumed.seq.0;
    if resumed.reset {
        frames.json(&FeedEvent::Reset(Mark { seq }));
    }
    frames.json(&FeedEvent::Ready(Ready {
        seq,
        epoch: resumed.epoch.to_string(),
        person: resumed.person.to_owned(),
        device: resumed.device.to_owned(),
    }));
    for card in resumed.agents {
        frames.json(&agent_event(card, now));
    }
}

fn agent_event(card: &AgentCard<'_>, at: Time) -> FeedEvent {
    FeedEvent::Agent(AgentChange {
        at: WireTime(at),
        agent: agent_row(card),
    })
}

/// An agent as a row of a list.
pub fn agent_row(card: &AgentCard<'_>) -> AgentRow {
    AgentRow {
        id: card.agent.id.to_string(),
        name: card.agent.shown_name().into_owned(),
        dialect: card.agent.dialect.as_str().to_owned(),
        token: card.agent.token.to_string(),
        connected: card.connected,
        open: card.open as u64,
        unreadable_at: card.unreadable_at.map(WireTime),
        links: card.links as u64,
        since: card.since.map(WireTime),
        left_at: card.left_at.map(WireTime),
        last_ask_at: card.last_ask_at.map(WireTime),
        takes_turns: card.takes_turns,
    }
}
