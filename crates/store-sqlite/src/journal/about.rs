//! What a journal says about itself beside its rows: which version raised its level, and notes of the
//! store that must survive a lost projection.
//!
//! The tables are added to a journal without raising its level: an older build reads on without them.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, OptionalExtension as _};

/// The version of sayso that raised the level last.
const VERSION: &str = "version";

/// Makes the tables that are missing. Writes nothing when they are there.
pub(super) fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    let there: bool = connection.query_row(
        "SELECT count(*) = 1 FROM sqlite_schema WHERE type = 'table' AND name = 'about'",
        [],
        |row| row.get(0),
    )?;
    if there {
        return Ok(());
    }
    connection.execute_batch(concat!(
        "BEGIN IMMEDIATE;",
        include_str!("../../migrations/journal/about.sql"),
        "COMMIT;"
    ))
}

/// A note, if it was written.
pub(crate) fn note(connection: &Connection, name: &str) -> rusqlite::Result<Option<Vec<u8>>> {
    connection
        .query_row("SELECT value FROM about WHERE name = ?1", [name], |row| {
            row.get(0)
        })
        .optional()
}

/// Writes a note, in the transaction under way if there is one.
pub(crate) fn put(connection: &Connection, name: &str, value: &[u8]) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO about (name, value) VALUES (?1, ?2)
             ON CONFLICT (name) DO UPDATE SET value = ?2",
        )?
        .execute((name, value))
        .map(|_| ())
}

/// Takes a note away.
pub(crate) fn drop_note(connection: &Connection, name: &str) -> rusqlite::Result<()> {
    connection
        .execute("DELETE FROM about WHERE name = ?1", [name])
        .map(|_| ())
}

/// Raises the level, in the transaction of the first event that needs it.
pub(crate) fn raise(connection: &Connection, level: u32) -> rusqlite::Result<()> {
    connection.pragma_update(None, "user_version", level)?;
    put(connection, VERSION, env!("CARGO_PKG_VERSION").as_bytes())
}

/// The version that raised the level last, if the journal says so.
pub(super) fn version(connection: &Connection) -> Option<String> {
    note(connection, VERSION)
        .ok()
        .flatten()
        .and_then(|bytes| String::from_utf8(bytes).ok())
}

/// The same, read from the file alone: nothing beside it is made or changed.
pub(super) fn untouched_version(path: &Path) -> Option<String> {
    let name = path.to_str()?.replace('%', "%25").replace('?', "%3f");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    let uri = format!("file:{}?immutable=1", name.replace('#', "%23"));
    version(&Connection::open_with_flags(uri, flags).ok()?)
}
