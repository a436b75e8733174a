//! An ask for front ends that draw it themselves: beside an interrupt, and as a tool's arguments.

use serde::Serialize;
use serde_json::value::RawValue;

/// Beside an interrupt: everything that is shown, and the digest that an answer may repeat.
#[derive(Debug, Serialize)]
pub(crate) struct Card<'a> {
    pub(crate) ask: String,
    pub(crate) digest: String,
    pub(crate) agent: &'a str,
    pub(crate) matter: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) questions: Vec<QuestionCard<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) action: Option<ActionCard<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) url: Option<&'a str>,
}

/// One question.
#[derive(Debug, Serialize)]
pub(crate) struct QuestionCard<'a> {
    /// The key of its answer.
    pub(crate) key: String,
    pub(crate) text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tag: Option<&'a str>,
    pub(crate) pick: &'static str,
    pub(crate) choices: Vec<ChoiceCard<'a>>,
    pub(crate) default: &'a [String],
    pub(crate) free_text: bool,
    pub(crate) required: bool,
}

/// One choice.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ChoiceCard<'a> {
    pub(crate) label: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) preview: Option<&'a str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) recommended: bool,
}

/// An action that approval is requested for.
#[derive(Debug, Serialize)]
pub(crate) struct ActionCard<'a> {
    pub(crate) tool: &'a str,
    /// The exact text.
    pub(crate) input: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cwd: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<&'a str>,
    pub(crate) risk: &'static str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(crate) reasons: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) flags: Vec<&'static str>,
    pub(crate) scopes: Vec<&'static str>,
}

/// The arguments of a tool call that asks.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Arguments<'a> {
    /// Those of `ask_user_question`: the list as JSON in a string.
    Json { questions_json: String },
    /// The list as it is.
    List { questions: QuestionList<'a> },
    /// Those of a tool that is to be allowed, byte for byte.
    Input(&'a RawValue),
}

/// Questions in one of the two spellings.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum QuestionList<'a> {
    Camel(Vec<HeaderQuestion<'a>>),
    Snake(Vec<SnakeQuestion<'a>>),
}

/// A question as `ask_user_question` has it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HeaderQuestion<'a> {
    pub(crate) question: String,
    pub(crate) header: String,
    pub(crate) options: Vec<ChoiceCard<'a>>,
    pub(crate) multi_select: bool,
}

/// A question as Agno's own `ask_user` has it.
#[derive(Debug, Serialize)]
pub(crate) struct SnakeQuestion<'a> {
    pub(crate) question: String,
    pub(crate) header: String,
    pub(crate) options: Vec<ChoiceCard<'a>>,
    pub(crate) multi_select: bool,
}
