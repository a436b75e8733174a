//! What a knock means.

use sayso_core::answer::Answer;
use sayso_core::ask::{Draft, Matter, Question};
use sayso_core::id::WireId;
use sayso_core::outcome::Outcome;
use sayso_dialects::texts;

use super::wire::{Heard, Knock};

pub(super) fn draft(knock: Knock) -> Draft {
    Draft {
        wire_id: WireId::new(knock.id).ok(),
        ..Draft::new(Matter::Questions(vec![Question::open(knock.question)]))
    }
}

pub(super) fn heard(outcome: &Outcome) -> Option<Heard> {
    match outcome {
        Outcome::Answered(Answer::Replies(replies)) => Some(Heard {
            said: replies.iter().map(texts::joined).collect(),
        }),
        Outcome::Answered(Answer::Verdict(_) | Answer::Fields(_))
        | Outcome::Dismissed { .. }
        | Outcome::Expired
        | Outcome::Withdrawn { .. } => None,
    }
}
