//! Forms: the flat subset of JSON Schema that MCP elicitation uses, and pages to visit.

use crate::text::Number;

/// What to fill in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form {
    /// Fields to fill in.
    Fields {
        /// What the agent says it needs and why.
        message: String,
        /// The fields, in order.
        fields: Vec<Field>,
    },
    /// A page to visit, where the rest happens.
    Page {
        /// What the agent says about it.
        message: String,
        /// The address: `https`, or `http` on loopback.
        url: String,
    },
}

impl Form {
    /// What the agent says about it.
    pub fn message(&self) -> &str {
        match self {
            Self::Fields { message, .. } | Self::Page { message, .. } => message,
        }
    }

    /// The fields; a page has none.
    pub fn fields(&self) -> &[Field] {
        match self {
            Self::Fields { fields, .. } => fields,
            Self::Page { .. } => &[],
        }
    }
}

/// One field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The key the answer uses.
    pub name: String,
    /// What a person reads instead of the name.
    pub title: Option<String>,
    /// A line below it.
    pub description: Option<String>,
    /// What it takes.
    pub kind: FieldKind,
    /// Whether the form cannot be sent without it.
    pub required: bool,
}

/// What a field takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldKind {
    /// Text.
    Text {
        /// What it must look like.
        format: Option<TextFormat>,
        /// Shortest length in characters.
        min_length: Option<u32>,
        /// Longest length in characters.
        max_length: Option<u32>,
        /// What is set beforehand.
        default: Option<String>,
    },
    /// Any number.
    Number(Range),
    /// A whole number.
    Integer(Range),
    /// Yes or no.
    Boolean {
        /// What is set beforehand.
        default: Option<bool>,
    },
    /// One of several values.
    OneOf {
        /// The values.
        choices: Vec<FieldChoice>,
        /// The value set beforehand.
        default: Option<String>,
    },
    /// Any of several values.
    ManyOf {
        /// The values.
        choices: Vec<FieldChoice>,
        /// Fewest that must be chosen.
        min_items: Option<u32>,
        /// Most that may be chosen.
        max_items: Option<u32>,
        /// The values set beforehand.
        default: Vec<String>,
    },
    /// A secret: sealed at rest, erased once the agent has it, shown to nobody else.
    Secret,
}

/// Bounds and default of a number.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Range {
    /// Smallest value.
    pub min: Option<Number>,
    /// Largest value.
    pub max: Option<Number>,
    /// What is set beforehand.
    pub default: Option<Number>,
}

/// What a text must look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextFormat {
    /// An e-mail address.
    Email,
    /// An absolute address.
    Uri,
    /// A day, `2026-11-15`.
    Date,
    /// A moment, RFC 3339.
    DateTime,
}

crate::words! { TextFormat: Email = "email", Uri = "uri", Date = "date", DateTime = "date_time" }

/// One value to choose in a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldChoice {
    /// What is returned.
    pub value: String,
    /// What a person reads instead.
    pub title: Option<String>,
}
