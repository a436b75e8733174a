//! What goes on in conversations and is not written down: words that are being said, which turns were
//! heard of and when, messages that wait to be given back, and where something can be handed over.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use hashbrown::HashMap;
use sayso_core::entry::{Said, Turn};
use sayso_core::id::{ConversationId, Seq, TokenId};
use sayso_core::limits;
use sayso_core::state::QueuedEntry;
use sayso_core::time::Time;
use sayso_store::NodeId;

use crate::heard::{HeardAt, HeardTurns};
pub(crate) use crate::overheard::Overheard;
use crate::overheard::OverheardWords;

/// How often what is being said is said again to other nodes.
const AGAIN_EVERY: Duration = Duration::from_secs(1);

/// Everything that goes on in conversations and is not written down.
#[derive(Debug)]
pub(crate) struct Live {
    saying: HashMap<ConversationId, Saying>,
    saying_bytes: usize,
    saying_by_token: HashMap<TokenId, usize>,
    /// What is being said at other nodes.
    overheard: OverheardWords,
    heard: HeardTurns,
    /// Messages that were handed over and have no link; the next turn lets them wait again.
    returning: Vec<QueuedEntry>,
    /// Where a message may be handed over now; the next turn looks.
    ready: BTreeSet<ConversationId>,
    /// What devices were last told that agents do, where that is something.
    told: HashMap<ConversationId, Turn>,
}

/// An unfinished message.
#[derive(Debug)]
struct Saying {
    text: String,
    /// The token whose words those are.
    speaker: TokenId,
    /// When it was last said again to other nodes.
    again: Option<Time>,
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

impl Live {
    pub(crate) fn new(timeout: Duration) -> Self {
        Self {
            saying: HashMap::new(),
            saying_bytes: 0,
            saying_by_token: HashMap::new(),
            overheard: OverheardWords::default(),
            heard: HeardTurns::new(timeout),
            returning: Vec::new(),
            ready: BTreeSet::new(),
            told: HashMap::new(),
        }
    }

    /// Adds a piece to what is being said.
    pub(crate) fn gather(
        &mut self,
        token: TokenId,
        conversation: ConversationId,
        piece: &str,
    ) -> Gathered {
        let before = self.saying(conversation).len();
        let full = (before + piece.len() > limits::TEXT_BYTES_MAX)
            .then(|| self.take_saying(conversation))
            .filter(|text| !text.is_empty());
        let from = self.saying(conversation).len();
        self.put_behind(token, conversation, piece);
        let of_token = self.saying_by_token.get(&token).copied().unwrap_or(0);
        let crowded = of_token > limits::SAYING_PER_TOKEN_BYTES_MAX
            || self.saying_bytes > limits::SAYING_BYTES_MAX;
        Gathered {
            from,
            full,
            crowded,
        }
    }

    fn put_behind(&mut self, speaker: TokenId, conversation: ConversationId, text: &str) {
        if text.is_empty() {
            return;
        }
        let saying = self.saying.entry(conversation).or_insert_with(|| Saying {
            text: String::new(),
            speaker,
            again: None,
        });
        self.overheard.forget(conversation);
        saying.text.push_str(text);
        self.saying_bytes += text.len();
        *self.saying_by_token.entry(saying.speaker).or_default() += text.len();
    }

    /// What is being said.
    pub(crate) fn saying(&self, conversation: ConversationId) -> &str {
        let saying = self.saying.get(&conversation);
        saying.map_or("", |saying| saying.text.as_str())
    }

    /// Whether nothing is being said here at all.
    pub(crate) fn is_silent(&self) -> bool {
        self.saying.is_empty()
    }

    /// What is being said, here or at another node.
    pub(crate) fn said_so_far(&self, conversation: ConversationId) -> &str {
        match self.saying(conversation) {
            "" => self.overheard.so_far(conversation),
            here => here,
        }
    }

    /// Takes in a piece of what is being said at another node.
    pub(crate) fn overhear<'a>(
        &mut self,
        conversation: ConversationId,
        from: usize,
        text: &'a str,
        now: Time,
    ) -> Overheard<'a> {
        self.overheard.hear(conversation, from, text, now)
    }

    /// What was being said at another node is complete.
    pub(crate) fn overheard_all(&mut self, said: &Arc<Said>, now: Time) {
        self.overheard.complete(said, now);
    }

    /// What is being said here, for a node that lacks the beginning, unless it was said again a moment ago.
    pub(crate) fn say_again(&mut self, conversation: ConversationId, now: Time) -> Option<String> {
        let saying = self.saying.get_mut(&conversation)?;
        if saying
            .again
            .is_some_and(|again| now.since(again) < AGAIN_EVERY)
        {
            return None;
        }
        saying.again = Some(now);
        Some(saying.text.clone())
    }

    /// Takes what was said so far: it is complete.
    pub(crate) fn take_saying(&mut self, conversation: ConversationId) -> String {
        let Some(Saying { text, speaker, .. }) = self.saying.remove(&conversation) else {
            return String::new();
        };
        self.saying_bytes -= text.len();
        if let Some(held) = self.saying_by_token.get_mut(&speaker) {
            *held = held.saturating_sub(text.len());
            if *held == 0 {
                self.saying_by_token.remove(&speaker);
            }
        }
        text
    }

    /// Takes a piece back that is the last of what was said: its frame is refused, and comes again.
    pub(crate) fn unsay(&mut self, conversation: ConversationId, piece: &str) {
        let Some(saying) = self.saying.get(&conversation) else {
            return;
        };
        let speaker = saying.speaker;
        if let Some(before) = saying.text.strip_suffix(piece).map(str::to_owned) {
            self.take_saying(conversation);
            self.put_behind(speaker, conversation, &before);
        }
    }

    /// Puts words that could not be written down before those that were said since.
    pub(crate) fn put_before(
        &mut self,
        speaker: TokenId,
        conversation: ConversationId,
        mut text: String,
    ) {
        let since = self.take_saying(conversation);
        text.push_str(&since);
        self.put_behind(speaker, conversation, &text);
    }

    /// The agent was heard of here: its turn runs from now on. Says whether the clock must look sooner.
    pub(crate) fn heard(&mut self, conversation: ConversationId, now: Time) -> bool {
        self.heard.hear(conversation, now, HeardAt::Here)
    }

    /// The same at another node, which is not always known.
    pub(crate) fn heard_elsewhere(
        &mut self,
        conversation: ConversationId,
        now: Time,
        node: Option<NodeId>,
    ) -> bool {
        let place = HeardAt::Elsewhere(node);
        self.heard.hear(conversation, now, place)
    }

    /// The same when a turn runs already; otherwise nothing begins.
    pub(crate) fn heard_if_running(&mut self, conversation: ConversationId, now: Time) {
        self.heard.hear_again(conversation, now);
    }

    /// Whether a turn runs.
    pub(crate) fn is_heard(&self, conversation: ConversationId) -> bool {
        self.heard.has(conversation)
    }

    /// The conversations in which a turn runs. Its agent may have come from another node.
    pub(crate) fn running(&self) -> impl Iterator<Item = ConversationId> + '_ {
        self.heard.all()
    }

    /// Whether other nodes should be told now that a turn runs here.
    pub(crate) fn tell_heard(&mut self, conversation: ConversationId, now: Time) -> bool {
        self.heard.tell(conversation, now)
    }

    /// Only these nodes live.
    pub(crate) fn only_alive(&mut self, alive: &[NodeId], now: Time) {
        self.heard.only_alive(alive, now);
    }

    /// The turn is over at this place in the journal, unless the agent has begun to say something since.
    pub(crate) fn ended(&mut self, conversation: ConversationId, at: Seq) {
        self.overheard.end(conversation);
        self.heard.ended(conversation, at);
        if !self.saying.contains_key(&conversation) {
            self.heard.forget(conversation);
        }
    }

    /// Whether a turn is known to have ended behind this place in the journal.
    pub(crate) fn has_ended_after(&self, conversation: ConversationId, after: Seq) -> bool {
        self.heard.has_ended_after(conversation, after)
    }

    /// When the clock must look at a turn.
    pub(crate) fn next_timer(&self) -> Option<Time> {
        self.heard.next()
    }

    /// Turns that were not heard of for too long, at most so many. One whose agent waits is not lost:
    /// its time begins again.
    pub(crate) fn lost(
        &mut self,
        now: Time,
        most: usize,
        waits: impl Fn(ConversationId) -> bool,
    ) -> Vec<ConversationId> {
        let silent = self.heard.lost(now, most);
        let (waiting, lost) = silent.into_iter().partition(|id| waits(*id));
        let waiting: Vec<ConversationId> = waiting;
        for conversation in waiting {
            self.heard.hear_again(conversation, now);
        }
        lost
    }

    /// A message that was handed over has no link.
    pub(crate) fn give_back(&mut self, message: QueuedEntry) {
        self.returning.push(message);
    }

    /// Takes the messages that have no link, at most so many.
    pub(crate) fn take_returning(&mut self, most: usize) -> Vec<QueuedEntry> {
        let count = self.returning.len().min(most);
        self.returning.drain(..count).collect()
    }

    /// Something may be handed over here: the next turn looks. Says whether that is new.
    pub(crate) fn make_ready(&mut self, conversation: ConversationId) -> bool {
        self.ready.insert(conversation)
    }

    /// Whether a turn should look.
    pub(crate) fn is_ready(&self) -> bool {
        !self.ready.is_empty() || !self.returning.is_empty()
    }

    /// Takes the conversations at which a turn looks, at most so many.
    pub(crate) fn take_ready(&mut self, most: usize) -> Vec<ConversationId> {
        let taken: Vec<ConversationId> = self.ready.iter().take(most).copied().collect();
        for conversation in &taken {
            self.ready.remove(conversation);
        }
        taken
    }

    /// What devices are to be told that an agent does, if that is not what they were told last.
    pub(crate) fn tell_turn(&mut self, conversation: ConversationId, turn: Turn) -> bool {
        let before = match turn {
            Turn::Idle => self.told.remove(&conversation),
            Turn::Running | Turn::Waiting => self.told.insert(conversation, turn),
        };
        before.unwrap_or_default() != turn
    }

    /// Whether nothing goes on in a conversation.
    pub(crate) fn is_quiet(&self, conversation: ConversationId) -> bool {
        !self.saying.contains_key(&conversation)
            && !self.heard.has(conversation)
            && (self.returning.iter()).all(|message| message.conversation != conversation)
    }

    /// The conversations with words in them that are being said.
    pub(crate) fn said_in(&self) -> Vec<ConversationId> {
        self.saying.keys().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(10);

    fn at(seconds: u64) -> Time {
        Time::from_millis(seconds * 1000)
    }

    fn quiet(_: ConversationId) -> bool {
        false
    }

    #[test]
    fn a_turn_is_lost_once_nothing_was_heard_of_it_for_too_long() {
        let mut live = Live::new(TIMEOUT);
        let (one, two) = (ConversationId(1), ConversationId(2));
        assert!(live.heard(one, at(0)));
        assert!(!live.heard(two, at(1)));
        live.heard_if_running(one, at(5));
        live.heard_if_running(ConversationId(3), at(5));
        assert_eq!(live.next_timer(), Some(at(11)));
        assert_eq!(live.lost(at(10), 9, quiet), []);
        assert_eq!(live.lost(at(11), 9, quiet), [two]);
        // Looked at again until it is written down.
        assert_eq!(live.lost(at(11), 9, quiet), [two]);
        live.ended(two, Seq(1));
        assert_eq!(live.lost(at(15), 9, |_| true), []);
        assert_eq!(live.next_timer(), Some(at(25)));
        live.gather(TokenId(1), one, "still here");
        live.ended(one, Seq(2));
        assert!(live.is_heard(one), "it has begun to say something");
    }

    #[test]
    fn words_are_kept_whole_and_counted() {
        let mut live = Live::new(TIMEOUT);
        let (token, here) = (TokenId(1), ConversationId(1));
        assert_eq!(live.gather(token, here, "one ").from, 0);
        assert_eq!(live.gather(token, here, "two").from, 4);
        let words = live.take_saying(here);
        assert_eq!(words, "one two");
        live.gather(token, here, " three");
        live.put_before(token, here, words);
        assert_eq!(live.saying(here), "one two three");
        assert_eq!(live.saying_bytes, 13);
        let long = "x".repeat(limits::TEXT_BYTES_MAX);
        let gathered = live.gather(token, here, &long);
        assert_eq!(gathered.full.as_deref(), Some("one two three"));
        assert_eq!((gathered.from, gathered.crowded), (0, false));
        assert_eq!(live.saying_bytes, long.len());
        for other in 2..40 {
            live.gather(token, ConversationId(other), &long);
        }
        assert!(live.gather(token, here, "x").crowded);
        for conversation in live.said_in() {
            live.take_saying(conversation);
        }
        assert_eq!((live.saying_bytes, live.saying_by_token.len()), (0, 0));
    }

    #[test]
    fn a_turn_is_told_when_it_changes() {
        let mut live = Live::new(TIMEOUT);
        let here = ConversationId(1);
        assert!(!live.tell_turn(here, Turn::Idle));
        assert!(live.tell_turn(here, Turn::Running));
        assert!(!live.tell_turn(here, Turn::Running));
        assert!(live.tell_turn(here, Turn::Waiting));
        assert!(live.tell_turn(here, Turn::Idle));
        assert!(live.told.is_empty());
    }
}
