//! Connections for reading, opened when needed and kept for the next reader.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

/// How long a reader waits for a lock before it gives up; readers of a WAL hardly ever wait.
const BUSY: Duration = Duration::from_secs(2);

/// Read-only connections to one database.
#[derive(Debug)]
pub(crate) struct Pool {
    path: PathBuf,
    keep_max: usize,
    idle: Mutex<Idle>,
}

#[derive(Debug, Default)]
struct Idle {
    /// Rises whenever the file was replaced: connections of before are not kept.
    generation: u64,
    connections: Vec<Connection>,
}

impl Pool {
    pub(crate) fn new(path: &Path, keep_max: usize) -> Self {
        Self {
            path: path.to_owned(),
            keep_max,
            idle: Mutex::default(),
        }
    }

    /// Runs `work` on a connection of its own.
    pub(crate) fn with<T, E: From<rusqlite::Error>>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        let (generation, kept) = {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            (idle.generation, idle.connections.pop())
        };
        let connection = match kept {
            Some(connection) => connection,
            None => open_reader(&self.path)?,
        };
        let result = work(&connection);
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.generation == generation && idle.connections.len() < self.keep_max {
            idle.connections.push(connection);
        }
        result
    }

    /// Forgets every connection, because the file under them is another one now.
    pub(crate) fn renew(&self) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.generation += 1;
        idle.connections.clear();
    }
}

/// A connection that can only read.
pub(crate) fn open_reader(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = Connection::open_with_flags(path, flags)?;
    // A statement is planned once, whatever is bound to it later.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.busy_timeout(BUSY)?;
    connection.execute_batch(
        "PRAGMA mmap_size = 0; PRAGMA cache_size = -1024; PRAGMA query_only = ON;",
    )?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}
