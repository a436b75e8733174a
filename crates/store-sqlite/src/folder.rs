//! The state folder: who may look into it, the lock on it, and the files in it.
//!
//! Files are made for their owner alone and never through a symbolic link. The lock is the
//! system's: it is gone the moment its process is, so nothing has to be waited out.

use std::fs::{DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::path::{Path, PathBuf};

use sayso_store::StoreError;

use crate::fault::{self, unusable};

/// The state folder and its lock, held as long as this lives.
#[derive(Debug)]
pub struct StateFolder {
    path: PathBuf,
    _lock: File,
}

impl StateFolder {
    /// Makes the folder when there is none, checks it and takes the lock.
    pub fn take(path: &Path) -> Result<Self, StoreError> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(path)
            .map_err(|e| unusable("cannot make the state folder", path, e))?;
        let path = checked(path)?;
        let lock_path = path.join("lock");
        let lock = owner_only()
            .create(true)
            .truncate(false)
            .open(&lock_path)
            .map_err(|e| unusable("cannot open the lock", &lock_path, e))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { path, _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(StoreError::InUse {
                folder: path.display().to_string(),
            }),
            Err(TryLockError::Error(e)) => Err(unusable("cannot lock", &lock_path, e)),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The real path of a folder that only its owner can write to.
fn checked(path: &Path) -> Result<PathBuf, StoreError> {
    const WHAT: &str = "cannot use the state folder";
    let real = path.canonicalize().map_err(|e| unusable(WHAT, path, e))?;
    let about = real.metadata().map_err(|e| unusable(WHAT, path, e))?;
    if !about.is_dir() {
        return Err(unusable(WHAT, path, "it is not a folder"));
    }
    if about.mode() & 0o022 != 0 {
        let detail = "other users can write to it; run `chmod go-w` on it, or choose another \
                      folder with --state";
        return Err(unusable(WHAT, path, detail));
    }
    if about.mode() & 0o077 != 0 {
        // Others could read tokens and answers.
        std::fs::set_permissions(&real, Permissions::from_mode(0o700))
            .map_err(|e| unusable("cannot restrict access to", &real, e))?;
        tracing::warn!(
            "other users could read {}; its mode is now 0700, for you only",
            real.display()
        );
    }
    if our_user().is_some_and(|user| user != about.uid()) {
        let detail = "it belongs to another user; choose another folder with --state";
        return Err(unusable(WHAT, path, detail));
    }
    Ok(real)
}

/// The user we run as. A pipe belongs to whoever makes it, which tells without unsafe code.
pub(crate) fn our_user() -> Option<u32> {
    let (end, _other) = io::pipe().ok()?;
    let file = File::from(std::os::fd::OwnedFd::from(end));
    file.metadata().ok().map(|about| about.uid())
}

/// How every file of ours is opened: for its owner, and not through a link.
pub(crate) fn owner_only() -> OpenOptions {
    let mut options = OpenOptions::new();
    options
        .read(true)
        .write(true)
        .mode(0o600)
        .custom_flags(libc::O_NOFOLLOW | libc::O_CLOEXEC);
    options
}

/// Makes sure that a rename or a new file in this folder outlives a power cut.
pub(crate) fn sync_folder(path: &Path) -> Result<(), StoreError> {
    File::open(path)
        .and_then(|folder| folder.sync_all())
        .map_err(|e| StoreError::TryLater {
            detail: format!("cannot sync {}: {e}", path.display()),
        })
}

/// A file of a database and those that SQLite puts beside it.
pub(crate) fn with_side_files(path: &Path) -> [PathBuf; 4] {
    ["", "-wal", "-shm", "-journal"].map(|end| {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        PathBuf::from(name)
    })
}

/// Removes a database with everything beside it.
pub(crate) fn remove_database(path: &Path) -> Result<(), StoreError> {
    for file in with_side_files(path) {
        match std::fs::remove_file(&file) {
            Ok(()) => {}
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(unusable("cannot remove", &file, e)),
        }
    }
    Ok(())
}

/// Refuses a state whose journal is gone while other parts of it are there.
pub(crate) fn check_not_lost(folder: &Path) -> Result<(), StoreError> {
    let left = ["journal.db-wal", "views.db", "key"]
        .into_iter()
        .find(|name| folder.join(name).symlink_metadata().is_ok());
    match left {
        Some(name) => Err(fault::damaged(
            fault::JOURNAL,
            format_args!("the journal is missing, but `{name}` next to it exists"),
        )),
        None => Ok(()),
    }
}
