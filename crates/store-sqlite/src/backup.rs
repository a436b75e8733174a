//! A copy of the journal, made while commits go on.

use std::path::{Path, PathBuf};

use rusqlite::Connection;
use sayso_store::StoreError;

use crate::fault::unusable;
use crate::faults::point;
use crate::folder::{owner_only, remove_database, sync_folder};
use crate::pool::Pool;

/// Writes a copy to a new file. A file that is there is never touched.
pub(crate) fn backup(journal: &Pool, to: &Path) -> Result<(), StoreError> {
    const WHAT: &str = "cannot write the backup";
    let failed = |detail: &dyn std::fmt::Display| unusable(WHAT, to, detail);
    point("backup_begin");
    // The name is taken first, so that nobody else can come between the check and the copy.
    owner_only()
        .create_new(true)
        .open(to)
        .map_err(|e| failed(&e))?;
    let to = &to.canonicalize().map_err(|e| failed(&e))?;
    let partial = partial(to);
    let done = copy(journal, &partial)
        .map_err(|e| failed(&e))
        .and_then(|()| {
            point("backup_synced");
            std::fs::rename(&partial, to).map_err(|e| failed(&e))
        });
    if let Err(error) = done {
        // The empty file that only held the name must not be taken for a backup.
        let _ = remove_database(&partial);
        let _ = std::fs::remove_file(to);
        return Err(error);
    }
    point("backup_renamed");
    to.parent().map_or(Ok(()), sync_folder)
}

pub(crate) fn partial(to: &Path) -> PathBuf {
    let mut name = to.as_os_str().to_owned();
    name.push(".partial");
    PathBuf::from(name)
}

fn copy(journal: &Pool, partial: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let file = journal.with(|connection| copy_to(connection, partial))?;
    point("backup_copied");
    file.sync_all()?;
    Ok(())
}

/// Copies one moment of a journal, its log included, leaves out what was erased, and lets commits
/// go on. The copy is not on the disk yet.
pub(crate) fn copy_to(
    connection: &Connection,
    to: &Path,
) -> Result<std::fs::File, Box<dyn std::error::Error>> {
    remove_database(to)?;
    let file = owner_only().create_new(true).open(to)?;
    let name = to.to_str().ok_or("its name is not UTF-8")?;
    connection.pragma_update(None, "query_only", false)?;
    let done = connection.execute("VACUUM INTO ?1", [name]);
    connection.pragma_update(None, "query_only", true)?;
    done?;
    Ok(file)
}
