//! What was done to the files of one folder, in order.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::vfs;

/// One thing that was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiskOp {
    /// A file was made.
    Create {
        /// Its name in the folder.
        file: String,
    },
    /// Bytes were written.
    Write {
        /// Its name in the folder.
        file: String,
        /// From which place on.
        offset: u64,
        bytes: Vec<u8>,
    },
    /// A file was cut off, or made longer.
    Truncate {
        /// Its name in the folder.
        file: String,
        length: u64,
    },
    /// A file was synced, and with it the folder's entry of one that is new.
    Sync {
        /// Its name in the folder.
        file: String,
    },
    /// A file was removed.
    Delete {
        /// Its name in the folder.
        file: String,
        /// Whether the folder was synced afterwards.
        synced: bool,
    },
    /// Somebody was told that everything up to here is kept.
    Acknowledged(u64),
}

/// A mistake that is planted, to see that it is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mistake {
    /// Nothing is synced, as with `synchronous=OFF`.
    NoSync,
    /// A new file's entry in its folder is not synced with it.
    NoFolderSync,
}

/// What was recorded.
#[derive(Debug, Default)]
pub struct Recording {
    /// Everything that was done.
    pub ops: Vec<DiskOp>,
}

struct Recorder {
    folder: PathBuf,
    mistake: Option<Mistake>,
    recording: Recording,
}

static RECORDER: Mutex<Option<Recorder>> = Mutex::new(None);

fn recorder() -> MutexGuard<'static, Option<Recorder>> {
    RECORDER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Records what SQLite does in a folder from now on. One recording at a time in a process.
pub fn begin(folder: &Path, mistake: Option<Mistake>) {
    vfs::install();
    *recorder() = Some(Recorder {
        folder: folder.to_owned(),
        mistake,
        recording: Recording::default(),
    });
}

/// Writes something into the recording that SQLite does not know of.
pub fn note(op: DiskOp) {
    if let Some(recorder) = recorder().as_mut() {
        recorder.recording.ops.push(op);
    }
}

/// Ends the recording.
pub fn end() -> Recording {
    let recorder = recorder().take();
    recorder
        .map(|recorder| recorder.recording)
        .unwrap_or_default()
}

/// The name of a file that is recorded.
pub(super) fn name_of(path: &Path) -> Option<String> {
    let recorder = recorder();
    let name = path.strip_prefix(&recorder.as_ref()?.folder).ok()?;
    Some(name.to_str()?.to_owned())
}

/// Records something, unless a planted mistake leaves it out.
pub(super) fn did(op: DiskOp) {
    if let Some(recorder) = recorder().as_mut() {
        let left_out =
            recorder.mistake == Some(Mistake::NoSync) && matches!(op, DiskOp::Sync { .. });
        if !left_out {
            recorder.recording.ops.push(op);
        }
    }
}
