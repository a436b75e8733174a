//! Tickets: a single entry for what cannot send a header.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::WireTime;

/// Asks for a ticket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NewTicket {
    /// What it is to open: `feed`, `sse`, or a dialect's door for people (`chat`, `nebo`,
    /// `claude-control`).
    #[serde(rename = "for")]
    #[schema(example = "feed")]
    pub door: String,
}

/// A ticket: good once and briefly.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Ticket {
    /// What goes into `?ticket=`.
    pub ticket: String,
    /// When it is no longer good.
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
