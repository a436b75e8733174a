//! The events of a stream, with exactly the keys that both generations of the language know.

use serde::Serialize;

use super::{Card, Schema};
use crate::frames::written;
use crate::time::WireTime;

/// One event.
#[derive(Debug, Serialize)]
#[serde(
    tag = "type",
    rename_all = "SCREAMING_SNAKE_CASE",
    rename_all_fields = "camelCase"
)]
pub(crate) enum Event<'a> {
    RunStarted {
        thread_id: &'a str,
        run_id: &'a str,
    },
    TextMessageStart {
        message_id: &'a str,
        role: &'static str,
    },
    TextMessageContent {
        message_id: &'a str,
        delta: &'a str,
    },
    TextMessageEnd {
        message_id: &'a str,
    },
    ToolCallStart {
        tool_call_id: &'a str,
        tool_call_name: &'a str,
        parent_message_id: &'a str,
    },
    ToolCallArgs {
        tool_call_id: &'a str,
        delta: &'a str,
    },
    ToolCallEnd {
        tool_call_id: &'a str,
    },
    StateDelta {
        delta: [Patch<'a>; 1],
    },
    Custom(Custom<'a>),
    RunFinished {
        thread_id: &'a str,
        run_id: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        outcome: Option<Outcome<'a>>,
    },
    RunError {
        message: &'a str,
        code: &'static str,
    },
}

impl Event<'_> {
    /// The event as text.
    pub(crate) fn written(&self) -> String {
        written(self)
    }
}

/// How a run ended.
#[derive(Debug, Serialize)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub(crate) enum Outcome<'a> {
    Success {
        #[serde(skip_serializing_if = "<[String]>::is_empty")]
        pending_tool_call_ids: &'a [String],
    },
    Interrupt {
        interrupts: Vec<Interrupt<'a>>,
    },
}

/// An ask. The language allows no other keys.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Interrupt<'a> {
    pub(crate) id: &'a str,
    pub(crate) reason: &'static str,
    pub(crate) message: String,
    pub(crate) response_schema: Schema,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) expires_at: Option<WireTime>,
    pub(crate) metadata: Card<'a>,
}

/// A change of the front end's state, as JSON Patch has it.
#[derive(Debug, Serialize)]
pub(crate) struct Patch<'a> {
    pub(crate) op: &'static str,
    pub(crate) path: &'static str,
    pub(crate) value: Place<'a>,
}

/// What the front end keeps for us.
#[derive(Debug, Serialize)]
pub(crate) struct Place<'a> {
    pub(crate) seq: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) taken: Option<&'a str>,
}

/// What the language has no event for.
#[derive(Debug, Serialize)]
#[serde(tag = "name", content = "value")]
pub(crate) enum Custom<'a> {
    /// Somebody was first.
    #[serde(rename = "sayso.closed")]
    Closed(Closed<'a>),
    /// What a tool of the agent does.
    #[serde(rename = "sayso.note")]
    Note(Noted<'a>),
}

/// An ask that was closed in another way than this run wanted.
#[derive(Debug, Serialize)]
pub(crate) struct Closed<'a> {
    pub(crate) ask: String,
    pub(crate) outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) person: Option<&'a str>,
}

/// What a tool of the agent does.
#[derive(Debug, Serialize)]
pub(crate) struct Noted<'a> {
    pub(crate) tool: &'a str,
    pub(crate) text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<&'static str>,
}
