//! A form inside an `Asked` row.

use sayso_core::form::{Field, FieldChoice, FieldKind, Form, Range, TextFormat};
use sayso_core::text::Number;
use serde::{Deserialize, Serialize};

use super::stored::{Stored, recorded};

#[derive(Serialize, Deserialize)]
#[serde(remote = "Form", rename_all = "snake_case")]
enum FormRecord {
    Fields {
        message: String,
        #[serde(with = "Stored")]
        fields: Vec<Field>,
    },
    Page {
        message: String,
        url: String,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Field")]
struct FieldRecord {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(with = "Stored")]
    kind: FieldKind,
    required: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "FieldKind", rename_all = "snake_case")]
enum KindRecord {
    Text {
        #[serde(with = "Stored", default, skip_serializing_if = "Option::is_none")]
        format: Option<TextFormat>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min_length: Option<u32>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_length: Option<u32>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        default: Option<String>,
    },
    #[serde(with = "Stored")]
    Number(Range),
    #[serde(with = "Stored")]
    Integer(Range),
    Boolean {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        default: Option<bool>,
    },
    OneOf {
        #[serde(with = "Stored")]
        choices: Vec<FieldChoice>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        default: Option<String>,
    },
    ManyOf {
        #[serde(with = "Stored")]
        choices: Vec<FieldChoice>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min_items: Option<u32>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_items: Option<u32>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        default: Vec<String>,
    },
    Secret,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Range")]
struct RangeRecord {
    #[serde(with = "Stored", default, skip_serializing_if = "Option::is_none")]
    min: Option<Number>,
    #[serde(with = "Stored", default, skip_serializing_if = "Option::is_none")]
    max: Option<Number>,
    #[serde(with = "Stored", default, skip_serializing_if = "Option::is_none")]
    default: Option<Number>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "FieldChoice")]
struct FieldChoiceRecord {
    value: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<String>,
}

recorded! {
    FormRecord as Form,
    FieldRecord as Field,
    KindRecord as FieldKind,
    RangeRecord as Range,
    FieldChoiceRecord as FieldChoice,
}
