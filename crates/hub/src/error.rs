//! Why the hub did not do what it was asked.

use std::time::Duration;

use sayso_core::check::Violations;
pub use sayso_core::state::Flood;
use sayso_core::view::AskView;
use sayso_store::StoreError;

/// When to look again whether something that is full has room.
const FULL_FOR: Duration = Duration::from_secs(60);

/// The hub refused. Nothing was stored.
#[derive(Debug, thiserror::Error)]
pub enum HubError {
    /// There is no such ask, or it is not the caller's to see.
    #[error("there is no ask with this id")]
    NotFound,
    /// There is nothing and nobody of this name.
    #[error("{0}")]
    Unknown(String),
    /// Somebody was first.
    #[error("this ask is already closed")]
    AlreadyClosed(Box<AskView>),
    /// The deadline has passed.
    #[error("this ask has expired")]
    Expired {
        /// The ask as it stands.
        view: Box<AskView>,
        /// Whether the answer was kept as a late one.
        kept: bool,
    },
    /// What the device showed is not what was asked.
    #[error("the answer is for a different version of the ask")]
    DigestMismatch(Box<AskView>),
    /// The same key was used for a different ask.
    #[error("this key was already used for a different ask")]
    KeyConflict(Box<AskView>),
    /// It does not make sense.
    #[error("{0}")]
    Invalid(Violations),
    /// A name or an id is taken, or a list is full.
    #[error("{0}")]
    Refused(String),
    /// The caller's token was taken back.
    #[error("the token was revoked")]
    Revoked,
    /// The caller may not do this; somebody else may.
    #[error("{0}")]
    Forbidden(String),
    /// The caller sends too much.
    #[error("{}; retry in {} s", what.sentence(), retry_after.as_secs().max(1))]
    SlowDown {
        /// Too much of what.
        what: Flood,
        /// When to try again.
        retry_after: Duration,
    },
    /// The server cannot do it now.
    #[error("{0}")]
    TryLater(String),
}

impl HubError {
    /// There is no room for more of these.
    pub(crate) const fn full(what: Flood) -> Self {
        Self::SlowDown {
            what,
            retry_after: FULL_FOR,
        }
    }

    /// The system has no random numbers.
    pub(crate) fn no_random() -> Self {
        Self::TryLater("the system's random number generator failed".to_owned())
    }

    /// Nobody is left who could do it.
    pub(crate) fn stopping() -> Self {
        Self::TryLater("the server is stopping".to_owned())
    }
}

impl From<StoreError> for HubError {
    fn from(error: StoreError) -> Self {
        tracing::error!(%error, "the store refused");
        Self::TryLater(match error {
            StoreError::TryLater { .. } => error.to_string(),
            // Paths and page numbers are for the log, not for the wire.
            StoreError::Damaged { .. }
            | StoreError::Newer { .. }
            | StoreError::InUse { .. }
            | StoreError::Unusable { .. } => {
                "the state can't be read; see the server's log".to_owned()
            }
        })
    }
}
