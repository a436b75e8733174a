//! Outcomes on their way out. Secrets are text for the asker and a mark for everyone else.

use sayso_core::agent::Agent;
use sayso_core::answer::{Answer, Decision, FieldValue, Reply, Verdict};
use sayso_core::outcome::{Closer, Closing, Late, Outcome};
use sayso_core::view::{Prefill, Viewer};

use super::wire;
use crate::time::WireTime;

/// How an ask ended, as this viewer may see it. `agent` is the asker.
pub fn outcome_to_wire(closing: &Closing, agent: &Agent, viewer: Viewer) -> wire::Outcome {
    let (answer, note, stop) = match &closing.outcome {
        Outcome::Answered(answer) => (Some(answer_to_wire(answer, viewer)), None, false),
        Outcome::Dismissed { note, stop } => (None, note.clone(), *stop),
        Outcome::Withdrawn { note } => (None, note.clone(), false),
        Outcome::Expired => (None, None, false),
    };
    wire::Outcome {
        kind: closing.outcome.kind().into(),
        answer,
        note,
        stop,
        by: by_to_wire(&closing.by, agent),
        at: WireTime(closing.at),
    }
}

/// A late answer that a person may start from.
pub(super) fn prefill_to_wire(prefill: &Prefill, agent: &Agent) -> wire::Prefill {
    let wire::Late { answer, by, at } = late_to_wire(&prefill.late, agent, Viewer::Anybody);
    wire::Prefill {
        ask: prefill.ask.to_string(),
        answer,
        by,
        at,
    }
}

/// An answer that came too late, as this viewer may see it.
pub fn late_to_wire(late: &Late, agent: &Agent, viewer: Viewer) -> wire::Late {
    wire::Late {
        answer: answer_to_wire(&late.answer, viewer),
        by: by_to_wire(&late.by, agent),
        at: WireTime(late.at),
    }
}

/// Who ended an ask. `agent` is the asker.
pub fn by_to_wire(by: &Closer, agent: &Agent) -> wire::By {
    match by {
        Closer::Person {
            person,
            device,
            seen: _,
        } => wire::By {
            person: Some(person.as_str().to_owned()),
            device: Some(device.as_str().to_owned()),
            ..wire::By::default()
        },
        Closer::Rule { rule, version, .. } => wire::By {
            rule: Some(rule.to_string()),
            version: Some(*version),
            ..wire::By::default()
        },
        Closer::Agent => wire::By {
            agent: Some(agent.shown_name().into_owned()),
            ..wire::By::default()
        },
        Closer::Clock => wire::By {
            clock: true,
            ..wire::By::default()
        },
    }
}

fn answer_to_wire(answer: &Answer, viewer: Viewer) -> wire::Answer {
    match answer {
        Answer::Replies(replies) => {
            wire::Answer::Replies(replies.iter().map(reply_to_wire).collect())
        }
        Answer::Verdict(verdict) => wire::Answer::Verdict(verdict_to_wire(verdict)),
        Answer::Fields(fields) => wire::Answer::Fields(wire::Fields(
            fields
                .iter()
                .map(|(name, value)| (name.clone(), value_to_wire(value, viewer)))
                .collect(),
        )),
    }
}

fn reply_to_wire(reply: &Reply) -> wire::Reply {
    wire::Reply {
        question: reply.question,
        labels: reply.labels.clone(),
        other: reply.other.clone(),
        note: reply.note.clone(),
    }
}

fn verdict_to_wire(verdict: &Verdict) -> wire::Verdict {
    let (allow, input, stop) = match &verdict.decision {
        Decision::Allow { edited_input } => (true, edited_input.clone(), false),
        Decision::Deny { stop } => (false, None, *stop),
    };
    wire::Verdict {
        allow,
        scope: verdict.scope.into(),
        note: verdict.note.clone(),
        input,
        stop,
    }
}

fn value_to_wire(value: &FieldValue, viewer: Viewer) -> wire::FieldValue {
    match (value, viewer) {
        (FieldValue::Text(text), _) => wire::FieldValue::Text(text.clone()),
        (FieldValue::Number(number), _) => wire::FieldValue::Number(number.into()),
        (FieldValue::Boolean(value), _) => wire::FieldValue::Boolean(*value),
        (FieldValue::Many(items), _) => wire::FieldValue::Many(items.clone()),
        (FieldValue::Secret(Some(secret)), Viewer::Asker) => {
            wire::FieldValue::Text(secret.reveal().to_owned())
        }
        (FieldValue::Secret(_), Viewer::Asker | Viewer::Anybody) => wire::FieldValue::Hidden,
    }
}
