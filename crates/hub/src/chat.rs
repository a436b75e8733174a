//! Conversations in memory: what waits for an agent, whose turn runs, and what is being said.
//!
//! All of it but the half-said words can be told again from the journal. Only conversations in
//! which something goes on take room here.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use hashbrown::HashMap;
use sayso_core::entry::{Message, MessageState, TurnEnd};
use sayso_core::id::{ConversationId, MessageId, Seq, TokenId};
use sayso_core::limits;
use sayso_core::time::Time;
use sayso_store::{EntryRow, EntryWhat, QueuedEntry};

use crate::round::ChatPlan;

/// Removed messages that are remembered even once the projections know.
const REMOVED_KEPT: usize = 256;

/// Everything that goes on in conversations.
#[derive(Debug)]
pub(crate) struct Chat {
    rooms: HashMap<ConversationId, Room>,
    /// Where a message may be handed over now; the next round looks.
    ready: BTreeSet<ConversationId>,
    /// When to look whether a turn is still heard of: one for each turn that runs.
    timers: BinaryHeap<Reverse<(Time, ConversationId)>>,
    /// How long nothing may be heard of a turn.
    timeout: Duration,
    queued: usize,
    /// Half-said text of everyone, and of each token.
    saying_bytes: usize,
    saying_by_token: HashMap<TokenId, usize>,
    /// Entries that the projections may not have yet.
    recent: VecDeque<Recent>,
    /// Entries that were removed or erased and that the projections may still have: where it was said
    /// that they are gone, and where they stood.
    removed: VecDeque<(Seq, Seq)>,
}

/// What goes on in one conversation.
#[derive(Debug, Default)]
struct Room {
    queue: VecDeque<QueuedEntry>,
    /// When the running turn was last heard of, in hub time.
    heard: Option<Time>,
    timed: bool,
    saying: String,
    /// The token whose words those are.
    speaker: Option<TokenId>,
    /// Messages that were handed over, but not to any link that lives.
    returned: VecDeque<Arc<Message>>,
}

impl Room {
    fn is_empty(&self) -> bool {
        self.queue.is_empty()
            && self.heard.is_none()
            && !self.timed
            && self.saying.is_empty()
            && self.returned.is_empty()
    }
}

/// An entry that the projections may not have yet.
#[derive(Debug)]
pub(crate) struct Recent {
    pub(crate) conversation: ConversationId,
    pub(crate) row: EntryRow,
    pub(crate) at: Time,
}

/// What became of a piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Gathered {
    /// Where in the message the piece begins.
    pub(crate) from: usize,
    /// Whole text that must be kept now, because one message holds no more.
    pub(crate) full: Option<String>,
    /// Whether too much is half-said altogether, so that this must be kept now as well.
    pub(crate) crowded: bool,
}

impl Chat {
    pub(crate) fn new(timeout: Duration) -> Self {
        Self {
            rooms: HashMap::new(),
            ready: BTreeSet::new(),
            timers: BinaryHeap::new(),
            timeout,
            queued: 0,
            saying_bytes: 0,
            saying_by_token: HashMap::new(),
            recent: VecDeque::new(),
            removed: VecDeque::new(),
        }
    }

    fn tidy(&mut self, conversation: ConversationId) {
        if self.rooms.get(&conversation).is_some_and(Room::is_empty) {
            self.rooms.remove(&conversation);
        }
    }

    /// Puts a message behind those that wait.
    pub(crate) fn queue(&mut self, entry: QueuedEntry) {
        let room = self.rooms.entry(entry.conversation).or_default();
        room.queue.push_back(entry);
        self.queued += 1;
    }

    /// How many messages wait in a conversation.
    pub(crate) fn queued_in(&self, conversation: ConversationId) -> usize {
        self.rooms
            .get(&conversation)
            .map_or(0, |room| room.queue.len())
    }

    /// How many messages wait.
    pub(crate) fn queued(&self) -> usize {
        self.queued
    }

    /// The message that is handed over next.
    pub(crate) fn next(&self, conversation: ConversationId) -> Option<QueuedEntry> {
        self.rooms.get(&conversation)?.queue.front().copied()
    }

    /// A message was handed over.
    pub(crate) fn handed(&mut self, conversation: ConversationId, message: MessageId) {
        if let Some(room) = self.rooms.get_mut(&conversation) {
            let before = room.queue.len();
            room.queue.retain(|entry| entry.message != message);
            self.queued -= before - room.queue.len();
        }
        self.tidy(conversation);
    }

    /// The message with this id, if it waits.
    pub(crate) fn find(&self, message: MessageId) -> Option<QueuedEntry> {
        let mut waiting = self.rooms.values().flat_map(|room| &room.queue);
        waiting.find(|entry| entry.message == message).copied()
    }

    /// A message that waited was removed, as is written at `seq`.
    pub(crate) fn removed(&mut self, entry: &QueuedEntry, seq: Seq) {
        self.handed(entry.conversation, entry.message);
        self.recent.retain(|recent| recent.row.seq != entry.seq);
        self.removed.push_back((seq, entry.seq));
    }

    /// What was said at these places was erased, as is written at `seq`.
    pub(crate) fn cleared(&mut self, places: &[Seq], seq: Seq) {
        self.recent
            .retain(|recent| !places.contains(&recent.row.seq));
        self.removed
            .extend(places.iter().map(|place| (seq, *place)));
    }

    /// Whether nothing goes on in a conversation, and nothing was said in it a moment ago.
    pub(crate) fn is_quiet(&self, conversation: ConversationId) -> bool {
        let mut recent = self.recent.iter();
        !self.rooms.contains_key(&conversation)
            && !recent.any(|recent| recent.conversation == conversation)
    }

    /// Whether the entry that stood here was removed or erased a moment ago.
    pub(crate) fn is_removed(&self, seq: Seq) -> bool {
        self.removed.iter().any(|(_, stood)| *stood == seq)
    }

    /// Whether a message still waits.
    pub(crate) fn state(&self, conversation: ConversationId, message: MessageId) -> MessageState {
        let waits = self
            .rooms
            .get(&conversation)
            .is_some_and(|room| room.queue.iter().any(|entry| entry.message == message));
        if waits {
            MessageState::Queued
        } else {
            MessageState::Sent
        }
    }

    /// Whether the message said at this place still waits.
    pub(crate) fn state_at(&self, conversation: ConversationId, seq: Seq) -> MessageState {
        let waits = self.rooms.get(&conversation).is_some_and(|room| {
            room.queue
                .binary_search_by(|entry| entry.seq.cmp(&seq))
                .is_ok()
        });
        if waits {
            MessageState::Queued
        } else {
            MessageState::Sent
        }
    }

    /// The conversations in which something waits.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = ConversationId> + '_ {
        self.rooms
            .iter()
            .filter(|(_, room)| !room.queue.is_empty() || !room.returned.is_empty())
            .map(|(conversation, _)| *conversation)
    }

    /// Something may be handed over here: the next round looks, if anything waits at all.
    pub(crate) fn make_ready(&mut self, conversation: ConversationId) -> bool {
        self.queued_in(conversation) > 0 && self.ready.insert(conversation)
    }

    /// Whether a round should look.
    pub(crate) fn is_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Takes the conversations at which a round looks.
    pub(crate) fn take_ready(&mut self) -> Vec<ConversationId> {
        let mut taken = Vec::new();
        while taken.len() < limits::COMMIT_BATCH_MAX
            && let Some(conversation) = self.ready.pop_first()
        {
            taken.push(conversation);
        }
        taken
    }

    /// Whether a turn runs.
    pub(crate) fn is_running(&self, conversation: ConversationId) -> bool {
        self.rooms
            .get(&conversation)
            .is_some_and(|room| room.heard.is_some())
    }

    /// The conversations in which a turn runs.
    pub(crate) fn running(&self) -> impl Iterator<Item = ConversationId> + '_ {
        self.rooms
            .iter()
            .filter(|(_, room)| room.heard.is_some())
            .map(|(conversation, _)| *conversation)
    }

    /// The agent was heard of: its turn runs from now on. Says whether the clock must look sooner.
    pub(crate) fn heard(&mut self, conversation: ConversationId, now: Time) -> bool {
        let room = self.rooms.entry(conversation).or_default();
        room.heard = Some(now);
        if std::mem::replace(&mut room.timed, true) {
            return false;
        }
        let alone = self.timers.is_empty();
        self.timers
            .push(Reverse((now.after(self.timeout), conversation)));
        alone
    }

    /// The same when a turn runs already; otherwise nothing begins.
    pub(crate) fn heard_if_running(&mut self, conversation: ConversationId, now: Time) {
        if self.is_running(conversation) {
            self.heard(conversation, now);
        }
    }

    /// The turn is over, unless the agent has begun to say something since.
    pub(crate) fn ended(&mut self, conversation: ConversationId) {
        if let Some(room) = self.rooms.get_mut(&conversation)
            && room.saying.is_empty()
        {
            room.heard = None;
        }
    }

    /// When the clock must look at a turn.
    pub(crate) fn next_timer(&self) -> Option<Time> {
        self.timers.peek().map(|Reverse((at, _))| *at)
    }

    /// The next turn that was not heard of for too long. One whose agent waits is never lost.
    pub(crate) fn lost(
        &mut self,
        now: Time,
        waits: impl Fn(ConversationId) -> bool,
    ) -> Option<ConversationId> {
        while let Some(Reverse((at, conversation))) = self.timers.peek().copied() {
            if at > now {
                return None;
            }
            self.timers.pop();
            let Some(room) = self.rooms.get_mut(&conversation) else {
                continue;
            };
            let Some(heard) = room.heard else {
                room.timed = false;
                self.tidy(conversation);
                continue;
            };
            let due = if waits(conversation) {
                now.after(self.timeout)
            } else {
                heard.after(self.timeout)
            };
            if due > now {
                self.timers.push(Reverse((due, conversation)));
                continue;
            }
            room.timed = false;
            return Some(conversation);
        }
        None
    }

    /// A turn that was found lost could not be written down: look again at once.
    pub(crate) fn not_lost(&mut self, conversation: ConversationId, now: Time) {
        if let Some(room) = self.rooms.get_mut(&conversation)
            && room.heard.is_some()
            && !std::mem::replace(&mut room.timed, true)
        {
            self.timers.push(Reverse((now, conversation)));
        }
    }

    /// Adds a piece to what is being said.
    pub(crate) fn gather(
        &mut self,
        token: TokenId,
        conversation: ConversationId,
        piece: &str,
    ) -> Gathered {
        let room = self.rooms.entry(conversation).or_default();
        room.speaker = Some(token);
        let full = (room.saying.len() + piece.len() > limits::TEXT_BYTES_MAX)
            .then(|| std::mem::take(&mut room.saying))
            .filter(|text| !text.is_empty());
        let from = room.saying.len();
        room.saying.push_str(piece);
        self.said_less(Some(token), full.as_ref().map_or(0, String::len));
        self.said_more(Some(token), piece.len());
        let of_token = self.saying_by_token.get(&token).copied().unwrap_or(0);
        let crowded = of_token > limits::SAYING_PER_TOKEN_BYTES_MAX
            || self.saying_bytes > limits::SAYING_BYTES_MAX;
        Gathered {
            from,
            full,
            crowded,
        }
    }

    fn said_more(&mut self, token: Option<TokenId>, bytes: usize) {
        self.saying_bytes += bytes;
        if let Some(token) = token.filter(|_| bytes > 0) {
            *self.saying_by_token.entry(token).or_default() += bytes;
        }
    }

    fn said_less(&mut self, token: Option<TokenId>, bytes: usize) {
        self.saying_bytes -= bytes;
        if let Some((token, held)) =
            token.and_then(|token| Some((token, self.saying_by_token.get_mut(&token)?)))
        {
            *held = held.saturating_sub(bytes);
            if *held == 0 {
                self.saying_by_token.remove(&token);
            }
        }
    }

    /// What is being said.
    pub(crate) fn saying(&self, conversation: ConversationId) -> &str {
        self.rooms
            .get(&conversation)
            .map_or("", |room| room.saying.as_str())
    }

    /// Takes what was said so far: it is complete.
    pub(crate) fn take_saying(&mut self, conversation: ConversationId) -> String {
        let (text, speaker) = self
            .rooms
            .get_mut(&conversation)
            .map(|room| (std::mem::take(&mut room.saying), room.speaker))
            .unwrap_or_default();
        self.said_less(speaker, text.len());
        self.tidy(conversation);
        text
    }

    /// Puts back what could not be written down, before what was said since.
    pub(crate) fn put_back(&mut self, conversation: ConversationId, text: &str) {
        let room = self.rooms.entry(conversation).or_default();
        room.saying.insert_str(0, text);
        let speaker = room.speaker;
        self.said_more(speaker, text.len());
    }

    /// Puts back what deciding took, after a commit that failed.
    pub(crate) fn undo(&mut self, conversation: ConversationId, plan: &ChatPlan, now: Time) {
        match plan {
            ChatPlan::Handed(_) => {
                self.make_ready(conversation);
            }
            ChatPlan::Said(said) => self.put_back(conversation, &said.text),
            ChatPlan::TurnEnded(TurnEnd::Lost) => self.not_lost(conversation, now),
            ChatPlan::TurnEnded(TurnEnd::Done | TurnEnd::Failed | TurnEnd::Stopped)
            | ChatPlan::Messaged(_)
            | ChatPlan::Removed(_)
            | ChatPlan::Noted(_) => {}
        }
    }

    /// Keeps a message that was handed over to a link that is gone.
    pub(crate) fn give_back(&mut self, message: Arc<Message>) {
        let room = self.rooms.entry(message.conversation).or_default();
        room.returned.push_back(message);
    }

    /// Takes the messages that no link has.
    pub(crate) fn take_returned(&mut self, conversation: ConversationId) -> VecDeque<Arc<Message>> {
        let returned = self
            .rooms
            .get_mut(&conversation)
            .map(|room| std::mem::take(&mut room.returned))
            .unwrap_or_default();
        self.tidy(conversation);
        returned
    }

    /// Notes an entry that the projections do not have yet.
    pub(crate) fn note_entry(
        &mut self,
        conversation: ConversationId,
        (seq, at): (Seq, Time),
        what: EntryWhat,
    ) {
        self.recent.push_back(Recent {
            conversation,
            row: EntryRow { seq, what },
            at,
        });
    }

    /// Entries that the projections may not have yet, in order.
    pub(crate) fn recent(&self) -> impl Iterator<Item = &Recent> {
        self.recent.iter()
    }

    /// Drops what the projections have.
    pub(crate) fn prune(&mut self, viewed: Seq) {
        while self
            .recent
            .front()
            .is_some_and(|recent| recent.row.seq <= viewed)
        {
            self.recent.pop_front();
        }
        // A few more than needed: a page may have been read before the projections moved.
        while self.removed.len() > REMOVED_KEPT
            && self.removed.front().is_some_and(|(seq, _)| *seq <= viewed)
        {
            self.removed.pop_front();
        }
    }
}

#[cfg(test)]
#[path = "chat_tests.rs"]
mod tests;
