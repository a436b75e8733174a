//! The writing side of the projections: both stages, one batch at a time.

use std::path::Path;

use rusqlite::Connection;
use sayso_core::id::Seq;
use sayso_store::StoreError;
use sayso_store_sql::views::{NoteDamage, OpenWords, Progress, ViewError, ViewStep};

use super::{file, purge};
use crate::fault::{self, JOURNAL, damaged};
use crate::faults::point;
use crate::journal::{self, End};
use crate::pool::Pool;
use crate::reading::Failed;
use crate::shm::Reserved;
use crate::sql::{self, SqliteSql};

/// From this many events on, a new file is filled first and indexed afterwards.
const BULK_MIN: u64 = 20_000;

/// The connection that writes the projections, and how far it has got.
#[derive(Debug)]
pub(super) struct ViewWriter {
    connection: Connection,
    pub(super) progress: Progress,
    /// A new file is filled before it is indexed.
    indexed: bool,
    open: OpenWords,
    /// Room for the index of its log. It goes after the connection.
    _reserved: Option<Reserved>,
}

/// The writer of a file that fits the journal, or why it does not.
pub(super) fn opened(
    path: &Path,
    end: End,
    journal: &Pool,
) -> Result<Result<ViewWriter, String>, StoreError> {
    if path.symlink_metadata().is_err() {
        return Ok(Err("there are none".to_owned()));
    }
    let (connection, progress) = match file::open(path) {
        Ok(Some(found)) => found,
        Ok(None) => return Ok(Err("they are of another version".to_owned())),
        Err(why) => return Ok(Err(why)),
    };
    if progress.rows > end.seq {
        // Events reach this file only after they are durable in the journal.
        return Err(damaged(
            JOURNAL,
            format_args!(
                "it ends at event {}, but event {} had been written: its end is lost, or an \
                 older copy replaced it; to continue without the lost events, run `sayso rebuild`",
                end.seq, progress.rows
            ),
        ));
    }
    let fits = journal
        .with(|journal| fits(journal, &progress).map_err(Failed))
        .map_err(|Failed(error)| error)?;
    if !fits {
        return Ok(Err("they are of another journal".to_owned()));
    }
    match file::is_indexed(&connection) {
        Ok(indexed) => Ok(Ok(ViewWriter {
            _reserved: Reserved::beside(path, None)?,
            connection,
            progress,
            indexed,
            open: OpenWords::default(),
        })),
        Err(error) => Ok(Err(error.to_string())),
    }
}

/// Whether the journal has the row up to which the projections were made. A row that was damaged since
/// is still that row.
fn fits(journal: &Connection, progress: &Progress) -> Result<bool, StoreError> {
    if progress.rows == Seq::ZERO {
        return Ok(true);
    }
    let header = match journal::header_at(journal, progress.rows) {
        Ok(header) => header,
        Err(StoreError::Damaged { .. }) => None,
        Err(error) => return Err(error),
    };
    Ok(header.is_none_or(|header| {
        header.hash() == progress.hash || journal::mended(&header, None, progress.hash).is_some()
    }))
}

/// The writer of a new, empty file.
pub(super) fn made(path: &Path, end: End) -> Result<ViewWriter, StoreError> {
    let connection = file::make(path)?;
    let indexed = end.seq.0 < BULK_MIN;
    if indexed {
        file::index(&connection).map_err(|e| fault::sqlite("views.db", &e))?;
    }
    let progress = Progress::default();
    Ok(ViewWriter {
        _reserved: Reserved::beside(path, None)?,
        connection,
        progress,
        indexed,
        open: OpenWords::default(),
    })
}

impl ViewWriter {
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

    /// Takes the next events into the rows, and into the text where it is asked for and not behind.
    /// Says whether there are more.
    pub(super) fn step_rows(
        &mut self,
        journal: &Pool,
        end: End,
        note: NoteDamage<'_>,
        with_text: bool,
    ) -> Result<bool, ViewError> {
        let after = self.progress.rows;
        if after >= end.seq {
            return Ok(false);
        }
        point("rows_begin");
        let transaction = self
            .connection
            .unchecked_transaction()
            .map_err(sql::error)?;
        let before = self.progress;
        let progress = ViewStep {
            views: &SqliteSql(&*transaction),
            journal,
            open: &mut self.open,
        }
        .rows(before, end.into(), note, with_text)?;
        point("rows_before_commit");
        transaction.commit().map_err(sql::error)?;
        self.progress = progress;
        point("rows_after_commit");
        if progress.text > before.text {
            point("text_after_commit");
        }
        Ok(progress.rows < end.seq)
    }

    /// Takes the next events into the text index, which has fallen behind the rows. Says whether there
    /// is more to do.
    pub(super) fn step_text(&mut self, journal: &Pool) -> Result<bool, ViewError> {
        if self.progress.text >= self.progress.rows {
            return if self.progress.purge {
                self.purge()
            } else {
                Ok(false)
            };
        }
        let transaction = self
            .connection
            .unchecked_transaction()
            .map_err(sql::error)?;
        let progress = ViewStep {
            views: &SqliteSql(&*transaction),
            journal,
            open: &mut self.open,
        }
        .text(self.progress)?;
        transaction.commit().map_err(sql::error)?;
        self.progress = progress;
        point("text_after_commit");
        Ok(progress.text < progress.rows || progress.purge)
    }

    /// Takes erased words out of the index for good, a little at a time.
    fn purge(&mut self) -> Result<bool, ViewError> {
        self.progress.purge = purge::purge(&self.connection).map_err(sql::error)?;
        Ok(self.progress.purge)
    }
}
