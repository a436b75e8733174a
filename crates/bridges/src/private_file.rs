//! Small files in the state folder that nobody but their owner may read.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

/// Makes a folder and those above it.
pub(crate) fn make_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// An empty file, whatever was there.
pub(crate) fn make(path: &Path) -> io::Result<File> {
    options().truncate(true).open(path)
}

/// The file with a lock on it; nothing when another process has that.
pub(crate) fn lock(path: &Path) -> io::Result<Option<File>> {
    let file = options().read(true).truncate(false).open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Writes a file and waits until it is on the disk.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = make(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Puts a file in the place of the one that is there, whole or not at all.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = path.with_extension("new");
    write(&new, bytes)?;
    fs::rename(&new, path)?;
    // A name outlives a power cut only once its folder is synced.
    File::open(path.parent().unwrap_or(Path::new("/")))?.sync_all()
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.create(true).write(true).mode(0o600);
    options
}
