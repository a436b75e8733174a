//! The one writer: takes a batch, chains it, commits it once.
//!
//! The end of the journal is kept in memory and moves only after a commit is known to be durable.
//! After a failure nothing is assumed: the file is opened again and its end is read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rusqlite::Connection;
use sayso_core::id::{Seq, TokenId};
use sayso_core::time::Time;
use sayso_store::{Durability, JournalEntry, StoreError, needed};
use sayso_store_sql::damage::Damages;
use sayso_store_sql::journal::End;
use sayso_store_sql::seal::Sealer;

use super::file::Log;
use super::row;
use super::statement::{
    ErasedCounts, Rows, count_sealed, erase, move_log, seal, truncate_log, undo_after,
};
use super::used;
use super::{about, migrate};
use crate::fault;
use crate::faults::point;
use crate::key::{self, Unopened};
use crate::settings::SqliteSettings;
use crate::shm::Reserved;
use crate::sql::SqliteSql;

/// The connection that writes, and what it knows.
#[derive(Debug)]
pub(crate) struct Writer {
    path: PathBuf,
    settings: SqliteSettings,
    /// Absent after a failure, until it is opened again.
    connection: Option<Connection>,
    end: End,
    /// What a build must know to read the journal.
    level: u32,
    /// How many secrets wait in the file, so that the common commit need not look.
    sealed: u64,
    log: Arc<Log>,
    /// Uses of tokens that are not written down yet.
    uses: BTreeMap<TokenId, Time>,
    /// Room for the index of the log. It goes after the connection.
    reserved: Option<Reserved>,
    body: Vec<u8>,
}

/// What a batch would make of the journal.
struct Written {
    end: End,
    level: u32,
    left: ErasedCounts,
    places: Vec<Seq>,
}

impl Writer {
    pub(crate) fn open(
        path: &Path,
        settings: SqliteSettings,
    ) -> Result<(Self, Durability), StoreError> {
        let log = Arc::<Log>::default();
        let (connection, durability) = super::file::open(path, &settings, &log)?;
        let reserved = Reserved::beside(path, None)?;
        // What was erased just before a crash may still be in the log.
        let is_empty = truncate_log(&connection);
        log.has_erased.store(!is_empty, Ordering::Relaxed);
        let writer = Self {
            path: path.to_owned(),
            settings,
            end: row::end(&connection)?,
            level: migrate::version(&connection).map_err(fault::journal)?,
            sealed: count_sealed(&connection).map_err(fault::journal)?,
            connection: Some(connection),
            log,
            uses: BTreeMap::new(),
            reserved,
            body: Vec::with_capacity(4096),
        };
        Ok((writer, durability))
    }

    /// The end of what is known to be durable.
    pub(crate) fn end(&self) -> End {
        self.end
    }

    /// Corrects what is known of the last header, when it was damaged since it was written: the next
    /// row then vouches for what it was.
    pub(crate) fn correct_end(&mut self, hash: [u8; 32]) {
        self.end.hash = hash;
    }

    /// What is known of the log, for whoever must not wait for the writer.
    pub(crate) fn log(&self) -> Arc<Log> {
        Arc::clone(&self.log)
    }

    /// Tries once more to empty the log, which takes erased text out of it and lets the file shrink.
    pub(crate) fn empty_log(&mut self) {
        if let Some(connection) = &self.connection
            && truncate_log(connection)
        {
            self.log.has_erased.store(false, Ordering::Relaxed);
            self.log.shrinks_later.store(false, Ordering::Relaxed);
        }
    }

    /// Moves a log that has grown long into the file. What it holds is durable in either place, so
    /// that whoever waits for a commit need not wait for this.
    pub(crate) fn move_log(&mut self) {
        if let Some(connection) = &self.connection
            && self.log.is_long.load(Ordering::Relaxed)
        {
            move_log(connection);
            // A reader may have held some of it; the next commit says so.
            self.log.is_long.store(false, Ordering::Relaxed);
        }
    }

    /// Looks at the room in the file, or gives some of it back. A connection on which that fails is
    /// opened again.
    pub(crate) fn with_space<T>(
        &mut self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.reopen()?,
        };
        let done = work(&connection).map_err(fault::journal)?;
        self.connection = Some(connection);
        Ok(done)
    }

    /// Whether it is open; after a failure it is not.
    pub(crate) fn is_open(&self) -> bool {
        self.connection.is_some()
    }

    /// The sealer of the key in this folder, and how many secrets were given up for it.
    pub(crate) fn unseal_with(
        &self,
        folder: &Path,
        unopened: Unopened,
    ) -> Result<(Sealer, u64), StoreError> {
        match &self.connection {
            Some(connection) => key::open(folder, connection, unopened),
            None => Err(fault::damaged(fault::JOURNAL, "it is not open")),
        }
    }

    /// Every place of the journal that is known to be damaged.
    pub(crate) fn load_damages(&self) -> Result<Damages, StoreError> {
        match &self.connection {
            Some(connection) => Damages::load(&SqliteSql(connection), self.end.into()),
            None => Ok(Damages::default()),
        }
    }

    /// Does something small beside the commits.
    pub(crate) fn aside(
        &mut self,
        work: impl FnOnce(&Connection) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.connection.as_ref().map_or(Ok(()), work)
    }

    /// The connection, for tests that break it.
    #[cfg(test)]
    pub(crate) fn connection(&self) -> Option<&Connection> {
        self.connection.as_ref()
    }

    /// Loses the connection, as after a failure.
    #[cfg(test)]
    pub(crate) fn give_up(&mut self) {
        self.connection = None;
    }

    /// Takes uses of tokens along with the next commit.
    pub(crate) fn take_uses(&mut self, uses: BTreeMap<TokenId, Time>) {
        self.uses.extend(uses);
    }

    /// Writes the uses down now, if there are any.
    pub(crate) fn write_uses(&mut self) -> Result<(), StoreError> {
        if self.uses.is_empty() {
            return Ok(());
        }
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.reopen()?,
        };
        let transaction = connection.unchecked_transaction().map_err(fault::journal)?;
        used::write(&transaction, &self.uses).map_err(fault::journal)?;
        transaction.commit().map_err(fault::journal)?;
        self.connection = Some(connection);
        self.uses.clear();
        Ok(())
    }

    /// Writes all of a batch, durably, or nothing of it.
    pub(crate) fn commit(
        &mut self,
        batch: &[JournalEntry],
        sealer: &Sealer,
    ) -> Result<Vec<Seq>, StoreError> {
        if batch.is_empty() {
            return Ok(Vec::new());
        }
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.reopen()?,
        };
        point("commit_begin");
        let written = match self.write(&connection, batch, sealer) {
            Ok(written) => written,
            Err(error) => {
                point("commit_failed");
                // A connection that cannot even roll back is given up; the next commit opens another.
                if execute(&connection, "ROLLBACK").is_ok()
                    && matches!(error, StoreError::TryLater { .. })
                {
                    self.connection = Some(connection);
                }
                return Err(error);
            }
        };
        point("commit_before");
        if let Err(error) = execute(&connection, "COMMIT") {
            point("commit_failed");
            drop(connection);
            return self.settle(written, error);
        }
        point("commit_after");
        if written.left.erased && !truncate_log(&connection) {
            self.log.has_erased.store(true, Ordering::Relaxed);
        }
        self.connection = Some(connection);
        self.reserve();
        Ok(self.accept(written))
    }

    /// Keeps room for the index of the log ahead of what the log needs.
    fn reserve(&mut self) {
        let pages = self.log.pages.load(Ordering::Relaxed);
        if let Some(Err(error)) = self.reserved.as_mut().map(|reserved| reserved.grow(pages)) {
            // The log is moved into the file instead of growing on.
            tracing::warn!(%error, "there is no space for a larger write-ahead log");
            self.log.is_long.store(true, Ordering::Relaxed);
        }
    }

    fn open_again(&mut self) -> Result<Connection, StoreError> {
        let connection = super::file::open(&self.path, &self.settings, &self.log)?.0;
        self.reserved = Reserved::beside(&self.path, self.reserved.take())?;
        Ok(connection)
    }

    fn accept(&mut self, written: Written) -> Vec<Seq> {
        self.end = written.end;
        self.level = written.level;
        self.sealed = written.left.sealed;
        self.uses.clear();
        written.places
    }

    /// Finds out what became of a commit that failed at its last step: by reading, never guessing.
    fn settle(&mut self, written: Written, error: rusqlite::Error) -> Result<Vec<Seq>, StoreError> {
        let connection = self.open_again()?;
        if row::end(&connection)? == written.end {
            // It is in the log; it counts once the log is known to be on the disk.
            connection
                .query_row("PRAGMA wal_checkpoint(FULL)", [], |row| {
                    row.get::<_, i64>(0)
                })
                .map_err(fault::journal)?;
            self.connection = Some(connection);
            return Ok(self.accept(written));
        }
        self.connection = Some(connection);
        Err(fault::journal(error))
    }

    /// Opens the file again after a failure and goes on where it really ends.
    fn reopen(&mut self) -> Result<Connection, StoreError> {
        point("reopen_before");
        let connection = self.open_again()?;
        let found = row::end(&connection)?;
        if found.seq > self.end.seq {
            // Rows of a commit that its caller was told had failed: finish taking them back.
            undo_after(&connection, self.end.seq).map_err(fault::journal)?;
        }
        let found = row::end(&connection)?;
        if (found.seq, found.writer_seq) != (self.end.seq, self.end.writer_seq) {
            return Err(fault::damaged(
                fault::JOURNAL,
                format_args!(
                    "it ends at event {} where event {} was written",
                    found.seq, self.end.seq
                ),
            ));
        }
        self.sealed = count_sealed(&connection).map_err(fault::journal)?;
        point("reopen_after");
        Ok(connection)
    }

    fn write(
        &mut self,
        connection: &Connection,
        batch: &[JournalEntry],
        sealer: &Sealer,
    ) -> Result<Written, StoreError> {
        execute(connection, "BEGIN IMMEDIATE").map_err(fault::journal)?;
        let mut written = Written {
            end: self.end,
            level: self.level,
            left: ErasedCounts {
                sealed: self.sealed,
                erased: false,
            },
            places: Vec::with_capacity(batch.len()),
        };
        let mut rows = Rows::into(connection).map_err(fault::journal)?;
        for entry in batch {
            self.body.clear();
            let event = &entry.event;
            let (header, secrets) = written.end.chain(entry, &mut self.body)?;
            let seq = written.end.seq;
            let level = needed(event);
            if level > written.level {
                about::raise(connection, level).map_err(fault::journal)?;
                written.level = level;
            }
            rows.put(seq, &header, Some(&self.body))
                .map_err(fault::journal)?;
            written.left.sealed += seal(connection, sealer, seq, event, &secrets)?;
            erase(connection, event, &mut written.left).map_err(fault::journal)?;
            written.places.push(seq);
        }
        used::write(connection, &self.uses).map_err(fault::journal)?;
        Ok(written)
    }
}

fn execute(connection: &Connection, sql: &str) -> rusqlite::Result<usize> {
    connection.prepare_cached(sql)?.execute([])
}
