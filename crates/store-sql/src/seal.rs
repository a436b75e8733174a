//! Secrets at rest: sealed with a key that lies in a file of its own.
//!
//! A sealed secret is bound to its place in the journal, so that it cannot be moved to another.
//! The key is never in the journal or a backup; without it sealed secrets are gone for good.

use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use sayso_core::id::Seq;
use sayso_core::text::Secret;
use sayso_store::StoreError;

use crate::point;

const NONCE_BYTES: usize = 24;
/// The length of a key.
pub const KEY_BYTES: usize = 32;
/// What the check is, and the place it is sealed for, which no secret has.
const CHECK_TEXT: &str = "sayso";
const CHECK_GAP: Gap = Gap {
    opened: Seq::ZERO,
    seq: Seq::ZERO,
    number: 0,
};

/// Seals and opens secrets.
pub struct Sealer {
    cipher: XChaCha20Poly1305,
}

impl std::fmt::Debug for Sealer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sealer(..)")
    }
}

/// Where a secret belongs.
#[derive(Debug, Clone, Copy)]
pub struct Gap {
    /// Where its ask was opened.
    pub opened: Seq,
    /// The row it was left out of.
    pub seq: Seq,
    /// Its number in that row.
    pub number: usize,
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
    /// The sealer of a key.
    pub fn with(key: &[u8; KEY_BYTES]) -> Self {
        Self {
            cipher: XChaCha20Poly1305::new(&(*key).into()),
        }
    }

    /// A text that only this key opens.
    pub fn check(&self) -> Result<Vec<u8>, StoreError> {
        self.seal(CHECK_GAP, &Secret::new(CHECK_TEXT.to_owned()))
    }

    /// Whether this key made that text.
    pub fn passes(&self, check: &[u8]) -> bool {
        self.open_sealed(CHECK_GAP, check)
            .is_some_and(|text| text.reveal() == CHECK_TEXT)
    }

    /// Seals a secret for its gap.
    pub fn seal(&self, gap: Gap, secret: &Secret) -> Result<Vec<u8>, StoreError> {
        point("seal_before");
        let bytes = self.seal_bytes(&gap.bytes(), secret.reveal().as_bytes())?;
        point("seal_after");
        Ok(bytes)
    }

    /// Seals bytes under a label, without which they do not open.
    pub fn seal_bytes(&self, label: &[u8], bytes: &[u8]) -> Result<Vec<u8>, StoreError> {
        let mut nonce = [0_u8; NONCE_BYTES];
        fill(&mut nonce)?;
        let payload = Payload {
            msg: bytes,
            aad: label,
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
        Ok(bytes)
    }

    /// Opens what was sealed for this gap; nothing when the key or the bytes are not the same.
    pub fn open_sealed(&self, gap: Gap, bytes: &[u8]) -> Option<Secret> {
        let opened = self.open_bytes(&gap.bytes(), bytes)?;
        String::from_utf8(opened).ok().map(Secret::new)
    }

    /// Opens what was sealed under this label; nothing when the key, the label or the bytes are not the
    /// same.
    pub fn open_bytes(&self, label: &[u8], bytes: &[u8]) -> Option<Vec<u8>> {
        let (nonce, text) = bytes.split_first_chunk::<NONCE_BYTES>()?;
        let payload = Payload {
            msg: text,
            aad: label,
        };
        self.cipher.decrypt(&XNonce::from(*nonce), payload).ok()
    }
}

/// Fills it with random bytes.
pub fn fill(bytes: &mut [u8]) -> Result<(), StoreError> {
    getrandom::fill(bytes).map_err(|e| StoreError::TryLater {
        detail: format!("the system's random number generator failed: {e}"),
    })
}
