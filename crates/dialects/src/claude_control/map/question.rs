//! Questions and replies, both ways.
//!
//! Front ends key answers by the question's text, or by `q0`, `q1` and so on; the CLI knows the
//! text alone.

use sayso_core::answer::Reply;
use sayso_core::ask::{Choice, Pick, Question};
use sayso_core::limits;

use super::super::wire::{self, AnswerValues, Entries, Noted, Value};
use super::filled;
use crate::texts::{self, JOINT};

pub(super) fn questions_from_wire(questions: Vec<wire::Question>) -> Vec<Question> {
    questions.into_iter().map(question_from_wire).collect()
}

fn question_from_wire(question: wire::Question) -> Question {
    let choices: Vec<Choice> = question
        .options
        .into_iter()
        .map(|choice| Choice {
            label: choice.label,
            description: filled(choice.description),
            preview: choice.preview,
            recommended: false,
        })
        .collect();
    let pick = Pick::among(&choices, question.multi_select);
    Question {
        tag: filled(question.header).map(|tag| texts::cut(tag, limits::TAG_BYTES_MAX)),
        ..Question::new(question.text, pick, choices)
    }
}

/// The questions with the texts as they are, for the CLI.
pub(super) fn questions_to_cli(questions: &[Question]) -> Vec<wire::Question> {
    let asked = questions.iter();
    asked
        .map(|question| question_to_wire(question, question.text.clone()))
        .collect()
}

/// The questions under the texts that tell them apart, for a front end.
pub(super) fn questions_to_front(questions: &[Question]) -> Vec<wire::Question> {
    let keys = texts::text_keys(questions);
    let asked = questions.iter().zip(keys);
    asked
        .map(|(question, key)| question_to_wire(question, key))
        .collect()
}

fn question_to_wire(question: &Question, text: String) -> wire::Question {
    let choice = |choice: &Choice| wire::Choice {
        label: choice.label.clone(),
        description: Some(choice.description.clone().unwrap_or_default()),
        preview: choice.preview.clone(),
    };
    wire::Question {
        text,
        header: Some(question.tag.clone().unwrap_or_default()),
        options: question.choices.iter().map(choice).collect(),
        multi_select: match question.pick {
            Pick::Many => true,
            Pick::One | Pick::Text => false,
        },
    }
}

/// The replies in what a front end sent, empty when nothing was answered; else the key of the
/// first answer that is neither a text nor a list of texts.
pub(super) fn replies_from_wire(
    questions: &[Question],
    sent: AnswerValues,
) -> Result<Vec<Reply>, String> {
    let keys = texts::text_keys(questions);
    let place = |key: &str| {
        let by_text = keys.iter().position(|text| text == key);
        by_text.or_else(|| key.strip_prefix('q')?.parse().ok())
    };
    let mut replies: Vec<Reply> = Vec::new();
    for (key, value) in sent.answers.map(|answers| answers.0).unwrap_or_default() {
        let Some((index, question)) =
            place(&key).and_then(|index| Some((index, questions.get(index)?)))
        else {
            continue;
        };
        let reply = match &value {
            Value::Text(text) => texts::reply_of_text(index, question, text),
            Value::Many(items) => {
                texts::reply_of_list(index, question, items.iter().map(String::as_str))
            }
            Value::Null => None,
            Value::Number(_) | Value::Boolean(_) | Value::Hidden | Value::Other => {
                return Err(key);
            }
        };
        let answered = replies.iter().any(|reply| reply.question == index);
        replies.extend(reply.filter(|_| !answered));
    }
    for (key, beside) in sent.annotations.map(|beside| beside.0).unwrap_or_default() {
        let of = |reply: &&mut Reply| Some(reply.question) == place(&key);
        if let Some(reply) = replies.iter_mut().find(of) {
            reply.note = filled(beside.notes);
        }
    }
    replies.sort_by_key(|reply| reply.question);
    Ok(replies)
}

/// Answers and notes under the questions' texts. Equal texts share one key, because the CLI has
/// no other.
pub(super) fn answers_to_cli(
    questions: &[Question],
    replies: &[Reply],
) -> (Entries<String>, Entries<Noted>) {
    let (mut answers, mut notes) = (Entries(Vec::new()), Entries(Vec::new()));
    for reply in replies {
        let Some(question) = questions.get(reply.question) else {
            continue;
        };
        join(&mut answers, &question.text, texts::joined(reply));
        if let Some(note) = &reply.note {
            join(&mut notes, &question.text, note.clone());
        }
    }
    let beside = |(text, notes)| (text, Noted { notes });
    (answers, Entries(notes.0.into_iter().map(beside).collect()))
}

fn join(values: &mut Entries<String>, key: &str, value: String) {
    if let Some((_, there)) = values.0.iter_mut().find(|(have, _)| have == key) {
        there.push_str(JOINT);
        there.push_str(&value);
    } else {
        values.0.push((key.to_owned(), value));
    }
}

/// Answers under the texts that a front end was shown: lists where several could be chosen.
pub(super) fn answers_to_front(questions: &[Question], replies: &[Reply]) -> Entries<Value> {
    let keys = texts::text_keys(questions);
    let value = |reply: &Reply| {
        let (question, key) = (questions.get(reply.question)?, keys.get(reply.question)?);
        let value = match question.pick {
            Pick::Many => {
                let values = texts::values(reply);
                Value::Many(values.into_iter().map(str::to_owned).collect())
            }
            Pick::One | Pick::Text => Value::Text(texts::joined(reply)),
        };
        Some((key.clone(), value))
    };
    Entries(replies.iter().filter_map(value).collect())
}

/// What Claude's own program tells its model about these answers.
pub(super) fn sentence(questions: &[Question], replies: &[Reply]) -> String {
    let (answers, _) = answers_to_cli(questions, replies);
    let pairs: Vec<String> = answers
        .0
        .iter()
        .map(|(text, answer)| format!("\"{text}\"=\"{answer}\""))
        .collect();
    format!(
        "Your questions have been answered: {}. You can now continue with these answers in mind.",
        pairs.join(", ")
    )
}
