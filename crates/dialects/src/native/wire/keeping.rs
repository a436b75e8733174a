//! Copying and checking the journal, erasing text, and giving space back.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::WireTime;

/// Asks for a copy of the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BackupRequest {
    /// Where to write it on the server's machine: an absolute path that does not exist yet.
    pub file: String,
}

/// A copy was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BackupMade {
    /// Where it is.
    pub file: String,
}

/// What a walk over the whole journal found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VerifyReport {
    /// How many events there are.
    pub events: u64,
    /// How many of them have had their text erased.
    pub erased: u64,
    /// What is wrong; empty when all is well.
    pub faults: Vec<String>,
}

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
