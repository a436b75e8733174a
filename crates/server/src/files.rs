//! Files that agents show to people: a bounded folder in which a token's oldest make room for its own.
//!
//! A file is there once it is whole: it comes in under another name and is moved into place after
//! it has reached the disk. Names of senders are never names on the disk.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use sayso_core::id::TokenId;
use sayso_core::text::hex;
use sayso_store::MakeRoom;
use serde_json::{Value, json};

use self::kept::{FileBounds, KeptFile, KeptFiles, Upload, Uploads};
use crate::auth::secret::random_bytes;
use crate::error::ServerError;

#[path = "files_kept.rs"]
mod kept;

/// What is not whole yet ends in this.
const PART: &str = "part";
/// What was said about a file stands beside it under this ending.
const ABOUT: &str = "about";
const ID_CHARS: usize = 32;

/// The folder and what is in it.
#[derive(Debug)]
pub(crate) struct Files {
    folder: PathBuf,
    kept: Mutex<KeptFiles>,
    uploads: Uploads,
    bounds: FileBounds,
}

/// Our id of a file: 32 hexadecimal digits that cannot be guessed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FileId(String);

impl FileId {
    fn new() -> Result<Self, ServerError> {
        let bytes: [u8; ID_CHARS / 2] = random_bytes()?;
        Ok(Self(hex(&bytes)))
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
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
    pub(crate) fn written(&self, owner: TokenId) -> String {
        let owner = owner.to_string();
        json!({"name": self.name, "media_type": self.media_type, "token": owner}).to_string()
    }

    /// Whose file it is, where that was noted.
    fn owner(text: &str) -> Option<TokenId> {
        let value: Value = serde_json::from_str(text).ok()?;
        value.get("token")?.as_str()?.parse().ok()
    }

    pub(crate) fn read(text: &str) -> Option<Self> {
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
pub(crate) struct FileDraft {
    id: FileId,
    path: PathBuf,
    file: File,
    bytes: u64,
    owner: TokenId,
    _upload: Upload,
}

impl FileDraft {
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    pub(crate) const fn id(&self) -> &FileId {
        &self.id
    }

    pub(crate) const fn owner(&self) -> TokenId {
        self.owner
    }

    /// What came in.
    pub(crate) fn content(&self) -> io::Result<Vec<u8>> {
        fs::read(&self.path)
    }
}

/// Which files make room for a new one of this length, among those that the nodes share.
pub(crate) fn make_room(id: FileId, bytes: u64, owner: TokenId) -> MakeRoom {
    Box::new(move |there| {
        let there = there.into_iter().map(|row| KeptFile {
            id: FileId(row.id),
            bytes: row.bytes,
            owner: row.owner,
        });
        let new = KeptFile {
            id,
            bytes,
            owner: Some(owner),
        };
        let gone = KeptFiles::new(there.collect()).add(new, FileBounds::BUILT_IN)?;
        Some(gone.into_iter().map(|id| id.0).collect())
    })
}

impl Drop for FileDraft {
    fn drop(&mut self) {
        // Gone already when it was kept.
        drop(fs::remove_file(&self.path));
    }
}

impl Files {
    /// Opens the folder, makes it when there is none, and clears away what never became whole.
    pub(crate) fn open(folder: &Path) -> Result<Self, ServerError> {
        Self::open_with(folder, FileBounds::BUILT_IN)
    }

    fn open_with(folder: &Path, bounds: FileBounds) -> Result<Self, ServerError> {
        let files = Self {
            folder: folder.to_owned(),
            kept: Mutex::default(),
            uploads: Uploads::default(),
            bounds,
        };
        let found = make(folder)
            .and_then(|()| found(folder))
            .map_err(|error| files.failed(&error))?;
        *files.lock() = KeptFiles::new(found);
        Ok(files)
    }

    /// Begins to take a file in; nothing when too many are coming in already.
    pub(crate) fn begin(&self, owner: TokenId) -> Result<Option<FileDraft>, ServerError> {
        let Some(upload) = self.uploads.begin(owner) else {
            return Ok(None);
        };
        let id = FileId::new()?;
        let path = self.path(&id, Some(PART));
        let file = new_file(&path).map_err(|error| self.failed(&error))?;
        Ok(Some(FileDraft {
            id,
            path,
            file,
            bytes: 0,
            owner,
            _upload: upload,
        }))
    }

    /// Keeps a file that came in whole, and removes those that make room for it; nothing when there
    /// is no room.
    pub(crate) fn keep(
        &self,
        draft: &FileDraft,
        about: &About,
    ) -> Result<Option<FileId>, ServerError> {
        self.put(draft, about).map_err(|error| {
            self.remove(&draft.id);
            self.failed(&error)
        })?;
        let file = KeptFile {
            id: draft.id.clone(),
            bytes: draft.bytes,
            owner: Some(draft.owner),
        };
        let Some(gone) = self.lock().add(file, self.bounds) else {
            self.remove(&draft.id);
            return Ok(None);
        };
        for id in gone {
            self.remove(&id);
        }
        Ok(Some(draft.id.clone()))
    }

    fn remove(&self, id: &FileId) {
        for ending in [None, Some(ABOUT)] {
            match fs::remove_file(self.path(id, ending)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    tracing::warn!(%error, "could not remove a file");
                }
                Ok(()) | Err(_) => {}
            }
        }
    }

    fn put(&self, draft: &FileDraft, about: &About) -> io::Result<()> {
        draft.file.sync_all()?;
        let beside = self.path(&draft.id, Some(ABOUT));
        let mut file = new_file(&beside)?;
        file.write_all(about.written(draft.owner).as_bytes())?;
        file.sync_all()?;
        fs::rename(&draft.path, self.path(&draft.id, None))?;
        File::open(&self.folder)?.sync_all()
    }

    /// The file with this id and what was said about it.
    pub(crate) fn read(&self, id: &FileId) -> Result<Option<(About, Vec<u8>)>, ServerError> {
        let read = fs::read_to_string(self.path(id, Some(ABOUT)))
            .and_then(|about| Ok((about, fs::read(self.path(id, None))?)));
        match read {
            Ok((about, bytes)) => Ok(About::read(&about).map(|about| (about, bytes))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.failed(&error)),
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

    fn lock(&self) -> MutexGuard<'_, KeptFiles> {
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
fn found(folder: &Path) -> io::Result<Vec<KeptFile>> {
    let mut whole: Vec<(SystemTime, FileId, u64)> = Vec::new();
    let mut beside: BTreeMap<FileId, PathBuf> = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, about) = (entry.path(), entry.metadata()?);
        let name = path.file_stem().and_then(|name| name.to_str());
        let Some(id) = name.and_then(FileId::parse).filter(|_| about.is_file()) else {
            continue;
        };
        match path.extension().and_then(|ending| ending.to_str()) {
            None => whole.push((about.modified()?, id, about.len())),
            Some(ABOUT) => drop(beside.insert(id, path)),
            Some(PART) => fs::remove_file(path)?,
            Some(_) => {}
        }
    }
    whole.sort();
    let mut kept = Vec::new();
    for (_, id, bytes) in whole {
        let about = beside.remove(&id).map(fs::read_to_string).transpose()?;
        let owner = about.as_deref().and_then(About::owner);
        kept.push(KeptFile { id, bytes, owner });
    }
    for path in beside.into_values() {
        fs::remove_file(path)?;
    }
    Ok(kept)
}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;
