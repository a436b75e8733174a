//! When tokens were last used: one row each, beside the chain and no part of it.
//!
//! The table is added to a journal without a new form: an older build reads on without it.

use std::collections::BTreeMap;

use rusqlite::Connection;
use sayso_core::id::TokenId;
use sayso_core::time::Time;

use super::number;

/// Makes the table when it is missing.
pub(super) fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(
        "CREATE TABLE IF NOT EXISTS used (token INTEGER PRIMARY KEY, at INTEGER NOT NULL) STRICT",
    )
}

/// Writes uses down, in the transaction under way.
pub(super) fn write(
    connection: &Connection,
    uses: &BTreeMap<TokenId, Time>,
) -> rusqlite::Result<()> {
    if uses.is_empty() {
        return Ok(());
    }
    let mut statement = connection.prepare_cached(
        "INSERT INTO used (token, at) VALUES (?1, ?2) ON CONFLICT (token) DO UPDATE SET at = ?2",
    )?;
    for (token, at) in uses {
        statement.execute((token.0, number(at.as_millis())))?;
    }
    Ok(())
}

/// Forgets the uses of a token that was taken back.
pub(super) fn forget(connection: &Connection, token: TokenId) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM used WHERE token = ?1")?
        .execute([token.0])
        .map(|_| ())
}

/// Every use that is written down.
pub(crate) fn read(connection: &Connection) -> rusqlite::Result<Vec<(TokenId, Time)>> {
    connection
        .prepare_cached("SELECT token, at FROM used ORDER BY token")?
        .query_map([], |row| {
            let at: i64 = row.get(1)?;
            let at = Time::from_millis(u64::try_from(at).unwrap_or_default());
            Ok((TokenId(row.get(0)?), at))
        })?
        .collect()
}
