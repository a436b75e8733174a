//! The arguments of the tools and what they return: types only.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::object::Entries;

/// A message of the protocol, as far as a door looks at it.
#[derive(Debug, Deserialize)]
pub(super) struct Enveloped {
    pub(super) method: Option<String>,
    pub(super) id: Option<Box<RawValue>>,
    pub(super) params: Option<Parameters>,
}

/// The inside of it.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Parameters {
    pub(super) client_info: Option<Named>,
    pub(super) request_id: Option<Box<RawValue>>,
    #[serde(default, rename = "_meta")]
    pub(super) meta: Option<Meta>,
}

/// What newer programs say with every message.
#[derive(Debug, Deserialize)]
pub(super) struct Meta {
    #[serde(default, rename = "io.modelcontextprotocol/clientInfo")]
    pub(super) client_info: Option<Named>,
}

/// A program's name.
#[derive(Debug, Deserialize)]
pub(super) struct Named {
    pub(super) name: String,
}

/// The arguments of `ask`.
#[derive(Debug, Deserialize)]
pub(super) struct AskArguments {
    pub(super) title: Option<String>,
    pub(super) questions: Vec<AskedQuestion>,
    pub(super) timeout_s: Option<u64>,
}

/// One question.
#[derive(Debug, Deserialize)]
pub(super) struct AskedQuestion {
    pub(super) question: String,
    pub(super) header: Option<String>,
    #[serde(default)]
    pub(super) options: Vec<AskedChoice>,
    #[serde(default, rename = "multiSelect")]
    pub(super) multi_select: bool,
}

/// One thing to choose.
#[derive(Debug, Deserialize)]
pub(super) struct AskedChoice {
    pub(super) label: String,
    pub(super) description: Option<String>,
    pub(super) preview: Option<String>,
}

/// The arguments of `wait` and `check`.
#[derive(Debug, Deserialize)]
pub(super) struct IdArguments {
    pub(super) id: String,
}

/// The arguments of `notify`.
#[derive(Debug, Deserialize)]
pub(super) struct NotifyArguments {
    pub(super) text: String,
}

/// What became of an ask.
#[derive(Debug, Serialize)]
pub(super) struct Told<'a> {
    pub(super) status: &'static str,
    pub(super) id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) answers: Option<Entries<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) notes: Option<Entries<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) allowed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) input: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fields: Option<Entries<Filled>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next: Option<&'static str>,
}

/// The value of a field.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Filled {
    Text(String),
    Number(Box<RawValue>),
    Boolean(bool),
    Many(Vec<String>),
}

/// That something was told.
#[derive(Debug, Serialize)]
pub(super) struct Notified {
    pub(super) status: &'static str,
}
