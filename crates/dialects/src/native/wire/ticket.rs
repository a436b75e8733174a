//! Tickets: a single entry for what cannot send a header.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::WireTime;

/// A request for a ticket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NewTicket {
    /// The door it opens: `feed`, `sse`, or a dialect's door for people (`chat`, `nebo`,
    /// `claude-control`).
    #[serde(rename = "for")]
    #[schema(example = "feed")]
    pub door: String,
}

/// A ticket: valid once, for a short time.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Ticket {
    /// The value for `?ticket=`.
    pub ticket: String,
    /// When it expires.
    pub expires_at: WireTime,
}

/// Without the secret, so that no log can hold it.
impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ticket")
            .field("expires_at", &self.expires_at)
            .finish_non_exhaustive()
    }
}
