//! What a front end's answers mean for the ask that was shown, and a given answer as they would
//! have put it.

use std::collections::BTreeMap;

use sayso_core::answer::{Answer, Reply};
use sayso_core::ask::{Matter, Question};
use sayso_core::escape::escape_line;
use sayso_core::view::AskView;

use super::super::wire::Given;
use super::{card, form};
use crate::approval_text;
use crate::object::Entries;
use crate::texts;

/// Letters of a foreign key that are repeated.
const KEY_CHARS_MAX: usize = 80;

/// What a person says to an ask.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ChatAnswer {
    /// This.
    Answer(Answer),
    /// That it be put aside.
    Dismiss,
}

/// What answers by question text mean. Nothing is guessed: a key that no question has is an error.
pub(crate) fn said(view: &AskView, answers: &Entries<Given>) -> Result<ChatAnswer, String> {
    let questions = card(view);
    let replies = replies(&questions, answers)?;
    match &view.ask.matter {
        Matter::Questions(_) => Ok(ChatAnswer::Answer(Answer::Replies(replies))),
        Matter::Approval(_) => match (questions.as_slice(), replies.as_slice()) {
            ([question], [reply]) => {
                approval_text::verdict(question, reply).map(ChatAnswer::Answer)
            }
            _ => Err(NOTHING.to_owned()),
        },
        Matter::Form(form) => form::said(form, &replies),
    }
}

const NOTHING: &str = "no question is answered; send `cancelled` to dismiss it";

fn replies(questions: &[Question], answers: &Entries<Given>) -> Result<Vec<Reply>, String> {
    let strange = answers
        .0
        .iter()
        .filter(|(_, given)| !is_empty(given))
        .find(|(key, _)| questions.iter().all(|question| question.text != *key));
    if let Some((key, _)) = strange {
        let key: String = key.chars().take(KEY_CHARS_MAX).collect();
        return Err(format!("there is no question `{}`", escape_line(&key)));
    }
    let reply = |(index, question): (usize, &Question)| match answers.get(&question.text)? {
        Given::Text(text) => texts::reply_of_text(index, question, text),
        Given::List(values) => {
            texts::reply_of_list(index, question, values.iter().map(String::as_str))
        }
    };
    let replies: Vec<Reply> = questions.iter().enumerate().filter_map(reply).collect();
    if replies.is_empty() {
        return Err(NOTHING.to_owned());
    }
    Ok(replies)
}

fn is_empty(given: &Given) -> bool {
    match given {
        Given::Text(text) => text.is_empty(),
        Given::List(values) => values.iter().all(String::is_empty),
    }
}

/// An answer by question text, as a front end would have sent it.
pub(crate) fn answers_of(
    view: &AskView,
    questions: &[Question],
    answer: &Answer,
) -> BTreeMap<String, String> {
    let mut answers = BTreeMap::new();
    let mut put = |index: usize, value: String| {
        if let Some(question) = questions.get(index) {
            answers.insert(question.text.clone(), value);
        }
    };
    match answer {
        Answer::Replies(replies) => {
            for reply in replies {
                put(reply.question, texts::joined(reply));
            }
        }
        Answer::Verdict(verdict) => put(0, approval_text::shown(verdict)),
        Answer::Fields(filled) => {
            if let Matter::Form(form) = &view.ask.matter {
                for (index, value) in form::shown(form, filled) {
                    put(index, value);
                }
            }
        }
    }
    answers
}
