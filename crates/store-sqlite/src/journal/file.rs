//! Making, checking and opening the journal's file.
//!
//! A new journal is made whole under another name and then renamed, so that a file under the
//! right name is always complete: an empty one is damage, never a first start.

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _};
use sayso_store::{Durability, FORMAT, LEVEL, StoreError};

use super::about;
use super::migrate::{self, MIGRATIONS};
use super::used;
use crate::fault::{self, JOURNAL, damaged, unusable};
use crate::faults::point;
use crate::folder::{check_not_lost, owner_only, remove_database, sync_folder};
use crate::settings::SqliteSettings;

/// What tells our journal from any other database.
const APPLICATION: u32 = u32::from_be_bytes(*b"SAYS");
/// The oldest library without the loss of a write-ahead log that is reset at the wrong moment.
const LIBRARY_MIN: i32 = 3_051_003;
/// A log that had to grow is cut back to this size.
const WAL_BYTES_KEPT: u32 = 64 * 1024 * 1024;
/// Nobody else writes to the journal, so a wait is short or a fault.
pub(super) const BUSY: Duration = Duration::from_secs(5);

/// Where the journal of this folder is.
pub(crate) fn path_in(folder: &Path) -> PathBuf {
    folder.join(JOURNAL)
}

/// Makes the journal when the folder is new, and refuses one that is not ours to open.
pub(crate) fn create(folder: &Path) -> Result<PathBuf, StoreError> {
    if rusqlite::version_number() < LIBRARY_MIN {
        return Err(StoreError::Unusable {
            what: format!("SQLite {}", rusqlite::version()),
            detail: "it can lose a write-ahead log; use 3.51.3 or later".to_owned(),
        });
    }
    let path = path_in(folder);
    let fresh = folder.join("journal.db.new");
    remove_database(&fresh)?;
    match path.symlink_metadata() {
        Ok(_) => check_first_page(&path)?,
        Err(e) if e.kind() == ErrorKind::NotFound => {
            check_not_lost(folder)?;
            make(&fresh, None)?;
            std::fs::rename(&fresh, &path).map_err(|e| unusable("cannot name", &path, e))?;
            point("create_renamed");
            sync_folder(folder)?;
        }
        Err(e) => return Err(unusable("cannot inspect", &path, e)),
    }
    Ok(path)
}

/// Makes an empty journal, with a note in it from the beginning.
pub(crate) fn make(fresh: &Path, note: Option<(&str, &[u8])>) -> Result<(), StoreError> {
    let failed = |e: std::io::Error| unusable("cannot make", fresh, e);
    let file = owner_only().create_new(true).open(fresh).map_err(failed)?;
    point("create_begin");
    let connection = Connection::open_with_flags(fresh, read_write()).map_err(fault::journal)?;
    // Set before the first table: free pages can then be given back while the file is in use.
    connection
        .execute_batch("PRAGMA auto_vacuum = INCREMENTAL")
        .map_err(fault::journal)?;
    migrate::migrate(&connection, &MIGRATIONS).map_err(fault::journal)?;
    used::prepare(&connection).map_err(fault::journal)?;
    about::prepare(&connection).map_err(fault::journal)?;
    if let Some((name, value)) = note {
        about::put(&connection, name, value).map_err(fault::journal)?;
    }
    connection
        .query_row("PRAGMA journal_mode = WAL", [], |row| {
            row.get::<_, String>(0)
        })
        .map_err(fault::journal)?;
    point("create_migrated");
    connection.close().map_err(|(_, e)| fault::journal(e))?;
    file.sync_all().map_err(failed)?;
    point("create_synced");
    Ok(())
}

fn read_write() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW
}

/// Looks at the first bytes before SQLite does, so that a foreign or newer file stays untouched.
fn check_first_page(path: &Path) -> Result<(), StoreError> {
    let mut options = File::options();
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        options.read(true),
        libc::O_NOFOLLOW | libc::O_CLOEXEC,
    );
    let file = options
        .open(path)
        .map_err(|e| unusable("cannot open", path, e))?;
    let mut bytes = Vec::with_capacity(100);
    file.take(100)
        .read_to_end(&mut bytes)
        .map_err(|e| unusable("cannot read", path, e))?;
    let name = JOURNAL;
    if bytes.is_empty() {
        return Err(damaged(name, "the file is empty"));
    }
    let word = |at: usize| -> Option<u32> {
        bytes
            .get(at..)?
            .first_chunk::<4>()
            .map(|word| u32::from_be_bytes(*word))
    };
    if !bytes.starts_with(b"SQLite format 3\0") {
        return Err(damaged(name, "the file is not a database"));
    }
    let (Some(version), Some(application)) = (word(60), word(68)) else {
        return Err(damaged(name, "the file is truncated"));
    };
    if application != APPLICATION {
        return Err(damaged(name, "the file is a database of another program"));
    }
    check_level(version, || about::untouched_version(path))
}

fn check_level(level: u32, by: impl FnOnce() -> Option<String>) -> Result<(), StoreError> {
    if level > LEVEL {
        return Err(StoreError::Newer {
            file: JOURNAL.to_owned(),
            found: level,
            known: LEVEL,
            by: by(),
        });
    }
    Ok(())
}

/// Refuses what a newer version wrote. Reads only.
pub(crate) fn check_newer(connection: &Connection) -> Result<(), StoreError> {
    let application: u32 = connection
        .query_row("PRAGMA application_id", [], |row| row.get(0))
        .map_err(fault::journal)?;
    if application != APPLICATION {
        return Err(damaged(
            JOURNAL,
            "the file is a database of another program",
        ));
    }
    let level = migrate::version(connection).map_err(fault::journal)?;
    check_level(level, || about::version(connection))?;
    let format: Option<u32> = connection
        .query_row(
            "SELECT format FROM header ORDER BY seq DESC LIMIT 1",
            [],
            |row| row.get(0),
        )
        .optional()
        .map_err(fault::journal)?;
    match format {
        Some(found) if found > u32::from(FORMAT) => Err(StoreError::Newer {
            file: JOURNAL.to_owned(),
            found,
            known: u32::from(FORMAT),
            by: about::version(connection),
        }),
        Some(_) | None => Ok(()),
    }
}

/// What is known of the log without waiting for the writer.
#[derive(Debug, Default)]
pub(crate) struct Log {
    /// How many pages it had after the last commit.
    pub(super) pages: AtomicU32,
    /// Whether it has grown so long that it should be moved into the file.
    pub(crate) is_long: AtomicBool,
    /// Whether erased text is in it that could not be taken out yet.
    pub(crate) has_erased: AtomicBool,
    /// Whether the file is to shrink and could not yet.
    pub(crate) shrinks_later: AtomicBool,
}

/// Opens the one connection that writes, and says what its commits are worth. They say in `log` when
/// it should be moved into the file.
pub(crate) fn open(
    path: &Path,
    settings: &SqliteSettings,
    log: &Arc<Log>,
) -> Result<(Connection, Durability), StoreError> {
    let mut connection = Connection::open_with_flags(path, read_write()).map_err(fault::journal)?;
    connection.busy_timeout(BUSY).map_err(fault::journal)?;
    // Until we know that the file is ours to change, closing must not move the log into it.
    let keep_log = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
    connection
        .set_db_config(keep_log, true)
        .map_err(fault::journal)?;
    check_newer(&connection)?;
    connection
        .set_db_config(keep_log, false)
        .map_err(fault::journal)?;

    let durability = set_up(&connection, settings).map_err(fault::journal)?;
    let (pages_max, log) = (settings.wal_pages, Arc::clone(log));
    connection
        .wal_hook(Some(move |_: &mut rusqlite::hooks::Wal, pages| {
            let pages = u32::try_from(pages).unwrap_or_default();
            log.pages.store(pages, Ordering::Relaxed);
            log.is_long.store(pages >= pages_max, Ordering::Relaxed);
            Ok(())
        }))
        .map_err(fault::journal)?;
    migrate::migrate(&connection, &MIGRATIONS).map_err(fault::journal)?;
    used::prepare(&connection).map_err(fault::journal)?;
    about::prepare(&connection).map_err(fault::journal)?;
    Ok((connection, durability))
}

fn set_up(connection: &Connection, settings: &SqliteSettings) -> rusqlite::Result<Durability> {
    let mode: String = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    connection.execute_batch(&format!(
        "PRAGMA synchronous = FULL;
         PRAGMA secure_delete = ON;
         PRAGMA mmap_size = 0;
         PRAGMA cache_size = -2048;
         PRAGMA wal_autocheckpoint = 0;
         PRAGMA journal_size_limit = {WAL_BYTES_KEPT};"
    ))?;
    if let Some(pages) = settings.pages_max {
        connection.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))?;
    }
    let flag = |name: &str| {
        connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, u32>(0))
    };
    #[cfg(target_os = "macos")]
    connection.execute_batch("PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;")?;
    let flushed = !cfg!(target_os = "macos") || flag("fullfsync")? == 1;
    let durability = match (mode.as_str(), flag("synchronous")?) {
        ("wal", 2 | 3) if flushed => Durability::PowerLossSafe,
        ("wal", 1..) => Durability::ProcessCrashSafe,
        ("wal", 0) => Durability::Unsafe("SQLite does not sync".to_owned()),
        (other, _) => Durability::Unsafe(format!("the journal mode is {other} instead of wal")),
    };
    connection.set_prepared_statement_cache_capacity(32);
    Ok(durability)
}
