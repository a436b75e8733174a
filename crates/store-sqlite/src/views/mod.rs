//! Projections: lists, search, statistics and what a start needs, made from the journal.
//!
//! They lie in a second file that can be deleted at any time. What is in it and how it is made every
//! store shares; this is about the file.

mod file;
mod purge;
mod stage;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;
use sayso_core::id::Seq;
use sayso_core::state::SnapshotPart;
use sayso_store::StoreError;
use sayso_store_sql::sql::{Sql, SqlError, SqlResult};
use sayso_store_sql::views::{Known, NoteDamage, ViewError, progress, recover};

use crate::journal::End;
use crate::pool::Pool;
use crate::sql::{self, SqliteSql};
use crate::watch::{Identity, identity};
use stage::ViewWriter;

/// Events between two lines about how far a rebuild has got.
const TELL_EVERY: u64 = 200_000;

/// The projections of one journal.
#[derive(Debug)]
pub(crate) struct Views {
    path: PathBuf,
    readers: Pool,
    writer: Mutex<ViewWriter>,
    rows: AtomicU64,
    text: AtomicU64,
    /// Whether everything up to the last start or rebuild is in it: half a list would be a lie.
    whole: AtomicBool,
    /// Set by a reader that met damage; the projector then makes the file again.
    broken: AtomicBool,
    /// Which file it is.
    identity: Mutex<Option<Identity>>,
}

impl Views {
    /// Opens the projections, or begins new ones when they are missing, old, damaged or of
    /// another journal.
    pub(crate) fn open(
        folder: &Path,
        readers: usize,
        end: End,
        journal: &Pool,
    ) -> Result<Self, StoreError> {
        let path = folder.join("views.db");
        let writer = match stage::opened(&path, end, journal)? {
            Ok(writer) => writer,
            Err(why) => {
                if end.seq > Seq::ZERO {
                    tracing::warn!(
                        why,
                        events = end.seq.0,
                        "rebuilding lists and search from the journal"
                    );
                }
                stage::made(&path, end)?
            }
        };
        Ok(Self {
            readers: Pool::new(&path, readers),
            rows: AtomicU64::new(writer.progress.rows.0),
            text: AtomicU64::new(writer.progress.text.0),
            whole: AtomicBool::new(writer.is_whole(end.seq)),
            writer: Mutex::new(writer),
            broken: AtomicBool::new(false),
            identity: Mutex::new(identity(&path)),
            path,
        })
    }

    /// How far the rows have got.
    pub(crate) fn rows(&self) -> Seq {
        Seq(self.rows.load(Ordering::Acquire))
    }

    /// The hash of the journal's last header as it was when it was projected, if it was.
    pub(crate) fn hash_at(&self, seq: Seq) -> Option<[u8; 32]> {
        let progress = self.writer().progress;
        (seq > Seq::ZERO && progress.rows == seq).then_some(progress.hash)
    }

    /// How far the text has got.
    pub(crate) fn text(&self) -> Seq {
        Seq(self.text.load(Ordering::Acquire))
    }

    /// That lists and search are not to be had, in words, if that is so.
    pub(crate) fn rebuilding(&self, end: Seq) -> Option<String> {
        let is_ready = self.whole.load(Ordering::Acquire) && !self.is_broken();
        (!is_ready).then(|| {
            format!(
                "Lists and search are being rebuilt from the journal ({} of {end} entries). Asking and answering work.",
                self.rows()
            )
        })
    }

    /// Looks whether the file is still there. Says whether it has to be made again.
    pub(crate) fn is_lost(&self) -> bool {
        let was = *self.identity();
        if identity(&self.path) != was {
            // It may be being made just now.
            let writer = self.writer.try_lock();
            if writer.is_ok() && *self.identity() == was {
                self.broken.store(true, Ordering::Release);
            }
        }
        self.is_broken()
    }

    fn identity(&self) -> MutexGuard<'_, Option<Identity>> {
        self.identity.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a reader met damage.
    pub(crate) fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Acquire)
    }

    fn writer(&self) -> MutexGuard<'_, ViewWriter> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads from one view of the projections.
    pub(crate) fn read_in_one_transaction<T>(
        &self,
        work: impl FnOnce(&dyn Sql) -> SqlResult<T>,
    ) -> Result<T, StoreError> {
        self.with_reader(|connection| {
            let view = connection.unchecked_transaction()?;
            work(&SqliteSql(&*view)).map_err(ViewFailed)
        })
    }

    /// Reads from the projections with one statement.
    pub(crate) fn read<T>(
        &self,
        work: impl FnOnce(&dyn Sql) -> SqlResult<T>,
    ) -> Result<T, StoreError> {
        self.with_reader(|connection| work(&SqliteSql(connection)).map_err(ViewFailed))
    }

    /// Tells everything that must be in memory.
    pub(crate) fn recover(
        &self,
        take: &mut (dyn FnMut(SnapshotPart) + Send),
    ) -> Result<Known, StoreError> {
        self.read_in_one_transaction(|view| recover(view, take))
    }

    fn with_reader<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, ViewFailed>,
    ) -> Result<T, StoreError> {
        if !self.whole.load(Ordering::Acquire) {
            let detail = "the lists are being rebuilt from the journal".to_owned();
            return Err(StoreError::TryLater { detail });
        }
        self.readers.with(work).map_err(|ViewFailed(error)| {
            if error.is_beyond_use() {
                self.broken.store(true, Ordering::Release);
            }
            ViewError::Views(error).into_store()
        })
    }

    /// Works on the file between two batches.
    pub(crate) fn with_writer<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.writer()
            .with_connection(work)
            .map_err(|error| ViewError::Views(sql::error(error)).into_store())
    }

    /// Throws the file away and begins a new one.
    pub(crate) fn renew(&self, end: End) -> Result<(), StoreError> {
        let mut writer = self.writer();
        self.whole.store(false, Ordering::Release);
        self.rows.store(0, Ordering::Release);
        self.text.store(0, Ordering::Release);
        self.readers.renew();
        *writer = stage::made(&self.path, end)?;
        *self.identity() = identity(&self.path);
        self.broken.store(false, Ordering::Release);
        Ok(())
    }

    /// Takes the next events into the rows, and into the text as well where it is asked for and not
    /// behind. Says whether there may be more.
    pub(crate) fn step_rows(
        &self,
        journal: &Pool,
        end: End,
        note: NoteDamage<'_>,
        with_text: bool,
    ) -> Result<bool, ViewError> {
        let mut writer = self.writer();
        let more = writer.step_rows(journal, end, note, with_text)?;
        if !more {
            writer.finish().map_err(sql::error)?;
            self.whole.store(true, Ordering::Release);
        }
        self.rows.store(writer.progress.rows.0, Ordering::Release);
        self.text.store(writer.progress.text.0, Ordering::Release);
        Ok(more)
    }

    /// Takes the next events into the text index. Says whether there may be more.
    pub(crate) fn step_text(&self, journal: &Pool) -> Result<bool, ViewError> {
        let mut writer = self.writer();
        let more = writer.step_text(journal)?;
        self.text.store(writer.progress.text.0, Ordering::Release);
        Ok(more)
    }

    /// Brings the rows to the end of the journal, telling about it when it takes long.
    pub(crate) fn catch_up(
        &self,
        journal: &Pool,
        end: End,
        note: NoteDamage<'_>,
    ) -> Result<(), StoreError> {
        // Damage is mended once by making the file again; a second time something else is wrong.
        for again in [true, false] {
            match self.run_rows(journal, end, note) {
                Ok(()) => return Ok(()),
                Err(ViewError::Views(error)) if again && error.is_beyond_use() => {
                    tracing::warn!(%error, "lists and search are damaged; rebuilding them from \
                                            the journal");
                    self.renew(end)?;
                }
                Err(error) => return Err(error.into_store()),
            }
        }
        Ok(())
    }

    fn run_rows(&self, journal: &Pool, end: End, note: NoteDamage<'_>) -> Result<(), ViewError> {
        let mut told = self.rows().0;
        // A start waits for the rows alone.
        while self.step_rows(journal, end, note, false)? {
            let rows = self.rows().0;
            if rows >= told + TELL_EVERY {
                told = rows;
                tracing::warn!(
                    done = rows,
                    of = end.seq.0,
                    "building lists and search from the journal"
                );
            }
        }
        Ok(())
    }
}

/// How far the projections of a folder have got, and the hash of the header there, without disturbing
/// whoever uses them.
pub(crate) fn seen_by(folder: &Path) -> Option<(Seq, [u8; 32])> {
    let path = folder.join("views.db").canonicalize().ok()?;
    let connection = crate::pool::open_reader(&path).ok()?;
    let seen = progress(&SqliteSql(&connection)).ok()?;
    Some((seen.rows, seen.hash))
}

/// An error of either side, while a reader is borrowed.
struct ViewFailed(SqlError);

impl From<rusqlite::Error> for ViewFailed {
    fn from(error: rusqlite::Error) -> Self {
        Self(sql::error(error))
    }
}
