//! How an ask ended.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Fields, WireTime};

/// The outcome of an ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Outcome {
    /// The kind of outcome.
    pub kind: OutcomeKind,
    /// `answered`: the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// `dismissed`, `withdrawn`: the reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// `dismissed`: whether the agent's turn ends as well.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stop: bool,
    /// Who closed it.
    pub by: By,
    /// When it happened.
    pub at: WireTime,
}

/// The kinds of outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeKind {
    /// A person or a rule answered.
    Answered,
    /// A person dismissed it.
    Dismissed,
    /// The deadline passed; for an approval, that means denied.
    Expired,
    /// The agent withdrew it.
    Withdrawn,
}

/// An answer: exactly one of the three.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// A reply for each answered question.
    Replies(Vec<Reply>),
    /// The verdict on an action.
    Verdict(Verdict),
    /// The fields of a form.
    Fields(Fields),
}

/// The answer to one question.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct Reply {
    /// The index of the question, from 0.
    pub question: usize,
    /// The chosen labels.
    #[serde(default)]
    pub labels: Vec<String>,
    /// The free text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// A note with the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// True or false.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Verdict {
    /// Whether it is allowed.
    pub allow: bool,
    /// The scope; `once` by default.
    #[serde(default)]
    pub scope: Scope,
    /// A note from the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The changed input; only when allowing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// Whether to end the agent's turn as well; only when denying, and if the ask has `stop`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stop: bool,
}

/// The scope of a verdict.
#[derive(Default, Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// This ask only.
    #[default]
    Once,
    /// This conversation.
    Conversation,
    /// Every identical ask, by a rule.
    Always,
}

/// Who closed an ask: a person on a device, a rule, the agent, or the clock.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct By {
    /// The person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// The device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// The rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The version of the rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// The agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Whether the deadline closed it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub clock: bool,
}

/// A late answer to an identical question, suggested to a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Prefill {
    /// The expired ask that was answered late.
    pub ask: String,
    /// The answer.
    pub answer: Answer,
    /// Who answered.
    pub by: By,
    /// When it happened.
    pub at: WireTime,
}

/// An answer after the deadline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Late {
    /// The answer.
    pub answer: Answer,
    /// Who answered.
    pub by: By,
    /// When it happened.
    pub at: WireTime,
}
