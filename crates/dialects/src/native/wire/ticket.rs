//! Tickets: a single entry for what cannot send a header.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::WireTime;

/// Asks for a ticket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NewTicket {
    /// What it is to open.
    #[serde(rename = "for")]
    pub door: TicketFor,
}

/// What a ticket can open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TicketFor {
    /// The feed.
    Feed,
    /// The feed as server-sent events.
    Sse,
    /// The chat face.
    Chat,
    /// The nebo face.
    Nebo,
    /// The control face.
    ClaudeControl,
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
