//! What goes back to the Claude CLI: one line of JSON on its standard input.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

use super::{Entries, Question, Value};

/// A whole line.
#[derive(Debug, Serialize)]
pub(crate) struct CliLine<'a> {
    #[serde(rename = "type")]
    pub(crate) name: &'static str,
    pub(crate) response: CliBody<'a>,
}

/// The id is the CLI's own and stands here, nowhere else.
#[derive(Debug, Serialize)]
#[serde(tag = "subtype", rename_all = "snake_case")]
pub(crate) enum CliBody<'a> {
    Success {
        request_id: &'a str,
        response: CliResult<'a>,
    },
    Error {
        request_id: &'a str,
        error: &'a str,
    },
}

/// What the CLI asked for decides which.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum CliResult<'a> {
    Tool(Permission<'a>),
    Form(CliElicited),
}

/// Yes or no to a tool.
#[derive(Debug, Serialize)]
#[serde(tag = "behavior", rename_all = "snake_case")]
pub(crate) enum Permission<'a> {
    Allow {
        /// Older programs refuse a yes without it on their standard input.
        #[serde(rename = "updatedInput", skip_serializing_if = "Option::is_none")]
        updated_input: Option<Updated>,
        #[serde(rename = "updatedPermissions", skip_serializing_if = "Vec::is_empty")]
        updated_permissions: Vec<RuleUpdate>,
    },
    Deny {
        message: Cow<'a, str>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        interrupt: bool,
    },
}

/// Rules that the program keeps for the rest of its session. It knows more kinds of updates; a mode
/// or a folder is more than a person said yes to.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub(crate) enum RuleUpdate {
    AddRules {
        rules: [OneRule; 1],
        behavior: &'static str,
        destination: &'static str,
    },
}

/// One rule.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OneRule {
    pub(crate) tool_name: String,
    pub(crate) rule_content: String,
}

/// The input of a tool that may run.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Updated {
    /// Exactly this.
    Exact(Box<RawValue>),
    /// The asker's own keys, and the answers.
    Spliced(Entries<Piece>),
}

/// One value of an input with answers.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Piece {
    /// As it was sent.
    Sent(Box<RawValue>),
    Questions(Vec<Question>),
    Answers(Entries<String>),
    Annotations(Entries<Noted>),
}

/// A note beside an answer.
#[derive(Debug, Serialize)]
pub(crate) struct Noted {
    pub(crate) notes: String,
}

/// What became of a form.
#[derive(Debug, Serialize)]
pub(crate) struct CliElicited {
    pub(crate) action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) content: Option<Entries<Value>>,
}
