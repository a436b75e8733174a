//! What devices are told of an event: one function, the same when it happens and when it is replayed.
//!
//! It reads names from the directory and nothing else of the state. What it needs beside the event is
//! brought as [`Bodies`], from memory or from the journal.

use std::sync::Arc;

use sayso_core::agent::Agent;
use sayso_core::ask::Ask;
use sayso_core::entry::{Entry, EntryKind, Message, MessageState};
use sayso_core::id::{ConversationId, Seq};
use sayso_core::journal::Event;
use sayso_core::outcome::{Closing, Delivery, Late};
use sayso_core::policy;
use sayso_core::state::Directory;
use sayso_core::state::table::Base;
use sayso_core::time::Time;
use sayso_core::unreadable;
use sayso_core::view::{AskView, Prefill, is_at_once};

use crate::feed::News;

/// What the news of an event needs beside the event.
#[derive(Debug, Default)]
pub(crate) struct Bodies {
    /// The ask that ended, and how it had ended before.
    pub(crate) ask: Option<Arc<Ask>>,
    pub(crate) closing: Option<Arc<Closing>>,
    /// The message that was handed over, returned or removed, and when it was said.
    pub(crate) message: Option<(Arc<Message>, Time)>,
    /// What a person could start from.
    pub(crate) prefill: Option<Arc<Prefill>>,
    /// Whether a link of the asker is alive.
    pub(crate) connected: bool,
}

/// The news of the event at a place; nothing where devices are told nothing. `next` is the event after
/// it: an ask that a rule answers at once is never shown as open.
pub(crate) fn news(
    seq: Seq,
    at: Time,
    event: &Event,
    next: Option<&Event>,
    bodies: Bodies,
    directory: &Directory<Base>,
) -> Option<News> {
    let entry = |place: Seq, at: Time, conversation: ConversationId, kind: EntryKind| {
        Some(News::Entry(Entry {
            seq: place,
            at,
            conversation: Arc::clone(directory.conversation(conversation)?),
            kind,
        }))
    };
    let message = |bodies: Bodies, opened: Seq, state: MessageState| {
        let (message, said_at) = bodies.message?;
        let conversation = message.conversation;
        let kind = EntryKind::Message { message, state };
        entry(opened, said_at, conversation, kind)
    };
    match event {
        Event::Asked(ask) if is_answered_at_once(ask, next) => None,
        Event::Asked(ask) => view(Arc::clone(ask), None, None, bodies, directory).map(News::Asked),
        Event::Closed { closing, .. } => {
            let (ask, closing) = (bodies.ask.clone()?, Some(Arc::clone(closing)));
            view(ask, closing, None, bodies, directory).map(News::Closed)
        }
        Event::AnsweredLate { late, .. } => {
            let (ask, closing) = (bodies.ask.clone()?, bodies.closing.clone());
            let late = Some(Arc::clone(late));
            view(ask, closing, late, bodies, directory).map(News::Closed)
        }
        Event::Delivered(marks) => Some(News::Delivery(marks.clone())),
        Event::Messaged(message) => {
            let kind = EntryKind::Message {
                message: Arc::clone(message),
                state: MessageState::Queued,
            };
            entry(seq, at, message.conversation, kind)
        }
        Event::Handed { opened, .. } => message(bodies, *opened, MessageState::Sent),
        Event::Returned { opened, .. } => message(bodies, *opened, MessageState::Queued),
        Event::Removed { opened, .. } => message(bodies, *opened, MessageState::Removed),
        Event::Said(said) => {
            let kind = EntryKind::Said(Arc::clone(said));
            entry(seq, at, said.conversation, kind)
        }
        Event::Noted(note) => {
            let kind = EntryKind::Note(Arc::clone(note));
            entry(seq, at, note.conversation, kind)
        }
        Event::TurnEnded { conversation, end } => {
            entry(seq, at, *conversation, EntryKind::TurnEnded(*end))
        }
        Event::RuleMade(rule) => Some(News::Rule(rule.id)),
        Event::RuleRevoked { rule, .. } => Some(News::Rule(*rule)),
        Event::EpochBegan(_)
        | Event::TokenMade(_)
        | Event::TokenRevoked(_)
        | Event::AgentMet(_)
        | Event::ConversationBegan(_)
        | Event::Shown(_)
        | Event::Erased { .. }
        | Event::Cleared { .. } => None,
    }
}

/// Whether the event after an ask is a rule's answer to it.
fn is_answered_at_once(ask: &Ask, next: Option<&Event>) -> bool {
    if let Some(Event::Closed {
        ask: closed,
        closing,
        ..
    }) = next
    {
        return *closed == ask.id && is_at_once(ask, closing);
    }
    false
}

/// What is shown of an ask.
pub(crate) fn view(
    ask: Arc<Ask>,
    closing: Option<Arc<Closing>>,
    late: Option<Arc<Late>>,
    bodies: Bodies,
    directory: &Directory<Base>,
) -> Option<AskView> {
    let conversation = ask.conversation.and_then(|id| directory.conversation(id));
    Some(AskView {
        agent: asker(&ask, directory)?,
        connected: bodies.connected,
        conversation: conversation.cloned(),
        scopes: policy::scopes(&ask),
        prefill: bodies.prefill.filter(|_| closing.is_none()),
        ask,
        closing,
        late,
        delivery: Delivery::Owed,
    })
}

/// Who asked; of what cannot be read that may not be known.
fn asker(ask: &Ask, directory: &Directory<Base>) -> Option<Arc<Agent>> {
    match directory.agent(ask.agent) {
        Some(agent) => Some(Arc::clone(agent)),
        None if ask.is_unreadable() => unreadable::agent(),
        None => None,
    }
}
