//! The headers of questions: front ends that draw a tool's call give answers back under them, so every
//! question has one, and no two the same.

use sayso_core::ask::Question;

use crate::texts;

/// The longest header that the tool's document knows.
const CHARS_MAX: usize = 12;

/// The header of each question: its tag, with ` (2)` and so on after one that was there before; else
/// `Question 1` and so on, counted as the questions are, which no tag and no text is.
pub(super) fn headers(questions: &[Question]) -> Vec<String> {
    let tag = |question: &Question| {
        let tag = question.tag.clone();
        tag.filter(|tag| !tag.trim().is_empty())
    };
    let tags: Vec<Option<String>> = questions.iter().map(tag).collect();
    let mut tagged = texts::unique(tags.iter().flatten().map(String::as_str)).into_iter();
    let mut taken = texts::text_keys(questions);
    taken.extend(tagged.clone());
    let mut headers = Vec::with_capacity(questions.len());
    for (place, tag) in tags.iter().enumerate() {
        if tag.is_some() {
            headers.extend(tagged.next());
        } else {
            let header = untagged(place + 1, &taken);
            taken.push(header.clone());
            headers.push(header);
        }
    }
    headers
}

/// A header with this number, or with the next one that is free.
fn untagged(mut number: usize, taken: &[String]) -> String {
    loop {
        let long = format!("Question {number}");
        let header = if long.len() > CHARS_MAX {
            format!("Q {number}")
        } else {
            long
        };
        if !taken.contains(&header) {
            return header;
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use sayso_core::ask::{Look, Pick};

    use super::*;

    fn named(questions: &[(&str, Option<&str>)]) -> Vec<String> {
        let question = |(text, tag): &(&str, Option<&str>)| Question {
            text: (*text).to_owned(),
            tag: tag.map(str::to_owned),
            pick: Pick::Text,
            choices: Vec::new(),
            look: Look::List,
            default: Vec::new(),
            free_text: true,
            required: false,
        };
        headers(&questions.iter().map(question).collect::<Vec<_>>())
    }

    #[test]
    fn every_question_has_a_header_of_its_own() {
        assert_eq!(
            named(&[("A?", None), ("B?", Some(" ")), ("C?", Some("Store"))]),
            ["Question 1", "Question 2", "Store"]
        );
        assert_eq!(
            named(&[
                ("A?", Some("Question 2")),
                ("B?", None),
                ("Question 3", None),
                ("D?", Some("Question 2")),
            ]),
            ["Question 2", "Question 4", "Question 5", "Question 2 (2)"]
        );
    }

    #[test]
    fn even_many_headers_are_short() {
        let many = named(&vec![("A?", None); 1024]);
        assert!(many.iter().all(|header| header.len() <= CHARS_MAX));
        assert_eq!(many.last().map(String::as_str), Some("Q 1024"));
    }
}
