//! What a person, or the asker, sends to end an ask.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Fields, Reply, RuleChoice, Verdict};

/// An answer: the digest of what was shown, and exactly one of the three.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AnswerRequest {
    /// The digest of the ask as it was shown.
    pub digest: String,
    /// One reply for each answered question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replies: Option<Vec<Reply>>,
    /// Yes or no to an action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// The fields of a form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields: Option<Fields>,
    /// With a verdict that reaches further than once: what rule it makes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<RuleChoice>,
}

/// Puts an ask aside without an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DismissRequest {
    /// The digest of the ask as it was shown.
    pub digest: String,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Whether the agent's turn is to end with it; only where the ask says `stop`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stop: bool,
}

/// Takes an ask back.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct WithdrawRequest {
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}
