//! Migrations: an ordered list that is only ever added to.
//!
//! Each runs in one transaction together with the new version number, so a crash at any statement
//! leaves the version before, whole, and the next start does it again.

use rusqlite::Connection;

use crate::faults::point;

/// Every step from an empty file to the newest form. The number of a step is a level, so a step that
/// changes the tables takes the next level and leaves the levels before it empty.
pub(crate) const MIGRATIONS: [&str; 1] =
    [include_str!("../../migrations/journal/0001_journal.sql")];

/// Brings a database to the newest form.
pub(crate) fn migrate(connection: &Connection, steps: &[&str]) -> rusqlite::Result<()> {
    let version = version(connection)?;
    for (number, step) in (1_u32..).zip(steps).skip(version as usize) {
        point("migration_begin");
        connection.execute_batch("BEGIN IMMEDIATE")?;
        let done = connection
            .execute_batch(step)
            .inspect(|()| point("migration_ran"))
            .and_then(|()| connection.pragma_update(None, "user_version", number))
            .inspect(|()| point("migration_versioned"))
            .and_then(|()| connection.execute_batch("COMMIT"));
        if let Err(error) = done {
            // The error that stopped it says more than a failing rollback would.
            let _ = connection.execute_batch("ROLLBACK");
            return Err(error);
        }
        point("migration_committed");
    }
    Ok(())
}

/// The version of a database's form.
pub(crate) fn version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}
