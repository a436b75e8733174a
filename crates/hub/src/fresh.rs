//! Entries of conversations that the projections may not have yet, or may still have: what lists of a
//! moment ago lack.

use std::collections::VecDeque;

use sayso_core::id::{ConversationId, Seq};
use sayso_core::time::Time;
use sayso_store::{EntryRow, EntryWhat};

/// Removed entries that are remembered even once the projections know.
const REMOVED_KEPT: usize = 256;

/// An entry that the projections may not have yet.
#[derive(Debug)]
pub(crate) struct FreshEntry {
    pub(crate) conversation: ConversationId,
    pub(crate) row: EntryRow,
    pub(crate) at: Time,
}

/// What the projections may lack.
#[derive(Debug, Default)]
pub(crate) struct Fresh {
    added: VecDeque<FreshEntry>,
    /// Where it was said that entries are gone, and where they stood.
    removed: VecDeque<(Seq, Seq)>,
}

impl Fresh {
    /// Something stands in a conversation now.
    pub(crate) fn added(
        &mut self,
        conversation: ConversationId,
        (seq, at): (Seq, Time),
        what: EntryWhat,
    ) {
        let row = EntryRow { seq, what };
        self.added.push_back(FreshEntry {
            conversation,
            row,
            at,
        });
    }

    /// What stood at these places is gone, as is written at `seq`.
    pub(crate) fn removed(&mut self, places: &[Seq], seq: Seq) {
        self.added.retain(|entry| !places.contains(&entry.row.seq));
        let gone = places.iter().map(|place| (seq, *place));
        self.removed.extend(gone);
    }

    /// Entries that the projections may not have yet, in order.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &FreshEntry> {
        self.added.iter()
    }

    /// Whether the entry that stood here was removed or erased a moment ago.
    pub(crate) fn is_removed(&self, seq: Seq) -> bool {
        self.removed.iter().any(|(_, stood)| *stood == seq)
    }

    /// Drops what the projections have.
    pub(crate) fn prune(&mut self, viewed: Seq) {
        while self.added.front().is_some_and(|one| one.row.seq <= viewed) {
            self.added.pop_front();
        }
        // A few more than needed: a page may have been read before the projections moved.
        while self.removed.len() > REMOVED_KEPT
            && self.removed.front().is_some_and(|(seq, _)| *seq <= viewed)
        {
            self.removed.pop_front();
        }
    }
}
