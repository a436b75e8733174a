//! Ids of frames: the same frame has the same id on every connection and after every restart.
//!
//! Front ends keep frames by id and put a newer one with a known id in the place of the older.
//! What has an id of its own goes under it. What else there is to say about it goes under a
//! `UUIDv8` made of the same bytes.

use std::fmt;

use sayso_core::id::{AskId, ConversationId, MessageId, Seq};

/// The id of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FrameId([u8; 16]);

/// What a frame says about the thing that has the id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FramePart {
    /// The thing itself.
    Itself,
    /// The tool by which it was done.
    Use,
    /// What was decided.
    Response,
    /// What the tool came to.
    Result,
}

impl FrameId {
    pub(super) fn ask(ask: AskId, part: FramePart) -> Self {
        Self::part(*ask.bytes(), part)
    }

    pub(super) fn message(message: MessageId, part: FramePart) -> Self {
        Self::part(*message.bytes(), part)
    }

    /// The two highest bits of a time-ordered id stay empty for a few thousand years.
    fn part(mut bytes: [u8; 16], part: FramePart) -> Self {
        let mark = match part {
            FramePart::Itself => return Self(bytes),
            FramePart::Use => 0x40,
            FramePart::Response => 0x80,
            FramePart::Result => 0xC0,
        };
        let [first, _, _, _, _, _, version, ..] = &mut bytes;
        *first |= mark;
        *version = 0x80 | (*version & 0x0F);
        Self(bytes)
    }

    /// The end of a turn, by its place in the journal.
    pub(super) fn turn_end(conversation: ConversationId, seq: Seq) -> Self {
        Self::counted(0, conversation, seq.0)
    }

    /// The turn that runs in a conversation now.
    pub(super) fn turn(conversation: ConversationId) -> Self {
        Self::counted(1, conversation, 0)
    }

    /// A piece of what is being said: never told twice, so a count will do.
    pub(super) fn piece(conversation: ConversationId, count: u64) -> Self {
        Self::counted(2, conversation, count)
    }

    fn counted(kind: u8, conversation: ConversationId, count: u64) -> Self {
        let [c0, c1, c2, c3] = conversation.0.to_be_bytes();
        let [n0, n1, n2, n3, n4, n5, n6, n7] = count.to_be_bytes();
        Self([
            c0, c1, c2, c3, n0, n1, 0x80, kind, 0x80, 0, n2, n3, n4, n5, n6, n7,
        ])
    }
}

impl fmt::Display for FrameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        MessageId::from_bytes(self.0).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_thing_goes_under_its_own_id_and_the_rest_beside_it() {
        let ask: AskId = "01938d1e-7c1a-7e55-9a4e-3a0f6c1d2b3c"
            .parse()
            .expect("an id");
        let ids = [
            FramePart::Itself,
            FramePart::Use,
            FramePart::Response,
            FramePart::Result,
        ]
        .map(|part| FrameId::ask(ask, part).to_string());
        assert_eq!(
            ids,
            [
                "01938d1e-7c1a-7e55-9a4e-3a0f6c1d2b3c",
                "41938d1e-7c1a-8e55-9a4e-3a0f6c1d2b3c",
                "81938d1e-7c1a-8e55-9a4e-3a0f6c1d2b3c",
                "c1938d1e-7c1a-8e55-9a4e-3a0f6c1d2b3c",
            ]
        );
    }

    #[test]
    fn counted_frames_never_share_an_id() {
        let mut seen = HashSet::new();
        for conversation in [ConversationId(0), ConversationId(7)] {
            for count in [0, 1, u64::MAX] {
                assert!(seen.insert(FrameId::turn_end(conversation, Seq(count)).to_string()));
                assert!(seen.insert(FrameId::piece(conversation, count).to_string()));
            }
            assert!(seen.insert(FrameId::turn(conversation).to_string()));
        }
    }
}
