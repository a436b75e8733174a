//! Why the hub did not do what it was asked.

use std::time::Duration;

use sayso_core::check::Violations;
use sayso_core::view::AskView;
use sayso_store::StoreError;

/// What a caller sends too much of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flood {
    /// Asks in a minute.
    Asks,
    /// Asks that are open.
    OpenAsks,
    /// Bytes of asks, messages and tool notes in a minute.
    Bytes,
    /// Conversations that are kept.
    Conversations,
    /// Agents of one token.
    Agents,
}

impl Flood {
    /// What is too much, as a sentence.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Asks => "This token sends asks faster than its limit allows",
            Self::OpenAsks => "This agent has as many open asks as it may have",
            Self::Bytes => "This token sends more text per minute than its limit allows",
            Self::Conversations => "This token has as many conversations as it may have",
            Self::Agents => "This token has as many agent names as it may have",
        }
    }

    /// What to do about it.
    pub const fn hint(self) -> &'static str {
        match self {
            Self::Asks => "Wait for Retry-After. An admin can raise `limits.asks_per_minute`.",
            Self::OpenAsks => {
                "Answer or withdraw open asks. An admin can raise `limits.open_asks_per_agent`."
            }
            Self::Bytes => "Wait for Retry-After. An admin can raise `limits.bytes_per_minute`.",
            Self::Conversations => {
                "Use an existing conversation. An admin can raise `limits.conversations_per_token`."
            }
            Self::Agents => "Use the same name for the same agent.",
        }
    }
}

/// When to look again whether something that is full has room.
const FULL_FOR: Duration = Duration::from_secs(60);

/// The hub refused. Nothing was stored.
#[derive(Debug, thiserror::Error)]
pub enum HubError {
    /// There is no such ask, or it is not the caller's to see.
    #[error("there is no such ask")]
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
    #[error("the answer is to something else than what was asked")]
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
    #[error("{}; try again in {} s", what.sentence(), retry_after.as_secs().max(1))]
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
                "the state cannot be read now; the server's log says why".to_owned()
            }
        })
    }
}
