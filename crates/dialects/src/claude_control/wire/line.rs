//! What goes out to front ends: Claude's stream of messages, control frames and errors.

use serde::Serialize;
use serde_json::value::RawValue;

use super::{Entries, Question, Schema, Value};

/// One frame.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Line<'a> {
    /// A person's words, or what came of a tool.
    User {
        #[serde(flatten)]
        stamp: Stamp<'a>,
        message: Message<'a>,
        #[serde(rename = "toolUseResult", skip_serializing_if = "Option::is_none")]
        tool_use_result: Option<Reported>,
        /// `queued` until the agent has it.
        #[serde(skip_serializing_if = "Option::is_none")]
        state: Option<&'static str>,
    },
    /// An agent's words, or a tool it uses.
    Assistant {
        #[serde(flatten)]
        stamp: Stamp<'a>,
        message: Message<'a>,
    },
    /// The end of a turn.
    Result {
        #[serde(flatten)]
        stamp: Stamp<'a>,
        subtype: &'static str,
        is_error: bool,
    },
    /// A turn runs.
    System {
        subtype: &'static str,
        uuid: String,
        session_id: &'a str,
    },
    /// A piece of what an agent is saying.
    StreamEvent {
        uuid: String,
        session_id: &'a str,
        event: Event<'a>,
    },
    /// An ask.
    ControlRequest {
        request_id: String,
        #[serde(flatten)]
        stamp: Stamp<'a>,
        request: Request<'a>,
    },
    /// What became of an ask. The behaviour is repeated at the top, where every tab looks.
    ControlResponse {
        request_id: String,
        behavior: &'static str,
        #[serde(flatten)]
        stamp: Stamp<'a>,
        response: Response<'a>,
    },
    /// Something went wrong.
    Error {
        error: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        request_id: Option<String>,
    },
}

/// Which frame it is, and when and where it was said. Equal frames have equal ids for ever: front
/// ends put a frame with a known id in the place of the one they have.
#[derive(Debug, Serialize)]
pub(crate) struct Stamp<'a> {
    pub(crate) uuid: String,
    pub(crate) timestamp: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) session_id: Option<&'a str>,
    /// The same in the spelling of Claude's files.
    #[serde(rename = "sessionId", skip_serializing_if = "Option::is_none")]
    pub(crate) session_id_camel: Option<&'a str>,
}

/// A message of Claude's.
#[derive(Debug, Serialize)]
pub(crate) struct Message<'a> {
    pub(crate) role: &'static str,
    pub(crate) content: [Block<'a>; 1],
}

/// What a message holds.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Block<'a> {
    Text {
        text: &'a str,
    },
    ToolUse {
        id: String,
        name: &'a str,
        input: Content<'a>,
    },
    ToolResult {
        tool_use_id: String,
        content: String,
        is_error: bool,
    },
}

/// The input of a tool.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Content<'a> {
    /// The stored text, byte for byte.
    Exact(&'a RawValue),
    /// A stored text that is no object.
    Plain {
        input: &'a str,
    },
    Questions {
        questions: Vec<Question>,
    },
    Note {
        note: &'a str,
    },
}

/// What a tool reported, for front ends that read it apart from the message.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Reported {
    Answers {
        questions: Vec<Question>,
        answers: Entries<Value>,
    },
    Text(String),
}

/// A piece of a message.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Event<'a> {
    ContentBlockDelta { index: u8, delta: Delta<'a> },
}

/// What the piece adds.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Delta<'a> {
    TextDelta { text: &'a str },
}

/// An ask.
#[derive(Debug, Serialize)]
#[serde(tag = "subtype", rename_all = "snake_case")]
pub(crate) enum Request<'a> {
    CanUseTool {
        tool_name: &'a str,
        input: Content<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        title: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<&'a str>,
        tool_use_id: String,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        requires_user_interaction: bool,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        suppress_always_allow_rule: bool,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        default_to_no: bool,
    },
    Elicitation {
        mcp_server_name: &'a str,
        message: &'a str,
        mode: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        requested_schema: Option<Schema>,
        #[serde(skip_serializing_if = "Option::is_none")]
        property_order: Option<Vec<&'a str>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        url: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        elicitation_id: Option<String>,
    },
}

/// What became of an ask, in the shape in which front ends decide.
#[derive(Debug, Serialize)]
pub(crate) struct Response<'a> {
    pub(crate) subtype: &'static str,
    pub(crate) response: Outcome<'a>,
}

/// The decision, to be shown and not to be acted on.
#[derive(Debug, Serialize)]
pub(crate) struct Outcome<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) behavior: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) interrupt: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) updated_input: Option<Shown<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) action: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) content: Option<Entries<Value>>,
}

/// What goes back to the agent.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Shown<'a> {
    Answers {
        questions: Vec<Question>,
        answers: Entries<Value>,
    },
    Input(Content<'a>),
}

/// What became of a change of mode.
#[derive(Debug, Serialize)]
pub(crate) struct ModeLine<'a> {
    #[serde(rename = "type")]
    pub(crate) name: &'static str,
    pub(crate) request_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) response: Option<ModeSet<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}

/// The mode that holds from now on.
#[derive(Debug, Serialize)]
pub(crate) struct ModeSet<'a> {
    pub(crate) subtype: &'static str,
    pub(crate) mode: &'a str,
}
