//! How the server is.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::WireTime;

/// The state of the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Health {
    /// The state.
    pub state: HealthState,
    /// The reason, if the state is not `ok`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The version of the server.
    pub version: String,
    /// The epoch of the state; a restored backup begins a new one.
    pub epoch: String,
    /// What can be lost in a crash: `power-loss-safe`, `process-crash-safe` or `UNSAFE (why)`.
    pub durability: String,
    /// When the server started.
    pub started_at: WireTime,
    /// The journal.
    pub journal: JournalHealth,
    /// The number of open asks.
    pub open: u64,
    /// Current problems, most serious first; absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub troubles: Vec<String>,
}

/// The states of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum HealthState {
    /// Everything works.
    Ok,
    /// Writes fail right now; open asks can be read.
    TryLater,
    /// The journal is damaged.
    Damaged,
}

/// The state of the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JournalHealth {
    /// The last position.
    pub seq: u64,
    /// The position up to which the hash chain has been checked since the start.
    pub checked: u64,
    /// The result of the check so far.
    pub state: JournalState,
}

/// The results of checking the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum JournalState {
    /// The check is running.
    Checking,
    /// The journal is intact.
    Sound,
    /// The journal is damaged.
    Damaged,
}
