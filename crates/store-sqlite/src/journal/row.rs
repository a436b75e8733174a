//! Rows of the journal's file, read by what every store shares.

use rusqlite::Connection;
use sayso_core::id::Seq;
use sayso_core::text::Secret;
use sayso_store::{Header, StoreError};
use sayso_store_sql::journal::{
    self as shared, End, Found, FoundEvents, JournalRows as _, SqlJournal, Tail,
};

use crate::pool::Pool;
use crate::reading::Failed;
use crate::sql::SqliteSql;

/// Where the file ends.
pub(crate) fn end(connection: &Connection) -> Result<End, StoreError> {
    let last = shared::last_row(SqlJournal(&SqliteSql(connection)))?;
    Ok(End::of(last.as_ref()))
}

/// The header at a place.
pub(crate) fn header_at(connection: &Connection, seq: Seq) -> Result<Option<Header>, StoreError> {
    SqlJournal(&SqliteSql(connection)).header_at(seq)
}

/// What there is after a place.
pub(crate) fn found_after(
    connection: &Connection,
    after: Seq,
    limit: usize,
    tail: Tail,
) -> Result<Vec<Found>, StoreError> {
    shared::found_after(&SqlJournal(&SqliteSql(connection)), after, limit, tail)
}

/// What there is at a place.
pub(crate) fn found_at(
    connection: &Connection,
    seq: Seq,
    tail: Tail,
    secrets: &mut dyn FnMut(usize) -> Option<Secret>,
) -> Result<Found, StoreError> {
    shared::found_at(&SqlJournal(&SqliteSql(connection)), seq, tail, secrets)
}

impl FoundEvents for Pool {
    fn found_after(&self, after: Seq, limit: usize, tail: Tail) -> Result<Vec<Found>, StoreError> {
        self.with(|file| found_after(file, after, limit, tail).map_err(Failed))
            .map_err(|Failed(error)| error)
    }

    fn found_at(&self, seq: Seq, tail: Tail) -> Result<Found, StoreError> {
        self.with(|file| found_at(file, seq, tail, &mut |_| None).map_err(Failed))
            .map_err(|Failed(error)| error)
    }
}
