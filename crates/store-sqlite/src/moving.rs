//! The journal of a folder while it moves to another place, or arrives from one.
//!
//! A note in the journal says so. A server refuses a journal with a note: one that has left lives
//! elsewhere, and one that arrives is not whole yet. So there never are two that live.

use std::path::Path;
use std::sync::Arc;

use rusqlite::Connection;
use sayso_store::{StoreError, Verified};
use sayso_store_sql::journal::JournalRow;
use sayso_store_sql::seal::KEY_BYTES;
use sayso_store_sql::sql::{Sql, SqlResult};
use sayso_store_sql::transfer::JournalTarget;
use sayso_store_sql::verify::walk;

use crate::fault::{self, unusable};
use crate::folder::{StateFolder, remove_database, sync_folder};
use crate::journal::{self, Log};
use crate::key;
use crate::settings::SqliteSettings;
use crate::sql::{SqliteSql, error};

/// The note that says where this state lives now.
const MOVED: &str = "moved";
/// The note that says that this state is not whole yet.
const ARRIVING: &str = "arriving";

/// Refuses a journal that lives elsewhere or is not whole yet.
pub(crate) fn check_lives_here(journal: &Connection) -> Result<(), StoreError> {
    if let Some(place) = note(journal, MOVED)? {
        return Err(StoreError::moved(&place));
    }
    if note(journal, ARRIVING)?.is_some() {
        return Err(StoreError::Unusable {
            what: "a migration into this folder is not finished".to_owned(),
            detail: "run the same `sayso migrate` command again".to_owned(),
        });
    }
    Ok(())
}

/// Has a journal live here, whatever it was before.
pub(crate) fn lives_here(journal: &Connection) -> Result<(), StoreError> {
    journal::drop_note(journal, MOVED)
        .and_then(|()| journal::drop_note(journal, ARRIVING))
        .map_err(fault::journal)
}

fn note(journal: &Connection, name: &str) -> Result<Option<String>, StoreError> {
    let bytes = journal::note(journal, name).map_err(fault::journal)?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

/// A folder with a journal that moves, and its lock.
pub struct MovingFolder {
    sql: SqliteSql<Connection>,
    folder: StateFolder,
}

impl std::fmt::Debug for MovingFolder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("MovingFolder").field(&self.folder).finish()
    }
}

impl MovingFolder {
    /// The folder of a journal that leaves. No server runs on it as long as this lives.
    pub fn leaving(folder: &Path) -> Result<Self, StoreError> {
        let folder = StateFolder::take(folder)?;
        if journal::path_in(folder.path()).symlink_metadata().is_err() {
            return Err(unusable(
                "there is no journal in",
                folder.path(),
                "set the state folder with --state",
            ));
        }
        Self::open(folder)
    }

    /// A folder for a journal that arrives. In an empty one a journal is made that is not whole yet, and
    /// the key is put there with it.
    pub fn arriving(folder: &Path, key: &[u8; KEY_BYTES]) -> Result<Self, StoreError> {
        let folder = StateFolder::take(folder)?;
        let key_path = folder.path().join("key");
        let kept = key::read_key(&key_path)?;
        if kept.is_some_and(|kept| kept != *key) {
            return Err(unusable(
                "cannot use the folder",
                folder.path(),
                "it has a different key file, which can't open the secrets of this journal. \
                 Choose another folder",
            ));
        }
        let path = journal::path_in(folder.path());
        if path.symlink_metadata().is_err() {
            let fresh = folder.path().join("journal.db.new");
            remove_database(&fresh)?;
            journal::make(&fresh, Some((ARRIVING, b"")))?;
            std::fs::rename(&fresh, &path).map_err(|e| unusable("cannot name", &path, e))?;
            sync_folder(folder.path())?;
        }
        let arriving = Self::open(folder)?;
        if kept.is_none() {
            key::write(arriving.folder.path(), &key_path, key)?;
        }
        Ok(arriving)
    }

    fn open(folder: StateFolder) -> Result<Self, StoreError> {
        let path = journal::create(folder.path())?;
        let log = Arc::<Log>::default();
        let (connection, _) = journal::open(&path, &SqliteSettings::default(), &log)?;
        Ok(Self {
            sql: SqliteSql(connection),
            folder,
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The key of its secrets.
    pub fn key(&self) -> Result<[u8; KEY_BYTES], StoreError> {
        let path = self.folder.path().join("key");
        key::read_key(&path)?.ok_or_else(|| {
            unusable(
                "cannot read the key",
                &path,
                "it is missing. Restore the key file of this state",
            )
        })
    }

    /// What a build must know to read it.
    pub fn level(&self) -> Result<u32, StoreError> {
        journal::version(&self.sql.0).map_err(fault::journal)
    }

    /// Walks the whole journal.
    pub fn verify(&self) -> Result<Verified, StoreError> {
        walk(&self.sql, Vec::new()).map(|walked| walked.verified)
    }

    /// Where the state lives now, if it has left.
    pub fn moved(&self) -> Result<Option<String>, StoreError> {
        note(&self.sql.0, MOVED)
    }

    /// Whether the state lives here.
    pub fn is_living(&self) -> Result<bool, StoreError> {
        Ok(self.moved()?.is_none() && note(&self.sql.0, ARRIVING)?.is_none())
    }

    /// Begins to take a journal in that a build of this level reads.
    pub fn begin(&self, level: u32) -> Result<(), StoreError> {
        self.noted(|journal| {
            journal::put(journal, ARRIVING, b"")?;
            journal::drop_note(journal, MOVED)?;
            journal::raise(journal, level)
        })
    }

    /// Says that the state lives elsewhere from now on.
    pub fn leave(&self, place: &str) -> Result<(), StoreError> {
        self.noted(|journal| journal::put(journal, MOVED, place.as_bytes()))
    }

    /// Says that the state is whole and lives here from now on.
    pub fn settle(&self) -> Result<(), StoreError> {
        self.noted(|journal| journal::drop_note(journal, ARRIVING))
    }

    fn noted(
        &self,
        change: impl FnOnce(&Connection) -> rusqlite::Result<()>,
    ) -> Result<(), StoreError> {
        let transaction = self.sql.0.unchecked_transaction().map_err(fault::journal)?;
        change(&transaction).map_err(fault::journal)?;
        transaction.commit().map_err(fault::journal)
    }
}

impl JournalTarget for MovingFolder {
    fn sql(&self) -> &dyn Sql {
        &self.sql
    }

    fn put(&self, rows: &[JournalRow]) -> Result<(), StoreError> {
        journal::put_rows(&self.sql.0, rows).map_err(fault::journal)
    }

    fn within(&self, work: &mut dyn FnMut(&dyn Sql) -> SqlResult<()>) -> Result<(), StoreError> {
        within(&self.sql, work)
    }
}

/// Runs work in one transaction.
pub(crate) fn within(
    sql: &SqliteSql<Connection>,
    work: &mut dyn FnMut(&dyn Sql) -> SqlResult<()>,
) -> Result<(), StoreError> {
    let failed = |error| sayso_store_sql::journal::SqlJournal(sql).error(&error);
    let transaction = sql.0.unchecked_transaction().map_err(fault::journal)?;
    work(sql).map_err(failed)?;
    transaction.commit().map_err(error).map_err(failed)
}
