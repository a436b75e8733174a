//! The agents that have come.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::WireTime;

/// All known agents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Agents {
    /// The rows.
    pub agents: Vec<AgentRow>,
}

/// An agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentRow {
    /// The id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its dialect.
    pub dialect: String,
    /// The id of its token.
    pub token: String,
    /// Whether it is connected.
    pub connected: bool,
    /// The number of its open asks.
    pub open: u64,
    /// When it last sent something unreadable; a note in the conversation with its name has the
    /// details.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreadable_at: Option<WireTime>,
    /// The number of its connections; an agent connected over HTTP has none.
    #[serde(default)]
    pub links: u64,
    /// Since when it has been connected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<WireTime>,
    /// When its last connection ended, since the server started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_at: Option<WireTime>,
    /// When it last made an ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_ask_at: Option<WireTime>,
    /// Whether a connection of it takes turns in new conversations: then a person can begin one with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub takes_turns: bool,
}
