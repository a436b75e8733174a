//! Who wants to be told: one subscription for each device, in a file that survives everything.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sayso_core::id::Seq;
use sayso_core::time::Time;

use super::courier::PushError;
use super::endpoint::Endpoint;
use super::seal::DeviceKeys;
use super::send::Sent;
use super::{own_file, record};
use crate::newsroom::Device;

/// Subscriptions there may be: one for each device of a large team.
const SUBSCRIPTIONS_MAX: usize = 2_000;

/// A device that wants to be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PushSubscription {
    pub(super) device: Device,
    pub(super) endpoint: Endpoint,
    pub(super) keys: DeviceKeys,
    /// Whether words of the ask may be in the notice.
    pub(super) text: bool,
    pub(super) since: Time,
    /// Everything up to this place in the journal was told, or is no longer to be told.
    pub(super) told: Seq,
    /// How many notices its service took.
    pub(super) sent: u64,
    /// What became of the last one.
    pub(super) last: Option<Last>,
}

/// What became of a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Last {
    pub(super) at: Time,
    pub(super) how: Sent,
}

/// The subscriptions and their file.
#[derive(Debug)]
pub(super) struct SubscriptionBook {
    path: PathBuf,
    rows: Mutex<Vec<PushSubscription>>,
    /// Held while the file is written, so that an older state never follows a newer one.
    writing: tokio::sync::Mutex<()>,
}

impl SubscriptionBook {
    /// Opens the file. One that cannot be read is refused, never overwritten.
    pub(super) fn open(path: &Path, listed: &[String]) -> Result<Self, PushError> {
        let rows = match own_file::read(path)? {
            None => Vec::new(),
            Some(text) => record::read(&text, listed).map_err(|detail| PushError::Damaged {
                file: path.to_owned(),
                detail,
            })?,
        };
        Ok(Self {
            path: path.to_owned(),
            rows: Mutex::new(rows),
            writing: tokio::sync::Mutex::default(),
        })
    }

    /// The subscriptions as they are now; never held for long.
    pub(super) fn rows(&self) -> MutexGuard<'_, Vec<PushSubscription>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn get(&self, device: Device) -> Option<PushSubscription> {
        self.rows().iter().find(|one| one.device == device).cloned()
    }

    /// Changes the subscription of a device, if it is still there.
    pub(super) fn change(&self, device: Device, change: impl FnOnce(&mut PushSubscription)) {
        if let Some(one) = self.rows().iter_mut().find(|one| one.device == device) {
            change(one);
        }
    }

    /// Puts a subscription in the place of the device's last one. Another device with the same
    /// address has moved here: it is told no more.
    pub(super) fn put(&self, new: PushSubscription) -> Result<(), PushError> {
        let mut rows = self.rows();
        let others = |one: &&PushSubscription| {
            one.device != new.device && one.endpoint.uri != new.endpoint.uri
        };
        if rows.iter().filter(others).count() >= SUBSCRIPTIONS_MAX {
            return Err(PushError::Full);
        }
        rows.retain(|one| others(&one));
        rows.push(new);
        Ok(())
    }

    /// Takes away those that `is_gone` names; says how many.
    pub(super) fn remove(&self, is_gone: impl Fn(&PushSubscription) -> bool) -> usize {
        let mut rows = self.rows();
        let before = rows.len();
        rows.retain(|one| !is_gone(one));
        before - rows.len()
    }

    /// Writes the file as things stand; it is on the disk when this returns.
    pub(super) async fn save(self: &Arc<Self>) -> Result<(), PushError> {
        let _writing = self.writing.lock().await;
        let book = Arc::clone(self);
        let text = record::write(&self.rows());
        let written = tokio::task::spawn_blocking(move || own_file::write(&book.path, &text));
        written.await.map_err(|error| PushError::File {
            file: self.path.clone(),
            detail: error.to_string(),
        })?
    }
}
