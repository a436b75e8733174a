//! The flat subset of JSON Schema that an elicitation carries, both ways.

use serde::{Deserialize, Serialize};

use super::{Entries, Value};

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Schema {
    /// Always `object`.
    #[serde(rename = "type", default)]
    pub(crate) kind: Option<String>,
    /// The fields, in order.
    #[serde(default = "none")]
    pub(crate) properties: Entries<Property>,
    /// The names of those that must be filled in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) required: Vec<String>,
}

const fn none() -> Entries<Property> {
    Entries(Vec::new())
}

/// One field.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Property {
    /// What it takes; a list of words to choose from may leave it out.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<TypeWord>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) format: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) min_length: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) max_length: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) minimum: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) maximum: Option<Value>,
    #[serde(rename = "enum", default, skip_serializing_if = "Option::is_none")]
    pub(crate) words: Option<Vec<String>>,
    /// What people read instead of the words of `enum`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) enum_names: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) one_of: Option<Vec<Const>>,
    /// What a list is made of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) items: Option<Items>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) min_items: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) max_items: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) default: Option<Value>,
}

/// The types a field can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TypeWord {
    String,
    Number,
    Integer,
    Boolean,
    Array,
}

/// What a list is made of.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Items {
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<TypeWord>,
    #[serde(rename = "enum", default, skip_serializing_if = "Option::is_none")]
    pub(crate) words: Option<Vec<String>>,
    #[serde(default, alias = "oneOf", skip_serializing_if = "Option::is_none")]
    pub(crate) any_of: Option<Vec<Const>>,
}

/// One value to choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Const {
    /// What is returned.
    #[serde(rename = "const")]
    pub(crate) value: String,
    /// What a person reads instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
}
