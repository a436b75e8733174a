//! The journal's rows: a header that is chained and a body that can be erased.

mod end;
mod found;
mod reading;
mod row;

pub use end::End;
pub use found::{Found, FoundEvents, Tail, What, found_after, found_at, mended};
pub use reading::{AskRows, StepPlace, put_together, step, step_places, stored, unsealed};
pub use row::{
    JournalRow, JournalRows, SqlJournal, ask_of, decode, hash_at, last_row, last_seq, stray_bodies,
};

use sayso_store::StoreError;

/// What helps when the journal cannot be trusted.
pub const REMEDY: &str =
    "restore a backup with `sayso restore FILE`, or run `sayso verify` to see what is readable";

/// The journal of this name is not what was written.
pub fn damaged(journal: &str, what: impl std::fmt::Display) -> StoreError {
    StoreError::Damaged {
        file: journal.to_owned(),
        detail: format!("{what}; {REMEDY}"),
    }
}
