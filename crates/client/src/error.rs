//! What can go wrong between a program and the server.

use std::time::Duration;

use sayso_dialects::native::wire::Problem;

/// Why a call did not succeed.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The address cannot be one of a server.
    #[error("`{url}` is not a valid server URL: {why}")]
    BadUrl {
        /// What was given.
        url: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Something on our side stands in the way; nothing was sent.
    #[error("nothing was sent: {0}")]
    NotSent(String),
    /// No connection came about, so the server has not seen the call.
    #[error("cannot reach the server at {url}: {why}")]
    Unreachable {
        /// Where we tried.
        url: String,
        /// What the system said.
        why: String,
    },
    /// The server understood the call and said no.
    #[error("{}", sentence(.problem))]
    Refused {
        /// What the server said.
        problem: Box<Problem>,
        /// When to come back, if it said so.
        retry_after: Option<Duration>,
    },
    /// What came back cannot be read.
    #[error("the server's response can't be read: {0}")]
    BadAnswer(String),
    /// The connection ended, or nothing came in time; whether the server acted is not known.
    #[error("the connection to the server was lost: {0}")]
    Cut(String),
}

impl ClientError {
    /// Whether the same call may succeed later without anything being changed by us.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Cut(_) => true,
            Self::Refused { problem, .. } => matches!(problem.status, 429 | 500..=599),
            Self::BadUrl { .. } | Self::NotSent(_) | Self::BadAnswer(_) => false,
        }
    }
}

/// What the server said in one sentence: the detail where there is one.
fn sentence(problem: &Problem) -> &str {
    problem.detail.as_deref().unwrap_or(&problem.title)
}
