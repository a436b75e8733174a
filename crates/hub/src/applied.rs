//! Taking events into memory: the state, and the tokens, which are never behind it.

use sayso_core::id::Seq;
use sayso_core::journal::Event;
use sayso_core::state::Changes;
use sayso_core::time::Time;
use sayso_store::{JournalEntry, StoredEvent};

use crate::faults::point;
use crate::hub::Inner;
use crate::memory::HubMemory;

/// Where an event was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WrittenBy {
    /// Here, by the turn that decided it.
    Us,
    /// By another node.
    Others,
    /// By whomever, before this process began.
    Before,
}

/// An event that was taken into the state.
#[derive(Debug)]
pub(crate) struct Applied {
    pub(crate) by: WrittenBy,
    pub(crate) seq: Seq,
    pub(crate) at: Time,
    pub(crate) event: Option<Event>,
    pub(crate) changes: Changes,
}

impl Inner {
    /// Takes in what was read, as far as it goes on after what is known. A turn tells of it.
    pub(crate) fn take_in(&self, memory: &mut HubMemory, events: Vec<StoredEvent>, by: WrittenBy) {
        for stored in events {
            if stored.seq == memory.state.head.next() {
                let applied = self.fold(memory, stored, by);
                memory.untold.push(applied);
            }
        }
        self.folded(memory);
    }

    fn fold(&self, memory: &mut HubMemory, stored: StoredEvent, by: WrittenBy) -> Applied {
        if by == WrittenBy::Others {
            point("fold_other");
        }
        let StoredEvent { seq, at, event, .. } = stored;
        let changes = if let Some(event) = &event {
            self.fold_token(memory, event);
            memory.state.apply(seq, event)
        } else {
            memory.state.apply_erased(seq, stored.ask);
            Changes::default()
        };
        Applied {
            by,
            seq,
            at,
            event,
            changes,
        }
    }

    /// Takes in an event that was written here.
    pub(crate) fn fold_own(
        &self,
        memory: &mut HubMemory,
        seq: Seq,
        entry: JournalEntry,
    ) -> Applied {
        let JournalEntry { event, at } = entry;
        self.fold_token(memory, &event);
        let changes = memory.state.apply(seq, &event);
        Applied {
            by: WrittenBy::Us,
            seq,
            at,
            event: Some(event),
            changes,
        }
    }

    /// Tokens are good and revoked from the moment that is known: telling what comes before may take long.
    fn fold_token(&self, memory: &mut HubMemory, event: &Event) {
        if let Some(token) = event.makes() {
            memory.tokens.add(token);
        } else if let Some(token) = event.revokes() {
            memory.tokens.revoke(token);
            self.pace.forget(token);
            self.bytes.forget(token);
        }
    }

    /// Says how far everything is taken in.
    pub(crate) fn folded(&self, memory: &HubMemory) {
        if let Some(neighbours) = &self.neighbours {
            neighbours.tell(memory.state.head, None);
        }
    }
}
