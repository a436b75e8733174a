//! The events that one transaction takes in, read from the journal a few at a time.

use sayso_core::id::Seq;

use super::ViewError;
use crate::journal::{self, Found, Tail};
use crate::pool::Pool;

/// Events taken in with one transaction. The more there are, the more asks begin and end in it, and the
/// fewer parts the text index has to merge.
const BATCH: u64 = 4000;
/// Events in memory at one time.
const READ: u64 = 250;

/// Reads from a place on, up to the end of the journal or of the batch.
pub(super) struct ViewBatch<'a> {
    journal: &'a Pool,
    tail: Tail,
    last: Seq,
    read: Seq,
    found: std::vec::IntoIter<Found>,
}

impl<'a> ViewBatch<'a> {
    pub(super) fn new(journal: &'a Pool, after: Seq, tail: Tail) -> Self {
        Self {
            journal,
            tail,
            last: Seq(tail.seq.0.min(after.0.saturating_add(BATCH))),
            read: after,
            found: Vec::new().into_iter(),
        }
    }

    /// The next event, if there is one in this batch.
    pub(super) fn next(&mut self) -> Result<Option<Found>, ViewError> {
        if self.found.as_slice().is_empty() {
            let left = self.last.0.saturating_sub(self.read.0).min(READ);
            let left = usize::try_from(left).unwrap_or_default();
            let found = self.journal.with(|journal| {
                journal::found_after(journal, self.read, left, self.tail).map_err(ViewError::from)
            })?;
            self.found = found.into_iter();
        }
        let next = self.found.next();
        if let Some(found) = &next {
            self.read = found.seq;
        }
        Ok(next)
    }
}
