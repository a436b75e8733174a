//! What goes on in conversations and is not written down: words that are being said, which turns were
//! heard of and when, messages that a gone link gave back, and where something can be handed over.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use hashbrown::HashMap;
use sayso_core::entry::{Message, Turn};
use sayso_core::id::{ConversationId, TokenId};
use sayso_core::limits;
use sayso_core::time::Time;

/// Everything that goes on in conversations and is not written down.
#[derive(Debug)]
pub(crate) struct Live {
    saying: HashMap<ConversationId, Saying>,
    saying_bytes: usize,
    saying_by_token: HashMap<TokenId, usize>,
    /// When each running turn was last heard of, in hub time; and the same in order.
    heard: HashMap<ConversationId, Time>,
    heard_order: BTreeSet<(Time, ConversationId)>,
    /// How long nothing may be heard of a turn.
    timeout: Duration,
    /// Messages that were handed over, but not to any link that lives.
    returned: HashMap<ConversationId, VecDeque<Arc<Message>>>,
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
            heard: HashMap::new(),
            heard_order: BTreeSet::new(),
            timeout,
            returned: HashMap::new(),
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
        });
        saying.text.push_str(text);
        self.saying_bytes += text.len();
        *self.saying_by_token.entry(saying.speaker).or_default() += text.len();
    }

    /// What is being said.
    pub(crate) fn saying(&self, conversation: ConversationId) -> &str {
        let saying = self.saying.get(&conversation);
        saying.map_or("", |saying| saying.text.as_str())
    }

    /// Takes what was said so far: it is complete.
    pub(crate) fn take_saying(&mut self, conversation: ConversationId) -> String {
        let Some(Saying { text, speaker }) = self.saying.remove(&conversation) else {
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

    /// The agent was heard of: its turn runs from now on. Says whether the clock must look sooner.
    pub(crate) fn heard(&mut self, conversation: ConversationId, now: Time) -> bool {
        let alone = self.heard_order.is_empty();
        if let Some(before) = self.heard.insert(conversation, now) {
            self.heard_order.remove(&(before, conversation));
        }
        self.heard_order.insert((now, conversation));
        alone
    }

    /// The same when a turn runs already; otherwise nothing begins.
    pub(crate) fn heard_if_running(&mut self, conversation: ConversationId, now: Time) {
        if self.is_heard(conversation) {
            self.heard(conversation, now);
        }
    }

    /// Whether a turn runs.
    pub(crate) fn is_heard(&self, conversation: ConversationId) -> bool {
        self.heard.contains_key(&conversation)
    }

    /// The conversations in which a turn runs.
    pub(crate) fn running(&self) -> impl Iterator<Item = ConversationId> + '_ {
        self.heard.keys().copied()
    }

    /// The turn is over, unless the agent has begun to say something since.
    pub(crate) fn ended(&mut self, conversation: ConversationId) {
        if !self.saying.contains_key(&conversation)
            && let Some(heard) = self.heard.remove(&conversation)
        {
            self.heard_order.remove(&(heard, conversation));
        }
    }

    /// When the clock must look at a turn.
    pub(crate) fn next_timer(&self) -> Option<Time> {
        let (heard, _) = self.heard_order.first()?;
        Some(heard.after(self.timeout))
    }

    /// Turns that were not heard of for too long, at most so many. One whose agent waits is not lost:
    /// its time begins again.
    pub(crate) fn lost(
        &mut self,
        now: Time,
        most: usize,
        waits: impl Fn(ConversationId) -> bool,
    ) -> Vec<ConversationId> {
        let silent = self.heard_order.iter();
        let silent: Vec<ConversationId> = silent
            .take_while(|(heard, _)| heard.after(self.timeout) <= now)
            .map(|(_, conversation)| *conversation)
            .take(most)
            .collect();
        let (waiting, lost) = silent.into_iter().partition(|id| waits(*id));
        let waiting: Vec<ConversationId> = waiting;
        for conversation in waiting {
            self.heard(conversation, now);
        }
        lost
    }

    /// Keeps a message that was handed over to a link that is gone.
    pub(crate) fn give_back(&mut self, message: Arc<Message>) {
        let returned = self.returned.entry(message.conversation).or_default();
        returned.push_back(message);
    }

    /// Takes the messages that no link has.
    pub(crate) fn take_returned(&mut self, conversation: ConversationId) -> VecDeque<Arc<Message>> {
        self.returned.remove(&conversation).unwrap_or_default()
    }

    /// The conversations that have messages no link has.
    pub(crate) fn returned(&self) -> impl Iterator<Item = ConversationId> + '_ {
        self.returned.keys().copied()
    }

    /// Something may be handed over here: the next turn looks. Says whether that is new.
    pub(crate) fn make_ready(&mut self, conversation: ConversationId) -> bool {
        self.ready.insert(conversation)
    }

    /// Whether a turn should look.
    pub(crate) fn is_ready(&self) -> bool {
        !self.ready.is_empty()
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
            && !self.heard.contains_key(&conversation)
            && !self.returned.contains_key(&conversation)
    }

    /// The conversations with words in them that are being said.
    #[cfg(test)]
    fn said_in(&self) -> Vec<ConversationId> {
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
        live.ended(two);
        assert_eq!(live.lost(at(15), 9, |_| true), []);
        assert_eq!(live.next_timer(), Some(at(25)));
        live.gather(TokenId(1), one, "still here");
        live.ended(one);
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
