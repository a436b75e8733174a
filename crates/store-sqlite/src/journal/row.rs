//! Reading journal rows back, with every hash checked on the way.

use rusqlite::{CachedStatement, Connection, OptionalExtension as _};
use sayso_core::id::{AskId, Seq};
use sayso_core::journal::Event;
use sayso_core::text::Secret;
use sayso_core::time::Time;
use sayso_store::{FORMAT, Header, Kind, StoreError, record};
use sha2::{Digest as _, Sha256};

use crate::fault::{self, JOURNAL, damaged};

/// A row as it lies in the file.
#[derive(Debug)]
pub(crate) struct Row {
    /// Where it stands.
    pub(crate) seq: Seq,
    /// What is chained.
    pub(crate) header: Header,
    /// What can be erased; nothing once it was.
    pub(crate) body: Option<Vec<u8>>,
}

/// Bodies held in memory at one time.
const READ_BYTES_MAX: usize = 8 * 1024 * 1024;

const COLUMNS: &str =
    "h.seq, h.format, h.writer, h.writer_seq, h.prev, h.kind, h.ask, h.at, h.body_hash, b.body
    FROM header h LEFT JOIN body b ON b.seq = h.seq";

/// The rows after a place, in order, at most `limit`, and fewer when they are long.
pub(crate) fn rows_after(
    connection: &Connection,
    after: Seq,
    limit: usize,
) -> Result<Vec<Row>, StoreError> {
    let mut statement = prepare_after(connection)?;
    let mut found = statement
        .query((number(after.0), number(limit as u64)))
        .map_err(fault::journal)?;
    let (mut rows, mut bytes) = (Vec::new(), 0);
    while bytes < READ_BYTES_MAX {
        let Some(row) = found.next().map_err(fault::journal)? else {
            break;
        };
        let row = take(row).map_err(fault::journal)?;
        bytes += row.body.as_ref().map_or(0, Vec::len);
        rows.push(row);
    }
    Ok(rows)
}

fn prepare_after(connection: &Connection) -> Result<CachedStatement<'_>, StoreError> {
    let sql = select(" WHERE h.seq > ?1 ORDER BY h.seq LIMIT ?2");
    connection.prepare_cached(&sql).map_err(fault::journal)
}

fn select(end: &str) -> String {
    format!("SELECT {COLUMNS}{end}")
}

/// The row at a place.
pub(crate) fn row_at(connection: &Connection, seq: Seq) -> Result<Option<Row>, StoreError> {
    let mut statement: CachedStatement<'_> = connection
        .prepare_cached(&select(" WHERE h.seq = ?1"))
        .map_err(fault::journal)?;
    statement
        .query_row([number(seq.0)], take)
        .optional()
        .map_err(fault::journal)
}

/// The header at a place, when its body cannot even be looked for.
pub(crate) fn header_at(connection: &Connection, seq: Seq) -> Result<Option<Header>, StoreError> {
    let sql = "SELECT seq, format, writer, writer_seq, prev, kind, ask, at, body_hash, NULL FROM header WHERE seq = ?1";
    connection
        .prepare_cached(sql)
        .and_then(|mut statement| statement.query_row([number(seq.0)], take).optional())
        .map(|found| found.filter(|row| row.seq == seq).map(|row| row.header))
        .map_err(fault::journal)
}

/// The last row.
pub(crate) fn last_row(connection: &Connection) -> Result<Option<Row>, StoreError> {
    let sql = select(" ORDER BY h.seq DESC LIMIT 1");
    let mut statement = connection.prepare_cached(&sql).map_err(fault::journal)?;
    statement
        .query_row([], take)
        .optional()
        .map_err(fault::journal)
}

/// The last place.
pub(crate) fn last_seq(connection: &Connection) -> Result<Seq, StoreError> {
    let last: Option<i64> = connection
        .query_row("SELECT max(seq) FROM header", [], |row| row.get(0))
        .map_err(fault::journal)?;
    let last = last.and_then(|seq| u64::try_from(seq).ok());
    Ok(Seq(last.unwrap_or_default()))
}

/// The chain hash of the row at a place; zeros before the first.
pub(crate) fn hash_at(connection: &Connection, seq: Seq) -> Result<Option<[u8; 32]>, StoreError> {
    if seq == Seq::ZERO {
        return Ok(Some([0; 32]));
    }
    Ok(row_at(connection, seq)?.map(|row| row.header.hash()))
}

/// The kind and ask of the row at a place.
pub(crate) fn ask_of(
    connection: &Connection,
    seq: Seq,
) -> Result<Option<(u16, Option<AskId>)>, StoreError> {
    let mut statement = connection
        .prepare_cached("SELECT kind, ask FROM header WHERE seq = ?1")
        .map_err(fault::journal)?;
    statement
        .query_row([number(seq.0)], |row| {
            Ok((
                row.get(0)?,
                row.get::<_, Option<[u8; 16]>>(1)?.map(AskId::from_bytes),
            ))
        })
        .optional()
        .map_err(fault::journal)
}

/// A number as SQLite takes it. Places and times stay far below what would not fit.
pub(crate) fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn take(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    let unsigned = |at: usize| -> rusqlite::Result<u64> {
        let value: i64 = row.get(at)?;
        u64::try_from(value).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(at, value))
    };
    Ok(Row {
        seq: Seq(unsigned(0)?),
        header: Header {
            format: row.get(1)?,
            writer: row.get(2)?,
            writer_seq: unsigned(3)?,
            prev: row.get(4)?,
            kind: row.get(5)?,
            ask: row.get::<_, Option<[u8; 16]>>(6)?.map(AskId::from_bytes),
            at: Time::from_millis(unsigned(7)?),
            body_hash: row.get(8)?,
        },
        body: row.get(9)?,
    })
}

/// The event of a row; nothing when its body was erased.
pub(crate) fn decode(
    row: &Row,
    secrets: &mut dyn FnMut(usize) -> Option<Secret>,
) -> Result<Option<Event>, StoreError> {
    let header = &row.header;
    if header.format > FORMAT {
        return Err(StoreError::Newer {
            file: JOURNAL.to_owned(),
            found: u32::from(header.format),
            known: u32::from(FORMAT),
            by: None,
        });
    }
    let Some(body) = &row.body else {
        return Ok(None);
    };
    if <[u8; 32]>::from(Sha256::digest(body)) != header.body_hash {
        return Err(damaged(
            JOURNAL,
            format_args!(
                "the body of event {} is not the one that was written",
                row.seq
            ),
        ));
    }
    let kind = Kind::from_number(header.kind).ok_or_else(|| {
        damaged(
            JOURNAL,
            format_args!("event {} has the unknown kind {}", row.seq, header.kind),
        )
    })?;
    record::read(kind, header.ask, body, secrets)
        .map(Some)
        .map_err(|e| damaged(JOURNAL, format_args!("event {}: {e}", row.seq)))
}
