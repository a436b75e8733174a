//! Where the courier keeps its key and who wants to be told: in a folder of this server, or wherever its
//! host shares it with other servers.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::courier::PushError;
use super::{own_file, record};
use crate::newsroom::NewsFuture;

/// What a home gives back.
pub type HomeFuture<'a, T> = NewsFuture<'a, Result<T, PushError>>;

/// What is kept of one device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceRecord {
    pub key: String,
    /// Where and how it is told, and how far it was; JSON.
    pub text: String,
}

/// Where the courier keeps what it must not forget. What was written is there after a crash.
pub trait PushHome: fmt::Debug + Send + Sync {
    /// The key that is kept; where there is none, this new one, which is kept from now on.
    fn first_key(&self, new: String) -> HomeFuture<'_, String>;

    /// Every device.
    fn devices(&self) -> HomeFuture<'_, Vec<DeviceRecord>>;

    /// Writes some devices and removes others. `all` is how it stands then, for a home that is written
    /// as a whole.
    fn write(&self, all: Vec<DeviceRecord>, changed: DeviceChanges) -> HomeFuture<'_, ()>;

    /// Whether other servers write here too: then it is read again before it is written.
    fn is_shared(&self) -> bool;

    /// Whether it is this server that tells the devices. Where several share a home, one does.
    fn is_teller(&self) -> bool;

    /// Resolves once another server has written; it may be missed.
    fn changed(&self) -> NewsFuture<'_, ()>;
}

/// What is to be written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeviceChanges {
    /// Devices that are new or otherwise than before.
    pub put: Vec<DeviceRecord>,
    /// The keys of those that are gone.
    pub gone: Vec<String>,
}

impl DeviceChanges {
    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.put.is_empty() && self.gone.is_empty()
    }
}

/// A folder that only this server uses.
#[derive(Debug)]
pub struct PushFolder {
    key: Arc<PathBuf>,
    devices: Arc<PathBuf>,
}

impl PushFolder {
    /// The folder, made when it is not there.
    pub fn open(folder: &Path) -> Result<Self, PushError> {
        use std::os::unix::fs::DirBuilderExt as _;
        let made = std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder);
        made.map_err(|error| PushError::File {
            file: folder.to_owned(),
            detail: error.to_string(),
        })?;
        Ok(Self {
            key: Arc::new(folder.join("vapid.key")),
            devices: Arc::new(folder.join("subscriptions.json")),
        })
    }
}

/// Does what waits for the disk on another thread.
async fn aside<T: Send + 'static>(
    path: &Arc<PathBuf>,
    work: impl FnOnce(&Path) -> Result<T, PushError> + Send + 'static,
) -> Result<T, PushError> {
    let file = Arc::clone(path);
    let done = tokio::task::spawn_blocking(move || work(&file)).await;
    done.map_err(|error| PushError::File {
        file: path.to_path_buf(),
        detail: error.to_string(),
    })?
}

impl PushHome for PushFolder {
    fn first_key(&self, new: String) -> HomeFuture<'_, String> {
        Box::pin(aside(&self.key, move |file| {
            if let Some(kept) = own_file::read(file)? {
                return Ok(kept.trim().to_owned());
            }
            own_file::write(file, &format!("{new}\n"))?;
            Ok(new)
        }))
    }

    fn devices(&self) -> HomeFuture<'_, Vec<DeviceRecord>> {
        Box::pin(aside(&self.devices, |file| {
            let Some(text) = own_file::read(file)? else {
                return Ok(Vec::new());
            };
            // A file that cannot be read is refused, never overwritten.
            record::read_file(&text).map_err(|detail| PushError::Damaged {
                place: file.display().to_string(),
                detail,
            })
        }))
    }

    fn write(&self, all: Vec<DeviceRecord>, _: DeviceChanges) -> HomeFuture<'_, ()> {
        Box::pin(aside(&self.devices, move |file| {
            own_file::write(file, &record::write_file(&all))
        }))
    }

    fn is_shared(&self) -> bool {
        false
    }

    fn is_teller(&self) -> bool {
        true
    }

    fn changed(&self) -> NewsFuture<'_, ()> {
        Box::pin(std::future::pending())
    }
}
