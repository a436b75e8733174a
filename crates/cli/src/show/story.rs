//! What became of one ask, step by step.

use sayso_core::escape::escape_line;
use sayso_dialects::native::wire::{Ask, StepRow, StepWhat, Story};

use super::outcome::closed;
use crate::span;

/// The steps of an ask, one line each, without a last newline.
pub(crate) fn story(ask: &Ask, story: &Story) -> String {
    let lines: Vec<String> = story.steps.iter().map(|step| line(ask, step)).collect();
    lines.join("\n")
}

fn line(ask: &Ask, step: &StepRow) -> String {
    let what = match step.what {
        StepWhat::Asked => "asked".to_owned(),
        StepWhat::Shown => {
            let of = |name: &Option<String>| {
                escape_line(name.as_deref().unwrap_or("somebody")).into_owned()
            };
            format!("shown on {}'s {}", of(&step.person), of(&step.device))
        }
        StepWhat::Closed => match &ask.outcome {
            Some(outcome) => closed(ask, outcome),
            None => "ended".to_owned(),
        },
        StepWhat::AnsweredLate => match &ask.late {
            Some(late) => format!("answered too late by {}", super::by(&late.by)),
            None => "answered too late".to_owned(),
        },
        StepWhat::Sent => "sent to the agent".to_owned(),
        StepWhat::Confirmed => "confirmed by the agent".to_owned(),
    };
    let after = match step.what {
        StepWhat::Asked => String::new(),
        StepWhat::Shown
        | StepWhat::Closed
        | StepWhat::AnsweredLate
        | StepWhat::Sent
        | StepWhat::Confirmed => {
            let span = span::words(step.at.0.since(ask.asked_at.0));
            format!(", {span} after it was asked")
        }
    };
    let hash: String = step.hash.chars().take(12).collect();
    format!(
        "  {} {what}{after} (entry {}, {})",
        step.at,
        step.seq,
        escape_line(&hash)
    )
}
