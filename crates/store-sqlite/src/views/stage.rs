//! The writing side of the projections: both stages, one batch at a time.

use std::path::Path;

use rusqlite::Connection;
use sayso_core::id::Seq;
use sayso_store::StoreError;

use super::file::{self, Progress};
use super::{ViewError, rows, text};
use crate::fault::{self, JOURNAL, damaged};
use crate::faults::point;
use crate::journal::{self, End, number};
use crate::pool::Pool;

/// Events taken into the rows in one transaction.
const ROWS_BATCH: usize = 1000;
/// Events taken into the text index in one transaction.
const TEXT_BATCH: usize = 200;
/// From this many events on, a new file is filled first and indexed afterwards.
const BULK_MIN: u64 = 20_000;

/// The connection that writes the projections, and how far it has got.
#[derive(Debug)]
pub(super) struct Writer {
    connection: Connection,
    pub(super) progress: Progress,
    /// A new file is filled before it is indexed.
    indexed: bool,
}

/// The writer of a file that fits the journal, or why it does not.
pub(super) fn opened(
    path: &Path,
    end: End,
    journal: &Pool,
) -> Result<Result<Writer, String>, StoreError> {
    if path.symlink_metadata().is_err() {
        return Ok(Err("there are none".to_owned()));
    }
    let (connection, progress) = match file::open(path) {
        Ok(Some(found)) => found,
        Ok(None) => return Ok(Err("they are of another version".to_owned())),
        Err(error) => return Ok(Err(error.to_string())),
    };
    if progress.rows > end.seq {
        // Events reach this file only after they are durable in the journal.
        return Err(damaged(
            JOURNAL,
            format_args!(
                "it ends at event {}, but event {} had been written: its end is lost, or an older copy was put in its place; to go on without what is lost, run `sayso rebuild`",
                end.seq, progress.rows
            ),
        ));
    }
    if journal
        .with(|journal| journal::hash_at(journal, progress.rows).map_err(ViewError::from))
        .map_err(ViewError::into_store)?
        != Some(progress.hash)
    {
        return Ok(Err("they are of another journal".to_owned()));
    }
    match file::is_indexed(&connection) {
        Ok(indexed) => Ok(Ok(Writer {
            connection,
            progress,
            indexed,
        })),
        Err(error) => Ok(Err(error.to_string())),
    }
}

/// The writer of a new, empty file.
pub(super) fn made(path: &Path, end: End) -> Result<Writer, StoreError> {
    let connection = file::make(path)?;
    let indexed = end.seq.0 < BULK_MIN;
    if indexed {
        file::index(&connection).map_err(|e| fault::sqlite("views.db", &e))?;
    }
    let progress = Progress {
        rows: Seq::ZERO,
        hash: [0; 32],
        text: Seq::ZERO,
        purge: false,
    };
    Ok(Writer {
        connection,
        progress,
        indexed,
    })
}

impl Writer {
    pub(super) fn with_connection<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        work(&self.connection)
    }

    /// Whether lists made from it are complete up to its cursor and have what they are read by.
    pub(super) fn is_whole(&self, end: Seq) -> bool {
        self.indexed && (self.progress.rows > Seq::ZERO || end == Seq::ZERO)
    }

    /// Makes what is still missing once every row is there.
    pub(super) fn finish(&mut self) -> rusqlite::Result<()> {
        if !self.indexed {
            file::index(&self.connection)?;
            self.indexed = true;
        }
        Ok(())
    }

    /// Takes the next events into the rows. Says whether there are more.
    pub(super) fn step_rows(&mut self, journal: &Pool, end: Seq) -> Result<bool, ViewError> {
        let left =
            usize::try_from(end.0.saturating_sub(self.progress.rows.0)).unwrap_or(usize::MAX);
        if left == 0 {
            return Ok(false);
        }
        point("rows_begin");
        let after = self.progress.rows;
        let batch = left.min(ROWS_BATCH);
        let found = journal
            .with(|journal| journal::rows_after(journal, after, batch).map_err(ViewError::from))?;
        let mut progress = self.progress;
        let transaction = self.connection.unchecked_transaction()?;
        for row in &found {
            check_chain(row, progress.rows, &progress.hash)?;
            if let Some(event) = journal::decode(row, &mut |_| None)? {
                rows::apply(&transaction, row.seq, row.header.at, &event)?;
            }
            progress.rows = row.seq;
            progress.hash = row.header.hash();
        }
        if found.is_empty() {
            return Err(damaged(
                JOURNAL,
                format_args!("the events after {} are missing", progress.rows),
            )
            .into());
        }
        transaction
            .prepare_cached("UPDATE progress SET seq = ?1, hash = ?2 WHERE stage = 'rows'")?
            .execute((number(progress.rows.0), progress.hash.as_slice()))?;
        point("rows_before_commit");
        transaction.commit()?;
        self.progress = progress;
        point("rows_after_commit");
        Ok(progress.rows < end)
    }

    /// Takes the next events into the text index. Says whether there is more to do.
    pub(super) fn step_text(&mut self, journal: &Pool) -> Result<bool, ViewError> {
        if self.progress.text >= self.progress.rows {
            return if self.progress.purge {
                self.purge()
            } else {
                Ok(false)
            };
        }
        point("text_begin");
        let after = self.progress.text;
        let left = usize::try_from(self.progress.rows.0 - after.0).unwrap_or(usize::MAX);
        let mut progress = self.progress;
        let transaction = self.connection.unchecked_transaction()?;
        journal.with(|journal| -> Result<(), ViewError> {
            for row in journal::rows_after(journal, after, left.min(TEXT_BATCH))? {
                progress.purge |= text::apply(&transaction, journal, &row)?;
                progress.text = row.seq;
            }
            Ok(())
        })?;
        let mut statement =
            transaction.prepare_cached("UPDATE progress SET seq = ?2 WHERE stage = ?1")?;
        statement.execute(("text", number(progress.text.0)))?;
        statement.execute(("purge", i64::from(progress.purge)))?;
        drop(statement);
        point("text_before_commit");
        transaction.commit()?;
        self.progress = progress;
        point("text_after_commit");
        Ok(progress.text < progress.rows || progress.purge)
    }

    /// Takes erased words out of the index for good, a little at a time.
    fn purge(&mut self) -> Result<bool, ViewError> {
        self.progress.purge = text::purge(&self.connection)?;
        Ok(self.progress.purge)
    }
}

/// Checks that a row follows the one before it.
pub(crate) fn check_chain(
    row: &journal::Row,
    before: Seq,
    hash: &[u8; 32],
) -> Result<(), StoreError> {
    if row.seq != before.next() {
        return Err(damaged(
            JOURNAL,
            format_args!("event {} is missing", before.next()),
        ));
    }
    if row.header.prev != *hash {
        return Err(damaged(
            JOURNAL,
            format_args!("event {} does not follow the one before it", row.seq),
        ));
    }
    Ok(())
}
