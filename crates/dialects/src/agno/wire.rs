//! The words of the tool: what it is called with and what it returns. No meaning here.

use serde::Serialize;
use serde_json::Value;

use crate::object::Entries;

/// One question, as the tool prints it.
#[derive(Debug, Serialize)]
pub(crate) struct Question {
    #[serde(rename = "question")]
    pub(crate) text: String,
    pub(crate) header: String,
    pub(crate) options: Vec<Choice>,
    #[serde(rename = "multiSelect")]
    pub(crate) multi_select: bool,
}

/// One thing to choose.
#[derive(Debug, Serialize)]
pub(crate) struct Choice {
    pub(crate) label: String,
    pub(crate) description: String,
}

/// What the tool returns.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Returned {
    /// Without answers: the questions, checked.
    Awaiting {
        questions: Vec<Question>,
        total_questions: usize,
        status: Status,
    },
    /// With answers.
    Completed {
        /// By header, in the order of the questions.
        answers: Entries<Vec<Value>>,
        questions_asked: usize,
        status: Status,
    },
    /// What is wrong.
    Failed { error: String, status: Status },
}

/// How a call of the tool went.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    AwaitingUserInput,
    Completed,
    Failed,
}
