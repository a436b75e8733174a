//! The walk over a whole journal, told about files.

use std::path::Path;

use rusqlite::Connection;
use sayso_core::id::Seq;
use sayso_store::{StoreError, Verified};
use sayso_store_sql::verify::{Walked, walk};

use crate::fault::{self, unusable};
use crate::journal;
use crate::pool::open_reader;
use crate::sql::SqliteSql;
use crate::views;

/// Checks the journal of a state folder.
pub fn verify_folder(folder: &Path) -> Result<Verified, StoreError> {
    // The projections may know of events that the journal has lost. Read before the journal,
    // because a running server goes on writing.
    let seen = views::seen_by(folder);
    let Walked {
        mut verified,
        last,
        hash,
    } = walk_file(&journal::path_in(folder))?;
    match seen {
        Some((seen, _)) if seen > last => verified.faults.push(format!(
            "the journal ends at event {last}, but event {seen} had been written"
        )),
        Some((seen, was)) if seen == last && was != hash && last > Seq::ZERO => verified
            .faults
            .push(format!("the header of event {last} was changed")),
        Some(_) | None => {}
    }
    Ok(verified)
}

/// Checks one journal file: that of a state, or a backup.
pub fn verify_file(path: &Path) -> Result<Verified, StoreError> {
    walk_file(path).map(|walked| walked.verified)
}

fn walk_file(path: &Path) -> Result<Walked, StoreError> {
    let real = path
        .canonicalize()
        .map_err(|e| unusable("cannot read", path, e))?;
    let connection = open_reader(&real).map_err(fault::journal)?;
    journal::check_newer(&connection)?;
    let pages = check_pages(&connection).map_err(fault::journal)?;
    walk(&SqliteSql(&connection), pages)
}

/// Has SQLite look at its own pages.
fn check_pages(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare("PRAGMA quick_check(20)")?;
    let found: Result<Vec<String>, _> = statement.query_map([], |row| row.get(0))?.collect();
    let lines = found.unwrap_or_else(|error| vec![error.to_string()]);
    let wrong = lines.into_iter().filter(|line| line != "ok");
    Ok(wrong.map(|line| format!("the file: {line}")).collect())
}
