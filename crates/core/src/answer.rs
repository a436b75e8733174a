//! What a person says: replies to questions, a verdict on an action, or the fields of a form.

use crate::ask::MatterKind;
use crate::text::{Number, Secret};

/// What a person says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// One reply for each answered question.
    Replies(Vec<Reply>),
    /// Yes or no to an action.
    Verdict(Verdict),
    /// The fields of a form, in the form's order.
    Fields(Vec<(String, FieldValue)>),
}

impl Answer {
    /// The matter this kind of answer belongs to.
    pub const fn matter(&self) -> MatterKind {
        match self {
            Self::Replies(_) => MatterKind::Questions,
            Self::Verdict(_) => MatterKind::Approval,
            Self::Fields(_) => MatterKind::Form,
        }
    }

    /// The same with its secrets erased.
    #[must_use]
    pub fn without_secrets(self) -> Self {
        match self {
            Self::Fields(fields) => {
                let open = |(name, value)| match value {
                    FieldValue::Secret(_) => (name, FieldValue::Secret(None)),
                    FieldValue::Text(_)
                    | FieldValue::Number(_)
                    | FieldValue::Boolean(_)
                    | FieldValue::Many(_) => (name, value),
                };
                Self::Fields(fields.into_iter().map(open).collect())
            }
            Self::Replies(_) | Self::Verdict(_) => self,
        }
    }
}

/// The answer to one question: what was chosen and what was written, kept apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reply {
    /// Which question, counted from 0.
    pub question: usize,
    /// The labels that were chosen.
    pub labels: Vec<String>,
    /// The person's own words.
    pub other: Option<String>,
    /// A note beside the answer.
    pub note: Option<String>,
}

/// Yes or no.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Which of the two.
    pub decision: Decision,
    /// How far it reaches.
    pub scope: Scope,
    /// What the person says to the agent with it.
    pub note: Option<String>,
}

/// The two verdicts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Go ahead.
    Allow {
        /// The input as the person changed it in view; absent when it was left alone.
        edited_input: Option<String>,
    },
    /// Do not.
    Deny {
        /// Whether the agent's turn is to end with it.
        stop: bool,
    },
}

/// How far a verdict reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Scope {
    /// This ask only.
    #[default]
    Once,
    /// This conversation.
    Conversation,
    /// Every equal ask, by a rule.
    Always,
}

crate::words! { Scope: Once = "once", Conversation = "conversation", Always = "always" }

/// The value of one form field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldValue {
    /// Text, or the value of a `OneOf`.
    Text(String),
    /// A number, exactly as written.
    Number(Number),
    /// Yes or no.
    Boolean(bool),
    /// The values of a `ManyOf`.
    Many(Vec<String>),
    /// A secret; absent once it was erased, or for everyone but the asker.
    Secret(Option<Secret>),
}
