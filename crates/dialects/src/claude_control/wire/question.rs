//! A question as the tool `AskUserQuestion` has it, both ways.

use serde::{Deserialize, Serialize};

/// One question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Question {
    /// Its text.
    #[serde(rename = "question")]
    pub(crate) text: String,
    /// The short label; front ends read it unasked, so it is always written.
    pub(crate) header: Option<String>,
    /// What can be chosen.
    #[serde(default)]
    pub(crate) options: Vec<Choice>,
    /// Whether several may be chosen.
    #[serde(default, rename = "multiSelect", alias = "multi_select")]
    pub(crate) multi_select: bool,
}

/// One thing to choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Choice {
    /// What is shown and returned.
    pub(crate) label: String,
    /// The line below it; always written, like the header.
    pub(crate) description: Option<String>,
    /// Something to look at while choosing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) preview: Option<String>,
}
