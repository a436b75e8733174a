//! The projections' file: opened when it fits the journal, made again when it does not.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use sayso_store::StoreError;
use sayso_store_sql::views::{INDEXES, Progress, TABLES, VERSION, progress};

use crate::fault::unusable;
use crate::faults::point;
use crate::folder::{owner_only, remove_database};
use crate::sql::SqliteSql;

const APPLICATION: u32 = u32::from_be_bytes(*b"SAYV");
const BUSY: Duration = Duration::from_secs(5);

/// Opens a file that is there and of this version.
pub(crate) fn open(path: &Path) -> Result<Option<(Connection, Progress)>, String> {
    let Some(connection) = opened(path).map_err(|error| error.to_string())? else {
        return Ok(None);
    };
    let progress = progress(&SqliteSql(&connection)).map_err(|error| error.detail)?;
    Ok(Some((connection, progress)))
}

fn opened(path: &Path) -> rusqlite::Result<Option<Connection>> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = Connection::open_with_flags(path, flags)?;
    set_up(&connection)?;
    let flag = |name: &str| {
        connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, u32>(0))
    };
    if flag("user_version")? != VERSION || flag("application_id")? != APPLICATION {
        return Ok(None);
    }
    Ok(Some(connection))
}

/// Makes a new, empty file in place of whatever is there. It has no indexes yet.
pub(crate) fn make(path: &Path) -> Result<Connection, StoreError> {
    remove_database(path)?;
    owner_only()
        .create_new(true)
        .open(path)
        .map_err(|e| unusable("cannot make", path, e))?;
    let made = || -> rusqlite::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let connection = Connection::open_with_flags(path, flags)?;
        // Set before anything is written: free pages can then be given back.
        connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL")?;
        set_up(&connection)?;
        connection.execute_batch(&format!(
            "BEGIN IMMEDIATE;
             PRAGMA application_id = {APPLICATION};
             PRAGMA user_version = {VERSION};
             {TABLES};
             COMMIT;"
        ))?;
        Ok(connection)
    };
    let connection = made().map_err(|e| crate::fault::sqlite("views.db", &e))?;
    point("views_created");
    Ok(connection)
}

/// Makes the indexes that are missing.
pub(crate) fn index(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(&format!("BEGIN IMMEDIATE; {INDEXES} COMMIT;"))?;
    point("views_indexed");
    Ok(())
}

/// Whether every index is there.
pub(crate) fn is_indexed(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row(
        "SELECT count(*) > 0 FROM sqlite_schema WHERE name = 'conversations_running'",
        [],
        |row| row.get(0),
    )
}

fn set_up(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY)?;
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    // A lost tail is made again from the journal, so nothing here waits for the disk. Moving the log
    // into the file does, and holds up commits of the journal: it is done seldom, as far as the index of
    // the log has room.
    connection.execute_batch(
        "PRAGMA synchronous = NORMAL;
         PRAGMA wal_autocheckpoint = 4000;
         PRAGMA secure_delete = ON;
         PRAGMA mmap_size = 0;
         PRAGMA cache_size = -8192;
         PRAGMA temp_store = MEMORY;
         PRAGMA journal_size_limit = 67108864;",
    )?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}
