//! Secrets at rest: sealed with a key that lies in a file of its own.
//!
//! A sealed secret is bound to its place in the journal, so that it cannot be moved to another.
//! The key is never in the journal or a backup; without it sealed secrets are gone for good.

use std::io::{ErrorKind, Read as _, Write as _};
use std::path::Path;

use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use sayso_core::id::Seq;
use sayso_core::text::Secret;
use sayso_store::StoreError;

use crate::fault::unusable;
use crate::faults::point;
use crate::folder::{owner_only, sync_folder};

const NONCE_BYTES: usize = 24;
const KEY_BYTES: usize = 32;

/// Seals and opens secrets.
pub(crate) struct Sealer {
    cipher: XChaCha20Poly1305,
}

impl std::fmt::Debug for Sealer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sealer(..)")
    }
}

/// Where a secret belongs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gap {
    /// Where its ask was opened.
    pub(crate) opened: Seq,
    /// The row it was left out of.
    pub(crate) seq: Seq,
    /// Its number in that row.
    pub(crate) number: usize,
}

impl Gap {
    fn bytes(self) -> [u8; 24] {
        let mut bytes = [0; 24];
        let parts = [self.opened.0, self.seq.0, self.number as u64];
        for (chunk, part) in bytes.chunks_exact_mut(8).zip(parts) {
            chunk.copy_from_slice(&part.to_le_bytes());
        }
        bytes
    }
}

impl Sealer {
    /// Reads the key, or makes one. `sealed` says how many secrets wait for the key.
    pub(crate) fn open(folder: &Path, sealed: u64) -> Result<Self, StoreError> {
        let path = folder.join("key");
        let mut key = [0_u8; KEY_BYTES];
        match owner_only().open(&path) {
            Ok(file) => {
                let mut bytes = Vec::with_capacity(KEY_BYTES + 1);
                file.take(KEY_BYTES as u64 + 1)
                    .read_to_end(&mut bytes)
                    .map_err(|e| unusable("cannot read the key", &path, e))?;
                key = bytes.try_into().map_err(|bytes: Vec<u8>| StoreError::Damaged {
                    file: "key".to_owned(),
                    detail: format!(
                        "it has {} bytes instead of {KEY_BYTES}; put the right file back, or remove it and lose the secrets that no agent has fetched",
                        bytes.len()
                    ),
                })?;
            }
            Err(e) if e.kind() == ErrorKind::NotFound => {
                if sealed > 0 {
                    tracing::error!(
                        sealed,
                        "the key file is gone, and with it the secrets that no agent has fetched; a new key is made"
                    );
                }
                fill(&mut key)?;
                make_key(folder, &path, &key)?;
            }
            Err(e) => return Err(unusable("cannot open the key", &path, e)),
        }
        Ok(Self {
            cipher: XChaCha20Poly1305::new(&key.into()),
        })
    }

    /// Seals a secret for its gap.
    pub(crate) fn seal(&self, gap: Gap, secret: &Secret) -> Result<Vec<u8>, StoreError> {
        point("seal_before");
        let mut nonce = [0_u8; NONCE_BYTES];
        fill(&mut nonce)?;
        let payload = Payload {
            msg: secret.reveal().as_bytes(),
            aad: &gap.bytes(),
        };
        let text = self
            .cipher
            .encrypt(&XNonce::from(nonce), payload)
            .map_err(|_| StoreError::TryLater {
                detail: "a secret could not be sealed".to_owned(),
            })?;
        let mut bytes = Vec::with_capacity(NONCE_BYTES + text.len());
        bytes.extend_from_slice(&nonce);
        bytes.extend_from_slice(&text);
        point("seal_after");
        Ok(bytes)
    }

    /// Opens what was sealed for this gap; nothing when the key or the bytes are not the same.
    pub(crate) fn open_sealed(&self, gap: Gap, bytes: &[u8]) -> Option<Secret> {
        let (nonce, text) = bytes.split_first_chunk::<NONCE_BYTES>()?;
        let payload = Payload {
            msg: text,
            aad: &gap.bytes(),
        };
        let opened = self.cipher.decrypt(&XNonce::from(*nonce), payload).ok()?;
        String::from_utf8(opened).ok().map(Secret::new)
    }
}

fn fill(bytes: &mut [u8]) -> Result<(), StoreError> {
    getrandom::fill(bytes).map_err(|e| StoreError::TryLater {
        detail: format!("the system gives no random numbers: {e}"),
    })
}

/// Writes the key beside its place and moves it there whole: half a key would be worse than none.
fn make_key(folder: &Path, path: &Path, key: &[u8; KEY_BYTES]) -> Result<(), StoreError> {
    let fresh = folder.join("key.new");
    let failed = |e| unusable("cannot write the key", path, e);
    let mut file = owner_only()
        .create(true)
        .truncate(true)
        .open(&fresh)
        .map_err(failed)?;
    point("key_made");
    file.write_all(key)
        .and_then(|()| file.sync_all())
        .map_err(failed)?;
    std::fs::rename(&fresh, path).map_err(failed)?;
    point("key_synced");
    sync_folder(folder)
}
