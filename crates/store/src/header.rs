//! The header of a journal row: what is chained.
//!
//! The chain runs over headers only, so that a body can be erased and the chain still verifies.
//! This layout is the format on disk and never changes; a new one gets a new format number.

use sayso_core::id::AskId;
use sayso_core::time::Time;
use sha2::{Digest as _, Sha256};

/// The format number of the rows this version writes.
pub const FORMAT: u16 = 1;

/// The writer number of a store that has one writer.
pub const WRITER: u32 = 1;

/// One row's header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The format of this row.
    pub format: u16,
    /// Who wrote it.
    pub writer: u32,
    /// Its number among that writer's rows, from 1.
    pub writer_seq: u64,
    /// The hash of that writer's row before this one; zeros for the first.
    pub prev: [u8; 32],
    /// What kind of event.
    pub kind: u16,
    /// The ask it is about.
    pub ask: Option<AskId>,
    /// When it was written.
    pub at: Time,
    /// SHA-256 of the body.
    pub body_hash: [u8; 32],
}

impl Header {
    /// What the next row of this writer carries as `prev`.
    pub fn hash(&self) -> [u8; 32] {
        let mut bytes = [0_u8; 104];
        let (format, rest) = bytes.split_at_mut(2);
        let (writer, rest) = rest.split_at_mut(4);
        let (writer_seq, rest) = rest.split_at_mut(8);
        let (prev, rest) = rest.split_at_mut(32);
        let (kind, rest) = rest.split_at_mut(2);
        let (ask, rest) = rest.split_at_mut(16);
        let (at, body_hash) = rest.split_at_mut(8);
        format.copy_from_slice(&self.format.to_le_bytes());
        writer.copy_from_slice(&self.writer.to_le_bytes());
        writer_seq.copy_from_slice(&self.writer_seq.to_le_bytes());
        prev.copy_from_slice(&self.prev);
        kind.copy_from_slice(&self.kind.to_le_bytes());
        if let Some(id) = &self.ask {
            ask.copy_from_slice(id.bytes());
        }
        at.copy_from_slice(&self.at.as_millis().to_le_bytes());
        body_hash.copy_from_slice(&self.body_hash);
        Sha256::digest(bytes).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        Header {
            format: 1,
            writer: 2,
            writer_seq: 3,
            prev: [4; 32],
            kind: 6,
            ask: Some(AskId::from_bytes([5; 16])),
            at: Time::from_millis(7),
            body_hash: [8; 32],
        }
    }

    #[test]
    fn the_hash_is_the_one_on_disk() {
        // Fixed for ever: a change here would make every journal in the world unreadable.
        let hash = sayso_core::digest::Digest(header().hash()).to_string();
        assert_eq!(
            hash,
            "sha256:da93647e19decba265a284e11d96f35a8fa547439c30ccc64b33e77cc311e3f4"
        );
    }

    #[test]
    fn every_part_is_in_the_hash() {
        let base = header();
        let changed = [
            Header {
                format: 9,
                ..base.clone()
            },
            Header {
                writer: 9,
                ..base.clone()
            },
            Header {
                writer_seq: 9,
                ..base.clone()
            },
            Header {
                prev: [9; 32],
                ..base.clone()
            },
            Header {
                kind: 9,
                ..base.clone()
            },
            Header {
                ask: None,
                ..base.clone()
            },
            Header {
                at: Time::from_millis(9),
                ..base.clone()
            },
            Header {
                body_hash: [9; 32],
                ..base.clone()
            },
        ];
        for other in changed {
            assert_ne!(other.hash(), base.hash());
        }
    }
}
