//! What others wrote since a place, read in pieces until a turn takes in the rest.

use sayso_core::id::Seq;
use sayso_store::StoreError;
use sayso_store_sql::journal::{End, JournalRow, damaged};
use tokio_postgres::Row;

use crate::fault::{self, JOURNAL};
use crate::inner::PgInner;
use crate::journal::journal_row;
use crate::turn::NotTaken;
use crate::write_link::{OTHERS_MAX, WriteLink, read_once};

/// Bytes that a turn holds of others. A node that is behind by more is told what they wrote without a turn.
const HELD_MAX: usize = if cfg!(test) {
    256 * 1024
} else {
    64 * 1024 * 1024
};
/// What a row takes beside its body.
const ROW_BYTES: usize = 256;

/// What was read so far.
pub(crate) struct OthersRead {
    pub(crate) rows: Vec<JournalRow>,
    pub(crate) end: End,
    /// The place from which the next piece is read.
    pub(crate) from: Seq,
    /// Whether the row at that place was seen, or need not be.
    is_begun: bool,
    bytes: usize,
}

impl OthersRead {
    pub(crate) fn after(after: Seq) -> Self {
        Self {
            rows: Vec::new(),
            end: End::of(None),
            from: after,
            is_begun: after == Seq::ZERO,
            bytes: 0,
        }
    }

    /// Takes a piece in: its rows must follow each other and what is known, without a gap. Says whether it
    /// was the last one.
    pub(crate) fn take_in(
        &mut self,
        inner: &PgInner,
        known: End,
        rows: Vec<Row>,
    ) -> Result<bool, StoreError> {
        let is_last = rows.len() <= OTHERS_MAX;
        for row in rows {
            let row = journal_row(&row)?;
            let end = End::of(Some(&row));
            if row.seq == self.from {
                self.is_begun = true;
            } else if !self.is_begun
                || row.seq != self.end.seq.next()
                || row.header.prev != self.end.hash
            {
                return Err(damaged(
                    JOURNAL,
                    format_args!("event {} does not follow event {}", row.seq, self.end.seq),
                ));
            } else {
                self.bytes += ROW_BYTES + row.body.as_ref().map_or(0, Vec::len);
                self.rows.push(row);
            }
            self.end = end;
            if end.seq == known.seq && end.hash != known.hash {
                return Err(inner.went_back(known.seq));
            }
        }
        if !self.is_begun && self.from > known.seq {
            let from = self.from;
            let what = format!("it ends before event {from}, after which something was decided");
            return Err(damaged(JOURNAL, what));
        }
        // Only the last piece says where the journal ends.
        if is_last && self.end.seq < known.seq {
            return Err(inner.went_back(known.seq));
        }
        self.from = self.end.seq;
        Ok(is_last)
    }

    /// Reads on while there is more than a turn takes in, without the turn.
    pub(crate) async fn on(
        &mut self,
        inner: &PgInner,
        link: &WriteLink,
        known: End,
    ) -> Result<(), NotTaken> {
        loop {
            if self.bytes > HELD_MAX {
                // Whoever waits for what others write is told, piece by piece.
                inner.saw(self.end);
                let why = "this node is behind and reads what other nodes wrote";
                return Err(NotTaken::Refused(fault::later(why)));
            }
            let read = inner.target.answer(&link.link, read_once(link, self.from));
            let rows = read.await.map_err(NotTaken::Lost)?;
            let rows = rows.map_err(|error| NotTaken::Lost(fault::journal(error)))?;
            if self
                .take_in(inner, known, rows)
                .map_err(NotTaken::Refused)?
            {
                return Ok(());
            }
        }
    }
}
