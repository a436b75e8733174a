//! What agents are saying at other nodes, as far as it was heard. Pieces may be lost; the whole comes with
//! the journal.

use std::sync::Arc;
use std::time::Duration;

use hashbrown::HashMap;
use sayso_core::entry::Said;
use sayso_core::id::ConversationId;
use sayso_core::limits;
use sayso_core::time::Time;

/// How long pieces of a message may come after the whole.
const LATE: Duration = Duration::from_secs(1);
/// Complete messages that are remembered.
const COMPLETE_MAX: usize = 256;

/// Unfinished messages of other nodes.
#[derive(Debug, Default)]
pub(crate) struct OverheardWords {
    messages: HashMap<ConversationId, HalfHeard>,
    bytes: usize,
    /// The last message that is complete, and since when: its pieces may still be on their way.
    complete: HashMap<ConversationId, (Arc<Said>, Time)>,
}

#[derive(Debug, Default)]
struct HalfHeard {
    text: String,
    /// Whether somebody was asked to say it again.
    asked: bool,
}

/// What a piece from another node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Overheard<'a> {
    /// This much of it is new.
    New {
        /// Where in the message that begins.
        from: usize,
        /// The text.
        text: &'a str,
    },
    /// Nothing of it is new, or nothing can be made of it.
    Known,
    /// What comes before it is missing: whoever has it should say it again.
    Missed,
}

impl OverheardWords {
    /// Takes in a piece.
    pub(crate) fn hear<'a>(
        &mut self,
        conversation: ConversationId,
        from: usize,
        text: &'a str,
        now: Time,
    ) -> Overheard<'a> {
        if self.is_late(conversation, from, text, now) {
            return Overheard::Known;
        }
        let half = self.messages.entry(conversation).or_default();
        let known = half.text.get(from..);
        let (from, new) = match known {
            Some(known) if known.starts_with(text) => return Overheard::Known,
            Some(known) => match text.strip_prefix(known) {
                Some(new) => (half.text.len(), new),
                // Another message began: the end of the one before is still on its way.
                None if from == 0 => {
                    self.forget(conversation);
                    (0, text)
                }
                None => return self.missed(conversation),
            },
            None => return self.missed(conversation),
        };
        self.add(conversation, new);
        Overheard::New { from, text: new }
    }

    fn missed<'a>(&mut self, conversation: ConversationId) -> Overheard<'a> {
        let before = self.messages.remove(&conversation).unwrap_or_default();
        self.bytes -= before.text.len();
        let text = String::new();
        self.messages
            .insert(conversation, HalfHeard { text, asked: true });
        if before.asked {
            Overheard::Known
        } else {
            Overheard::Missed
        }
    }

    fn add(&mut self, conversation: ConversationId, text: &str) {
        let half = self.messages.entry(conversation).or_default();
        half.text.push_str(text);
        self.bytes += text.len();
        if half.text.len() > limits::TEXT_BYTES_MAX || self.bytes > limits::SAYING_BYTES_MAX {
            self.forget(conversation);
        }
    }

    /// Whether a piece belongs to a message that is complete.
    fn is_late(&self, conversation: ConversationId, from: usize, text: &str, now: Time) -> bool {
        let complete = self.complete.get(&conversation);
        complete.is_some_and(|(said, at)| {
            let rest = said.text.get(from..);
            now.since(*at) < LATE && rest.is_some_and(|rest| rest.starts_with(text))
        })
    }

    /// The message is complete.
    pub(crate) fn complete(&mut self, said: &Arc<Said>, now: Time) {
        self.forget(said.conversation);
        if self.complete.len() >= COMPLETE_MAX {
            self.complete.retain(|_, (_, at)| now.since(*at) < LATE);
        }
        if self.complete.len() < COMPLETE_MAX {
            let complete = (Arc::clone(said), now);
            self.complete.insert(said.conversation, complete);
        }
    }

    /// The turn is over: nothing more is said in it.
    pub(crate) fn end(&mut self, conversation: ConversationId) {
        self.forget(conversation);
        self.complete.remove(&conversation);
    }

    /// The message is no longer of interest.
    pub(crate) fn forget(&mut self, conversation: ConversationId) {
        if let Some(half) = self.messages.remove(&conversation) {
            self.bytes -= half.text.len();
        }
    }

    /// What was heard so far.
    pub(crate) fn so_far(&self, conversation: ConversationId) -> &str {
        let half = self.messages.get(&conversation);
        half.map_or("", |half| half.text.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: ConversationId = ConversationId(1);
    const NOW: Time = Time::from_millis(1);

    fn new(from: usize, text: &str) -> Overheard<'_> {
        Overheard::New { from, text }
    }

    #[test]
    fn pieces_are_put_together_and_a_missing_one_is_asked_for_once() {
        let mut words = OverheardWords::default();
        assert_eq!(words.hear(HERE, 0, "one ", NOW), new(0, "one "));
        assert_eq!(words.hear(HERE, 4, "two ", NOW), new(4, "two "));
        assert_eq!(words.hear(HERE, 4, "two ", NOW), Overheard::Known);
        assert_eq!(words.hear(HERE, 12, "four", NOW), Overheard::Missed);
        assert_eq!(words.hear(HERE, 16, " five", NOW), Overheard::Known);
        assert_eq!(
            words.hear(HERE, 0, "one two three", NOW),
            new(0, "one two three")
        );
        assert_eq!(words.hear(HERE, 8, "three four", NOW), new(13, " four"));
        assert_eq!(words.so_far(HERE), "one two three four");
        words.forget(HERE);
        assert_eq!((words.so_far(HERE), words.bytes), ("", 0));
    }

    #[test]
    fn another_message_takes_the_place_of_one_whose_end_is_on_its_way() {
        let mut words = OverheardWords::default();
        words.hear(HERE, 0, "so\u{1F600}", NOW);
        assert_eq!(words.hear(HERE, 0, "next", NOW), new(0, "next"));
        assert_eq!((words.so_far(HERE), words.bytes), ("next", 4));
        // Within a character nothing begins.
        words.hear(HERE, 4, "\u{1F600}", NOW);
        assert_eq!(words.hear(HERE, 5, "?", NOW), Overheard::Missed);
    }

    #[test]
    fn a_piece_that_comes_after_the_whole_is_nothing_new() {
        let mut words = OverheardWords::default();
        words.hear(HERE, 0, "one ", NOW);
        let said = Arc::new(Said {
            id: sayso_core::id::MessageId::from_bytes([1; 16]),
            conversation: HERE,
            text: "one two".to_owned(),
        });
        words.complete(&said, NOW);
        assert_eq!(words.hear(HERE, 4, "two", NOW), Overheard::Known);
        assert_eq!(words.so_far(HERE), "");
        assert_eq!(words.hear(HERE, 0, "next", NOW), new(0, "next"));
        words.end(HERE);
        assert_eq!(words.hear(HERE, 0, "one", NOW), new(0, "one"));
    }

    #[test]
    fn too_much_is_let_go() {
        let mut words = OverheardWords::default();
        let long = "x".repeat(limits::TEXT_BYTES_MAX);
        words.hear(HERE, 0, &long, NOW);
        words.hear(HERE, long.len(), "x", NOW);
        assert_eq!((words.so_far(HERE), words.bytes), ("", 0));
    }
}
