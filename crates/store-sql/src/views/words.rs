//! The words by which an ask is found: what was shown and what was said, and never a secret.

use sayso_core::answer::{Answer, Decision, FieldValue};
use sayso_core::ask::{Ask, Matter};
use sayso_core::form::{FieldKind, Form};
use sayso_core::limits::TEXT_BYTES_MAX;
use sayso_core::outcome::{Closing, Late, Outcome};

/// Words of one query that are looked at; more say nothing more.
const QUERY_WORDS_MAX: usize = 32;

/// Everything one can search an ask by, cut at the length of the longest text.
#[derive(Debug)]
pub(crate) struct IndexWords(String);

impl IndexWords {
    /// What was asked.
    pub(crate) fn of(ask: &Ask) -> Self {
        let mut words = Self(String::with_capacity(512));
        words.maybe(ask.title.as_deref());
        match &ask.matter {
            Matter::Questions(questions) => {
                for question in questions {
                    words.add(&question.text);
                    words.maybe(question.tag.as_deref());
                    for choice in &question.choices {
                        words.add(&choice.label);
                        words.maybe(choice.description.as_deref());
                    }
                }
            }
            Matter::Approval(action) => {
                words.add(&action.tool);
                words.add(&action.input);
                words.maybe(action.reason.as_deref());
            }
            Matter::Form(form) => form_words(&mut words, form),
        }
        words
    }

    /// How it ended.
    pub(crate) fn end(&mut self, closing: &Closing) {
        match &closing.outcome {
            Outcome::Answered(answer) => answer_words(self, answer),
            Outcome::Dismissed { note, .. } | Outcome::Withdrawn { note } => {
                self.maybe(note.as_deref());
            }
            Outcome::Expired => {}
        }
    }

    /// What was said too late.
    pub(crate) fn late(&mut self, late: &Late) {
        answer_words(self, &late.answer);
    }

    /// The same without room to spare, to be held for a while.
    pub(crate) fn shrunk(mut self) -> Self {
        self.0.shrink_to_fit();
        self
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    fn add(&mut self, text: &str) {
        let room = TEXT_BYTES_MAX.saturating_sub(self.0.len());
        let end = (0..=room.min(text.len()))
            .rev()
            .find(|end| text.is_char_boundary(*end))
            .unwrap_or_default();
        self.0.push_str(text.get(..end).unwrap_or_default());
        self.0.push('\n');
    }

    fn maybe(&mut self, text: Option<&str>) {
        if let Some(text) = text {
            self.add(text);
        }
    }
}

fn form_words(words: &mut IndexWords, form: &Form) {
    words.add(form.message());
    for field in form.fields() {
        words.maybe(field.title.as_deref());
        words.maybe(field.description.as_deref());
        match &field.kind {
            FieldKind::OneOf { choices, .. } | FieldKind::ManyOf { choices, .. } => {
                for choice in choices {
                    words.maybe(choice.title.as_deref());
                }
            }
            FieldKind::Text { .. }
            | FieldKind::Number(_)
            | FieldKind::Integer(_)
            | FieldKind::Boolean { .. }
            | FieldKind::Secret => {}
        }
    }
}

fn answer_words(words: &mut IndexWords, answer: &Answer) {
    match answer {
        Answer::Replies(replies) => {
            for reply in replies {
                for label in &reply.labels {
                    words.add(label);
                }
                words.maybe(reply.other.as_deref());
                words.maybe(reply.note.as_deref());
            }
        }
        Answer::Verdict(verdict) => {
            words.maybe(verdict.note.as_deref());
            match &verdict.decision {
                Decision::Allow { edited_input } => words.maybe(edited_input.as_deref()),
                Decision::Deny { .. } => {}
            }
        }
        Answer::Fields(fields) => {
            for (_, value) in fields {
                match value {
                    FieldValue::Text(text) => words.add(text),
                    FieldValue::Number(number) => words.add(number.as_str()),
                    FieldValue::Many(values) => values.iter().for_each(|value| words.add(value)),
                    FieldValue::Boolean(_) | FieldValue::Secret(_) => {}
                }
            }
        }
    }
}

/// What a person searches for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Search<'a> {
    /// Nothing was typed.
    Everything,
    /// Only signs were typed, and signs are not kept.
    Nothing,
    /// All of these words.
    Words(Vec<&'a str>),
}

/// Reads what a person typed.
pub(crate) fn search(text: &str) -> Search<'_> {
    if text.trim().is_empty() {
        return Search::Everything;
    }
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || c == '\0')
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .take(QUERY_WORDS_MAX)
        .collect();
    if words.is_empty() {
        Search::Nothing
    } else {
        Search::Words(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_types_is_words_and_signs() {
        assert_eq!(search(" \t"), Search::Everything);
        assert_eq!(search("* ()"), Search::Nothing);
        assert_eq!(
            search("a OR \"b\" c* words:x NEAR(d\0e"),
            Search::Words(vec!["a", "OR", "\"b\"", "c*", "words:x", "NEAR(d", "e"])
        );
    }
}
