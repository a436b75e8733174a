//! A backup file that another kind of journal is written into: the same file as a backup of ours.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::Connection;
use sayso_store::StoreError;
use sayso_store_sql::journal::JournalRow;
use sayso_store_sql::sql::{Sql, SqlResult};
use sayso_store_sql::transfer::{BackupFile, JournalTarget};

use crate::backup::partial;
use crate::fault::{self, unusable};
use crate::folder::{owner_only, remove_database, sync_folder, with_side_files};
use crate::journal::{self, Log};
use crate::moving::within;
use crate::settings::SqliteSettings;
use crate::sql::SqliteSql;

const WHAT: &str = "cannot write the backup";

/// A backup that is being written. What is not finished is removed with it.
struct NewBackup {
    to: PathBuf,
    partial: PathBuf,
    sql: SqliteSql<Connection>,
}

/// Begins a backup in a new file. A file that is there is never touched.
pub fn new_backup(to: &Path) -> Result<Box<dyn BackupFile>, StoreError> {
    let failed = |e: std::io::Error| unusable(WHAT, to, e);
    // The name is taken first, so that nobody else can come between the check and the copy.
    owner_only().create_new(true).open(to).map_err(failed)?;
    let to = to.canonicalize().map_err(failed)?;
    let partial = partial(&to);
    let opened = remove_database(&partial)
        .and_then(|()| journal::make(&partial, None))
        .and_then(|()| journal::open(&partial, &SqliteSettings::default(), &Arc::<Log>::default()));
    match opened {
        Ok((connection, _)) => Ok(Box::new(NewBackup {
            to,
            partial,
            sql: SqliteSql(connection),
        })),
        Err(error) => {
            // The empty file that only held the name must not be taken for a backup.
            clear(&partial, &to);
            Err(error)
        }
    }
}

fn clear(partial: &Path, to: &Path) {
    let _ = remove_database(partial);
    let _ = std::fs::remove_file(to);
}

impl JournalTarget for NewBackup {
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

impl BackupFile for NewBackup {
    fn finish(self: Box<Self>, level: u32) -> Result<(), StoreError> {
        let Self { to, partial, sql } = *self;
        let done = journal::raise(&sql.0, level)
            .and_then(|()| sql.0.close().map_err(|(_, error)| error))
            .map_err(fault::journal)
            .and_then(|()| named(&partial, &to));
        if done.is_err() {
            clear(&partial, &to);
        }
        done
    }

    fn give_up(self: Box<Self>) {
        let Self { to, partial, sql } = *self;
        drop(sql);
        clear(&partial, &to);
    }
}

/// Gives a file that is whole its name.
fn named(partial: &Path, to: &Path) -> Result<(), StoreError> {
    let failed = |e: std::io::Error| unusable(WHAT, to, e);
    if let Some(left) = with_side_files(partial)
        .iter()
        .skip(1)
        .find(|file| file.exists())
    {
        let detail = "SQLite left a log beside it; run the command again";
        return Err(unusable(WHAT, left, detail));
    }
    let file = std::fs::File::open(partial).map_err(failed)?;
    file.sync_all().map_err(failed)?;
    std::fs::rename(partial, to).map_err(failed)?;
    to.parent().map_or(Ok(()), sync_folder)
}
