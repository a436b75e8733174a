//! Deciding what becomes of what is said: messages, half-said words, notes and turns.

use std::sync::Arc;

use sayso_core::agent::Conversation;
use sayso_core::entry::{Message, MessageState, Note, Said, TurnEnd};
use sayso_core::id::{ConversationId, ConversationName, MessageId, Seq};
use sayso_core::journal::Event;
use sayso_core::limits;

use super::{ChatPlan, Planned, Round, Told};
use crate::error::HubError;
use crate::known::Known;
use crate::links::Links;
use crate::op::{Addressee, MessageOp, NoteOp, RemoveOp, Reply};

impl Round {
    /// Erases what was said. What waits for its agent, and what belongs to a turn that runs, stays.
    pub(super) fn decide_clear(
        &mut self,
        known: &Known,
        conversation: ConversationId,
        mut places: Vec<Seq>,
        reply: Reply<()>,
    ) {
        let waits = |place: &Seq| known.chat.state_at(conversation, *place) == MessageState::Queued;
        places.retain(|place| !waits(place));
        if !places.is_empty() && !known.chat.is_running(conversation) {
            let at = self.push(Event::Cleared {
                conversation,
                places: places.clone(),
            });
            self.planned.push(Planned::Cleared { at, places });
        }
        self.told.push(Told::Done { reply });
    }

    /// Hands over what is ready: where the agent is here for it, waits for nothing, and has no turn.
    pub(crate) fn hand_out(&mut self, known: &mut Known, links: &Links) {
        for id in known.chat.take_ready() {
            if known.waits(id) || known.chat.is_running(id) {
                continue;
            }
            let (Some(entry), Some(conversation)) =
                (known.chat.next(id), known.roll.conversation(id).cloned())
            else {
                continue;
            };
            if !links.takes(conversation.agent, &conversation.name) {
                continue;
            }
            let at = self.push(Event::Handed {
                message: entry.message,
                conversation: id,
                opened: entry.seq,
            });
            self.gone.insert(entry.message);
            self.plan(at, &conversation, ChatPlan::Handed(entry));
        }
    }

    /// Removes a message unless it was handed over, or removed, before: the first wins.
    pub(super) fn decide_remove(&mut self, known: &Known, remove: Box<RemoveOp>, reply: Reply<()>) {
        let entry = remove.entry;
        let conversation = known.roll.conversation(entry.conversation).cloned();
        let waits = known.chat.find(entry.message).is_some();
        let (Some(conversation), true) = (conversation, waits && self.gone.insert(entry.message))
        else {
            // Told once what was first is written.
            return self.told.push(Told::NotRemoved { reply });
        };
        let at = self.push(Event::Removed {
            message: entry.message,
            conversation: entry.conversation,
            opened: entry.seq,
            by: remove.by.clone(),
        });
        self.plan(at, &conversation, ChatPlan::Removed(remove));
        self.told.push(Told::Done { reply });
    }

    fn plan(&mut self, at: usize, conversation: &Arc<Conversation>, plan: ChatPlan) {
        self.planned.push(Planned::Chat {
            at,
            wall: self.now.wall,
            conversation: Arc::clone(conversation),
            plan,
        });
    }

    fn message_id(&self, known: &mut Known) -> Result<MessageId, HubError> {
        let id = known.ids.make(self.now.wall)?;
        Ok(MessageId::from_bytes(*id.bytes()))
    }

    pub(super) fn decide_message(
        &mut self,
        known: &mut Known,
        op: MessageOp,
        reply: Reply<(Arc<Conversation>, Arc<Message>)>,
    ) {
        match self.take_message(known, op) {
            Ok((conversation, message)) => self.told.push(Told::Messaged {
                conversation,
                message,
                reply,
            }),
            Err(error) => reply.send(Err(error)),
        }
    }

    fn take_message(
        &mut self,
        known: &mut Known,
        op: MessageOp,
    ) -> Result<(Arc<Conversation>, Arc<Message>), HubError> {
        let id = self.message_id(known)?;
        let conversation = match op.to {
            Addressee::Conversation(conversation) => conversation,
            Addressee::New {
                agent,
                name: Some(name),
            } => self.converse(known, agent, &name)?,
            Addressee::New { agent, name: None } => {
                let mut random = [0; 16];
                getrandom::fill(&mut random).map_err(|_| {
                    HubError::TryLater("the system gives no random numbers".to_owned())
                })?;
                let name = uuid::Uuid::from_bytes(random).simple().to_string();
                let name = ConversationName::new(name)
                    .map_err(|error| HubError::Refused(error.to_string()))?;
                self.converse(known, agent, &name)?
            }
        };
        let taken: usize = self.messaged.values().sum();
        let here = self.messaged.entry(conversation.id).or_default();
        let waiting = known.chat.queued_in(conversation.id) + *here;
        if waiting >= limits::QUEUED_PER_CONVERSATION_MAX {
            return Err(HubError::Refused(format!(
                "{waiting} messages wait for the agent in this conversation already; it must take them first"
            )));
        }
        if known.chat.queued() + taken >= limits::QUEUED_MAX {
            return Err(HubError::TryLater(
                "too many messages wait for their agents".to_owned(),
            ));
        }
        *here += 1;
        let message = Arc::new(Message {
            id,
            conversation: conversation.id,
            person: op.person,
            device: op.device,
            text: op.text,
        });
        let at = self.push(Event::Messaged(Arc::clone(&message)));
        self.plan(at, &conversation, ChatPlan::Messaged(Arc::clone(&message)));
        Ok((conversation, message))
    }

    pub(super) fn decide_say(
        &mut self,
        known: &mut Known,
        conversation: &Arc<Conversation>,
        text: String,
        reply: Reply<()>,
    ) {
        match self.keep_said(known, conversation, text) {
            Ok(()) => self.told.push(Told::Done { reply }),
            Err(error) => reply.send(Err(error)),
        }
    }

    fn keep_said(
        &mut self,
        known: &mut Known,
        conversation: &Arc<Conversation>,
        text: String,
    ) -> Result<(), HubError> {
        if text.is_empty() {
            return Ok(());
        }
        let id = match self.message_id(known) {
            Ok(id) => id,
            Err(error) => {
                known.chat.put_back(conversation.id, &text);
                return Err(error);
            }
        };
        let said = Arc::new(Said {
            id,
            conversation: conversation.id,
            text,
        });
        let at = self.push(Event::Said(Arc::clone(&said)));
        self.plan(at, conversation, ChatPlan::Said(said));
        Ok(())
    }

    /// What was said so far is complete: something else follows it.
    pub(super) fn finish_saying(&mut self, known: &mut Known, conversation: &Arc<Conversation>) {
        let text = known.chat.take_saying(conversation.id);
        if let Err(error) = self.keep_said(known, conversation, text) {
            tracing::warn!(%error, "what an agent said is kept for later");
        }
    }

    pub(super) fn decide_note(&mut self, known: &mut Known, op: NoteOp, reply: Reply<()>) {
        self.finish_saying(known, &op.conversation);
        let id = match self.message_id(known) {
            Ok(id) => id,
            Err(error) => return reply.send(Err(error)),
        };
        let note = Arc::new(Note {
            id,
            conversation: op.conversation.id,
            tool: op.tool,
            text: op.text,
            status: op.status,
        });
        let at = self.push(Event::Noted(Arc::clone(&note)));
        self.plan(at, &op.conversation, ChatPlan::Noted(note));
        self.told.push(Told::Done { reply });
    }

    pub(super) fn decide_end(
        &mut self,
        known: &mut Known,
        conversation: &Arc<Conversation>,
        end: TurnEnd,
        reply: Reply<()>,
    ) {
        self.end_turn(known, conversation, end);
        self.told.push(Told::Done { reply });
    }

    /// Ends a turn that was not heard of for too long.
    pub(super) fn lose(&mut self, known: &mut Known, conversation: ConversationId) {
        if let Some(conversation) = known.roll.conversation(conversation).cloned() {
            self.end_turn(known, &conversation, TurnEnd::Lost);
        }
    }

    /// Ends a turn that runs; the end of none is nothing.
    fn end_turn(&mut self, known: &mut Known, conversation: &Arc<Conversation>, end: TurnEnd) {
        self.finish_saying(known, conversation);
        if !known.chat.is_running(conversation.id) || !self.ended.insert(conversation.id) {
            return;
        }
        let at = self.push(Event::TurnEnded {
            conversation: conversation.id,
            end,
        });
        self.plan(at, conversation, ChatPlan::TurnEnded(end));
    }
}

/// Why a message is not removed: somebody was first.
pub(crate) fn waits_no_more() -> HubError {
    HubError::Unknown(
        "no message with this id waits: its agent has it, or it was removed".to_owned(),
    )
}
