//! Whether an answer fits its ask.

use hashbrown::HashSet;

use super::field::check_value;
use super::found::{At, Checker};
use super::{ViolationKind, Violations};
use crate::answer::{Answer, Decision, FieldValue, Reply, Scope, Verdict};
use crate::ask::{Ask, Matter, MatterKind, Pick, Question};
use crate::form::{FieldKind, Form};
use crate::limits;
use crate::outcome::Outcome;
use crate::text::Secret;

/// A longer list of choices is not repeated in a message.
const LISTED_BYTES_MAX: usize = 200;

/// Everything that is wrong with an answer to this matter. `scopes` is how far a yes may reach.
pub fn check_answer(matter: &Matter, scopes: &[Scope], answer: &Answer) -> Result<(), Violations> {
    let mut found = Checker::default();
    let root = At::Root;
    match (matter, answer) {
        (Matter::Questions(questions), Answer::Replies(replies)) => {
            check_replies(&mut found, root.key("replies"), questions, replies);
        }
        (Matter::Approval(_), Answer::Verdict(verdict)) => {
            check_verdict(&mut found, root.key("verdict"), scopes, verdict);
        }
        (Matter::Form(form), Answer::Fields(fields)) => {
            check_fields(&mut found, root.key("fields"), form, fields);
        }
        (Matter::Questions(_) | Matter::Approval(_) | Matter::Form(_), _) => {
            let needed = match matter.kind() {
                MatterKind::Questions => "has questions: send `replies`",
                MatterKind::Approval => "is an approval: send a `verdict`",
                MatterKind::Form => "is a form: send `fields`",
            };
            found.add(root, format!("wrong kind of answer: this ask {needed}"));
        }
    }
    found.finish()
}

/// Whether the note of a dismissal or a withdrawal is within its length.
pub fn check_note(note: Option<&str>) -> Result<(), Violations> {
    let mut found = Checker::default();
    found.length_if(At::Root.key("note"), note, limits::NOTE_BYTES_MAX);
    found.finish()
}

/// Whether the turn of the asker may end with this outcome, where a person wants that.
pub fn check_stop(ask: &Ask, outcome: &Outcome) -> Result<(), Violations> {
    let root = At::Root;
    let verdict = root.key("verdict");
    let at = match outcome {
        Outcome::Dismissed { stop: true, .. } => root.key("stop"),
        Outcome::Answered(Answer::Verdict(Verdict {
            decision: Decision::Deny { stop: true },
            ..
        })) => verdict.key("stop"),
        Outcome::Answered(_)
        | Outcome::Dismissed { stop: false, .. }
        | Outcome::Expired
        | Outcome::Withdrawn { .. } => return Ok(()),
    };
    let mut found = Checker::default();
    if !ask.stops {
        found.add(
            at,
            "can't be used here: this agent can't be stopped; leave it out",
        );
    }
    found.finish()
}

/// The note as it is kept: one that says nothing is none, because programs take an empty sentence for
/// an error.
#[must_use]
pub fn settle_note(note: Option<String>) -> Option<String> {
    note.filter(|note| !note.trim().is_empty())
}

/// The same answer with its notes as they are kept.
#[must_use]
pub fn settle_notes(mut answer: Answer) -> Answer {
    match &mut answer {
        Answer::Replies(replies) => {
            for reply in replies {
                reply.note = settle_note(reply.note.take());
            }
        }
        Answer::Verdict(verdict) => verdict.note = settle_note(verdict.note.take()),
        Answer::Fields(_) => {}
    }
    answer
}

/// The same answer with its fields in the form's order and with secrets as secrets.
///
/// No wire language can tell a text from a secret; only the form knows. Call it before
/// [`check_answer`], and before an answer is kept or shown anywhere.
#[must_use]
pub fn settle_fields(form: &Form, answer: Answer) -> Answer {
    let Answer::Fields(mut fields) = answer else {
        return answer;
    };
    let place = |name: &str| form.fields().iter().position(|field| field.name == name);
    fields.sort_by_cached_key(|(name, _)| place(name).unwrap_or(usize::MAX));
    let settled = fields.into_iter().map(|(name, value)| {
        let secret = place(&name)
            .and_then(|place| form.fields().get(place))
            .is_some_and(|field| field.kind == FieldKind::Secret);
        match value {
            FieldValue::Text(text) if secret => (name, FieldValue::Secret(Some(Secret::new(text)))),
            value => (name, value),
        }
    });
    Answer::Fields(settled.collect())
}

fn check_replies(found: &mut Checker, at: At<'_>, questions: &[Question], replies: &[Reply]) {
    if replies.is_empty() {
        found.add(at, "is empty; answer at least one question");
    }
    found.count(at, replies.len(), limits::QUESTIONS_MAX);
    let mut answered = HashSet::with_capacity(questions.len());
    for (index, reply) in replies.iter().enumerate().take(limits::QUESTIONS_MAX) {
        let at = at.index(index);
        found.length_if(at.key("other"), &reply.other, limits::TEXT_BYTES_MAX);
        found.length_if(at.key("note"), &reply.note, limits::NOTE_BYTES_MAX);
        let Some(question) = questions.get(reply.question) else {
            found.add(
                at.key("question"),
                format!("must be from 0 to {}", questions.len().saturating_sub(1)),
            );
            continue;
        };
        if !answered.insert(reply.question) {
            found.add(at.key("question"), "already has a reply");
        }
        check_reply(found, at, question, reply);
    }
    let missing = questions
        .iter()
        .enumerate()
        .filter(|(index, question)| question.required && !answered.contains(index));
    for (index, question) in missing {
        let text: String = question.text.chars().take(80).collect();
        found.add(at, format!("must answer question {index}: {text}"));
    }
}

fn check_reply(found: &mut Checker, at: At<'_>, question: &Question, reply: &Reply) {
    let labels = at.key("labels");
    let wrote = reply
        .other
        .as_deref()
        .is_some_and(|other| !other.trim().is_empty());
    if reply.labels.is_empty() && !wrote {
        found.add(at, "is empty; leave it out instead");
    }
    let other_allowed = question.free_text || question.pick == Pick::Text;
    if reply
        .other
        .as_deref()
        .is_some_and(|other| !other.is_empty())
        && !other_allowed
    {
        found.add(
            at.key("other"),
            "is not allowed: this question takes no free text",
        );
    }
    match question.pick {
        Pick::Text => {
            if !reply.labels.is_empty() {
                found.add(
                    labels,
                    "must be empty: this question has no choices; put the answer in `other`",
                );
            }
            return;
        }
        Pick::One if reply.labels.len() > 1 => found.add(labels, "must have only one label"),
        Pick::One if !reply.labels.is_empty() && wrote => {
            found.add(at, "must have one label or free text in `other`, not both");
        }
        Pick::One | Pick::Many => {}
    }
    found.count(labels, reply.labels.len(), limits::CHOICES_MAX);
    for (index, label) in reply.labels.iter().enumerate().take(limits::CHOICES_MAX) {
        if !question.choices.iter().any(|choice| choice.label == *label) {
            found.add(labels.index(index), not_a_choice(question, label));
        }
    }
    found.repeats(labels, reply.labels.iter().map(String::as_str), None);
}

/// Names the choices there are, as far as they fit in a sentence.
fn not_a_choice(question: &Question, label: &str) -> String {
    let labels: Vec<_> = question
        .choices
        .iter()
        .map(|choice| &*choice.label)
        .collect();
    let listed = labels.join("`, `");
    if label.len() + listed.len() > LISTED_BYTES_MAX {
        return "is not one of the choices".to_owned();
    }
    format!("`{label}` is not one of the choices: `{listed}`")
}

fn check_verdict(found: &mut Checker, at: At<'_>, scopes: &[Scope], verdict: &Verdict) {
    found.length_if(at.key("note"), &verdict.note, limits::NOTE_BYTES_MAX);
    let on_offer = match &verdict.decision {
        Decision::Allow { edited_input } => {
            found.length_if(at.key("input"), edited_input, limits::TEXT_BYTES_MAX);
            scopes.contains(&verdict.scope)
        }
        // A single no is always possible; only what reaches further must be on offer.
        Decision::Deny { .. } => verdict.scope == Scope::Once || scopes.contains(&verdict.scope),
    };
    if !on_offer {
        let offered: Vec<_> = scopes.iter().map(|scope| scope.word()).collect();
        let message = format!(
            "`{}` is not available for this ask; choose one of: {}",
            verdict.scope.word(),
            offered.join(", ")
        );
        found.add_kind(at.key("scope"), message, ViolationKind::ScopeUnavailable);
    }
}

fn check_fields(found: &mut Checker, at: At<'_>, form: &Form, fields: &[(String, FieldValue)]) {
    found.count(at, fields.len(), limits::FIELDS_MAX);
    let mut filled = HashSet::with_capacity(fields.len());
    for (name, value) in fields.iter().take(limits::FIELDS_MAX) {
        let at = at.key(name);
        if !filled.insert(name.as_str()) {
            found.add(at, "is a duplicate");
            continue;
        }
        match form.fields().iter().find(|field| field.name == *name) {
            Some(field) => check_value(found, at, &field.kind, value),
            None => found.add(at, "is not a field of this form"),
        }
    }
    for field in form.fields() {
        if field.required && !filled.contains(field.name.as_str()) {
            found.add(at.key(&field.name), "is missing");
        }
    }
}
