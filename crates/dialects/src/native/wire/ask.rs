//! An ask as it stands.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Action, Form, Late, Outcome, Prefill, Scope, WireTime};

/// An ask as it stands. Exactly one of `questions`, `action` and `form` is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Ask {
    /// Our id.
    pub id: String,
    /// Whether it waits or has ended.
    pub state: State,
    /// What it is about.
    pub matter: Matter,
    /// One line above it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Questions to answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub questions: Option<Vec<Question>>,
    /// An action to allow or to deny.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<Action>,
    /// A form to fill in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<Form>,
    /// Who asks.
    pub agent: AgentRef,
    /// The conversation it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<ConversationRef>,
    /// Where the agent works, as it claims.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// The asker's own id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wire_id: Option<String>,
    /// What a person sees, hashed; an answer repeats it.
    pub digest: String,
    /// The same without who and where.
    pub shape: String,
    /// When it was taken in.
    pub asked_at: WireTime,
    /// When it lapses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<WireTime>,
    /// How far a yes may reach.
    pub scopes: Vec<Scope>,
    /// `false` where the agent's language cannot carry an edited input: then a yes must be to the
    /// input as it is. Absent everywhere else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit: Option<bool>,
    /// Whether a no may also end the agent's turn: then a dismissal, or a verdict that denies, may
    /// carry `stop`. Absent where the agent cannot be told.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stop: bool,
    /// Whether the entry of the ask or of its outcome in the journal is damaged. Such an ask can be
    /// dismissed or withdrawn, and never answered; `questions` has one that says so. Absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unreadable: bool,
    /// How far the news of its outcome has got.
    pub delivery: Delivery,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// An answer that came too late and changed nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<Late>,
    /// What a person can start from, while a question is open: the latest late answer to an equal
    /// one. Never there for the asker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefill: Option<Prefill>,
}

/// Whether an ask waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It waits for a person.
    Open,
    /// It has ended.
    Closed,
}

sayso_core::words! { State: Open = "open", Closed = "closed" }

/// What an ask is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Matter {
    /// Questions.
    Questions,
    /// Leave to act.
    Approval,
    /// A form.
    Form,
}

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentRef {
    /// Our id.
    pub id: String,
    /// What it calls itself.
    pub name: String,
    /// The language it speaks.
    pub dialect: String,
    /// Whether it can be reached now.
    pub connected: bool,
}

/// A conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConversationRef {
    /// Our id.
    pub id: String,
    /// What its agent calls it.
    pub name: String,
}

/// One question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Question {
    /// The question itself.
    pub text: String,
    /// A short label shown as a chip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// How it is answered.
    pub pick: Pick,
    /// What can be chosen.
    pub choices: Vec<Choice>,
    /// How a device may draw it.
    pub look: Look,
    /// What is set beforehand.
    pub default: Vec<String>,
    /// Whether words of the person's own are welcome.
    pub free_text: bool,
    /// Whether the ask cannot be answered without it.
    pub required: bool,
}

/// One thing to choose.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct Choice {
    /// What is shown and returned.
    pub label: String,
    /// A line below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Something to look at while choosing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
    /// Whether the agent would take this one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub recommended: bool,
}

/// How a question is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pick {
    /// One choice.
    One,
    /// Any number of choices.
    Many,
    /// Text.
    Text,
}

/// How a device may draw a question.
#[derive(Default, Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Look {
    /// Cards or rows.
    #[default]
    List,
    /// Buttons that answer on one click.
    Buttons,
    /// A drop-down.
    Dropdown,
}

/// How far the news of an outcome has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// The agent has yet to be told.
    Owed,
    /// It was written to a live link.
    Sent,
    /// The agent has it.
    Confirmed,
}
