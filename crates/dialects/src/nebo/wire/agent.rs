//! Frames of the agent socket.

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A frame from an agent.
#[derive(Debug, Deserialize)]
pub(in super::super) struct Frame<P> {
    #[serde(rename = "type")]
    _name: IgnoredAny,
    pub(in super::super) id: Option<String>,
    pub(in super::super) method: Option<String>,
    pub(in super::super) ok: Option<bool>,
    pub(in super::super) payload: Option<P>,
    pub(in super::super) error: Option<String>,
}

/// A payload that is not looked at, whatever it is.
#[derive(Debug, Deserialize)]
pub(in super::super) struct Nothing(IgnoredAny);

/// A piece of a run; its keys may come together.
#[derive(Debug, Deserialize)]
pub(in super::super) struct Stream {
    pub(in super::super) chunk: Option<String>,
    pub(in super::super) tool: Option<String>,
    pub(in super::super) input: Option<Box<RawValue>>,
    pub(in super::super) tool_result: Option<Box<RawValue>>,
    pub(in super::super) tool_name: Option<String>,
}

/// What a finished run says of itself.
#[derive(Debug, Deserialize)]
pub(in super::super) struct Finished {
    pub(in super::super) result: Option<String>,
}

/// A frame to an agent.
#[derive(Debug, Serialize)]
pub(in super::super) struct Sent<'a, P> {
    #[serde(rename = "type")]
    pub(in super::super) name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in super::super) id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in super::super) method: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in super::super) ok: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in super::super) payload: Option<P>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in super::super) error: Option<&'a str>,
}

impl<'a, P> Sent<'a, P> {
    pub(in super::super) fn new(name: &'static str, id: Option<&'a str>, payload: P) -> Self {
        Self {
            name,
            id,
            method: None,
            ok: None,
            payload: Some(payload),
            error: None,
        }
    }
}

/// The start of a turn, or the wish that it stops.
#[derive(Debug, Serialize)]
pub(in super::super) struct Run<'a> {
    #[serde(rename = "type")]
    pub(in super::super) name: &'static str,
    pub(in super::super) id: &'a str,
    pub(in super::super) method: &'static str,
    pub(in super::super) params: RunParams<'a>,
}

/// What a turn is about.
#[derive(Debug, Serialize)]
pub(in super::super) struct RunParams<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(in super::super) prompt: &'a str,
    pub(in super::super) session_key: &'a str,
    pub(in super::super) user_id: &'a str,
}

/// The greeting.
#[derive(Debug, Serialize)]
pub(in super::super) struct Ready<'a> {
    pub(in super::super) agent_id: &'a str,
    pub(in super::super) name: &'a str,
}

/// What a ping gets.
#[derive(Debug, Serialize)]
pub(in super::super) struct Pong {
    pub(in super::super) pong: bool,
    pub(in super::super) time: u64,
}

/// What a question after the connection gets.
#[derive(Debug, Serialize)]
pub(in super::super) struct Status<'a> {
    pub(in super::super) agent_id: &'a str,
    pub(in super::super) connected: bool,
    pub(in super::super) uptime_sec: u64,
}

/// The payload of an `ask_response`.
#[derive(Debug, Serialize)]
pub(in super::super) struct Answered<'a> {
    pub(in super::super) request_id: &'a str,
    pub(in super::super) value: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in super::super) outcome: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in super::super) note: Option<&'a str>,
}

/// The payload of an `approval_response`.
#[derive(Debug, Serialize)]
pub(in super::super) struct Judged<'a> {
    pub(in super::super) request_id: &'a str,
    pub(in super::super) approved: bool,
    pub(in super::super) always: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in super::super) outcome: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in super::super) note: Option<&'a str>,
}
