//! Turns of agents: brought to a link that takes them, given back where there is none, and heard of.

use std::sync::Arc;

use sayso_core::agent::Conversation;
use sayso_core::entry::Message;
use sayso_core::id::{AgentId, ConversationId, Seq};
use sayso_core::state::QueuedEntry;

use crate::applied::WrittenBy;
use crate::faults::point;
use crate::feed::News;
use crate::hub::Inner;
use crate::links::Brought;

impl Inner {
    /// A turn runs. One that was begun here is heard of here.
    pub(crate) fn runs(&self, by: WrittenBy, conversation: ConversationId) {
        let now = self.now().hub;
        let mut memory = self.memory();
        let sooner = match by {
            WrittenBy::Us => false,
            // Nothing could be heard while the server was down: the whole time runs again.
            WrittenBy::Before if self.neighbours.is_none() => memory.live.heard(conversation, now),
            WrittenBy::Before | WrittenBy::Others => {
                memory.live.heard_elsewhere(conversation, now, None)
            }
        };
        drop(memory);
        if sooner {
            self.bell.notify_one();
        }
    }

    /// A message was handed over: its turn begins at a live link that takes it. Where there is none any
    /// more, it waits again.
    pub(crate) fn bring_turn(self: &Arc<Self>, message: &Arc<Message>, opened: Seq) {
        let found = {
            let memory = self.memory();
            let directory = &memory.state.directory;
            let conversation = directory.conversation(message.conversation).cloned();
            let agent = conversation
                .as_ref()
                .and_then(|conversation| directory.agent(conversation.agent).cloned());
            agent.zip(conversation)
        };
        let Some((agent, conversation)) = found else {
            return;
        };
        self.heard(&conversation);
        point("link_hand");
        let turn = Brought::Turn {
            agent,
            conversation: Arc::clone(&conversation),
            message: Arc::clone(message),
            opened,
        };
        if !self.links.hand(&conversation, &turn) {
            self.give_back(queued(message, opened));
        }
    }

    /// A message that was handed over has no link: the next turn lets it wait again.
    pub(crate) fn give_back(self: &Arc<Self>, message: QueuedEntry) {
        self.memory().live.give_back(message);
        self.turn_soon();
    }

    /// Something changed in a conversation: devices are told what its agent does, and what waits may be
    /// next.
    pub(crate) fn moved(self: &Arc<Self>, conversation: ConversationId) {
        let found = self
            .memory()
            .state
            .directory
            .conversation(conversation)
            .cloned();
        if let Some(found) = found {
            self.publish_turn(&found);
        }
        self.hand_soon([conversation]);
    }

    /// Has a turn look whether something can be handed over in these conversations.
    pub(crate) fn hand_soon(
        self: &Arc<Self>,
        conversations: impl IntoIterator<Item = ConversationId>,
    ) {
        let ready = {
            let mut memory = self.memory();
            let waiting = conversations.into_iter();
            let made = waiting
                .filter(|id| memory.state.talk.queued_in(*id) > 0)
                .collect::<Vec<_>>();
            let made = made.into_iter().filter(|id| memory.live.make_ready(*id));
            made.count() > 0
        };
        if ready {
            self.turn_soon();
        }
    }

    /// Has a turn look at what is ready.
    fn turn_soon(self: &Arc<Self>) {
        if self.look_soon().is_err() {
            // It stays ready; whoever looks after time has it tried again.
            self.bell.notify_one();
        }
    }

    /// Tells devices what an agent does in a conversation, when that is no longer what they were told.
    pub(crate) fn publish_turn(&self, conversation: &Arc<Conversation>) {
        let turn = {
            let mut memory = self.memory();
            let turn = memory.turn(conversation.id);
            memory.live.tell_turn(conversation.id, turn).then_some(turn)
        };
        if let Some(turn) = turn {
            self.tell(News::Turn {
                conversation: Arc::clone(conversation),
                turn,
            });
        }
    }

    /// An agent was heard of in a conversation: its turn runs.
    pub(crate) fn heard(&self, conversation: &Arc<Conversation>) {
        let now = self.now();
        let sooner = self.memory().live.heard(conversation.id, now.hub);
        if sooner {
            self.bell.notify_one();
        }
        self.publish_turn(conversation);
        self.tell_heard(conversation.id);
    }

    /// The same where a turn runs; otherwise nothing begins.
    pub(crate) fn still_heard(&self, conversation: &Conversation) {
        let now = self.now().hub;
        let (runs, sooner) = {
            let live = &mut self.memory().live;
            let runs = live.is_heard(conversation.id);
            (runs, runs && live.heard(conversation.id, now))
        };
        if sooner {
            self.bell.notify_one();
        }
        if runs {
            self.tell_heard(conversation.id);
        }
    }

    /// A link of this agent takes turns now.
    pub(crate) fn turns_offered(self: &Arc<Self>, agent: AgentId) {
        let waiting: Vec<ConversationId> = {
            let memory = self.memory();
            let directory = &memory.state.directory;
            let of_agent = |id: &ConversationId| {
                let conversation = directory.conversation(*id);
                conversation.is_some_and(|conversation| conversation.agent == agent)
            };
            memory.state.talk.waiting().filter(of_agent).collect()
        };
        self.hand_soon(waiting);
    }
}

/// A message that was said there, as it waits.
pub(crate) fn queued(message: &Message, seq: Seq) -> QueuedEntry {
    QueuedEntry {
        message: message.id,
        conversation: message.conversation,
        seq,
    }
}
