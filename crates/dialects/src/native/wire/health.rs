//! How the server is.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::WireTime;

/// How the server is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Health {
    /// In a word.
    pub state: HealthState,
    /// Why, when it is not well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The version of the server.
    pub version: String,
    /// Which life of the state this is.
    pub epoch: String,
    /// What a crash can cost: `power-loss-safe`, `process-crash-safe` or `UNSAFE (why)`.
    pub durability: String,
    /// When the server started.
    pub started_at: WireTime,
    /// The journal.
    pub journal: JournalHealth,
    /// How many asks wait.
    pub open: u64,
    /// What is wrong with the state now, most serious first; absent when all is well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub troubles: Vec<String>,
}

/// How the server is, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum HealthState {
    /// Well.
    Ok,
    /// Open asks can be read, but nothing can be written now.
    TryLater,
    /// The journal is damaged.
    Damaged,
}

/// How the journal is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JournalHealth {
    /// The last place in it.
    pub seq: u64,
    /// Up to which place its chain was checked since the start.
    pub checked: u64,
    /// What the check has found so far.
    pub state: JournalState,
}

/// What a check of the journal has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum JournalState {
    /// It is under way.
    Checking,
    /// All of it is sound.
    Sound,
    /// Something was changed.
    Damaged,
}
