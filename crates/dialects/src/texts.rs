//! Answers as text: how labels and free words are joined for programs that want one string, and
//! how such a string is taken apart again.
//!
//! Core keeps labels as lists. Everything that joins, splits or keys by text does it with these.

use sayso_core::answer::Reply;
use sayso_core::ask::{Pick, Question};

/// What stands between two values in one string.
pub const JOINT: &str = ", ";

/// A reply as one string: its labels, then the person's own words.
pub fn joined(reply: &Reply) -> String {
    values(reply).join(JOINT)
}

/// A reply as a list: its labels, then the person's own words.
pub fn values(reply: &Reply) -> Vec<&str> {
    let labels = reply.labels.iter().map(String::as_str);
    labels.chain(reply.other.as_deref()).collect()
}

/// The text, or as much of it as fits.
pub fn cut(mut text: String, bytes_max: usize) -> String {
    let mut ends = (0..=bytes_max.min(text.len())).rev();
    let end = ends.find(|end| text.is_char_boundary(*end));
    text.truncate(end.unwrap_or(0));
    text
}

/// The reply that a string means; nothing when it is empty.
///
/// An exact label is that choice. Of several joined ones, the longest label that fits is taken
/// first, so that labels with a comma in them stay whole; what fits no label is the person's own.
pub fn reply_of_text(index: usize, question: &Question, text: &str) -> Option<Reply> {
    if text.is_empty() {
        return None;
    }
    let is_label = |text: &str| question.choices.iter().any(|choice| choice.label == text);
    let (labels, own) = if is_label(text) {
        (vec![text.to_owned()], Vec::new())
    } else {
        match question.pick {
            Pick::One | Pick::Text => (Vec::new(), vec![text]),
            Pick::Many => split(question, text),
        }
    };
    Some(reply(index, labels, &own))
}

/// The reply that a list of values means; nothing when it is empty.
pub fn reply_of_list<'a>(
    index: usize,
    question: &Question,
    values: impl IntoIterator<Item = &'a str>,
) -> Option<Reply> {
    let (mut labels, mut own): (Vec<String>, Vec<&str>) = (Vec::new(), Vec::new());
    for value in values.into_iter().filter(|value| !value.is_empty()) {
        if question.choices.iter().any(|choice| choice.label == value) {
            push_once(&mut labels, value);
        } else {
            own.push(value);
        }
    }
    if labels.is_empty() && own.is_empty() {
        return None;
    }
    Some(reply(index, labels, &own))
}

fn reply(index: usize, labels: Vec<String>, own: &[&str]) -> Reply {
    Reply {
        question: index,
        labels,
        other: (!own.is_empty()).then(|| own.join(JOINT)),
        note: None,
    }
}

fn push_once(labels: &mut Vec<String>, label: &str) {
    if labels.iter().all(|have| have != label) {
        labels.push(label.to_owned());
    }
}

fn split<'a>(question: &Question, text: &'a str) -> (Vec<String>, Vec<&'a str>) {
    let mut by_length: Vec<&str> = question
        .choices
        .iter()
        .map(|choice| choice.label.as_str())
        .filter(|label| !label.is_empty())
        .collect();
    by_length.sort_by_key(|label| std::cmp::Reverse(label.len()));
    let (mut labels, mut own) = (Vec::new(), Vec::new());
    let mut rest = Some(text);
    while let Some(here) = rest {
        let label = by_length.iter().find_map(|label| {
            let after = here.strip_prefix(label)?;
            (after.is_empty() || after.starts_with(JOINT)).then_some((*label, after))
        });
        if let Some((label, after)) = label {
            push_once(&mut labels, label);
            rest = after.strip_prefix(JOINT);
        } else if let Some((piece, after)) = here.split_once(JOINT) {
            own.push(piece);
            rest = Some(after);
        } else {
            own.push(here);
            rest = None;
        }
    }
    own.retain(|piece| !piece.is_empty());
    (labels, own)
}

/// What each question is called where answers are keyed by its text: the text, with ` (2)` and so
/// on after one that was there before.
pub fn text_keys(questions: &[Question]) -> Vec<String> {
    unique(questions.iter().map(|question| question.text.as_str()))
}

/// Each text, with ` (2)` and so on after one that was there before.
pub fn unique<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    for text in texts {
        let mut key = text.to_owned();
        let mut number = 2;
        while keys.contains(&key) {
            key = format!("{text} ({number})");
            number += 1;
        }
        keys.push(key);
    }
    keys
}

#[cfg(test)]
mod tests {
    use sayso_core::ask::{Choice, Look};

    use super::*;

    fn question(pick: Pick, labels: &[&str]) -> Question {
        let choice = |label: &&str| Choice {
            label: (*label).to_owned(),
            ..Choice::default()
        };
        Question {
            text: "Which?".to_owned(),
            tag: None,
            pick,
            choices: labels.iter().map(choice).collect(),
            look: Look::List,
            default: Vec::new(),
            free_text: true,
            required: false,
        }
    }

    fn taken(pick: Pick, labels: &[&str], text: &str) -> Option<(Vec<String>, Option<String>)> {
        reply_of_text(0, &question(pick, labels), text).map(|reply| (reply.labels, reply.other))
    }

    fn strings(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn an_exact_label_is_that_choice_whatever_is_in_it() {
        let labels = ["Red, green", "Red", "green"];
        for pick in [Pick::One, Pick::Many] {
            assert_eq!(
                taken(pick, &labels, "Red, green"),
                Some((strings(&["Red, green"]), None))
            );
        }
    }

    #[test]
    fn many_are_split_by_the_longest_label_and_the_rest_is_the_persons_own() {
        let labels = ["Red", "Red, green", "Blue"];
        assert_eq!(
            taken(Pick::Many, &labels, "Blue, Red, green, and, one more, Red"),
            Some((
                strings(&["Blue", "Red, green", "Red"]),
                Some("and, one more".to_owned())
            ))
        );
        assert_eq!(
            taken(Pick::Many, &labels, "Reddish"),
            Some((vec![], Some("Reddish".to_owned())))
        );
        assert_eq!(
            taken(Pick::One, &labels, "Red, Blue"),
            Some((vec![], Some("Red, Blue".to_owned())))
        );
        assert_eq!(taken(Pick::Many, &labels, ""), None);
    }

    #[test]
    fn a_list_needs_no_splitting() {
        let question = question(Pick::Many, &["A", "B, C"]);
        assert_eq!(
            reply_of_list(3, &question, ["B, C", "x", "A", "A", ""]),
            Some(Reply {
                question: 3,
                labels: strings(&["B, C", "A"]),
                other: Some("x".to_owned()),
                note: None
            })
        );
        assert_eq!(reply_of_list(3, &question, [""]), None);
    }

    #[test]
    fn what_is_joined_is_taken_apart_again() {
        let question = question(Pick::Many, &["A", "B, C", "D"]);
        let reply = Reply {
            question: 0,
            labels: strings(&["B, C", "D"]),
            other: Some("my own".to_owned()),
            note: None,
        };
        assert_eq!(joined(&reply), "B, C, D, my own");
        assert_eq!(reply_of_text(0, &question, &joined(&reply)), Some(reply));
    }

    #[test]
    fn equal_texts_get_numbers_and_never_meet_another_text() {
        assert_eq!(
            unique(["a", "b", "a", "a (2)", "a"]),
            ["a", "b", "a (2)", "a (2) (2)", "a (3)"]
        );
    }
}
