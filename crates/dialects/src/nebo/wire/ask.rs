//! What an agent asks: a prompt with widgets, or a tool with its input.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The payload of an `ask_request`.
#[derive(Debug, Deserialize)]
pub(in super::super) struct AskBody {
    pub(in super::super) request_id: Option<String>,
    pub(in super::super) prompt: Option<String>,
    pub(in super::super) widgets: Option<Vec<Widget>>,
}

/// The payload of an `approval_request`.
#[derive(Debug, Deserialize)]
pub(in super::super) struct ActionBody {
    pub(in super::super) request_id: Option<String>,
    pub(in super::super) tool: String,
    pub(in super::super) input: Option<Box<RawValue>>,
}

/// One thing to choose from or to fill in.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(in super::super) struct Widget {
    #[serde(rename = "type", default)]
    pub(in super::super) kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in super::super) label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in super::super) options: Option<Vec<Choice>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in super::super) default: Option<String>,
    #[serde(
        rename = "multiSelect",
        alias = "multi_select",
        skip_serializing_if = "Option::is_none"
    )]
    pub(in super::super) many: Option<bool>,
}

/// A choice: its label, or more than its label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "must be a string, or an object with a `label`")]
pub(in super::super) enum Choice {
    Label(String),
    Rich(RichChoice),
}

/// A choice that says more than its label.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(in super::super) struct RichChoice {
    pub(in super::super) label: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in super::super) description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in super::super) recommended: Option<bool>,
}
