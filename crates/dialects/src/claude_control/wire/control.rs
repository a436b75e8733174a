//! What comes in: decisions and wishes of a front end, and what the Claude CLI asks.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::{Entries, Question, Schema, Value};

/// A decision of a front end. The id stands at one place or the other, or at both.
#[derive(Debug, Deserialize)]
pub(crate) struct ControlResponse {
    #[serde(rename = "type")]
    _name: IgnoredAny,
    pub(crate) request_id: Option<String>,
    pub(crate) response: Answered,
    pub(crate) always_allow: Option<bool>,
}

/// The middle of a decision.
#[derive(Debug, Deserialize)]
pub(crate) struct Answered {
    pub(crate) request_id: Option<String>,
    pub(crate) response: Option<Decided>,
    /// Why the front end has no decision.
    pub(crate) error: Option<String>,
}

/// The decision itself.
#[derive(Debug, Deserialize)]
pub(crate) struct Decided {
    pub(crate) behavior: Option<Behavior>,
    pub(crate) message: Option<String>,
    pub(crate) interrupt: Option<bool>,
    /// Read only where questions were asked; whatever else stands here is the socket's word.
    pub(crate) updated_input: Option<Box<RawValue>>,
    #[serde(default, rename = "updatedInput")]
    pub(crate) updated_input_camel: Option<Box<RawValue>>,
    pub(crate) action: Option<Action>,
    pub(crate) content: Option<Box<RawValue>>,
}

/// Yes or no to a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Behavior {
    Allow,
    Deny,
}

/// What becomes of a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Action {
    Accept,
    Decline,
    Cancel,
}

/// The input of a tool that asks questions, with what a person said.
#[derive(Debug, Deserialize)]
pub(crate) struct AnswerValues {
    pub(crate) answers: Option<Entries<Value>>,
    pub(crate) annotations: Option<Entries<Annotation>>,
}

/// What stands beside the answer to one question.
#[derive(Debug, Deserialize)]
pub(crate) struct Annotation {
    pub(crate) notes: Option<String>,
}

/// What a front end wants of the agent's program.
#[derive(Debug, Deserialize)]
pub(crate) struct FrontRequest {
    #[serde(rename = "type")]
    _name: IgnoredAny,
    #[serde(default)]
    pub(crate) request_id: String,
    pub(crate) request: Wanted,
}

/// The wish itself.
#[derive(Debug, Deserialize)]
pub(crate) struct Wanted {
    pub(crate) subtype: String,
    pub(crate) mode: Option<String>,
}

/// What a person says.
#[derive(Debug, Deserialize)]
pub(crate) struct UserMessage {
    #[serde(rename = "type")]
    _name: IgnoredAny,
    pub(crate) content: String,
}

/// What the Claude CLI asks, as it stands on its standard output, and whose it is.
#[derive(Debug, Deserialize)]
pub(crate) struct CliRequest {
    #[serde(rename = "type")]
    pub(crate) name: String,
    pub(crate) request_id: String,
    pub(crate) request: Box<RawValue>,
    pub(crate) session_id: Option<String>,
    pub(crate) cwd: Option<String>,
    pub(crate) agent: Option<String>,
}

/// `can_use_tool`.
#[derive(Debug, Deserialize)]
pub(crate) struct ToolRequest {
    #[serde(rename = "subtype", default)]
    _name: IgnoredAny,
    pub(crate) tool_name: String,
    pub(crate) input: Box<RawValue>,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) decision_reason: Option<String>,
}

/// How careful the program wants people to be with a call, beside the call itself.
#[derive(Debug, Deserialize)]
pub(crate) struct Care {
    pub(crate) requires_user_interaction: Option<bool>,
    pub(crate) server_policy_ask_only: Option<bool>,
    pub(crate) suppress_always_allow_rule: Option<bool>,
    pub(crate) default_to_no: Option<bool>,
    /// The rule by which somebody wants to be asked, in whatever shape.
    pub(crate) matched_ask_rule: Option<Box<RawValue>>,
}

/// The input of `AskUserQuestion`.
#[derive(Debug, Deserialize)]
pub(crate) struct Asked {
    pub(crate) questions: Vec<Question>,
}

/// `elicitation`.
#[derive(Debug, Deserialize)]
pub(crate) struct Elicitation {
    #[serde(rename = "subtype", default)]
    _name: IgnoredAny,
    pub(crate) mcp_server_name: Option<String>,
    pub(crate) message: String,
    pub(crate) mode: Option<String>,
    pub(crate) requested_schema: Option<Schema>,
    pub(crate) property_order: Option<Vec<String>>,
    pub(crate) url: Option<String>,
}

/// What a tool's input may say about itself.
#[derive(Debug, Deserialize)]
pub(crate) struct ToolInput {
    pub(crate) description: Option<String>,
}
