//! An ask as it stands.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Action, Form, Late, Outcome, Prefill, Scope, WireTime};

/// An ask. It has exactly one of `questions`, `action` and `form`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Ask {
    /// The id.
    pub id: String,
    /// Whether the ask is open or closed.
    pub state: State,
    /// The kind of ask.
    pub matter: Matter,
    /// A title of one line.
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
    /// The agent.
    pub agent: AgentRef,
    /// The conversation it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<ConversationRef>,
    /// The workspace, as the agent reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// The agent's own id of the ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wire_id: Option<String>,
    /// The hash of what is shown to a person; an answer must repeat it.
    pub digest: String,
    /// The hash without agent and place: identical asks have the same shape.
    pub shape: String,
    /// When the server received it.
    pub asked_at: WireTime,
    /// When it expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<WireTime>,
    /// The scopes that an approval can have.
    pub scopes: Vec<Scope>,
    /// `false` if the agent's language can't carry a changed input, so the input can only be
    /// allowed as it is. Absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit: Option<bool>,
    /// Whether denying or dismissing can also end the agent's turn, with `stop`. Absent if the
    /// agent doesn't support it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stop: bool,
    /// Whether the ask or its outcome is damaged in the journal. Such an ask can be dismissed or
    /// withdrawn, but not answered; `questions` has one that says so. Absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unreadable: bool,
    /// The delivery state of the outcome.
    pub delivery: Delivery,
    /// The outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// A late answer, which changed nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<Late>,
    /// A suggested answer for an open question: the latest late answer to an identical one. Agents
    /// never see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefill: Option<Prefill>,
}

/// Whether an ask is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// The ask is open.
    Open,
    /// The ask is closed.
    Closed,
}

sayso_core::words! { State: Open = "open", Closed = "closed" }

/// The kinds of asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Matter {
    /// Questions.
    Questions,
    /// An approval.
    Approval,
    /// A form.
    Form,
}

/// The agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentRef {
    /// The id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its dialect.
    pub dialect: String,
    /// Whether it is connected.
    pub connected: bool,
}

/// A conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConversationRef {
    /// The id.
    pub id: String,
    /// Its name, as the agent gave it.
    pub name: String,
}

/// A question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Question {
    /// The text of the question.
    pub text: String,
    /// A short label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// How the question is answered.
    pub pick: Pick,
    /// The choices.
    pub choices: Vec<Choice>,
    /// A hint on how to show the question.
    pub look: Look,
    /// The labels that are preselected.
    pub default: Vec<String>,
    /// Whether the person can answer in free text.
    pub free_text: bool,
    /// Whether an answer to this question is required.
    pub required: bool,
}

/// A choice.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct Choice {
    /// The label, which is also the value of the answer.
    pub label: String,
    /// A description of one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// A preview of the choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
    /// Whether the agent recommends this choice.
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

/// A hint on how to show a question.
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

/// The delivery state of an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// Not delivered yet.
    Owed,
    /// Sent to a connected agent.
    Sent,
    /// The agent confirmed it.
    Confirmed,
}
