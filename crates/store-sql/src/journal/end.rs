//! The end of a journal, and how an event is chained to it.

use sayso_core::id::Seq;
use sayso_core::text::Secret;
use sayso_core::time::Time;
use sayso_store::{FORMAT, Header, JournalEntry, StoreError, WRITER, record};
use sha2::{Digest as _, Sha256};

use super::row::JournalRow;

/// The end of the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    /// The last place.
    pub seq: Seq,
    /// The last number of this writer.
    pub writer_seq: u64,
    /// What the next row carries as `prev`.
    pub hash: [u8; 32],
    /// When the last row was written.
    pub at: Time,
}

impl End {
    /// The end of a journal whose last row is this one.
    pub fn of(last: Option<&JournalRow>) -> Self {
        last.map_or(
            Self {
                seq: Seq::ZERO,
                writer_seq: 0,
                hash: [0; 32],
                at: Time::default(),
            },
            |row| Self {
                seq: row.seq,
                writer_seq: row.header.writer_seq,
                hash: row.header.hash(),
                at: row.header.at,
            },
        )
    }

    /// Chains an entry to the end: writes its body and gives its header and the secrets that were left
    /// out of it.
    pub fn chain(
        &mut self,
        entry: &JournalEntry,
        body: &mut Vec<u8>,
    ) -> Result<(Header, Vec<Secret>), StoreError> {
        let event = &entry.event;
        let secrets = record::write(event, body).map_err(|e| StoreError::TryLater {
            detail: format!("an event cannot be written: {e}"),
        })?;
        let header = Header {
            format: FORMAT,
            writer: WRITER,
            writer_seq: self.writer_seq + 1,
            prev: self.hash,
            kind: event.kind().number(),
            ask: event.ask(),
            at: entry.at,
            body_hash: Sha256::digest(&*body).into(),
        };
        *self = Self {
            seq: self.seq.next(),
            writer_seq: header.writer_seq,
            hash: header.hash(),
            at: header.at,
        };
        Ok((header, secrets))
    }
}
