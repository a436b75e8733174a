//! Our enums as the numbers that projections keep. They may change with the projections' version.

use sayso_core::answer::{Answer, Decision};
use sayso_core::ask::MatterKind;
use sayso_core::outcome::{Closer, Delivery, Outcome, OutcomeKind};

pub(crate) const fn matter(kind: MatterKind) -> i64 {
    match kind {
        MatterKind::Questions => 0,
        MatterKind::Approval => 1,
        MatterKind::Form => 2,
    }
}

pub(crate) const fn matter_from(number: i64) -> MatterKind {
    match number {
        1 => MatterKind::Approval,
        2 => MatterKind::Form,
        _ => MatterKind::Questions,
    }
}

pub(crate) const fn outcome(kind: OutcomeKind) -> i64 {
    match kind {
        OutcomeKind::Answered => 0,
        OutcomeKind::Dismissed => 1,
        OutcomeKind::Expired => 2,
        OutcomeKind::Withdrawn => 3,
    }
}

pub(crate) const fn outcome_from(number: i64) -> OutcomeKind {
    match number {
        0 => OutcomeKind::Answered,
        1 => OutcomeKind::Dismissed,
        2 => OutcomeKind::Expired,
        _ => OutcomeKind::Withdrawn,
    }
}

pub(crate) const fn delivery(delivery: Delivery) -> i64 {
    match delivery {
        Delivery::Owed => 0,
        Delivery::Sent => 1,
        Delivery::Confirmed => 2,
    }
}

pub(crate) const fn delivery_from(number: i64) -> Delivery {
    match number {
        0 => Delivery::Owed,
        1 => Delivery::Sent,
        _ => Delivery::Confirmed,
    }
}

/// The number of a person among those who end asks.
pub(crate) const PERSON: i64 = 0;
/// The number of a rule.
pub(crate) const RULE: i64 = 1;

pub(crate) const fn closer(by: &Closer) -> i64 {
    match by {
        Closer::Person { .. } => PERSON,
        Closer::Rule { .. } => RULE,
        Closer::Agent => 2,
        Closer::Clock => 3,
    }
}

/// Whether an outcome says yes or no to an act, when it says either.
pub(crate) const fn verdict(outcome: &Outcome) -> Option<bool> {
    match outcome {
        Outcome::Answered(Answer::Verdict(verdict)) => match verdict.decision {
            Decision::Allow { .. } => Some(true),
            Decision::Deny { .. } => Some(false),
        },
        Outcome::Answered(Answer::Replies(_) | Answer::Fields(_))
        | Outcome::Dismissed { .. }
        | Outcome::Expired
        | Outcome::Withdrawn { .. } => None,
    }
}
