//! Reading journal rows back, with every hash checked on the way.

use sayso_core::id::{AskId, Seq};
use sayso_core::journal::Event;
use sayso_core::text::Secret;
use sayso_store::{FORMAT, Header, Kind, StoreError, record};
use sha2::{Digest as _, Sha256};

use super::damaged;
use crate::sql::{Sql, SqlError, SqlFault, SqlResult, SqlRow, moment, number, seq};
use crate::values;

/// A row as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalRow {
    /// Where it stands.
    pub seq: Seq,
    /// What is chained.
    pub header: Header,
    /// What can be erased; nothing once it was.
    pub body: Option<Vec<u8>>,
}

/// Bodies held in memory at one time.
const READ_BYTES_MAX: usize = 8 * 1024 * 1024;

impl JournalRow {
    /// The columns of a row, as [`JournalRow::read`] takes them, from `header h` and `body b`.
    pub const COLUMNS: &'static str =
        "h.seq, h.format, h.writer, h.writer_seq, h.prev, h.kind, h.ask, h.at, h.body_hash, b.body";

    /// Reads a row of an answer.
    pub fn read(row: &dyn SqlRow) -> SqlResult<Self> {
        Ok(Self {
            seq: seq(row, 0)?,
            header: Header {
                format: row.get(1)?,
                writer: row.get(2)?,
                writer_seq: row.get(3)?,
                prev: row.get(4)?,
                kind: row.get(5)?,
                ask: row.get::<Option<[u8; 16]>>(6)?.map(AskId::from_bytes),
                at: moment(row, 7)?,
                body_hash: row.get(8)?,
            },
            body: row.get(9)?,
        })
    }
}

/// Where rows of a journal are read.
pub trait JournalRows {
    /// The rows after a place, in order, at most `limit`, and fewer when they are long.
    fn rows_after(&self, after: Seq, limit: usize) -> Result<Vec<JournalRow>, StoreError>;

    /// The row at a place.
    fn row_at(&self, seq: Seq) -> Result<Option<JournalRow>, StoreError>;

    /// The header at a place, when its body cannot even be looked for.
    fn header_at(&self, seq: Seq) -> Result<Option<Header>, StoreError>;

    /// The name of the journal, as errors give it.
    fn name(&self) -> &'static str;
}

/// The journal behind a connection.
#[derive(Clone, Copy)]
pub struct SqlJournal<'a>(pub &'a dyn Sql);

impl std::fmt::Debug for SqlJournal<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SqlJournal(..)")
    }
}

impl SqlJournal<'_> {
    /// What the database said about the journal, as a caller is told.
    pub fn error(self, error: &SqlError) -> StoreError {
        match error.fault {
            SqlFault::Damaged => damaged(self.0.journal(), error),
            SqlFault::Unusable | SqlFault::Passing => StoreError::TryLater {
                detail: format!("{}: {error}", self.0.journal()),
            },
        }
    }

    fn select(end: &str) -> String {
        let columns = JournalRow::COLUMNS;
        format!("SELECT {columns} FROM header h LEFT JOIN body b ON b.seq = h.seq {end}")
    }
}

impl JournalRows for SqlJournal<'_> {
    fn rows_after(&self, after: Seq, limit: usize) -> Result<Vec<JournalRow>, StoreError> {
        let (mut rows, mut bytes) = (Vec::new(), 0);
        self.0
            .rows(
                &Self::select("WHERE h.seq > ?1 ORDER BY h.seq LIMIT ?2"),
                values![number(after.0), number(limit as u64)],
                &mut |row| {
                    let row = JournalRow::read(row)?;
                    bytes += row.body.as_ref().map_or(0, Vec::len);
                    rows.push(row);
                    Ok(bytes < READ_BYTES_MAX)
                },
            )
            .map_err(|error| self.error(&error))?;
        Ok(rows)
    }

    fn row_at(&self, seq: Seq) -> Result<Option<JournalRow>, StoreError> {
        self.0
            .first(
                &Self::select("WHERE h.seq = ?1"),
                values![number(seq.0)],
                JournalRow::read,
            )
            .map_err(|error| self.error(&error))
    }

    fn header_at(&self, seq: Seq) -> Result<Option<Header>, StoreError> {
        let sql = "SELECT seq, format, writer, writer_seq, prev, kind, ask, at, body_hash, NULL FROM header WHERE seq = ?1";
        let found = self
            .0
            .first(sql, values![number(seq.0)], JournalRow::read)
            .map_err(|error| self.error(&error))?;
        Ok(found.filter(|row| row.seq == seq).map(|row| row.header))
    }

    fn name(&self) -> &'static str {
        self.0.journal()
    }
}

/// The last row.
pub fn last_row(journal: SqlJournal<'_>) -> Result<Option<JournalRow>, StoreError> {
    let sql = SqlJournal::select("ORDER BY h.seq DESC LIMIT 1");
    let last = journal.0.first(&sql, values![], JournalRow::read);
    last.map_err(|error| journal.error(&error))
}

/// The hash of the header at a place.
pub fn hash_at(journal: SqlJournal<'_>, seq: Seq) -> Result<Option<[u8; 32]>, StoreError> {
    Ok(journal.header_at(seq)?.map(|header| header.hash()))
}

/// The last place.
pub fn last_seq(journal: SqlJournal<'_>) -> Result<Seq, StoreError> {
    let last = journal
        .0
        .first("SELECT max(seq) FROM header", values![], |row| {
            row.get::<Option<u64>>(0)
        })
        .map_err(|error| journal.error(&error))?;
    Ok(Seq(last.flatten().unwrap_or_default()))
}

/// The kind and ask of the row at a place.
pub fn ask_of(
    journal: SqlJournal<'_>,
    seq: Seq,
) -> Result<Option<(u16, Option<AskId>)>, StoreError> {
    let found = journal.0.first(
        "SELECT kind, ask FROM header WHERE seq = ?1",
        values![number(seq.0)],
        |row| {
            let ask = row.get::<Option<[u8; 16]>>(1)?.map(AskId::from_bytes);
            Ok((row.get(0)?, ask))
        },
    );
    found.map_err(|error| journal.error(&error))
}

/// Bodies that belong to no event, the first few.
pub fn stray_bodies(journal: SqlJournal<'_>) -> SqlResult<Vec<Seq>> {
    let sql =
        "SELECT b.seq FROM body b LEFT JOIN header h ON h.seq = b.seq WHERE h.seq IS NULL LIMIT 20";
    journal.0.all(sql, values![], |row| seq(row, 0))
}

/// The event of a row of the journal of this name; nothing when its body was erased.
pub fn decode(
    journal: &str,
    row: &JournalRow,
    secrets: &mut dyn FnMut(usize) -> Option<Secret>,
) -> Result<Option<Event>, StoreError> {
    let header = &row.header;
    if header.format > FORMAT {
        return Err(StoreError::Newer {
            file: journal.to_owned(),
            found: u32::from(header.format),
            known: u32::from(FORMAT),
            by: None,
        });
    }
    let Some(body) = &row.body else {
        return Ok(None);
    };
    let wrong = |what: String| damaged(journal, what);
    if <[u8; 32]>::from(Sha256::digest(body)) != header.body_hash {
        let seq = row.seq;
        return Err(wrong(format!(
            "the body of event {seq} is not the one that was written"
        )));
    }
    let (seq, kind) = (row.seq, header.kind);
    let kind = Kind::from_number(kind)
        .ok_or_else(|| wrong(format!("event {seq} has the unknown kind {kind}")))?;
    record::read(kind, header.ask, body, secrets)
        .map(Some)
        .map_err(|e| wrong(format!("event {seq}: {e}")))
}
