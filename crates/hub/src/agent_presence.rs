//! How an agent is reached: over which connections, and since when.

use sayso_core::time::Time;

/// How an agent is reached now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AgentPresence {
    /// How many connections it has.
    pub links: usize,
    /// Since when it has at least one.
    pub since: Option<Time>,
    /// When its last one ended, in this life of the server; absent while it has one.
    pub left_at: Option<Time>,
    /// Whether one of them takes turns in conversations that do not exist yet.
    pub takes_turns: bool,
}
