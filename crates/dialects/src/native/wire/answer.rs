//! What a person, or the asker, sends to end an ask.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Fields, Reply, RuleChoice, Verdict};

/// An answer: the digest of what was shown, and exactly one of `replies`, `verdict` and `fields`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AnswerRequest {
    /// The digest of the ask as it was shown.
    pub digest: String,
    /// A reply for each answered question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replies: Option<Vec<Reply>>,
    /// The verdict on an action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// The fields of a form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields: Option<Fields>,
    /// With a `scope` other than `once`: the rule to make.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<RuleChoice>,
}

/// Dismisses an ask without an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DismissRequest {
    /// The digest of the ask as it was shown.
    pub digest: String,
    /// The reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Whether to end the agent's turn as well; only if the ask has `stop`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stop: bool,
}

/// Withdraws an ask.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct WithdrawRequest {
    /// The reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}
