//! A form to fill in, or a page to visit.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{FieldValue, WireNumber};

/// A form: `fields`, or a `url`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct Form {
    /// What the agent needs, and why.
    pub message: String,
    /// The fields to fill in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields: Option<Vec<Field>>,
    /// The URL of the page to visit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// A field. Its keys depend on `kind`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Field {
    /// The name of the field in the answer.
    pub name: String,
    /// The label of the field; the name by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A description of one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The type of the field.
    pub kind: FieldKind,
    /// `text`: the format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<TextFormat>,
    /// `text`: minimum length in characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_length: Option<u32>,
    /// `text`: maximum length in characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u32>,
    /// `number`, `integer`: minimum value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<WireNumber>,
    /// `number`, `integer`: maximum value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<WireNumber>,
    /// `one_of`, `many_of`: the choices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<FieldChoice>>,
    /// `many_of`: minimum number of choices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_items: Option<u32>,
    /// `many_of`: maximum number of choices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_items: Option<u32>,
    /// The default value, of the same type as the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<FieldValue>,
    /// Whether the field is required.
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

/// The types of fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FieldKind {
    /// Text.
    Text,
    /// Any number.
    Number,
    /// A whole number.
    Integer,
    /// True or false.
    Boolean,
    /// One of several values.
    OneOf,
    /// Any of several values.
    ManyOf,
    /// A secret.
    Secret,
}

/// The formats of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TextFormat {
    /// An email address.
    Email,
    /// An absolute URL.
    Uri,
    /// A date.
    Date,
    /// A date and time (RFC 3339).
    DateTime,
}

/// A choice.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct FieldChoice {
    /// The value in the answer.
    pub value: String,
    /// The label of the value; the value by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}
