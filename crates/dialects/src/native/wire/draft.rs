//! What an agent hands in to ask.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Choice, Form, Look, Matter, NewAction, Pick};

/// A new ask. It has exactly one of `questions`, `action` and `form`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NewAsk {
    /// The kind of ask.
    pub matter: Matter,
    /// A title of one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Questions to answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub questions: Option<Vec<NewQuestion>>,
    /// An action to allow or to deny.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<NewAction>,
    /// A form to fill in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<Form>,
    /// The conversation it belongs to, by the agent's own name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// The workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// The agent's own id of the ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wire_id: Option<String>,
    /// How many seconds the agent waits; without limit by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_s: Option<u64>,
    /// Whether the agent ends its turn when the outcome says `stop`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stop: bool,
    /// The name of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

impl NewAsk {
    /// An ask of this matter with nothing in it yet.
    pub const fn of(matter: Matter) -> Self {
        Self {
            matter,
            title: None,
            questions: None,
            action: None,
            form: None,
            conversation: None,
            workspace: None,
            wire_id: None,
            timeout_s: None,
            stop: false,
            agent: None,
        }
    }
}

/// A question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NewQuestion {
    /// The text of the question.
    pub text: String,
    /// A short label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// How the question is answered; by default `one` if there are choices, otherwise `text`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pick: Option<Pick>,
    /// The choices.
    #[serde(default)]
    pub choices: Vec<Choice>,
    /// A hint on how to show the question.
    #[serde(default)]
    pub look: Look,
    /// The labels that are preselected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub default: Vec<String>,
    /// Whether the person can answer in free text; `true` by default.
    #[serde(default = "yes")]
    pub free_text: bool,
    /// Whether an answer to this question is required.
    #[serde(default)]
    pub required: bool,
}

impl NewQuestion {
    /// A question of this text with nothing else said about it.
    pub fn of(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            tag: None,
            pick: None,
            choices: Vec::new(),
            look: Look::List,
            default: Vec::new(),
            free_text: true,
            required: false,
        }
    }
}

const fn yes() -> bool {
    true
}
