//! How an ask ended.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Fields, WireTime};

/// How an ask ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Outcome {
    /// In which of the four ways.
    pub kind: OutcomeKind,
    /// `answered`: what was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// `dismissed`, `withdrawn`: why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// `dismissed`: whether the agent's turn is to end with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stop: bool,
    /// Who ended it.
    pub by: By,
    /// When.
    pub at: WireTime,
}

/// The four ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeKind {
    /// A person, or a rule, answered.
    Answered,
    /// A person put it aside.
    Dismissed,
    /// Its deadline passed; for an approval that means no.
    Expired,
    /// The asker took it back.
    Withdrawn,
}

/// What was said: exactly one of the three.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// One reply for each answered question.
    Replies(Vec<Reply>),
    /// Yes or no to an action.
    Verdict(Verdict),
    /// The fields of a form.
    Fields(Fields),
}

/// The answer to one question.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct Reply {
    /// Which question, counted from 0.
    pub question: usize,
    /// The labels that were chosen.
    #[serde(default)]
    pub labels: Vec<String>,
    /// The person's own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// A note beside the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Yes or no.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Verdict {
    /// Which of the two.
    pub allow: bool,
    /// How far it reaches; `once` when absent.
    #[serde(default)]
    pub scope: Scope,
    /// What the person says with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The input as the person changed it; only with a yes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// Whether the agent's turn is to end with it; only with a no, and where the ask says `stop`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stop: bool,
}

/// How far a verdict reaches.
#[derive(Default, Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// This ask only.
    #[default]
    Once,
    /// This conversation.
    Conversation,
    /// Every equal ask, by a rule.
    Always,
}

/// Who ended an ask: a person on a device, a rule, the agent, or the clock.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct By {
    /// Which person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// On which device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// Which rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Which version of that rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// Which agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Whether it was the clock.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub clock: bool,
}

/// A late answer to an equal question, offered to a person as the start of their answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Prefill {
    /// The expired ask that it was given to.
    pub ask: String,
    /// What was said.
    pub answer: Answer,
    /// Who said it.
    pub by: By,
    /// When.
    pub at: WireTime,
}

/// An answer that came after the deadline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Late {
    /// What was said.
    pub answer: Answer,
    /// Who said it.
    pub by: By,
    /// When.
    pub at: WireTime,
}
