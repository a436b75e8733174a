//! Conversations in which something goes on: messages that wait for their agent, and turns that run.
//!
//! Half-said text is not here: it is not written down until it is complete.

mod decide;

pub(super) use decide::{decide_note, decide_say, said};

use std::collections::VecDeque;

use hashbrown::HashMap;

use super::table::{Base, KeyTable, Layer, Over, Patch};
use crate::entry::MessageState;
use crate::id::{ConversationId, MessageId, Seq};

/// A message that waits for its agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueuedEntry {
    /// Which message.
    pub message: MessageId,
    /// In which conversation.
    pub conversation: ConversationId,
    /// Where it was said.
    pub seq: Seq,
}

/// What goes on in one conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Ongoing {
    queue: VecDeque<QueuedEntry>,
    running: bool,
}

/// Queues and turns.
#[derive(Debug)]
pub struct Talk<L: Layer> {
    ongoing: L::Map<ConversationId, Ongoing>,
    queued: usize,
}

impl<L: Layer> Talk<L> {
    /// How many messages wait in a conversation.
    pub fn queued_in(&self, conversation: ConversationId) -> usize {
        let ongoing = self.ongoing.get(&conversation);
        ongoing.map_or(0, |ongoing| ongoing.queue.len())
    }

    /// How many messages wait.
    pub fn queued(&self) -> usize {
        self.queued
    }

    /// The message that is handed over next.
    pub fn next(&self, conversation: ConversationId) -> Option<QueuedEntry> {
        self.ongoing.get(&conversation)?.queue.front().copied()
    }

    /// A message that waits in a conversation.
    fn waiting_in(&self, conversation: ConversationId, message: MessageId) -> Option<QueuedEntry> {
        let mut queue = self.ongoing.get(&conversation)?.queue.iter();
        queue.find(|entry| entry.message == message).copied()
    }

    /// Whether a message still waits.
    pub fn state(&self, conversation: ConversationId, message: MessageId) -> MessageState {
        match self.waiting_in(conversation, message) {
            Some(_) => MessageState::Queued,
            None => MessageState::Sent,
        }
    }

    /// Whether the message said at this place still waits.
    pub fn state_at(&self, conversation: ConversationId, seq: Seq) -> MessageState {
        let waits = self.ongoing.get(&conversation).is_some_and(|ongoing| {
            let found = ongoing.queue.binary_search_by_key(&seq, |entry| entry.seq);
            found.is_ok()
        });
        if waits {
            MessageState::Queued
        } else {
            MessageState::Sent
        }
    }

    /// Whether a turn runs, as far as it is written down.
    pub fn is_running(&self, conversation: ConversationId) -> bool {
        let ongoing = self.ongoing.get(&conversation);
        ongoing.is_some_and(|ongoing| ongoing.running)
    }

    pub(super) fn messaged(&mut self, entry: QueuedEntry) {
        self.queued += 1;
        self.change(entry.conversation, |ongoing| ongoing.queue.push_back(entry));
    }

    /// A message waits again, in the place in which it was said.
    pub(super) fn waits_again(&mut self, entry: QueuedEntry) {
        if self.waiting_in(entry.conversation, entry.message).is_none() {
            self.queued += 1;
            self.change(entry.conversation, |ongoing| {
                let found = ongoing
                    .queue
                    .binary_search_by_key(&entry.seq, |one| one.seq);
                let (Ok(at) | Err(at)) = found;
                ongoing.queue.insert(at, entry);
            });
        }
    }

    /// A message waits no longer.
    pub(super) fn left_queue(&mut self, conversation: ConversationId, message: MessageId) {
        if self.waiting_in(conversation, message).is_some() {
            self.queued -= 1;
            self.change(conversation, |ongoing| {
                ongoing.queue.retain(|entry| entry.message != message);
            });
        }
    }

    /// A turn runs, or ran until now.
    pub(super) fn runs(&mut self, conversation: ConversationId, running: bool) {
        if self.is_running(conversation) != running {
            self.change(conversation, |ongoing| ongoing.running = running);
        }
    }

    fn change(&mut self, conversation: ConversationId, change: impl FnOnce(&mut Ongoing)) {
        if self.ongoing.get(&conversation).is_none() {
            self.ongoing.put(conversation, Ongoing::default());
        }
        if let Some(ongoing) = self.ongoing.edit(&conversation) {
            change(ongoing);
            if ongoing.queue.is_empty() && !ongoing.running {
                self.ongoing.cut(&conversation);
            }
        }
    }

    /// Another life of the state began: nobody knows what agents were given since.
    pub(super) fn epoch_began(&mut self) {
        self.ongoing.clear();
        self.queued = 0;
    }
}

impl Talk<Base> {
    pub(super) fn new() -> Self {
        Self {
            ongoing: HashMap::new(),
            queued: 0,
        }
    }

    /// The same, to be changed by a batch.
    pub(super) fn over(&self) -> Talk<Over<'_>> {
        Talk {
            ongoing: Patch::over(&self.ongoing),
            queued: self.queued,
        }
    }

    /// The message with this id, if it waits.
    pub fn find(&self, message: MessageId) -> Option<QueuedEntry> {
        let mut waiting = self.ongoing.values().flat_map(|ongoing| &ongoing.queue);
        waiting.find(|entry| entry.message == message).copied()
    }

    /// The conversations in which messages wait.
    pub fn waiting(&self) -> impl Iterator<Item = ConversationId> + '_ {
        let waiting = self.ongoing.iter();
        waiting
            .filter(|(_, ongoing)| !ongoing.queue.is_empty())
            .map(|(conversation, _)| *conversation)
    }

    /// The conversations in which a turn runs, as far as it is written down.
    pub fn running(&self) -> impl Iterator<Item = ConversationId> + '_ {
        let running = self.ongoing.iter().filter(|(_, ongoing)| ongoing.running);
        running.map(|(conversation, _)| *conversation)
    }

    /// Whether the same messages wait and the same turns run.
    pub(super) fn stands_as(&self, other: &Self) -> bool {
        self.ongoing == other.ongoing && self.queued == other.queued
    }
}
