//! Files that agents show to people: a bounded folder in which the oldest make room.
//!
//! A file is there once it is whole: it comes in under another name and is moved into place after
//! it has reached the disk. Names of senders are never names on the disk.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use sayso_core::limits;
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::ServerError;

/// What is not whole yet ends in this.
const PART: &str = "part";
/// What was said about a file stands beside it under this ending.
const ABOUT: &str = "about";
const ID_CHARS: usize = 32;

/// The folder and what is in it.
#[derive(Debug)]
pub(crate) struct Files {
    folder: PathBuf,
    kept: Mutex<Kept>,
    places: Arc<Semaphore>,
    bounds: Bounds,
}

/// How much is kept.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    files: usize,
    bytes: u64,
}

#[derive(Debug, Default)]
struct Kept {
    /// Oldest first.
    files: VecDeque<(FileId, u64)>,
    bytes: u64,
}

/// Our id of a file: 32 hexadecimal digits that cannot be guessed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FileId(String);

impl FileId {
    fn new() -> Result<Self, ServerError> {
        let mut bytes = [0; ID_CHARS / 2];
        getrandom::fill(&mut bytes).map_err(|error| ServerError::NoRandom {
            detail: error.to_string(),
        })?;
        let mut text = String::with_capacity(ID_CHARS);
        for byte in bytes {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        Ok(Self(text))
    }

    fn parse(text: &str) -> Option<Self> {
        let fits = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (text.len() == ID_CHARS && text.bytes().all(fits)).then(|| Self(text.to_owned()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// What the sender said about a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct About {
    pub(crate) name: String,
    pub(crate) media_type: String,
}

impl About {
    fn written(&self) -> String {
        json!({"name": self.name, "media_type": self.media_type}).to_string()
    }

    fn read(text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        let word = |key: &str| Some(value.get(key)?.as_str()?.to_owned());
        Some(Self {
            name: word("name")?,
            media_type: word("media_type")?,
        })
    }
}

/// A file that is coming in. What is not kept is removed with it.
#[derive(Debug)]
pub(crate) struct Draft {
    id: FileId,
    path: PathBuf,
    file: File,
    bytes: u64,
    _place: OwnedSemaphorePermit,
}

impl Draft {
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.bytes += bytes.len() as u64;
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // Gone already when it was kept.
        drop(fs::remove_file(&self.path));
    }
}

impl Files {
    /// Opens the folder, makes it when there is none, and clears away what never became whole.
    pub(crate) fn open(folder: &Path) -> Result<Self, ServerError> {
        let bounds = Bounds {
            files: limits::FILES_MAX,
            bytes: limits::FILES_BYTES_MAX,
        };
        Self::open_with(folder, bounds)
    }

    fn open_with(folder: &Path, bounds: Bounds) -> Result<Self, ServerError> {
        let files = Self {
            folder: folder.to_owned(),
            kept: Mutex::default(),
            places: Arc::new(Semaphore::new(limits::UPLOADS_MAX)),
            bounds,
        };
        let found = make(folder)
            .and_then(|()| found(folder))
            .map_err(|error| files.failed(&error))?;
        let mut kept = files.lock();
        kept.bytes = found.iter().map(|(_, bytes)| bytes).sum();
        kept.files = found.into();
        drop(kept);
        files.make_room();
        Ok(files)
    }

    /// Begins to take a file in; nothing when too many are coming in already.
    pub(crate) fn begin(&self) -> Result<Option<Draft>, ServerError> {
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            return Ok(None);
        };
        let id = FileId::new()?;
        let path = self.path(&id, Some(PART));
        let file = new_file(&path).map_err(|error| self.failed(&error))?;
        Ok(Some(Draft {
            id,
            path,
            file,
            bytes: 0,
            _place: place,
        }))
    }

    /// Keeps a file that came in whole; the oldest make room for it.
    pub(crate) fn keep(&self, draft: &Draft, about: &About) -> Result<FileId, ServerError> {
        self.put(draft, about).map_err(|error| {
            // What may be there of it is nobody's.
            for ending in [None, Some(ABOUT)] {
                drop(fs::remove_file(self.path(&draft.id, ending)));
            }
            self.failed(&error)
        })?;
        let mut kept = self.lock();
        kept.bytes += draft.bytes;
        kept.files.push_back((draft.id.clone(), draft.bytes));
        drop(kept);
        self.make_room();
        Ok(draft.id.clone())
    }

    fn put(&self, draft: &Draft, about: &About) -> io::Result<()> {
        draft.file.sync_all()?;
        let beside = self.path(&draft.id, Some(ABOUT));
        let mut file = new_file(&beside)?;
        file.write_all(about.written().as_bytes())?;
        file.sync_all()?;
        fs::rename(&draft.path, self.path(&draft.id, None))?;
        File::open(&self.folder)?.sync_all()
    }

    /// The file with this id and what was said about it.
    pub(crate) fn read(&self, id: &str) -> Result<Option<(About, Vec<u8>)>, ServerError> {
        let Some(id) = FileId::parse(id) else {
            return Ok(None);
        };
        let read = fs::read_to_string(self.path(&id, Some(ABOUT)))
            .and_then(|about| Ok((about, fs::read(self.path(&id, None))?)));
        match read {
            Ok((about, bytes)) => Ok(About::read(&about).map(|about| (about, bytes))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.failed(&error)),
        }
    }

    /// Removes the oldest until what is left is within the bounds.
    fn make_room(&self) {
        loop {
            let mut kept = self.lock();
            if kept.files.len() <= self.bounds.files && kept.bytes <= self.bounds.bytes {
                return;
            }
            let Some((id, bytes)) = kept.files.pop_front() else {
                return;
            };
            kept.bytes = kept.bytes.saturating_sub(bytes);
            drop(kept);
            for path in [self.path(&id, None), self.path(&id, Some(ABOUT))] {
                if let Err(error) = fs::remove_file(path) {
                    tracing::warn!(%error, "an old file could not be removed");
                }
            }
        }
    }

    fn path(&self, id: &FileId, ending: Option<&str>) -> PathBuf {
        let path = self.folder.join(id.as_str());
        match ending {
            Some(ending) => path.with_extension(ending),
            None => path,
        }
    }

    /// What the system said, as an error of the folder.
    pub(crate) fn failed(&self, error: &io::Error) -> ServerError {
        ServerError::Files {
            folder: self.folder.clone(),
            detail: error.to_string(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn make(folder: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        Ok(()) | Err(_) => {}
    }
    if !fs::symlink_metadata(folder)?.is_dir() {
        return Err(io::Error::other("it is not a folder"));
    }
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))
}

/// A file that was not there, for us alone.
fn new_file(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
}

/// The whole files in the folder, oldest first. What else is there of ours is removed.
fn found(folder: &Path) -> io::Result<Vec<(FileId, u64)>> {
    let mut whole: Vec<(SystemTime, FileId, u64)> = Vec::new();
    let mut beside: Vec<(FileId, PathBuf)> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, about) = (entry.path(), entry.metadata()?);
        let name = path.file_stem().and_then(|name| name.to_str());
        let Some(id) = name.and_then(FileId::parse).filter(|_| about.is_file()) else {
            continue;
        };
        match path.extension().and_then(|ending| ending.to_str()) {
            None => whole.push((about.modified()?, id, about.len())),
            Some(ABOUT) => beside.push((id, path)),
            Some(PART) => fs::remove_file(path)?,
            Some(_) => {}
        }
    }
    for (id, path) in beside {
        if !whole.iter().any(|(_, there, _)| *there == id) {
            fs::remove_file(path)?;
        }
    }
    whole.sort();
    Ok(whole
        .into_iter()
        .map(|(_, id, bytes)| (id, bytes))
        .collect())
}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;
