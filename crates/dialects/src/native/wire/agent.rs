//! The agents that have come.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::WireTime;

/// The agents that have come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Agents {
    /// One row each.
    pub agents: Vec<AgentRow>,
}

/// One agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentRow {
    /// Our id.
    pub id: String,
    /// What it calls itself.
    pub name: String,
    /// The language it speaks.
    pub dialect: String,
    /// The id of the token it comes in with.
    pub token: String,
    /// Whether it can be reached now.
    pub connected: bool,
    /// How many of its asks wait.
    pub open: u64,
    /// When it last sent something that nobody could read; a note in the conversation of its own
    /// name says what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreadable_at: Option<WireTime>,
    /// How many connections it has; one that asks by calling has none.
    #[serde(default)]
    pub links: u64,
    /// Since when it has at least one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<WireTime>,
    /// When its last connection ended, since the server started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_at: Option<WireTime>,
    /// When it last asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_ask_at: Option<WireTime>,
    /// Whether a connection of it takes turns in new conversations: then a person can begin one with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub takes_turns: bool,
}
