//! How an ask ended, as an agent and a browser are told.

use sayso_core::action::Action;
use sayso_core::answer::{Answer, Decision, FieldValue, Reply, Scope, Verdict};
use sayso_core::ask::{Matter, Question};
use sayso_core::outcome::{Closer, Closing, Outcome};
use sayso_core::view::AskView;

use super::super::wire::{self, Answered, Judged, Resolved, Sent};
use super::question::SKIP;
use crate::texts;

/// Why an edited yes is told as a no: this language has no place for another input, so the agent
/// would do what the person had changed.
const EDITED: &str = "The person changed the input, but this agent can't receive changed input, \
                      so nothing was approved. Ask again with the changed input.";

/// The frame in which the asker is told.
///
/// `asked_here` says that the ask was asked, perhaps again, on this connection: only then is an
/// answer given that came too late.
pub(in super::super) fn told(
    view: &AskView,
    tell_always: bool,
    asked_here: bool,
) -> Option<String> {
    let closing = view.closing.as_deref()?;
    let ours = view.ask.id.to_string();
    let id = view
        .ask
        .wire_id
        .as_ref()
        .map_or(ours.as_str(), |id| id.as_str());
    let (outcome, note) = word(closing);
    let frame = match &view.ask.matter {
        Matter::Approval(action) => {
            let verdict = verdict(closing);
            let edited = verdict.is_some_and(|verdict| is_edited(verdict, action));
            let (approved, always) = approved(closing, action);
            let note = if edited {
                Some(EDITED)
            } else {
                note.or_else(|| verdict.and_then(|verdict| verdict.note.as_deref()))
            };
            let judged = Judged {
                request_id: id,
                approved,
                always: always && tell_always,
                outcome,
                note,
            };
            wire::written(&Sent::new("approval_response", Some(id), judged))
        }
        Matter::Questions(_) | Matter::Form(_) => {
            let late = view.late.as_ref().filter(|_| asked_here);
            let (value, outcome) = match late {
                Some(late) if closing.outcome == Outcome::Expired => {
                    (answer_value(&view.ask.matter, &late.answer), None)
                }
                Some(_) | None => (ask_value(&view.ask.matter, closing), outcome),
            };
            let answered = Answered {
                request_id: id,
                value,
                outcome,
                note,
            };
            wire::written(&Sent::new("ask_response", Some(id), answered))
        }
    };
    Some(frame)
}

/// The one string that an outcome is to a program that takes one string.
pub(in super::super) fn ask_value(matter: &Matter, closing: &Closing) -> String {
    match &closing.outcome {
        Outcome::Answered(answer) => answer_value(matter, answer),
        Outcome::Dismissed { .. } | Outcome::Expired | Outcome::Withdrawn { .. } => SKIP.to_owned(),
    }
}

fn answer_value(matter: &Matter, answer: &Answer) -> String {
    match (answer, matter) {
        (Answer::Replies(replies), Matter::Questions(questions)) => value(questions, replies),
        (Answer::Replies(replies), Matter::Approval(_) | Matter::Form(_)) => value(&[], replies),
        (Answer::Verdict(verdict), _) => match verdict.decision {
            Decision::Allow { .. } => "Approve".to_owned(),
            Decision::Deny { .. } => "Deny".to_owned(),
        },
        (Answer::Fields(fields), _) => {
            let values: Vec<String> = fields.iter().filter_map(field).collect();
            values.join(texts::JOINT)
        }
    }
}

fn field((name, value): &(String, FieldValue)) -> Option<String> {
    let text = match value {
        FieldValue::Text(text) => text.clone(),
        FieldValue::Number(number) => number.as_str().to_owned(),
        FieldValue::Boolean(yes) => yes.to_string(),
        FieldValue::Many(values) => values.join(texts::JOINT),
        FieldValue::Secret(_) => return None,
    };
    Some(format!("{name}: {text}"))
}

/// Replies to several questions in one string. Where some were left out, each says which it
/// answers: a bare "Yes" must not stand for the wrong question.
fn value(questions: &[Question], replies: &[Reply]) -> String {
    let mut replies: Vec<&Reply> = replies.iter().collect();
    replies.sort_by_key(|reply| reply.question);
    let whole = replies.len() >= questions.len();
    let parts: Vec<String> = replies
        .into_iter()
        .map(|reply| {
            let text = texts::joined(reply);
            let tag = questions.get(reply.question).and_then(|q| q.tag.as_deref());
            match tag {
                _ if whole => text,
                Some(tag) => format!("{tag}: {text}"),
                None => format!("{}: {text}", reply.question + 1),
            }
        })
        .collect();
    parts.join(texts::JOINT)
}

fn verdict(closing: &Closing) -> Option<&Verdict> {
    match &closing.outcome {
        Outcome::Answered(Answer::Verdict(verdict)) => Some(verdict),
        Outcome::Answered(Answer::Replies(_) | Answer::Fields(_))
        | Outcome::Dismissed { .. }
        | Outcome::Expired
        | Outcome::Withdrawn { .. } => None,
    }
}

fn is_edited(verdict: &Verdict, action: &Action) -> bool {
    match &verdict.decision {
        Decision::Allow { edited_input } => edited_input
            .as_ref()
            .is_some_and(|edited| *edited != action.input),
        Decision::Deny { .. } => false,
    }
}

/// Whether the agent may go ahead with the input it has, and whether for always.
fn approved(closing: &Closing, action: &Action) -> (bool, bool) {
    let Some(verdict) = verdict(closing) else {
        return (false, false);
    };
    match verdict.decision {
        Decision::Allow { .. } if !is_edited(verdict, action) => {
            (true, verdict.scope == Scope::Always)
        }
        Decision::Allow { .. } | Decision::Deny { .. } => (false, false),
    }
}

/// The word for an end without an answer, and what was said with it.
fn word(closing: &Closing) -> (Option<&'static str>, Option<&str>) {
    match &closing.outcome {
        Outcome::Answered(_) => (None, None),
        Outcome::Expired => (Some("expired"), None),
        Outcome::Dismissed { note, .. } => (Some("dismissed"), note.as_deref()),
        Outcome::Withdrawn { note } => (Some("withdrawn"), note.as_deref()),
    }
}

/// What browsers are told of an ask that ended.
pub(in super::super) fn resolved<'a>(
    view: &'a AskView,
    session_id: Option<&'a str>,
) -> Option<Resolved<'a>> {
    let closing = view.closing.as_deref()?;
    let (value, approved, always) = match &view.ask.matter {
        Matter::Approval(action) => {
            let (yes, always) = approved(closing, action);
            // A changed input is a yes to the person, whatever the asker can make of it.
            let edited = verdict(closing).is_some_and(|verdict| is_edited(verdict, action));
            (None, Some(yes || edited), Some(always))
        }
        Matter::Questions(_) | Matter::Form(_) => {
            (Some(ask_value(&view.ask.matter, closing)), None, None)
        }
    };
    let user_id = match &closing.by {
        Closer::Person { person, .. } => Some(person.as_str()),
        Closer::Rule { .. } | Closer::Agent | Closer::Clock => None,
    };
    Some(Resolved {
        outcome: closing.outcome.kind().word(),
        value,
        approved,
        always,
        user_id,
        session_id,
    })
}
