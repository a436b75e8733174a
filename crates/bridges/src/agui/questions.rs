//! Questions as Agno's tools have them, and what was said to them.
//!
//! What a tool checks itself it also reports itself: questions that its contract does not allow are
//! not read here, and nobody is asked them.

use sayso_core::answer::{Answer, Reply};
use sayso_core::ask::{Choice, Pick, Question};
use sayso_core::outcome::Outcome;
use sayso_dialects::Ended;
use sayso_dialects::texts;
use serde_json::{Map, Value, json};

/// Longest header of `ask_user_question`, in characters.
const HEADER_CHARS_MAX: usize = 12;

/// The questions of `ask_user_question`, JSON in a string or as they are; nothing when the tool
/// would refuse them.
pub(super) fn of_document(given: &Value) -> Option<Vec<Question>> {
    let list = match given {
        Value::String(text) => serde_json::from_str(text).ok()?,
        Value::Array(list) => list.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
    };
    if !(1..=4).contains(&list.len()) {
        return None;
    }
    list.iter().map(documented).collect()
}

fn documented(given: &Value) -> Option<Question> {
    let header = given.get("header")?.as_str()?;
    let choices = choices(given)?;
    let described = choices.iter().all(|choice| choice.description.is_some());
    if header.chars().count() > HEADER_CHARS_MAX || !(2..=4).contains(&choices.len()) || !described
    {
        return None;
    }
    let many = given.get("multiSelect")?.as_bool()?;
    question(given, choices, many)
}

/// The questions of Agno's own `ask_user`; nothing when there are none.
pub(super) fn of_feedback(given: &Value) -> Option<Vec<Question>> {
    let list = given.as_array().filter(|list| !list.is_empty())?;
    let one = |given: &Value| {
        let many = given.get("multi_select").and_then(Value::as_bool);
        question(
            given,
            choices(given).unwrap_or_default(),
            many.unwrap_or(false),
        )
    };
    list.iter().map(one).collect()
}

fn question(given: &Value, choices: Vec<Choice>, many: bool) -> Option<Question> {
    let tag = given.get("header").and_then(Value::as_str);
    let text = given.get("question")?.as_str()?;
    Some(Question {
        tag: tag.filter(|tag| !tag.is_empty()).map(str::to_owned),
        ..Question::new(text, Pick::among(&choices, many), choices)
    })
}

fn choices(given: &Value) -> Option<Vec<Choice>> {
    let one = |given: &Value| {
        Some(Choice {
            label: given.get("label")?.as_str()?.to_owned(),
            description: given
                .get("description")
                .and_then(Value::as_str)
                .map(str::to_owned),
            ..Choice::default()
        })
    };
    given.get("options")?.as_array()?.iter().map(one).collect()
}

/// What was said to each of so many questions; nothing at all when it is no answer.
pub(super) fn said(ended: &Ended, questions: usize) -> Option<Vec<Vec<String>>> {
    let Outcome::Answered(Answer::Replies(replies)) = &ended.outcome else {
        return None;
    };
    let values = |index| -> Vec<String> {
        let reply: Option<&Reply> = replies.iter().find(|reply| reply.question == index);
        let values = reply.map(texts::values).unwrap_or_default();
        values.into_iter().map(str::to_owned).collect()
    };
    Some((0..questions).map(values).collect())
}

/// The answers as `ask_user_question` takes them: by `question_N`.
pub(super) fn by_number(said: &[Vec<String>]) -> String {
    let keyed = said.iter().enumerate();
    let keyed: Map<String, Value> = keyed
        .map(|(index, values)| (format!("question_{index}"), json!(values)))
        .collect();
    Value::Object(keyed).to_string()
}

/// The answers by the text of their questions; equal texts get numbers.
pub(super) fn by_text(questions: &[Question], said: &[Vec<String>]) -> Map<String, Value> {
    let names = texts::unique(questions.iter().map(|question| question.text.as_str()));
    let values = said.iter().map(|values| json!(values));
    names.into_iter().zip(values).collect()
}

/// What `ask_user_question` itself returns once it is answered.
pub(super) fn completed(questions: &[Question], said: &[Vec<String>]) -> String {
    let headers = questions.iter().map(|one| one.tag.as_deref().unwrap_or(""));
    let values = said.iter().map(|values| json!(values));
    let answers: Map<String, Value> = texts::unique(headers).into_iter().zip(values).collect();
    json!({"answers": answers, "questions_asked": questions.len(), "status": "completed"})
        .to_string()
}

/// What a tool returns when a person did not give what it waited for.
pub(super) fn failed(sentence: &str) -> String {
    json!({"error": sentence, "status": "failed"}).to_string()
}

/// The sentence for an outcome that is no answer; `what` is `questions were` or `form was`.
pub(super) fn unanswered(outcome: &Outcome, what: &str) -> String {
    let noted = |sentence: String, note: &Option<String>| match note {
        Some(note) => format!("{sentence}: {note}"),
        None => sentence,
    };
    match outcome {
        Outcome::Dismissed { note, .. } => noted(format!("The {what} dismissed"), note),
        Outcome::Expired => "Nobody answered in time".to_owned(),
        Outcome::Withdrawn { note } => noted(format!("The {what} withdrawn"), note),
        Outcome::Answered(_) => format!("The answer does not match what the {what} about"),
    }
}

/// Why an action was not allowed.
pub(super) fn refusal(outcome: &Outcome) -> String {
    let (sentence, note) = match outcome {
        Outcome::Answered(Answer::Verdict(verdict)) => {
            ("The user denied this tool call", verdict.note.as_deref())
        }
        Outcome::Answered(Answer::Replies(_) | Answer::Fields(_)) => {
            ("Nobody allowed this tool call", None)
        }
        Outcome::Dismissed { note, .. } => ("The user dismissed this tool call", note.as_deref()),
        Outcome::Expired => ("Nobody allowed this tool call in time", None),
        Outcome::Withdrawn { note } => (
            "The question about this tool call was withdrawn",
            note.as_deref(),
        ),
    };
    match note {
        Some(note) => format!("{sentence}: {note}"),
        None => sentence.to_owned(),
    }
}
