//! JSON Schema as far as answers need it, in the order in which things are asked.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::object::Entries;

/// What a value must be.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Schema {
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    #[serde(rename = "const", skip_serializing_if = "Option::is_none")]
    pub(crate) constant: Option<String>,
    #[serde(rename = "enum", skip_serializing_if = "Vec::is_empty")]
    pub(crate) words: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) format: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) min_length: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) max_length: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) minimum: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) maximum: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) one_of: Vec<Self>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) any_of: Vec<Self>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) items: Option<Box<Self>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) min_items: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) max_items: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unique_items: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) properties: Option<Named>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) required: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) min_properties: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) additional_properties: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) default: Option<Box<RawValue>>,
}

/// What an object is made of, in order.
pub(crate) type Named = Entries<Schema>;
