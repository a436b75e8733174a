//! Why a bridge could not do its work.

use sayso_client::ClientError;
use sayso_core::check::Violation;
use sayso_dialects::ReadError;

/// Why a bridge could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum BridgeError {
    /// What the program told us is not what it says there.
    #[error("the program's message can't be read: {0}")]
    Unreadable(#[from] ReadError),
    /// The program says nothing that could be read at all.
    #[error("the program's message can't be read: {0}")]
    Input(&'static str),
    /// There is no way in to a server now: none is known here, or it has not started yet.
    #[error("{0}")]
    NoServer(String),
    /// The server could not be asked, or said no.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The agent's own server could not be reached, or is none.
    #[error("the agent's server: {0}")]
    Elsewhere(ClientError),
    /// The agent's own server does not let us in.
    #[error("the agent's server at {0} rejected the token, or requires one")]
    NoEntry(String),
    /// The server sent an outcome that does not fit what was asked.
    #[error("the server sent an invalid outcome: {}", .0.first().map(ToString::to_string).unwrap_or_default())]
    BadOutcome(Vec<Violation>),
    /// Another bridge of this machine is there already.
    #[error("another bridge is already running for {0}")]
    Taken(String),
    /// Another run of the same hook has what this one needs, and does not let go of it.
    #[error(
        "another run of this hook is using {0} and does not respond; stop it, or delete the file"
    )]
    Held(String),
    /// The program at the other end does not begin as it must.
    #[error("the program did not start the session: {0}")]
    NoHello(String),
    /// The system gives no random numbers.
    #[error("the system provided no random numbers: {0}")]
    NoRandom(getrandom::Error),
    /// A part of the bridge itself broke down.
    #[error("part of the bridge failed: {0}")]
    Broken(String),
    /// The system is in the way.
    #[error("{what}: {error}")]
    System {
        /// What was tried.
        what: &'static str,
        /// What the system said.
        error: std::io::Error,
    },
}

impl From<Vec<Violation>> for BridgeError {
    fn from(found: Vec<Violation>) -> Self {
        Self::BadOutcome(found)
    }
}

impl BridgeError {
    /// Whether the server may be there again later.
    pub(crate) fn is_passing(&self) -> bool {
        match self {
            Self::NoServer(_) => true,
            Self::Client(error) | Self::Elsewhere(error) => error.is_passing(),
            Self::Unreadable(_)
            | Self::Input(_)
            | Self::BadOutcome(_)
            | Self::Taken(_)
            | Self::NoEntry(_)
            | Self::Held(_)
            | Self::NoHello(_)
            | Self::NoRandom(_)
            | Self::Broken(_)
            | Self::System { .. } => false,
        }
    }

    /// A task of the bridge that did not end by itself.
    pub(crate) fn broken(error: &tokio::task::JoinError) -> Self {
        Self::Broken(error.to_string())
    }

    /// Wraps what the system said.
    pub(crate) fn system(what: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        move |error| Self::System { what, error }
    }
}
