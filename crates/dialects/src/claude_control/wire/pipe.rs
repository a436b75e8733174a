//! The lines of a Claude CLI in stream-json mode, as far as whoever stands between it and its app
//! looks at them.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A line of the CLI.
#[derive(Debug, Deserialize)]
pub(crate) struct PipeLine {
    pub(crate) subtype: Option<String>,
    pub(crate) session_id: Option<String>,
    pub(crate) cwd: Option<String>,
    pub(crate) request_id: Option<String>,
    pub(crate) is_error: Option<bool>,
    pub(crate) terminal_reason: Option<String>,
    /// Set when a helper of the agent says it, not the agent itself.
    pub(crate) parent_tool_use_id: Option<String>,
    pub(crate) message: Option<PipeMessage>,
    pub(crate) response: Option<PipeResponse>,
}

/// A question of the CLI, as far as it must be known to be refused.
#[derive(Debug, Deserialize)]
pub(crate) struct PipeAsk {
    pub(crate) request_id: String,
    pub(crate) request: PipeAsked,
}

/// What it asks for.
#[derive(Debug, Deserialize)]
pub(crate) struct PipeAsked {
    pub(crate) subtype: String,
}

/// What was said.
#[derive(Debug, Deserialize)]
pub(crate) struct PipeMessage {
    /// A text, or a list of blocks.
    pub(crate) content: Option<Box<RawValue>>,
}

/// One block of what was said.
#[derive(Debug, Deserialize)]
pub(crate) struct PipeBlock {
    #[serde(rename = "type", default)]
    pub(crate) kind: Option<String>,
    pub(crate) text: Option<String>,
    pub(crate) id: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) input: Option<Box<RawValue>>,
    pub(crate) tool_use_id: Option<String>,
    pub(crate) content: Option<Box<RawValue>>,
    pub(crate) is_error: Option<bool>,
}

/// The answer to a control request, in either direction.
#[derive(Debug, Deserialize)]
pub(crate) struct PipeResponse {
    pub(crate) subtype: Option<String>,
    pub(crate) request_id: Option<String>,
    pub(crate) error: Option<String>,
    /// What is still open, when an app attaches again.
    pub(crate) pending_permission_requests: Option<Vec<Box<RawValue>>>,
}

/// What is no longer asked.
#[derive(Debug, Serialize)]
pub(crate) struct PipeCancel<'a> {
    #[serde(rename = "type")]
    pub(crate) name: &'static str,
    pub(crate) request_id: &'a str,
}

/// What a person says to the agent.
#[derive(Debug, Serialize)]
pub(crate) struct PipeTurn<'a> {
    #[serde(rename = "type")]
    pub(crate) name: &'static str,
    pub(crate) message: PipeTurnMessage<'a>,
}

/// The inside of it.
#[derive(Debug, Serialize)]
pub(crate) struct PipeTurnMessage<'a> {
    pub(crate) role: &'static str,
    pub(crate) content: &'a str,
}

/// What the CLI is told to do.
#[derive(Debug, Serialize)]
pub(crate) struct PipeControl<'a> {
    #[serde(rename = "type")]
    pub(crate) name: &'static str,
    pub(crate) request_id: &'a str,
    pub(crate) request: PipeWish<'a>,
}

/// The inside of it.
#[derive(Debug, Serialize)]
#[serde(tag = "subtype", rename_all = "snake_case")]
pub(crate) enum PipeWish<'a> {
    Interrupt,
    SetPermissionMode { mode: &'a str },
}
