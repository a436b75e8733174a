//! Why the doors could not be opened or kept open.

use std::net::SocketAddr;
use std::path::PathBuf;

/// The doors could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// Other machines could reach it, and nothing would keep what is said from being read.
    #[error("{listen} can be reached from other machines, but connections to it are not encrypted")]
    Exposed {
        /// Where it would have listened.
        listen: SocketAddr,
    },
    /// There is nowhere to listen.
    #[error("there is no address to listen on")]
    NoListen,
    /// The address cannot be listened on.
    #[error("cannot listen on {listen}: {detail}")]
    Listen {
        /// Which address.
        listen: SocketAddr,
        /// What the system said.
        detail: String,
    },
    /// A file of the certificate cannot be used.
    #[error("{} cannot be used: {detail}", file.display())]
    Tls {
        file: PathBuf,
        /// Why.
        detail: String,
    },
    /// An origin that is to be allowed is none.
    #[error("`{origin}` in allowed_origins for {door} is not an origin")]
    Origin {
        door: String,
        /// What was given.
        origin: String,
    },
    /// What was set for a dialect will not do.
    #[error("{detail}")]
    Dialect {
        /// Why.
        detail: String,
    },
    /// The folder for files cannot be used.
    #[error("the folder for files {} cannot be used: {detail}", folder.display())]
    Files {
        folder: PathBuf,
        /// Why.
        detail: String,
    },
    /// Notices cannot be pushed.
    #[error("push notifications can't be sent: {detail}")]
    Push {
        /// Why.
        detail: String,
    },
    /// The machine has no random numbers.
    #[error("the system's random number generator failed: {detail}")]
    NoRandom {
        /// What the system said.
        detail: String,
    },
    /// A value that is built in is wrong.
    #[error("sayso has a bug: {detail}")]
    Built { detail: String },
}

impl ServerError {
    /// What to do about it.
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Exposed { .. } => {
                "listen on 127.0.0.1, set a certificate (tls.cert and tls.key), or declare the \
                 proxy that encrypts (proxy)"
            }
            Self::NoListen => "set listen, such as 127.0.0.1:7717",
            Self::Listen { .. } => {
                "stop the program that uses this port, or choose another with `--listen`; port 0 \
                 picks a free one"
            }
            Self::Tls { .. } => "tls.cert and tls.key are PEM files that belong together",
            Self::Origin { .. } => {
                "write it as a browser does: https://board.example, without a path"
            }
            Self::Dialect { .. } => {
                "settings of a dialect belong in [dialects.NAME]; docs/settings.md lists them"
            }
            Self::Files { .. } => {
                "it must be a folder that only this user can change; is the disk full?"
            }
            Self::Push { .. } => {
                "the folder `push` in the state folder holds the key and the push subscriptions; \
                 restore a copy, or move it away to start over"
            }
            Self::NoRandom { .. } => {
                "sayso can't create tokens and ids without it; check the system's log"
            }
            Self::Built { .. } => "please report it",
        }
    }
}
