//! The events that one transaction takes in, read from the journal a few at a time.

use sayso_core::id::Seq;

use super::ViewError;
use crate::journal::{Found, FoundEvents, Tail};

/// Events taken in with one transaction. The more there are, the more asks begin and end in it, and the
/// fewer parts the text index has to merge.
const BATCH: u64 = 4000;
/// Events in memory at one time.
const READ: u64 = 250;

/// Reads from a place on, up to the end of the journal or of the batch.
pub(crate) struct ViewBatch<'a> {
    journal: &'a dyn FoundEvents,
    tail: Tail,
    last: Seq,
    read: Seq,
    found: std::vec::IntoIter<Found>,
}

impl<'a> ViewBatch<'a> {
    pub(crate) fn new(journal: &'a dyn FoundEvents, after: Seq, tail: Tail) -> Self {
        Self {
            journal,
            tail,
            last: Seq(tail.seq.0.min(after.0.saturating_add(BATCH))),
            read: after,
            found: Vec::new().into_iter(),
        }
    }

    /// The next event, if there is one in this batch.
    pub(crate) fn next(&mut self) -> Result<Option<Found>, ViewError> {
        if self.found.as_slice().is_empty() {
            let left = self.last.0.saturating_sub(self.read.0).min(READ);
            let left = usize::try_from(left).unwrap_or_default();
            let found = self.journal.found_after(self.read, left, self.tail)?;
            self.found = found.into_iter();
        }
        let next = self.found.next();
        if let Some(found) = &next {
            self.read = found.seq;
        }
        Ok(next)
    }
}
