//! What the tool's arguments mean, and its results. The sentences are the tool's own, because
//! programs and their tests compare them.

use std::borrow::Cow;

use sayso_core::answer::Answer;
use sayso_core::ask::{self, Draft, Matter, Pick};
use sayso_core::outcome::Outcome;
use sayso_core::view::AskView;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use super::wire::{Choice, Question, Returned, Status};
use crate::object::Entries;
use crate::read::{self, ReadError};
use crate::texts;

/// The argument with the questions, as JSON in a string or as they are.
const QUESTIONS: &str = "questions_json";
/// The argument with the answers by `question_N`, as JSON in a string or as they are.
const ANSWERS: &str = "user_answers";
/// Longest header, in characters.
const HEADER_CHARS_MAX: usize = 12;
/// Most questions of one call.
const QUESTIONS_MAX: usize = 4;
/// Fewest and most choices of one question.
const CHOICES_MIN: usize = 2;
const CHOICES_MAX: usize = 4;
/// The keys without which a question is none.
const REQUIRED: [&str; 4] = ["question", "header", "options", "multiSelect"];

/// Why a call came to nothing.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AgnoError {
    /// The body is none of this tool's; no program ever compared this sentence.
    #[error("Invalid arguments: {0}")]
    Arguments(ReadError),
    /// The tool says no, in its own words.
    #[error("{0}")]
    Tool(String),
}

/// An object whose values are still to be read.
type Keys = Entries<Box<RawValue>>;

/// A call that was read.
#[derive(Debug)]
pub(crate) struct GivenQuestions {
    /// The questions, checked.
    pub(crate) questions: Vec<Question>,
    /// The answer to each question, where the caller has them already.
    pub(crate) answers: Option<Vec<Vec<Value>>>,
}

/// Reads the body of a call.
pub(crate) fn asked(body: &[u8]) -> Result<GivenQuestions, AgnoError> {
    let arguments: Keys = read::read_kindly(body).map_err(AgnoError::Arguments)?;
    let Some(given) = arguments.get(QUESTIONS) else {
        let missing = ReadError::at(format!("/{QUESTIONS}"), "is missing");
        return Err(AgnoError::Arguments(missing));
    };
    let questions = questions(given).map_err(AgnoError::Tool)?;
    let answers = arguments
        .get(ANSWERS)
        .filter(|given| given.get() != "null")
        .map(|given| answers(given, questions.len()))
        .transpose()
        .map_err(|error| AgnoError::Tool(format!("Invalid user_answers format: {error}")))?;
    Ok(GivenQuestions { questions, answers })
}

/// The JSON in a string, or the value itself where it was not wrapped.
fn unwrapped(given: &RawValue) -> Cow<'_, str> {
    read::kindly::<String>(given.get()).map_or(Cow::Borrowed(given.get()), Cow::Owned)
}

fn questions(given: &RawValue) -> Result<Vec<Question>, String> {
    let text = unwrapped(given);
    let whole: Box<RawValue> = read::read_kindly(text.as_bytes())
        .map_err(|error| format!("Invalid questions_json format: {error}"))?;
    let Ok(list) = serde_json::from_str::<Vec<Box<RawValue>>>(whole.get()) else {
        return Err("questions_json must be a JSON array of question objects".to_owned());
    };
    if !(1..=QUESTIONS_MAX).contains(&list.len()) {
        return Err(format!("Must ask 1-4 questions, got {}", list.len()));
    }
    list.iter()
        .enumerate()
        .map(|(index, raw)| question(index, raw))
        .collect()
}

fn question(index: usize, raw: &RawValue) -> Result<Question, String> {
    // The tool's document prints this one sentence without the prefix of all the others.
    let missing = || format!("Question {index} missing required fields");
    let prefixed = |why: String| format!("Error parsing question {index}: {why}");
    if !raw.get().starts_with('{') {
        return Err(missing());
    }
    let keys: Keys =
        read::read_kindly(raw.get().as_bytes()).map_err(|error| prefixed(error.to_string()))?;
    let [Some(text), Some(header), Some(options), Some(multi)] = REQUIRED.map(|key| keys.get(key))
    else {
        return Err(missing());
    };
    let choices = choices(index, options).map_err(prefixed)?;
    let header: String = typed(header, "header", "a string").map_err(prefixed)?;
    if header.chars().count() > HEADER_CHARS_MAX {
        return Err(prefixed(format!(
            "Header '{header}' exceeds 12 character limit"
        )));
    }
    if !(CHOICES_MIN..=CHOICES_MAX).contains(&choices.len()) {
        return Err(prefixed(format!(
            "Must have 2-4 options, got {}",
            choices.len()
        )));
    }
    Ok(Question {
        text: typed(text, "question", "a string").map_err(prefixed)?,
        header,
        options: choices,
        multi_select: typed(multi, "multiSelect", "true or false").map_err(prefixed)?,
    })
}

fn choices(index: usize, raw: &RawValue) -> Result<Vec<Choice>, String> {
    let missing = || format!("Option in question {index} missing 'label' or 'description'");
    let list: Vec<Box<RawValue>> = typed(raw, "options", "a list")?;
    let choice = |raw: &RawValue| {
        if !raw.get().starts_with('{') {
            return Err(missing());
        }
        let keys: Keys =
            read::read_kindly(raw.get().as_bytes()).map_err(|error| error.to_string())?;
        let (Some(label), Some(description)) = (keys.get("label"), keys.get("description")) else {
            return Err(missing());
        };
        Ok(Choice {
            label: typed(label, "label", "a string")?,
            description: typed(description, "description", "a string")?,
        })
    };
    list.iter().map(|raw| choice(raw)).collect()
}

fn typed<T: DeserializeOwned>(raw: &RawValue, key: &str, expected: &str) -> Result<T, String> {
    read::kindly(raw.get()).map_err(|_| format!("'{key}' must be {expected}"))
}

/// The values given for each question; what is no list becomes a list of one.
fn answers(given: &RawValue, questions: usize) -> Result<Vec<Vec<Value>>, ReadError> {
    let keys: Keys = read::read_kindly(unwrapped(given).as_bytes())?;
    let values = |index: usize| {
        let Some(raw) = keys.get(&format!("question_{index}")) else {
            return Ok(Vec::new());
        };
        match read::read_kindly(raw.get().as_bytes())? {
            Value::Array(values) => Ok(values),
            value @ (Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Object(_)) => Ok(vec![value]),
        }
    };
    (0..questions).map(values).collect()
}

/// The questions as an ask.
pub(crate) fn draft(questions: Vec<Question>) -> Draft {
    let choice = |choice: Choice| ask::Choice {
        label: choice.label,
        description: Some(choice.description),
        ..ask::Choice::default()
    };
    let question = |question: Question| {
        let choices: Vec<_> = question.options.into_iter().map(choice).collect();
        let pick = Pick::among(&choices, question.multi_select);
        ask::Question {
            tag: Some(question.header).filter(|header| !header.is_empty()),
            ..ask::Question::new(question.text, pick, choices)
        }
    };
    Draft::new(Matter::Questions(
        questions.into_iter().map(question).collect(),
    ))
}

/// What the tool returns at once: the result where there are answers, else the questions.
pub(crate) fn formatted(asked: GivenQuestions) -> Returned {
    match asked.answers {
        Some(values) => {
            let headers = asked.questions.iter().map(|one| one.header.as_str());
            completed(headers, values)
        }
        None => Returned::Awaiting {
            total_questions: asked.questions.len(),
            questions: asked.questions,
            status: Status::AwaitingUserInput,
        },
    }
}

fn completed<'a>(headers: impl Iterator<Item = &'a str>, values: Vec<Vec<Value>>) -> Returned {
    Returned::Completed {
        questions_asked: values.len(),
        answers: Entries(texts::unique(headers).into_iter().zip(values).collect()),
        status: Status::Completed,
    }
}

/// What the tool returns when something is wrong.
pub(crate) fn failed(error: String) -> Returned {
    Returned::Failed {
        error,
        status: Status::Failed,
    }
}

/// What the tool returns once the ask has ended.
pub(crate) fn outcome(view: &AskView) -> Returned {
    let Some(closing) = &view.closing else {
        return failed("The questions are still open".to_owned());
    };
    let noted = |sentence: &str, note: Option<&str>| match note {
        Some(note) => failed(format!("{sentence}: {note}")),
        None => failed(sentence.to_owned()),
    };
    match (&closing.outcome, &view.ask.matter) {
        (Outcome::Answered(Answer::Replies(replies)), Matter::Questions(questions)) => {
            let headers = questions.iter().map(|one| one.tag.as_deref().unwrap_or(""));
            let values = |index| match replies.iter().find(|reply| reply.question == index) {
                Some(reply) => texts::values(reply).into_iter().map(Value::from).collect(),
                None => Vec::new(),
            };
            completed(headers, (0..questions.len()).map(values).collect())
        }
        (Outcome::Answered(_), _) => failed("The answer is not an answer to questions".to_owned()),
        (Outcome::Dismissed { note, .. }, _) => {
            noted("The questions were dismissed", note.as_deref())
        }
        (Outcome::Expired, _) => noted("Nobody answered in time", None),
        (Outcome::Withdrawn { note }, _) => noted("The questions were withdrawn", note.as_deref()),
    }
}
