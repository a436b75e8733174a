//! What the arguments mean, and what the tools return.

use std::time::Duration;

use sayso_core::answer::{Answer, Decision, FieldValue, Reply};
use sayso_core::ask::{Choice, Draft, Matter, Pick, Question};
use sayso_core::outcome::Outcome;
use serde_json::value::RawValue;

use super::wire::{
    AskArguments, AskedQuestion, Filled, IdArguments, Notified, NotifyArguments, Told,
};
use crate::Ended;
use crate::frames::written;
use crate::object::Entries;
use crate::read::{self, ReadError};
use crate::texts;

/// What is said with an ask that is still open.
const NEXT: &str = "Nobody has answered yet. Call `wait` with this id.";

/// A call of one of the tools.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolCall {
    /// Asks.
    Ask(Box<Draft>),
    /// Requests approval; the arguments are those of a permission prompt tool.
    Approve,
    /// Waits for an ask, by our id.
    Wait(String),
    /// Looks at an ask, by our id.
    Check(String),
    /// Tells something.
    Notify(String),
    /// No tool has this name.
    Unknown,
}

/// Reads the arguments of a tool.
pub fn read_call(tool: &str, arguments: &str) -> Result<ToolCall, ReadError> {
    let bytes = arguments.as_bytes();
    Ok(match tool {
        "ask" => ToolCall::Ask(Box::new(draft(read::read(bytes)?))),
        "approve" => ToolCall::Approve,
        "wait" => ToolCall::Wait(read::read::<IdArguments>(bytes)?.id),
        "check" => ToolCall::Check(read::read::<IdArguments>(bytes)?.id),
        "notify" => ToolCall::Notify(read::read::<NotifyArguments>(bytes)?.text),
        _ => ToolCall::Unknown,
    })
}

fn draft(sent: AskArguments) -> Draft {
    let questions = sent.questions.into_iter().map(question).collect();
    Draft {
        title: sent.title.filter(|title| !title.is_empty()),
        timeout: sent.timeout_s.map(Duration::from_secs),
        ..Draft::new(Matter::Questions(questions))
    }
}

fn question(sent: AskedQuestion) -> Question {
    let choices: Vec<Choice> = sent
        .options
        .into_iter()
        .map(|one| Choice {
            label: one.label,
            description: one.description.filter(|text| !text.is_empty()),
            preview: one.preview,
            recommended: false,
        })
        .collect();
    let pick = Pick::among(&choices, sent.multi_select);
    Question {
        tag: sent.header.filter(|tag| !tag.is_empty()),
        ..Question::new(sent.question, pick, choices)
    }
}

/// What became of an ask, as JSON; `ended` is nothing while it is open.
pub fn write_ask(id: &str, matter: &Matter, ended: Option<&Ended>) -> String {
    let blank = |status| Told {
        status,
        id,
        answers: None,
        notes: None,
        allowed: None,
        input: None,
        fields: None,
        note: None,
        next: None,
    };
    let told = match ended.map(|ended| (&ended.outcome, &ended.late)) {
        None => Told {
            next: Some(NEXT),
            ..blank("open")
        },
        Some((Outcome::Answered(answer), _) | (Outcome::Expired, Some(answer))) => {
            answered(blank("answered"), matter, answer)
        }
        Some((Outcome::Dismissed { note, .. }, _)) => Told {
            note: note.as_deref(),
            ..blank("dismissed")
        },
        Some((Outcome::Expired, None)) => blank("expired"),
        Some((Outcome::Withdrawn { note }, _)) => Told {
            note: note.as_deref(),
            ..blank("withdrawn")
        },
    };
    written(&told)
}

fn answered<'a>(told: Told<'a>, matter: &Matter, answer: &'a Answer) -> Told<'a> {
    match (matter, answer) {
        (Matter::Questions(questions), Answer::Replies(replies)) => {
            let notes: Vec<(String, String)> =
                pairs(questions, replies, |reply| reply.note.clone());
            Told {
                answers: Some(Entries(pairs(questions, replies, |reply| {
                    Some(texts::joined(reply))
                }))),
                notes: (!notes.is_empty()).then_some(Entries(notes)),
                ..told
            }
        }
        (_, Answer::Verdict(verdict)) => {
            let (allowed, input) = match &verdict.decision {
                Decision::Allow { edited_input } => (true, edited_input.as_deref()),
                Decision::Deny { .. } => (false, None),
            };
            Told {
                allowed: Some(allowed),
                input,
                note: verdict.note.as_deref(),
                ..told
            }
        }
        (_, Answer::Fields(fields)) => Told {
            fields: Some(Entries(fields.iter().filter_map(field).collect())),
            ..told
        },
        (Matter::Approval(_) | Matter::Form(_), Answer::Replies(_)) => told,
    }
}

fn pairs(
    questions: &[Question],
    replies: &[Reply],
    value: impl Fn(&Reply) -> Option<String>,
) -> Vec<(String, String)> {
    let keys = texts::text_keys(questions);
    let pair = |reply: &Reply| Some((keys.get(reply.question)?.clone(), value(reply)?));
    replies.iter().filter_map(pair).collect()
}

fn field((name, value): &(String, FieldValue)) -> Option<(String, Filled)> {
    let value = match value {
        FieldValue::Text(text) => Filled::Text(text.clone()),
        FieldValue::Number(number) => {
            Filled::Number(RawValue::from_string(number.as_str().to_owned()).ok()?)
        }
        FieldValue::Boolean(value) => Filled::Boolean(*value),
        FieldValue::Many(items) => Filled::Many(items.clone()),
        FieldValue::Secret(secret) => Filled::Text(secret.as_ref()?.reveal().to_owned()),
    };
    Some((name.clone(), value))
}

/// That something was told.
pub fn write_told() -> String {
    written(&Notified { status: "told" })
}
