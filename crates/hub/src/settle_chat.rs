//! What a committed decision does to conversations: in memory, on devices, and on agents' links.

use std::sync::Arc;

use sayso_core::agent::{Agent, Conversation};
use sayso_core::entry::{Entry, EntryKind, Message, MessageState, Note, Said, Turn, TurnEnd};
use sayso_core::id::{AgentId, ConversationId, Seq};
use sayso_core::journal::Event;
use sayso_core::time::Time;
use sayso_store::{EntryWhat, QueuedEntry};

use crate::faults::point;
use crate::feed::{FeedItem, News};
use crate::hub::Inner;
use crate::op::RemoveOp;
use crate::round::ChatPlan;

impl Inner {
    /// Has a round look whether something can be handed over in these conversations.
    pub(crate) fn hand_soon(
        self: &Arc<Self>,
        conversations: impl IntoIterator<Item = ConversationId>,
    ) {
        let ready = {
            let mut known = self.known();
            let made = conversations
                .into_iter()
                .map(|id| known.chat.make_ready(id))
                .filter(|made| *made);
            made.count() > 0
        };
        if ready && self.hand().is_err() {
            // It stays ready; whoever looks after time has it tried again.
            self.bell.notify_one();
        }
    }

    /// Tells devices what an agent does in a conversation, when that is no longer what it did.
    pub(crate) fn publish_turn(&self, conversation: &Arc<Conversation>, before: Turn) {
        let turn = self.known().turn(conversation.id);
        if turn != before {
            let news = News::Turn {
                conversation: Arc::clone(conversation),
                turn,
            };
            self.feed
                .publish(FeedItem::new(None, self.clock.wall(), news));
        }
    }

    /// An agent was heard of in a conversation: its turn runs.
    pub(crate) fn heard(&self, conversation: &Arc<Conversation>) {
        let now = self.now();
        let (before, sooner) = {
            let mut known = self.known();
            let before = known.turn(conversation.id);
            (before, known.chat.heard(conversation.id, now.hub))
        };
        if sooner {
            self.bell.notify_one();
        }
        self.publish_turn(conversation, before);
    }

    /// The same where a turn runs already; otherwise none begins.
    pub(crate) fn heard_if_running(&self, conversation: &Arc<Conversation>) {
        let now = self.now().hub;
        self.known().chat.heard_if_running(conversation.id, now);
    }

    /// An ask of a conversation has ended: what waited for that may be next.
    pub(crate) fn wait_ended(self: &Arc<Self>, conversation: ConversationId, before: Turn) {
        let found = self.known().roll.conversation(conversation).cloned();
        if let Some(found) = found {
            self.publish_turn(&found, before);
        }
        self.hand_soon([conversation]);
    }

    pub(crate) async fn settle_chat(
        self: &Arc<Self>,
        conversation: &Arc<Conversation>,
        plan: ChatPlan,
        place: (Seq, Time),
    ) {
        self.known().roll.revived(conversation.id);
        match plan {
            ChatPlan::Messaged(message) => self.settle_messaged(conversation, message, place),
            ChatPlan::Handed(entry) => self.settle_handed(conversation, entry, place).await,
            ChatPlan::Removed(remove) => self.settle_removed(conversation, &remove, place),
            ChatPlan::Said(said) => self.settle_said(conversation, said, place),
            ChatPlan::Noted(note) => self.settle_noted(conversation, note, place),
            ChatPlan::TurnEnded(end) => self.settle_turn_ended(conversation, end, place),
        }
    }

    fn publish_entry(
        &self,
        conversation: &Arc<Conversation>,
        published: (Seq, Time),
        entry: (Seq, Time),
        kind: EntryKind,
    ) {
        let news = News::Entry(Entry {
            seq: entry.0,
            at: entry.1,
            conversation: Arc::clone(conversation),
            kind,
        });
        self.feed
            .publish(FeedItem::new(Some(published.0), published.1, news));
    }

    fn settle_messaged(
        self: &Arc<Self>,
        conversation: &Arc<Conversation>,
        message: Arc<Message>,
        place: (Seq, Time),
    ) {
        point("settle_messaged");
        let state = MessageState::Queued;
        {
            let mut known = self.known();
            known.chat.queue(QueuedEntry {
                message: message.id,
                conversation: conversation.id,
                seq: place.0,
            });
            let what = EntryWhat::Message(state);
            known.chat.note_entry(conversation.id, place, what);
        }
        let kind = EntryKind::Message { message, state };
        self.publish_entry(conversation, place, place, kind);
        self.hand_soon([conversation.id]);
    }

    async fn settle_handed(
        self: &Arc<Self>,
        conversation: &Arc<Conversation>,
        entry: QueuedEntry,
        place: (Seq, Time),
    ) {
        point("settle_handed");
        let agent = {
            let mut known = self.known();
            known.chat.handed(conversation.id, entry.message);
            known.roll.agent(conversation.agent).cloned()
        };
        let read = match self.store.events_at(&[entry.seq]).await {
            Ok(events) => events.into_iter().next(),
            Err(error) => {
                tracing::error!(%error, message = %entry.message, "a message that was handed over cannot be read");
                None
            }
        };
        let Some(stored) = read else { return };
        let (Some(Event::Messaged(message)), Some(agent)) = (stored.event, agent) else {
            return;
        };
        let kind = EntryKind::Message {
            message: Arc::clone(&message),
            state: MessageState::Sent,
        };
        self.publish_entry(conversation, place, (entry.seq, stored.at), kind);
        self.bring_turn(&agent, conversation, message);
    }

    fn settle_removed(
        &self,
        conversation: &Arc<Conversation>,
        remove: &RemoveOp,
        place: (Seq, Time),
    ) {
        point("settle_removed");
        self.known().chat.removed(&remove.entry, place.0);
        let kind = EntryKind::Message {
            message: Arc::clone(&remove.message),
            state: MessageState::Removed,
        };
        let stood = (remove.entry.seq, remove.said_at);
        self.publish_entry(conversation, place, stood, kind);
    }

    /// Brings a turn to a live link that takes it, or keeps it for the next one. It runs either way.
    pub(crate) fn bring_turn(
        &self,
        agent: &Arc<Agent>,
        conversation: &Arc<Conversation>,
        message: Arc<Message>,
    ) {
        self.heard(conversation);
        point("link_hand");
        if !self.links.hand(agent, conversation, &message) {
            self.known().chat.give_back(message);
        }
    }

    /// A link of this agent takes turns now.
    pub(crate) fn turns_offered(self: &Arc<Self>, agent: AgentId) {
        let mut waiting = Vec::new();
        let mut returned = Vec::new();
        let agent = {
            let mut known = self.known();
            let ids: Vec<ConversationId> = known.chat.waiting().collect();
            for id in ids {
                let Some(conversation) = known.roll.conversation(id).cloned() else {
                    continue;
                };
                if conversation.agent == agent {
                    waiting.push(id);
                    returned.push((known.chat.take_returned(id), conversation));
                }
            }
            known.roll.agent(agent).cloned()
        };
        let Some(agent) = agent else { return };
        for (messages, conversation) in returned {
            for message in messages {
                self.bring_turn(&agent, &conversation, message);
            }
        }
        self.hand_soon(waiting);
    }

    fn settle_said(&self, conversation: &Arc<Conversation>, said: Arc<Said>, place: (Seq, Time)) {
        point("settle_said");
        self.known()
            .chat
            .note_entry(conversation.id, place, EntryWhat::Said);
        self.publish_entry(conversation, place, place, EntryKind::Said(said));
    }

    fn settle_noted(&self, conversation: &Arc<Conversation>, note: Arc<Note>, place: (Seq, Time)) {
        point("settle_noted");
        self.known()
            .chat
            .note_entry(conversation.id, place, EntryWhat::Note);
        self.publish_entry(conversation, place, place, EntryKind::Note(note));
    }

    fn settle_turn_ended(
        self: &Arc<Self>,
        conversation: &Arc<Conversation>,
        end: TurnEnd,
        place: (Seq, Time),
    ) {
        point("settle_turn_ended");
        let before = {
            let mut known = self.known();
            let before = known.turn(conversation.id);
            known.chat.ended(conversation.id);
            known
                .chat
                .note_entry(conversation.id, place, EntryWhat::TurnEnded);
            before
        };
        self.publish_entry(conversation, place, place, EntryKind::TurnEnded(end));
        self.publish_turn(conversation, before);
        self.hand_soon([conversation.id]);
    }
}
