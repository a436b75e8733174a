//! Erased words leave the text index for good, a little at a time.

use rusqlite::Connection;

/// Pages that one step of a purge works through.
const PURGE_PAGES: i64 = 64;

/// Merges some of the index, which drops what was deleted from it. Says whether there is more.
pub(super) fn purge(views: &Connection) -> rusqlite::Result<bool> {
    let before = views.total_changes();
    views
        .prepare_cached("INSERT INTO asks_text (asks_text, rank) VALUES ('merge', ?1)")?
        .execute([-PURGE_PAGES])?;
    if views.total_changes() - before >= 2 {
        return Ok(true);
    }
    // Nor may they live on in the log; a reader may hold it for a while.
    let is_held: bool = views.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if !is_held {
        views.execute("UPDATE progress SET seq = 0 WHERE stage = 'purge'", [])?;
    }
    Ok(is_held)
}
