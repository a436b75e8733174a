//! A form to fill in, or a page to visit.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{FieldValue, WireNumber};

/// A form: `fields`, or a `url`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct Form {
    /// What the agent says it needs and why.
    pub message: String,
    /// The fields to fill in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields: Option<Vec<Field>>,
    /// The page to visit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// One field. Which keys are there depends on `kind`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Field {
    /// The key the answer uses.
    pub name: String,
    /// What a person reads instead of the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A line below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What it takes.
    pub kind: FieldKind,
    /// `text`: what it must look like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<TextFormat>,
    /// `text`: shortest length in characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_length: Option<u32>,
    /// `text`: longest length in characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u32>,
    /// `number`, `integer`: smallest value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<WireNumber>,
    /// `number`, `integer`: largest value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<WireNumber>,
    /// `one_of`, `many_of`: the values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<FieldChoice>>,
    /// `many_of`: fewest that must be chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_items: Option<u32>,
    /// `many_of`: most that may be chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_items: Option<u32>,
    /// What is set beforehand, of the type that the answer has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<FieldValue>,
    /// Whether the form cannot be sent without it.
    #[serde(default)]
    pub required: bool,
}

impl Field {
    /// A field of this name and kind with nothing else said about it.
    pub fn of(name: impl Into<String>, kind: FieldKind) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            kind,
            format: None,
            min_length: None,
            max_length: None,
            min: None,
            max: None,
            options: None,
            min_items: None,
            max_items: None,
            default: None,
            required: false,
        }
    }
}

/// What a field takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FieldKind {
    /// Text.
    Text,
    /// Any number.
    Number,
    /// A whole number.
    Integer,
    /// Yes or no.
    Boolean,
    /// One of several values.
    OneOf,
    /// Any of several values.
    ManyOf,
    /// A secret.
    Secret,
}

/// What a text must look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TextFormat {
    /// An e-mail address.
    Email,
    /// An absolute address.
    Uri,
    /// A day.
    Date,
    /// A moment, RFC 3339.
    DateTime,
}

/// One value to choose.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct FieldChoice {
    /// What is returned.
    pub value: String,
    /// What a person reads instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}
