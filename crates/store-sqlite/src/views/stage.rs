//! The writing side of the projections: both stages, one batch at a time.

use std::path::Path;

use rusqlite::Connection;
use sayso_core::id::Seq;
use sayso_store::{Header, StoreError};

use super::batch::ViewBatch;
use super::file::{self, Progress};
use super::pending::Pending;
use super::text::{self, OpenWords, TextStage};
use super::{NoteDamage, ViewError, lost, rows};
use crate::fault::{self, JOURNAL, damaged};
use crate::faults::point;
use crate::journal::{self, End, Tail, What, number};
use crate::pool::Pool;
use crate::shm::Reserved;

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
    let fits = journal
        .with(|journal| fits(journal, &progress).map_err(ViewError::from))
        .map_err(ViewError::into_store)?;
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
    let progress = Progress {
        rows: Seq::ZERO,
        hash: [0; 32],
        text: Seq::ZERO,
        purge: false,
    };
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
        let with_text = with_text && self.progress.text == after;
        let mut progress = self.progress;
        let transaction = self.connection.unchecked_transaction()?;
        let mut pending = Pending::new(&transaction);
        let mut text = TextStage::new(&transaction, journal, end.into(), &mut self.open);
        let mut batch = ViewBatch::new(journal, after, end.into());
        let mut last = None;
        while let Some(row) = batch.next()? {
            let noticed = match row.fault {
                Some(_) => note(&row),
                None => end.seq,
            };
            match &row.what {
                What::Event(event) => {
                    rows::apply(&mut pending, row.seq, row.at(), event)?;
                    if with_text {
                        progress.purge |= text.apply(row.seq, event)?;
                    }
                }
                What::Gone => {
                    pending.write()?;
                    lost::gone(&transaction, &row)?;
                }
                What::Lost => {
                    pending.write()?;
                    lost::apply(&transaction, &row, noticed)?;
                }
            }
            progress.rows = row.seq;
            last = row.header;
        }
        pending.write()?;
        progress.hash = last.as_ref().map_or([0; 32], Header::hash);
        transaction
            .prepare_cached("UPDATE progress SET seq = ?1, hash = ?2 WHERE stage = 'rows'")?
            .execute((number(progress.rows.0), progress.hash.as_slice()))?;
        if with_text {
            progress.text = progress.rows;
            finish_text(&mut text, &progress)?;
        }
        drop((pending, text));
        point("rows_before_commit");
        transaction.commit()?;
        self.progress = progress;
        point("rows_after_commit");
        if with_text {
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
        let mut progress = self.progress;
        let tail = Tail {
            seq: progress.rows,
            hash: Some(progress.hash),
        };
        let transaction = self.connection.unchecked_transaction()?;
        let mut text = TextStage::new(&transaction, journal, tail, &mut self.open);
        let mut batch = ViewBatch::new(journal, progress.text, tail);
        while let Some(row) = batch.next()? {
            progress.text = row.seq;
            if let What::Event(event) = &row.what {
                progress.purge |= text.apply(row.seq, event)?;
            }
        }
        finish_text(&mut text, &progress)?;
        drop(text);
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

fn finish_text(text: &mut TextStage<'_>, progress: &Progress) -> rusqlite::Result<()> {
    point("text_begin");
    text.write()?;
    let mut statement = text
        .views
        .prepare_cached("UPDATE progress SET seq = ?2 WHERE stage = ?1")?;
    statement.execute(("text", number(progress.text.0)))?;
    statement.execute(("purge", i64::from(progress.purge)))?;
    point("text_before_commit");
    Ok(())
}
