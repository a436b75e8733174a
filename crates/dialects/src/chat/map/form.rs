//! A form as one question per field, and back. A page to visit is a question with its address.
//!
//! A secret never goes through a chat: a form that asks for one can only be put aside here.

use sayso_core::answer::{Answer, FieldValue, Reply};
use sayso_core::ask::{Choice, Pick, Question};
use sayso_core::escape::{escape_block, escape_line};
use sayso_core::form::{Field, FieldChoice, FieldKind, Form};
use sayso_core::text::Number;

use super::answer::ChatAnswer;
use crate::approval_text::{DISMISS, TEXT_BYTES_MAX};
use crate::texts;

/// The label that says that a page was visited.
const DONE: &str = "Done";
/// The labels of a field that takes yes or no.
const YES: &str = "Yes";
const NO: &str = "No";

/// What can be done with a form in this language.
enum Way<'a> {
    /// One question per field.
    Fields(&'a [Field]),
    /// A page to visit, with its address.
    Visit(&'a str),
    /// Nothing but put it aside, and why.
    Aside(&'static str),
}

fn way(form: &Form) -> Way<'_> {
    let fields = match form {
        Form::Page { url, .. } => return Way::Visit(url),
        Form::Fields { fields, .. } => fields,
    };
    if fields.iter().any(|field| field.kind == FieldKind::Secret) {
        return Way::Aside("It asks for a secret: answer on the sayso page.");
    }
    let length: usize = fields.iter().map(|field| text(field).len()).sum();
    if form.message().len() + length > TEXT_BYTES_MAX {
        return Way::Aside("It is too long to show here: answer on the sayso page.");
    }
    Way::Fields(fields)
}

/// The questions that stand for a form.
pub(super) fn questions(form: &Form) -> Vec<Question> {
    let message = cut(&escape_block(form.message()));
    let alone = |more: &str, label: &str| {
        let text = format!("{message}\n\n{more}");
        vec![Question::new(text, Pick::One, vec![Choice::new(label)])]
    };
    match way(form) {
        Way::Visit(url) => alone(&escape_line(url), DONE),
        Way::Aside(why) => alone(why, DISMISS),
        Way::Fields(fields) => {
            let mut questions: Vec<Question> = fields.iter().map(question).collect();
            if let Some(first) = questions.first_mut() {
                first.text = format!("{message}\n\n{}", first.text);
            }
            questions
        }
    }
}

/// The message, short enough to read.
fn cut(message: &str) -> String {
    if message.len() <= TEXT_BYTES_MAX {
        return message.to_owned();
    }
    // No letter takes more than four bytes.
    let start: String = message.chars().take(TEXT_BYTES_MAX / 4).collect();
    format!("{start}...")
}

fn text(field: &Field) -> String {
    let title = escape_line(field.title.as_deref().unwrap_or(&field.name));
    match &field.description {
        Some(description) => format!("{title}\n{}", escape_block(description)),
        None => title.into_owned(),
    }
}

fn question(field: &Field) -> Question {
    let (pick, labels) = match &field.kind {
        FieldKind::Text { .. }
        | FieldKind::Number(_)
        | FieldKind::Integer(_)
        | FieldKind::Secret => (Pick::Text, Vec::new()),
        FieldKind::Boolean { .. } => (Pick::One, vec![YES.to_owned(), NO.to_owned()]),
        FieldKind::OneOf { choices, .. } => (Pick::One, labels(choices)),
        FieldKind::ManyOf { choices, .. } => (Pick::Many, labels(choices)),
    };
    let choices = labels.into_iter().map(Choice::new).collect();
    Question::new(text(field), pick, choices)
}

/// A label for each value; titles may be equal, labels are not.
fn labels(choices: &[FieldChoice]) -> Vec<String> {
    texts::unique(
        choices
            .iter()
            .map(|choice| choice.title.as_deref().unwrap_or(&choice.value)),
    )
}

/// What replies to those questions mean.
pub(super) fn said(form: &Form, replies: &[Reply]) -> Result<ChatAnswer, String> {
    let only = |label: &str| match replies {
        [reply] => reply.labels == [label] && reply.other.is_none(),
        _ => false,
    };
    let fields = match way(form) {
        Way::Visit(_) if only(DONE) => return Ok(ChatAnswer::Answer(Answer::Fields(Vec::new()))),
        Way::Visit(_) => return Err(format!("choose `{DONE}` after you have visited the page")),
        Way::Aside(_) if only(DISMISS) => return Ok(ChatAnswer::Dismiss),
        Way::Aside(why) => return Err(why.to_owned()),
        Way::Fields(fields) => fields,
    };
    let filled = |reply: &Reply| {
        let field = fields.get(reply.question)?;
        let named = |why: &str| format!("`{}` {why}", field.name);
        Some(match value(&field.kind, reply) {
            Ok(value) => Ok((field.name.clone(), value)),
            Err(why) => Err(named(why)),
        })
    };
    let fields: Result<_, String> = replies.iter().filter_map(filled).collect();
    Ok(ChatAnswer::Answer(Answer::Fields(fields?)))
}

fn value(kind: &FieldKind, reply: &Reply) -> Result<FieldValue, &'static str> {
    let chosen = |choices: &[FieldChoice]| -> Option<Vec<String>> {
        let labels = labels(choices);
        let value = |label: &String| {
            let place = labels.iter().position(|known| known == label)?;
            choices.get(place).map(|choice| choice.value.clone())
        };
        if reply.other.is_some() {
            return None;
        }
        reply.labels.iter().map(value).collect()
    };
    match kind {
        FieldKind::Text { .. } => Ok(FieldValue::Text(texts::joined(reply))),
        FieldKind::Number(_) | FieldKind::Integer(_) => Number::new(texts::joined(reply).trim())
            .map(FieldValue::Number)
            .ok_or("must be a number"),
        FieldKind::Boolean { .. } => match texts::joined(reply).as_str() {
            YES => Ok(FieldValue::Boolean(true)),
            NO => Ok(FieldValue::Boolean(false)),
            _ => Err("must be Yes or No"),
        },
        FieldKind::OneOf { choices, .. } => match chosen(choices).as_deref() {
            Some([value]) => Ok(FieldValue::Text(value.clone())),
            Some(_) | None => Err("must be one of the choices"),
        },
        FieldKind::ManyOf { choices, .. } => chosen(choices)
            .map(FieldValue::Many)
            .ok_or("takes only the choices"),
        FieldKind::Secret => Err("is a secret: answer on the sayso page"),
    }
}

/// The filled fields as values for those questions, for a look back. Secrets are left out.
pub(super) fn shown(form: &Form, filled: &[(String, FieldValue)]) -> Vec<(usize, String)> {
    let fields = match way(form) {
        Way::Visit(_) => return vec![(0, DONE.to_owned())],
        Way::Aside(_) => return Vec::new(),
        Way::Fields(fields) => fields,
    };
    let value = |(name, value): &(String, FieldValue)| {
        let place = fields.iter().position(|field| field.name == *name)?;
        Some((place, shown_value(&fields.get(place)?.kind, value)?))
    };
    filled.iter().filter_map(value).collect()
}

fn shown_value(kind: &FieldKind, value: &FieldValue) -> Option<String> {
    let labelled = |value: &String| {
        let (FieldKind::OneOf { choices, .. } | FieldKind::ManyOf { choices, .. }) = kind else {
            return value.clone();
        };
        let place = choices.iter().position(|choice| choice.value == *value);
        place
            .and_then(|place| labels(choices).into_iter().nth(place))
            .unwrap_or_else(|| value.clone())
    };
    match value {
        FieldValue::Text(text) => Some(labelled(text)),
        FieldValue::Number(number) => Some(number.as_str().to_owned()),
        FieldValue::Boolean(true) => Some(YES.to_owned()),
        FieldValue::Boolean(false) => Some(NO.to_owned()),
        FieldValue::Many(values) => {
            let values: Vec<String> = values.iter().map(labelled).collect();
            Some(values.join(texts::JOINT))
        }
        FieldValue::Secret(_) => None,
    }
}
