//! The arguments of the tools and what they return: types only.

use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

/// A message of the protocol, as far as a door looks at it.
#[derive(Debug, Deserialize)]
pub(super) struct Enveloped {
    #[serde(default)]
    pub(super) method: Option<String>,
    #[serde(default)]
    pub(super) id: Option<Box<RawValue>>,
    #[serde(default)]
    pub(super) params: Option<Parameters>,
}

/// The inside of it.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Parameters {
    #[serde(default)]
    pub(super) client_info: Option<Named>,
    #[serde(default)]
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
#[serde(expecting = "an object")]
pub(super) struct AskArguments {
    #[serde(default)]
    pub(super) title: Option<String>,
    pub(super) questions: Vec<AskedQuestion>,
    #[serde(default)]
    pub(super) timeout_s: Option<u64>,
}

/// One question.
#[derive(Debug, Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct AskedQuestion {
    pub(super) question: String,
    #[serde(default)]
    pub(super) header: Option<String>,
    #[serde(default)]
    pub(super) options: Vec<AskedChoice>,
    #[serde(default, rename = "multiSelect")]
    pub(super) multi_select: bool,
}

/// One thing to choose.
#[derive(Debug, Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct AskedChoice {
    pub(super) label: String,
    #[serde(default)]
    pub(super) description: Option<String>,
    #[serde(default)]
    pub(super) preview: Option<String>,
}

/// The arguments of `wait` and `check`.
#[derive(Debug, Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct IdArguments {
    pub(super) id: String,
}

/// The arguments of `notify`.
#[derive(Debug, Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct NotifyArguments {
    pub(super) text: String,
}

/// What became of an ask.
#[derive(Debug, Serialize)]
pub(super) struct Told<'a> {
    pub(super) status: &'static str,
    pub(super) id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) answers: Option<Pairs<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) notes: Option<Pairs<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) allowed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) input: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fields: Option<Pairs<Filled>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next: Option<&'static str>,
}

/// An object in a fixed order.
#[derive(Debug)]
pub(super) struct Pairs<T>(pub(super) Vec<(String, T)>);

impl<T: Serialize> Serialize for Pairs<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// The value of a field.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Filled {
    Text(String),
    Number(Box<serde_json::value::RawValue>),
    Boolean(bool),
    Many(Vec<String>),
}

/// That something was told.
#[derive(Debug, Serialize)]
pub(super) struct Notified {
    pub(super) status: &'static str,
}
