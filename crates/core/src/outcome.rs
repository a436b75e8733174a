//! How an ask ended, who ended it, and how far the news has got.

use crate::answer::{Answer, Decision, Verdict};
use crate::id::{PersonName, RuleId, TokenName};
use crate::time::Time;

/// How an ask ended. Exactly one, ever.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// A person, or a rule, answered.
    Answered(Answer),
    /// A person put it aside without an answer.
    Dismissed {
        /// Why, in the person's words.
        note: Option<String>,
        /// Whether the agent's turn is to end with it.
        stop: bool,
    },
    /// Its deadline passed. For an approval that means no.
    Expired,
    /// The asker, or the server on its behalf, took it back.
    Withdrawn {
        /// Why.
        note: Option<String>,
    },
}

/// The kind of an [`Outcome`], without its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OutcomeKind {
    /// Answered.
    Answered,
    /// Dismissed.
    Dismissed,
    /// Expired.
    Expired,
    /// Withdrawn.
    Withdrawn,
}

crate::words! {
    OutcomeKind:
    Answered = "answered",
    Dismissed = "dismissed",
    Expired = "expired",
    Withdrawn = "withdrawn"
}

impl Outcome {
    /// Which kind this is.
    pub const fn kind(&self) -> OutcomeKind {
        match self {
            Self::Answered(_) => OutcomeKind::Answered,
            Self::Dismissed { .. } => OutcomeKind::Dismissed,
            Self::Expired => OutcomeKind::Expired,
            Self::Withdrawn { .. } => OutcomeKind::Withdrawn,
        }
    }

    /// Whether the asker's turn is to end with it, because a person wanted that.
    pub const fn stops(&self) -> bool {
        match self {
            Self::Dismissed { stop, .. }
            | Self::Answered(Answer::Verdict(Verdict {
                decision: Decision::Deny { stop },
                ..
            })) => *stop,
            Self::Answered(_) | Self::Expired | Self::Withdrawn { .. } => false,
        }
    }
}

/// The end of an ask: what, by whom, when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closing {
    /// How it ended.
    pub outcome: Outcome,
    /// Who ended it.
    pub by: Closer,
    /// When.
    pub at: Time,
}

/// Who ended an ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Closer {
    /// A person, on one of their devices.
    Person {
        /// Who.
        person: PersonName,
        /// On which device: the name of the token that was used.
        device: TokenName,
        /// Whether the device proved what it had shown.
        seen: Seen,
    },
    /// A rule that a person had made.
    Rule {
        /// Which rule.
        rule: RuleId,
        /// Which version of it.
        version: u32,
        /// Further rules that were needed for it: each covers another command of the line.
        also: Vec<RuleId>,
    },
    /// The asker itself.
    Agent,
    /// The server: a deadline passed, or nobody was left to tell.
    Clock,
}

/// Whether an answer is bound to what was on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Seen {
    /// The device repeated the digest.
    Digest,
    /// The device's language cannot carry a digest.
    Unbound,
}

/// An answer that came after the deadline: kept, without changing anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Late {
    /// What was said.
    pub answer: Answer,
    /// Who said it.
    pub by: Closer,
    /// When.
    pub at: Time,
}

/// How far the news of an outcome has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Delivery {
    /// The agent has yet to be told.
    #[default]
    Owed,
    /// It was written to a live link.
    Sent,
    /// The agent said, or showed, that it has it.
    Confirmed,
}

crate::words! { Delivery: Owed = "owed", Sent = "sent", Confirmed = "confirmed" }
