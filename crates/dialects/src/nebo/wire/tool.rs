//! The tool call that an agent's model writes.

use serde::{Deserialize, Serialize};

use super::ask::Widget;

/// The body of the call.
#[derive(Debug, Deserialize)]
pub(in super::super) struct ToolAsk {
    pub(in super::super) resource: Option<String>,
    pub(in super::super) action: Option<String>,
    pub(in super::super) prompt: Option<String>,
    pub(in super::super) text: Option<String>,
    pub(in super::super) widgets: Option<Vec<Widget>>,
}

/// What the model reads.
#[derive(Debug, Serialize)]
pub(in super::super) struct ToolResultBody<'a> {
    pub(in super::super) content: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in super::super) is_error: Option<bool>,
}
