//! Frames of the browser socket.

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::ask::{RichChoice, Widget};
use super::history::Told;

/// A frame from a browser, without its body if that is spread over the frame itself.
#[derive(Debug, Deserialize)]
pub(in super::super) struct Outer<B> {
    #[serde(rename = "type")]
    _name: IgnoredAny,
    pub(in super::super) id: Option<String>,
    pub(in super::super) request_id: Option<String>,
    pub(in super::super) data: Option<B>,
    pub(in super::super) payload: Option<B>,
}

/// The body of `auth` and `connect`.
#[derive(Debug, Deserialize)]
pub(in super::super) struct TokenBody {
    pub(in super::super) token: Option<String>,
}

/// The body of an `ask_response`.
#[derive(Debug, Deserialize)]
pub(in super::super) struct ValueBody {
    pub(in super::super) request_id: Option<String>,
    pub(in super::super) value: Option<Value>,
}

/// What a person chose or wrote.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "must be a string or a list of strings")]
pub(in super::super) enum Value {
    Text(String),
    List(Vec<String>),
    Choice(RichChoice),
}

/// The body of an `approval_response`.
#[derive(Debug, Deserialize)]
pub(in super::super) struct VerdictBody {
    pub(in super::super) request_id: Option<String>,
    pub(in super::super) approved: Option<bool>,
    pub(in super::super) always: Option<bool>,
}

/// The body of a `chat`.
#[derive(Debug, Deserialize)]
pub(in super::super) struct ChatBody {
    pub(in super::super) session_id: Option<String>,
    pub(in super::super) prompt: Option<String>,
}

/// The body of a frame about one conversation.
#[derive(Debug, Deserialize)]
pub(in super::super) struct SessionBody {
    pub(in super::super) session_id: Option<String>,
}

/// A frame to a browser.
#[derive(Debug, Serialize)]
pub(in super::super) struct Event<'a, B> {
    #[serde(rename = "type")]
    pub(in super::super) name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in super::super) data: Option<B>,
    pub(in super::super) timestamp: &'a str,
}

/// A frame to a browser about an ask: its id and its body at every place where one is looked for.
#[derive(Debug, Serialize)]
pub(in super::super) struct Ask<'a, B> {
    #[serde(rename = "type")]
    pub(in super::super) name: &'static str,
    pub(in super::super) id: &'a str,
    pub(in super::super) request_id: &'a str,
    #[serde(flatten)]
    pub(in super::super) body: &'a B,
    pub(in super::super) data: Envelope<'a, B>,
    pub(in super::super) payload: Envelope<'a, B>,
    pub(in super::super) timestamp: &'a str,
}

/// A body with the id of what it is about.
#[derive(Debug, Serialize)]
pub(in super::super) struct Envelope<'a, B> {
    pub(in super::super) request_id: &'a str,
    #[serde(flatten)]
    pub(in super::super) body: &'a B,
}

/// The body of an `ask_request`.
#[derive(Debug, Serialize)]
pub(in super::super) struct AskShown<'a> {
    pub(in super::super) prompt: &'a str,
    pub(in super::super) widgets: &'a [Widget],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in super::super) session_id: Option<&'a str>,
}

/// The body of an `approval_request`.
#[derive(Debug, Serialize)]
pub(in super::super) struct ActionShown<'a> {
    pub(in super::super) tool: &'a str,
    pub(in super::super) input: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in super::super) session_id: Option<&'a str>,
}

/// The body of an `ask_resolved` and an `approval_resolved`.
#[derive(Debug, Serialize)]
pub(in super::super) struct Resolved<'a> {
    pub(in super::super) outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in super::super) value: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in super::super) approved: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in super::super) always: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in super::super) user_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in super::super) session_id: Option<&'a str>,
}

/// The body of `auth_ok`.
#[derive(Debug, Serialize)]
pub(in super::super) struct Welcome<'a> {
    pub(in super::super) user_id: &'a str,
}

/// The body of `chat_stream`, and of what is only about a conversation.
#[derive(Debug, Serialize)]
pub(in super::super) struct SessionShown<'a> {
    pub(in super::super) session_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in super::super) content: Option<&'a str>,
}

/// The body of `tool_start`.
#[derive(Debug, Serialize)]
pub(in super::super) struct ToolStart<'a> {
    pub(in super::super) session_id: &'a str,
    pub(in super::super) tool: &'a str,
    pub(in super::super) input: &'a str,
}

/// The body of `tool_result`.
#[derive(Debug, Serialize)]
pub(in super::super) struct ToolResult<'a> {
    pub(in super::super) session_id: &'a str,
    pub(in super::super) result: &'a str,
    pub(in super::super) tool_name: &'a str,
}

/// The body of `stream_status`, with both spellings of whether a turn runs.
#[derive(Debug, Serialize)]
pub(in super::super) struct StreamStatus<'a> {
    pub(in super::super) session_id: &'a str,
    pub(in super::super) active: bool,
    pub(in super::super) status: &'static str,
    pub(in super::super) content: &'a str,
}

/// The body of `error`.
#[derive(Debug, Serialize)]
pub(in super::super) struct Failure<'a> {
    pub(in super::super) session_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in super::super) request_id: Option<&'a str>,
    pub(in super::super) error: &'a str,
}

/// The body of `chat_message`.
#[derive(Debug, Serialize)]
pub(in super::super) struct MessageShown<'a> {
    pub(in super::super) session_id: &'a str,
    pub(in super::super) user_id: &'a str,
    pub(in super::super) content: &'a str,
}

/// The body of `chat_history`.
#[derive(Debug, Serialize)]
pub(in super::super) struct HistoryShown<'a> {
    pub(in super::super) session_id: &'a str,
    pub(in super::super) messages: Vec<Told>,
}
