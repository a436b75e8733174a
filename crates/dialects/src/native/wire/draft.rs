//! What an agent hands in to ask.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Choice, Form, Look, Matter, NewAction, Pick};

/// An ask that an agent hands in. Exactly one of `questions`, `action` and `form` belongs in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NewAsk {
    /// What it is about.
    pub matter: Matter,
    /// One line above it.
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
    /// Where the agent works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// The agent's own id of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wire_id: Option<String>,
    /// How many seconds the agent waits; for ever when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_s: Option<u64>,
    /// Whether the agent ends its turn when the outcome says `stop`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stop: bool,
    /// What the asker goes by.
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

/// One question that an agent hands in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NewQuestion {
    /// The question itself.
    pub text: String,
    /// A short label shown as a chip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// How it is answered; when absent, `one` where there are choices and `text` where not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pick: Option<Pick>,
    /// What can be chosen.
    #[serde(default)]
    pub choices: Vec<Choice>,
    /// How a device may draw it.
    #[serde(default)]
    pub look: Look,
    /// What is set beforehand.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub default: Vec<String>,
    /// Whether words of the person's own are welcome; yes when absent.
    #[serde(default = "yes")]
    pub free_text: bool,
    /// Whether the ask cannot be answered without it.
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
