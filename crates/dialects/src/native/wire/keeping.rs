//! Erasing text, and giving space back.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::WireTime;

/// What to erase: everything that fits all that is given. At least one of them is needed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ForgetRequest {
    /// Only of this conversation, by its id or name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// Only of this agent, by its id or name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Only asks that closed, and words that were said, before this moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<WireTime>,
}

/// What was erased, and what was left alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ForgetReport {
    /// Asks that were erased.
    pub asks: u64,
    /// Messages, words of agents and tool notes that were erased.
    pub entries: u64,
    /// Open asks that were left alone.
    pub left_open: u64,
    /// Messages that wait for their agent and were left alone.
    pub left_queued: u64,
    /// Conversations that were left alone because a turn runs in them.
    pub left_running: u64,
}

/// How much space was given back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CompactReport {
    /// Bytes of the files before.
    pub before: u64,
    /// And after.
    pub after: u64,
    /// Bytes that come back by themselves once no other program reads the files.
    #[serde(default)]
    pub held: u64,
    /// Bytes that can be given back only while the server is stopped.
    pub stuck: u64,
}
