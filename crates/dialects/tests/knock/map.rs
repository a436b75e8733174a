//! What a knock means.

use sayso_core::answer::Answer;
use sayso_core::ask::{Draft, Look, Matter, Pick, Question};
use sayso_core::id::WireId;
use sayso_core::outcome::Outcome;
use sayso_dialects::texts;

use super::wire::{Heard, Knock};

pub(super) fn draft(knock: Knock) -> Draft {
    Draft {
        title: None,
        matter: Matter::Questions(vec![Question {
            text: knock.question,
            tag: None,
            pick: Pick::Text,
            choices: Vec::new(),
            look: Look::List,
            default: Vec::new(),
            free_text: true,
            required: false,
        }]),
        conversation: None,
        workspace: None,
        wire_id: WireId::new(knock.id).ok(),
        key: None,
        timeout: None,
        stops: false,
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
