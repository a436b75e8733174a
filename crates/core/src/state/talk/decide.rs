//! Deciding what becomes of what is said: messages, words, notes and turns.

use std::sync::Arc;

use super::{QueuedEntry, Talk};
use crate::agent::Conversation;
use crate::entry::{Message, MessageState, Note, Said, TurnEnd};
use crate::id::ConversationId;
use crate::id::Seq;
use crate::journal::Event;
use crate::limits;
use crate::state::Parts;
use crate::state::ids::message_id;
use crate::state::op::{
    Addressee, HalfSaid, NewMessage, Now, OpReply, Plan, Remove, ToolNote, TurnOver,
};
use crate::state::refusal::Refusal;
use crate::state::table::Layer;

impl<L: Layer> Parts<L> {
    /// A person says something to an agent.
    pub(in crate::state) fn decide_message(
        &self,
        new: NewMessage,
        now: &Now<'_>,
    ) -> Result<Plan, Refusal> {
        let (conversation, began) = match new.to {
            Addressee::Conversation(conversation) => (conversation, None),
            Addressee::New { agent, name } => {
                let agent = self.directory.agent(agent).ok_or(Refusal::NotFound)?;
                self.directory.converse(agent, &name, now)?
            }
        };
        let waiting = self.talk.queued_in(conversation.id);
        if waiting >= limits::QUEUED_PER_CONVERSATION_MAX {
            return Err(Refusal::QueueFull { waiting });
        }
        if self.talk.queued() >= limits::QUEUED_MAX {
            return Err(Refusal::QueuesFull);
        }
        let message = Arc::new(Message {
            id: message_id(now.wall, new.random),
            conversation: conversation.id,
            person: new.person,
            device: new.device,
            text: new.text,
        });
        let messaged = Event::Messaged(Arc::clone(&message));
        Ok(Plan {
            events: began.into_iter().chain([messaged]).collect(),
            reply: OpReply::Messaged {
                conversation,
                message,
            },
        })
    }

    /// Hands over the next message of a conversation, unless its agent is busy or waits.
    pub(in crate::state) fn decide_hand(&self, conversation: ConversationId) -> Plan {
        let busy = self.asks.open_in(conversation) > 0 || self.talk.is_running(conversation);
        let next = self.talk.next(conversation).filter(|_| !busy);
        Plan {
            events: next
                .map(|entry| Event::Handed {
                    message: entry.message,
                    conversation,
                    opened: entry.seq,
                })
                .into_iter()
                .collect(),
            reply: OpReply::Done,
        }
    }

    /// Ends a turn that runs; the end of none is nothing.
    pub(in crate::state) fn decide_end(&self, over: TurnOver, now: &Now<'_>) -> Plan {
        let conversation = over.conversation.id;
        let said = said(&over.conversation, over.said, now);
        let runs = over.heard || said.is_some() || self.talk.is_running(conversation);
        // Silence is no end while the agent waits for an answer.
        let waits = over.end == TurnEnd::Lost && self.asks.open_in(conversation) > 0;
        let ended = (runs && !waits).then_some(Event::TurnEnded {
            conversation,
            end: over.end,
        });
        Plan {
            events: said.into_iter().chain(ended).collect(),
            reply: OpReply::Done,
        }
    }
}

impl<L: Layer> Talk<L> {
    /// Removes a message unless it was handed over, or removed, before: the first wins.
    pub(in crate::state) fn decide_remove(&self, remove: Remove) -> Result<Plan, Refusal> {
        let Remove { entry, by } = remove;
        if self.waiting_in(entry.conversation, entry.message).is_none() {
            return Err(Refusal::NotWaiting);
        }
        let removed = Event::Removed {
            message: entry.message,
            conversation: entry.conversation,
            opened: entry.seq,
            by,
        };
        Ok(Plan::one(removed, OpReply::Done))
    }

    /// Puts a message back that no link of its agent was given; one that waits already stays.
    pub(in crate::state) fn decide_return(&self, entry: QueuedEntry) -> Plan {
        let waits = self.waiting_in(entry.conversation, entry.message).is_some();
        let returned = (!waits).then_some(Event::Returned {
            message: entry.message,
            conversation: entry.conversation,
            opened: entry.seq,
        });
        Plan {
            events: returned.into_iter().collect(),
            reply: OpReply::Done,
        }
    }

    /// Erases what was said. What waits for its agent, and what belongs to a turn that runs, stays.
    pub(in crate::state) fn decide_clear(
        &self,
        conversation: ConversationId,
        mut places: Vec<Seq>,
    ) -> Plan {
        let waits = |place: &Seq| self.state_at(conversation, *place) == MessageState::Queued;
        places.retain(|place| !waits(place));
        let clears = !places.is_empty() && !self.is_running(conversation);
        Plan {
            events: clears
                .then_some(Event::Cleared {
                    conversation,
                    places,
                })
                .into_iter()
                .collect(),
            reply: OpReply::Done,
        }
    }
}

/// A tool of an agent did something. What was said before it is complete with that.
pub(in crate::state) fn decide_note(new: ToolNote, now: &Now<'_>) -> Plan {
    let said = said(&new.conversation, new.said, now);
    let note = Note {
        id: message_id(now.wall, new.random),
        conversation: new.conversation.id,
        tool: new.tool,
        text: new.text,
        status: new.status,
    };
    Plan {
        events: said
            .into_iter()
            .chain([Event::Noted(note.into())])
            .collect(),
        reply: OpReply::Done,
    }
}

/// An agent finished saying something.
pub(in crate::state) fn decide_say(
    conversation: &Conversation,
    half: HalfSaid,
    now: &Now<'_>,
) -> Plan {
    Plan {
        events: said(conversation, Some(half), now).into_iter().collect(),
        reply: OpReply::Done,
    }
}

/// What an agent was saying, as something complete.
pub(in crate::state) fn said(
    conversation: &Conversation,
    half: Option<HalfSaid>,
    now: &Now<'_>,
) -> Option<Event> {
    let half = half.filter(|half| !half.text.is_empty())?;
    Some(Event::Said(Arc::new(Said {
        id: message_id(now.wall, half.random),
        conversation: conversation.id,
        text: half.text,
    })))
}
