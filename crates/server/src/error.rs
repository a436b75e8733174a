//! Why the doors could not be opened or kept open.

use std::net::SocketAddr;
use std::path::PathBuf;

/// The doors could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// Other machines could reach it, and nothing would keep what is said from being read.
    #[error("{listen} can be reached from other machines, and nothing encrypts what is said there")]
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
    #[error("notices cannot be pushed: {detail}")]
    Push {
        /// Why.
        detail: String,
    },
    /// The machine has no random numbers.
    #[error("the system gives no random numbers: {detail}")]
    NoRandom {
        /// What the system said.
        detail: String,
    },
    /// A value that is built in is wrong.
    #[error("built wrongly: {detail}")]
    Built { detail: String },
}

impl ServerError {
    /// What to do about it.
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Exposed { .. } => {
                "listen on 127.0.0.1, or give a certificate (tls.cert and tls.key), or declare the proxy that encrypts (proxy)"
            }
            Self::NoListen => "set listen, such as 127.0.0.1:7717",
            Self::Listen { .. } => {
                "stop what listens there, or choose another address; port 0 takes a free one"
            }
            Self::Tls { .. } => "tls.cert and tls.key are PEM files that belong together",
            Self::Origin { .. } => {
                "write it as a browser does: https://board.example, without a path"
            }
            Self::Dialect { .. } => {
                "the settings of a dialect stand under [dialects.NAME]; its page lists them"
            }
            Self::Files { .. } => {
                "it must be a folder that only this user can change; is the disk full?"
            }
            Self::Push { .. } => {
                "the folder push in the state holds its key and who wants notices; put a copy back, or move it away to begin anew"
            }
            Self::NoRandom { .. } => {
                "nothing can be made safely without them; look at the system's log"
            }
            Self::Built { .. } => "this is a mistake in sayso; please report it",
        }
    }
}
