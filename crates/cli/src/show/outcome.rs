//! How an ask ended, in words, and the plain values of an answer.

use std::borrow::Cow;

use sayso_core::escape::escape_line;
use sayso_dialects::native::wire::{
    Answer, Ask, By, FieldValue, Outcome, OutcomeKind, Question, Reply, Scope, Verdict,
};

use crate::text::add;

/// Who ended it.
pub(crate) fn by(by: &By) -> String {
    if let Some(person) = &by.person {
        return match &by.device {
            Some(device) => format!("{} on {}", escape_line(person), escape_line(device)),
            None => escape_line(person).into_owned(),
        };
    }
    if let Some(rule) = &by.rule {
        return format!("rule {}", escape_line(rule));
    }
    if by.agent.is_some() {
        "its agent".to_owned()
    } else {
        "the server".to_owned()
    }
}

/// How an ask ended, on one line.
pub(crate) fn closed(ask: &Ask, outcome: &Outcome) -> String {
    let who = by(&outcome.by);
    let note = outcome
        .note
        .as_deref()
        .map(|note| format!(" ({})", escape_line(note)))
        .unwrap_or_default();
    match outcome.kind {
        OutcomeKind::Answered => match &outcome.answer {
            Some(answer) => format!("{}, by {who}", said(ask, answer)),
            None => format!("answered by {who}; the answer was erased"),
        },
        OutcomeKind::Dismissed => format!("dismissed{} by {who}{note}", stopped(outcome.stop)),
        OutcomeKind::Expired => "expired".to_owned(),
        OutcomeKind::Withdrawn => format!("withdrawn by {who}{note}"),
    }
}

const fn stopped(stop: bool) -> &'static str {
    if stop { " and stopped" } else { "" }
}

pub(super) fn said(ask: &Ask, answer: &Answer) -> String {
    match answer {
        Answer::Replies(replies) => {
            let several = ask
                .questions
                .as_ref()
                .is_some_and(|questions| questions.len() > 1);
            let parts: Vec<String> = replies.iter().map(|one| reply(one, several)).collect();
            format!("answered {}", parts.join("; "))
        }
        Answer::Verdict(verdict) => verdict_words(verdict),
        Answer::Fields(fields) => {
            let parts: Vec<String> = fields
                .0
                .iter()
                .map(|(name, value)| {
                    format!("{}={}", escape_line(name), escape_line(&field(value)))
                })
                .collect();
            if parts.is_empty() {
                "answered".to_owned()
            } else {
                format!("answered {}", parts.join(", "))
            }
        }
    }
}

fn reply(reply: &Reply, several: bool) -> String {
    let mut words: Vec<String> = reply
        .labels
        .iter()
        .map(|label| escape_line(label).into_owned())
        .collect();
    words.extend(
        reply
            .other
            .as_deref()
            .map(|other| format!("\"{}\"", escape_line(other))),
    );
    let mut text = words.join(", ");
    if let Some(note) = &reply.note {
        add(&mut text, format_args!(" ({})", escape_line(note)));
    }
    if several {
        format!("{}: {text}", reply.question + 1)
    } else {
        text
    }
}

fn verdict_words(verdict: &Verdict) -> String {
    let mut words = match (verdict.allow, &verdict.input) {
        (true, Some(_)) => "allowed with an edited input".to_owned(),
        (true, None) => "allowed".to_owned(),
        (false, _) => format!("denied{}", stopped(verdict.stop)),
    };
    match verdict.scope {
        Scope::Once => {}
        Scope::Conversation => words.push_str(" in this conversation"),
        Scope::Always => words.push_str(" always"),
    }
    if let Some(note) = &verdict.note {
        add(&mut words, format_args!(" ({})", escape_line(note)));
    }
    words
}

pub(super) fn field(value: &FieldValue) -> Cow<'_, str> {
    match value {
        FieldValue::Text(text) => Cow::Borrowed(text),
        FieldValue::Number(number) => Cow::Owned(
            number
                .number()
                .map_or_else(String::new, |number| number.as_str().to_owned()),
        ),
        FieldValue::Boolean(value) => Cow::Borrowed(if *value { "true" } else { "false" }),
        FieldValue::Many(items) => Cow::Owned(items.join(",")),
        FieldValue::Hidden => Cow::Borrowed("(a secret)"),
        FieldValue::Other => Cow::Borrowed("(unreadable)"),
    }
}

/// The lines `ask` prints: labels, then free text; several questions as `N<TAB>value`, a form as
/// `name<TAB>value`, a verdict as one word. As said: whoever prints to a terminal escapes.
pub(crate) fn values(questions: &[Question], answer: &Answer) -> Vec<String> {
    match answer {
        Answer::Replies(replies) => {
            let several = questions.len() > 1;
            replies
                .iter()
                .flat_map(|reply| {
                    let values = reply.labels.iter().chain(&reply.other);
                    values.map(move |value| {
                        if several {
                            format!("{}\t{value}", reply.question + 1)
                        } else {
                            value.clone()
                        }
                    })
                })
                .collect()
        }
        Answer::Verdict(verdict) => vec![if verdict.allow { "allow" } else { "deny" }.to_owned()],
        Answer::Fields(fields) => fields
            .0
            .iter()
            .flat_map(|(name, value)| match value {
                FieldValue::Many(items) => {
                    items.iter().map(|item| format!("{name}\t{item}")).collect()
                }
                FieldValue::Text(_)
                | FieldValue::Number(_)
                | FieldValue::Boolean(_)
                | FieldValue::Hidden
                | FieldValue::Other => vec![format!("{name}\t{}", field(value))],
            })
            .collect(),
    }
}
