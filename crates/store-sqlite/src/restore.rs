//! Putting a backup in place of the journal: another life of the state begins.

use std::path::{Path, PathBuf};

use rusqlite::Connection;
use sayso_store::{JournalEntry, StoreError};
use sayso_store_sql::life::{LifeBegins, NewLife, Restored, Revoke};
use sayso_store_sql::sql::Sql;

use crate::backup::copy_to;
use crate::fault::{self, damaged, unusable};
use crate::faults::point;
use crate::folder::{StateFolder, sync_folder, with_side_files};
use crate::journal::{self, Writer};
use crate::key::Unopened;
use crate::moving;
use crate::pool::open_reader;
use crate::settings::SqliteSettings;
use crate::sql::SqliteSql;
use crate::store::remove_views;
use crate::verify::verify_file;

/// Events written at one time.
const BATCH: usize = 1000;

/// Puts the backup in `from` in place of the journal in `folder` and begins another life.
pub fn restore(
    folder: &Path,
    from: &Path,
    revoke: Revoke,
    begins: LifeBegins,
) -> Result<Restored, StoreError> {
    let folder = StateFolder::take(folder)?;
    let name = from.display().to_string();
    let events = sound(from)?;
    let fresh = folder.path().join("journal.db.new");
    copy(from, &fresh).map_err(|e| unusable("cannot copy the backup to", &fresh, e))?;
    point("restore_copied");
    let life = {
        let backup = SqliteSql(open_reader(&fresh).map_err(fault::journal)?);
        let path = journal::path_in(folder.path());
        let before = match path.symlink_metadata() {
            Ok(_) => open_reader(&path)
                .map(|connection| Some(SqliteSql(connection)))
                .map_err(fault::journal),
            Err(_) => Ok(None),
        };
        let before = before
            .as_ref()
            .map(|sql| sql.as_ref().map(|sql| sql as &dyn Sql));
        NewLife::of_backup(&backup, before, revoke, begins)?
    };
    if life.events() != events {
        let detail = format!(
            "has {events} entries, of which {} were copied",
            life.events()
        );
        return Err(damaged(&name, &detail));
    }
    begin_epoch(folder.path(), &fresh, &life)?;
    point("restore_appended");
    let before = put_aside(folder.path())?;
    point("restore_aside");
    remove_views(folder.path())?;
    let path = journal::path_in(folder.path());
    std::fs::rename(&fresh, &path).map_err(|e| unusable("cannot name", &path, e))?;
    sync_folder(folder.path())?;
    point("restore_renamed");
    Ok(life.restored(before.map(|path| path.display().to_string())))
}

/// The events of a backup in which nothing is wrong.
fn sound(from: &Path) -> Result<u64, StoreError> {
    let name = from.display().to_string();
    let verified = verify_file(from).map_err(|error| renamed(error, &name))?;
    match verified.faults.first() {
        Some(first) => Err(StoreError::Damaged {
            file: name,
            detail: format!("{first}; nothing was changed. Use another backup"),
        }),
        None => Ok(verified.events),
    }
}

/// A backup that is put into a journal of another kind.
pub struct BackupToRestore {
    sql: SqliteSql<Connection>,
    /// What a build must know to read it.
    pub level: u32,
}

impl std::fmt::Debug for BackupToRestore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("BackupToRestore(..)")
    }
}

impl BackupToRestore {
    /// Opens a backup in which nothing is wrong.
    pub fn open(from: &Path) -> Result<Self, StoreError> {
        sound(from)?;
        let real = from
            .canonicalize()
            .map_err(|e| unusable("cannot read", from, e))?;
        let connection = open_reader(&real).map_err(fault::journal)?;
        Ok(Self {
            level: journal::version(&connection).map_err(fault::journal)?,
            sql: SqliteSql(connection),
        })
    }

    /// What is in it.
    pub fn sql(&self) -> &dyn Sql {
        &self.sql
    }
}

fn renamed(error: StoreError, name: &str) -> StoreError {
    match error {
        StoreError::Damaged { detail, .. } => StoreError::Damaged {
            file: name.to_owned(),
            detail,
        },
        StoreError::Newer {
            found, known, by, ..
        } => StoreError::Newer {
            file: name.to_owned(),
            found,
            known,
            by,
        },
        other => other,
    }
}

/// Copies through SQLite: beside a journal that nobody closed lies a log with the rest of it.
fn copy(from: &Path, fresh: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let connection = open_reader(&from.canonicalize()?)?;
    copy_to(&connection, fresh)?.sync_all()?;
    Ok(())
}

/// Appends what a new life begins with.
fn begin_epoch(folder: &Path, fresh: &Path, life: &NewLife) -> Result<(), StoreError> {
    let (mut writer, _) = Writer::open(fresh, SqliteSettings::default())?;
    writer.aside(moving::lives_here)?;
    // Nobody is owed the secrets of a backup: what was open or on its way is void.
    let (sealer, _) = writer.unseal_with(folder, Unopened::GiveUp)?;
    let mut entries = life.entries();
    loop {
        let batch: Vec<JournalEntry> = entries.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            break;
        }
        writer.commit(&batch, &sealer)?;
        writer.move_log();
    }
    // Everything must be in the one file that is renamed.
    drop(writer);
    match with_side_files(fresh)
        .iter()
        .skip(1)
        .find(|file| file.exists())
    {
        Some(left) => Err(unusable(
            "cannot finish the journal, as SQLite left",
            left,
            "run the command again",
        )),
        None => Ok(()),
    }
}

/// Moves the journal of before out of the way, with its log: in it may be what nobody else has.
fn put_aside(folder: &Path) -> Result<Option<PathBuf>, StoreError> {
    let path = journal::path_in(folder);
    let free = (1..1000)
        .map(|number| {
            folder.join(if number == 1 {
                "journal.db.before-restore".to_owned()
            } else {
                format!("journal.db.before-restore.{number}")
            })
        })
        .find(|aside| {
            with_side_files(aside)
                .iter()
                .all(|file| file.symlink_metadata().is_err())
        })
        .ok_or_else(|| {
            damaged(
                "journal.db.before-restore",
                "there are a thousand of them; remove some",
            )
        })?;
    let mut moved = None;
    for (file, aside) in with_side_files(&path)
        .into_iter()
        .zip(with_side_files(&free))
    {
        if file.symlink_metadata().is_err() {
            continue;
        }
        std::fs::rename(&file, &aside).map_err(|e| unusable("cannot move away", &file, e))?;
        moved = Some(free.clone());
    }
    sync_folder(folder)?;
    Ok(moved)
}
