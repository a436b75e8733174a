//! The statements of a commit: rows in, sealed secrets in, what is to be gone out.

use std::time::Duration;

use rusqlite::{CachedStatement, Connection};
use sayso_core::id::Seq;
use sayso_core::journal::{Erases, Event};
use sayso_core::text::Secret;
use sayso_store::{Header, Kind, StoreError};
use sayso_store_sql::journal::JournalRow;
use sayso_store_sql::seal::{Gap, Sealer};

use super::file::BUSY;
use super::number;
use super::used;
use crate::fault;
use crate::faults::point;

/// What a batch leaves behind, as far as later commits must know.
#[derive(Debug, Clone, Copy)]
pub(super) struct ErasedCounts {
    /// Secrets that wait in the file; when there are none, the common commit need not look.
    pub(super) sealed: u64,
    /// Whether text was erased that must not live on in the log.
    pub(super) erased: bool,
}

/// The statements that put a row in, looked up once for a batch.
pub(super) struct Rows<'a> {
    header: CachedStatement<'a>,
    body: CachedStatement<'a>,
}

impl<'a> Rows<'a> {
    pub(super) fn into(connection: &'a Connection) -> rusqlite::Result<Self> {
        Ok(Self {
            header: connection.prepare_cached(
                "INSERT INTO header (seq, format, writer, writer_seq, prev, kind, ask, at, body_hash)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?,
            body: connection.prepare_cached("INSERT INTO body (seq, body) VALUES (?1, ?2)")?,
        })
    }

    pub(super) fn put(
        &mut self,
        seq: Seq,
        header: &Header,
        body: Option<&[u8]>,
    ) -> rusqlite::Result<()> {
        let seq = number(seq.0);
        self.header.execute((
            seq,
            header.format,
            header.writer,
            number(header.writer_seq),
            header.prev.as_slice(),
            header.kind,
            header.ask.as_ref().map(|ask| ask.bytes().as_slice()),
            number(header.at.as_millis()),
            header.body_hash.as_slice(),
        ))?;
        point("commit_header");
        if let Some(body) = body {
            self.body.execute((seq, body))?;
        }
        point("commit_body");
        Ok(())
    }
}

pub(super) fn seal(
    connection: &Connection,
    sealer: &Sealer,
    seq: Seq,
    event: &Event,
    secrets: &[Secret],
) -> Result<u64, StoreError> {
    let Some(opened) = event.outcome_of() else {
        return Ok(0);
    };
    for (gap, secret) in secrets.iter().enumerate() {
        let bytes = sealer.seal(
            Gap {
                opened,
                seq,
                number: gap,
            },
            secret,
        )?;
        connection
            .prepare_cached("INSERT INTO sealed (opened, seq, gap, bytes) VALUES (?1, ?2, ?3, ?4)")
            .and_then(|mut statement| {
                statement.execute((number(opened.0), number(seq.0), number(gap as u64), bytes))
            })
            .map_err(fault::journal)?;
        point("commit_sealed");
    }
    Ok(secrets.len() as u64)
}

/// Takes away what an event says is to be gone.
pub(super) fn erase(
    connection: &Connection,
    event: &Event,
    left: &mut ErasedCounts,
) -> rusqlite::Result<()> {
    for opened in event.confirms() {
        erase_sealed(connection, opened, left)?;
    }
    if let Some(token) = event.revokes() {
        used::forget(connection, token)?;
    }
    let Some(erases) = event.erases() else {
        return Ok(());
    };
    for seq in erases.places() {
        // How a turn ended is not text, and a rebuild needs it.
        connection
            .prepare_cached(
                "DELETE FROM body WHERE seq = ?1
                 AND (SELECT kind FROM header WHERE seq = ?1) <> ?2",
            )?
            .execute((number(seq.0), Kind::TurnEnded.number()))?;
        connection
            .prepare_cached("DELETE FROM damage WHERE seq = ?1")?
            .execute([number(seq.0)])?;
    }
    left.erased = true;
    match erases {
        Erases::Ask(place) => {
            erase_sealed(connection, place.opened, left)?;
            point("commit_erased");
        }
        Erases::Said(_) => point("commit_cleared"),
    }
    Ok(())
}

pub(super) fn erase_sealed(
    connection: &Connection,
    opened: Seq,
    left: &mut ErasedCounts,
) -> rusqlite::Result<()> {
    if left.sealed > 0 {
        let gone = connection
            .prepare_cached("DELETE FROM sealed WHERE opened = ?1")?
            .execute([number(opened.0)])?;
        left.sealed = left.sealed.saturating_sub(gone as u64);
        left.erased |= gone > 0;
    }
    Ok(())
}

/// Puts rows of another journal in, as they are, in one transaction.
pub(crate) fn put_rows(connection: &Connection, rows: &[JournalRow]) -> rusqlite::Result<()> {
    let transaction = connection.unchecked_transaction()?;
    let mut into = Rows::into(connection)?;
    for row in rows {
        into.put(row.seq, &row.header, row.body.as_deref())?;
    }
    drop(into);
    transaction.commit()?;
    move_log(connection);
    Ok(())
}

/// Moves what is in the log into the file, as far as no reader needs it where it is.
pub(super) fn move_log(connection: &Connection) {
    point("checkpoint_before");
    // What was committed is durable in the log whatever becomes of this; the next one tries again.
    let moved = connection
        .prepare_cached("PRAGMA wal_checkpoint(PASSIVE)")
        .and_then(|mut statement| statement.query_row([], |row| row.get::<_, i64>(0)));
    if let Err(error) = moved {
        tracing::debug!(%error, "the write-ahead log keeps growing");
    }
    point("checkpoint_after");
}

/// Empties the log, in which erased text would live on. Says whether that worked: another program that
/// reads the journal may still need it. Nobody waits for that program.
pub(crate) fn truncate_log(connection: &Connection) -> bool {
    point("truncate_before");
    let emptied = connection.busy_timeout(Duration::ZERO).and_then(|()| {
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| {
            row.get::<_, i64>(0)
        })
    });
    let waits_again = connection.busy_timeout(BUSY);
    point("truncate_after");
    match (emptied, waits_again) {
        (Ok(busy), Ok(())) => busy == 0,
        (Err(error), _) | (_, Err(error)) => {
            tracing::debug!(%error, "could not empty the write-ahead log");
            false
        }
    }
}

pub(super) fn undo_after(connection: &Connection, seq: Seq) -> rusqlite::Result<()> {
    let seq = number(seq.0);
    connection.execute_batch(&format!(
        "BEGIN IMMEDIATE;
         DELETE FROM header WHERE seq > {seq};
         DELETE FROM body WHERE seq > {seq};
         DELETE FROM sealed WHERE seq > {seq};
         COMMIT;"
    ))
}

pub(super) fn count_sealed(connection: &Connection) -> rusqlite::Result<u64> {
    let count: i64 = connection.query_row("SELECT count(*) FROM sealed", [], |row| row.get(0))?;
    Ok(u64::try_from(count).unwrap_or_default())
}
