//! Copying and checking the journal, erasing text, and giving space back.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::WireTime;

/// A request for a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BackupRequest {
    /// The path of the new file on the server's machine: absolute, and not existing yet.
    pub file: String,
}

/// The result of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BackupMade {
    /// The path of the backup.
    pub file: String,
}

/// The result of checking the whole journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VerifyReport {
    /// The number of events.
    pub events: u64,
    /// The number of events whose text was erased.
    pub erased: u64,
    /// The problems found; empty if there are none.
    pub faults: Vec<String>,
}

/// What to erase: everything that matches all given filters. At least one is required.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ForgetRequest {
    /// Only in this conversation, by id or name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// Only of this agent, by id or name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Only asks that were closed, and text that was sent, before this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<WireTime>,
}

/// What was erased, and what was skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ForgetReport {
    /// Erased asks.
    pub asks: u64,
    /// Erased messages, agent text and tool notes.
    pub entries: u64,
    /// Open asks that were skipped.
    pub left_open: u64,
    /// Queued messages that were skipped.
    pub left_queued: u64,
    /// Conversations that were skipped because a turn is running.
    pub left_running: u64,
}

/// How much space was freed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CompactReport {
    /// Size of the files before, in bytes.
    pub before: u64,
    /// Size of the files after, in bytes.
    pub after: u64,
    /// Bytes that are freed automatically when no other program reads the files.
    #[serde(default)]
    pub held: u64,
    /// Bytes that can only be freed while the server is stopped.
    pub stuck: u64,
}
