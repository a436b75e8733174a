//! A form inside an `Asked` row.

use sayso_core::form::{Field, FieldChoice, FieldKind, Form, Range, TextFormat};
use sayso_core::text::Number;
use serde::{Deserialize, Serialize};

use super::BadRecord;
use super::ask::{Text, borrowed, maybe, owned};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum FormRecord<'a> {
    Fields {
        #[serde(borrow)]
        message: Text<'a>,
        #[serde(borrow)]
        fields: Vec<FieldRecord<'a>>,
    },
    Page {
        #[serde(borrow)]
        message: Text<'a>,
        #[serde(borrow)]
        url: Text<'a>,
    },
}

#[derive(Serialize, Deserialize)]
pub(super) struct FieldRecord<'a> {
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    title: Option<Text<'a>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    description: Option<Text<'a>>,
    #[serde(borrow)]
    kind: KindRecord<'a>,
    required: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum KindRecord<'a> {
    Text {
        #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
        format: Option<Text<'a>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min_length: Option<u32>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_length: Option<u32>,
        #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
        default: Option<Text<'a>>,
    },
    #[serde(borrow)]
    Number(RangeRecord<'a>),
    #[serde(borrow)]
    Integer(RangeRecord<'a>),
    Boolean {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        default: Option<bool>,
    },
    OneOf {
        #[serde(borrow)]
        choices: Vec<ChoiceRecord<'a>>,
        #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
        default: Option<Text<'a>>,
    },
    ManyOf {
        #[serde(borrow)]
        choices: Vec<ChoiceRecord<'a>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min_items: Option<u32>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_items: Option<u32>,
        #[serde(borrow, default, skip_serializing_if = "Vec::is_empty")]
        default: Vec<Text<'a>>,
    },
    Secret,
}

#[derive(Serialize, Deserialize)]
struct RangeRecord<'a> {
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    min: Option<Text<'a>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    max: Option<Text<'a>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    default: Option<Text<'a>>,
}

#[derive(Serialize, Deserialize)]
struct ChoiceRecord<'a> {
    #[serde(borrow)]
    value: Text<'a>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    title: Option<Text<'a>>,
}

impl<'a> From<&'a Form> for FormRecord<'a> {
    fn from(form: &'a Form) -> Self {
        match form {
            Form::Fields { message, fields } => Self::Fields {
                message: borrowed(message),
                fields: fields.iter().map(FieldRecord::from).collect(),
            },
            Form::Page { message, url } => Self::Page {
                message: borrowed(message),
                url: borrowed(url),
            },
        }
    }
}

impl TryFrom<FormRecord<'_>> for Form {
    type Error = BadRecord;

    fn try_from(record: FormRecord<'_>) -> Result<Self, BadRecord> {
        Ok(match record {
            FormRecord::Fields { message, fields } => Self::Fields {
                message: message.into_owned(),
                fields: fields
                    .into_iter()
                    .map(Field::try_from)
                    .collect::<Result<_, _>>()?,
            },
            FormRecord::Page { message, url } => Self::Page {
                message: message.into_owned(),
                url: url.into_owned(),
            },
        })
    }
}

impl<'a> From<&'a Field> for FieldRecord<'a> {
    fn from(field: &'a Field) -> Self {
        let choices = |choices: &'a [FieldChoice]| {
            choices
                .iter()
                .map(|choice| ChoiceRecord {
                    value: borrowed(&choice.value),
                    title: maybe(choice.title.as_deref()),
                })
                .collect()
        };
        Self {
            name: borrowed(&field.name),
            title: maybe(field.title.as_deref()),
            description: maybe(field.description.as_deref()),
            kind: match &field.kind {
                FieldKind::Text {
                    format,
                    min_length,
                    max_length,
                    default,
                } => KindRecord::Text {
                    format: format.map(|format| borrowed(format.word())),
                    min_length: *min_length,
                    max_length: *max_length,
                    default: maybe(default.as_deref()),
                },
                FieldKind::Number(range) => KindRecord::Number(range.into()),
                FieldKind::Integer(range) => KindRecord::Integer(range.into()),
                FieldKind::Boolean { default } => KindRecord::Boolean { default: *default },
                FieldKind::OneOf {
                    choices: list,
                    default,
                } => KindRecord::OneOf {
                    choices: choices(list),
                    default: maybe(default.as_deref()),
                },
                FieldKind::ManyOf {
                    choices: list,
                    min_items,
                    max_items,
                    default,
                } => KindRecord::ManyOf {
                    choices: choices(list),
                    min_items: *min_items,
                    max_items: *max_items,
                    default: default.iter().map(|value| borrowed(value)).collect(),
                },
                FieldKind::Secret => KindRecord::Secret,
            },
            required: field.required,
        }
    }
}

impl TryFrom<FieldRecord<'_>> for Field {
    type Error = BadRecord;

    fn try_from(record: FieldRecord<'_>) -> Result<Self, BadRecord> {
        let choices = |choices: Vec<ChoiceRecord<'_>>| {
            choices
                .into_iter()
                .map(|choice| FieldChoice {
                    value: choice.value.into_owned(),
                    title: owned(choice.title),
                })
                .collect()
        };
        let format = |word: Text<'_>| {
            TextFormat::ALL
                .into_iter()
                .find(|format| format.word() == word)
                .ok_or_else(|| BadRecord::impossible(format!("the format {word}")))
        };
        Ok(Self {
            name: record.name.into_owned(),
            title: owned(record.title),
            description: owned(record.description),
            kind: match record.kind {
                KindRecord::Text {
                    format: word,
                    min_length,
                    max_length,
                    default,
                } => FieldKind::Text {
                    format: word.map(format).transpose()?,
                    min_length,
                    max_length,
                    default: owned(default),
                },
                KindRecord::Number(range) => FieldKind::Number(range.try_into()?),
                KindRecord::Integer(range) => FieldKind::Integer(range.try_into()?),
                KindRecord::Boolean { default } => FieldKind::Boolean { default },
                KindRecord::OneOf {
                    choices: list,
                    default,
                } => FieldKind::OneOf {
                    choices: choices(list),
                    default: owned(default),
                },
                KindRecord::ManyOf {
                    choices: list,
                    min_items,
                    max_items,
                    default,
                } => FieldKind::ManyOf {
                    choices: choices(list),
                    min_items,
                    max_items,
                    default: default
                        .into_iter()
                        .map(std::borrow::Cow::into_owned)
                        .collect(),
                },
                KindRecord::Secret => FieldKind::Secret,
            },
            required: record.required,
        })
    }
}

impl<'a> From<&'a Range> for RangeRecord<'a> {
    fn from(range: &'a Range) -> Self {
        let text = |number: &'a Option<Number>| maybe(number.as_ref().map(Number::as_str));
        Self {
            min: text(&range.min),
            max: text(&range.max),
            default: text(&range.default),
        }
    }
}

impl TryFrom<RangeRecord<'_>> for Range {
    type Error = BadRecord;

    fn try_from(record: RangeRecord<'_>) -> Result<Self, BadRecord> {
        let number =
            |text: Option<Text<'_>>| text.map(|text| super::closing::number(&text)).transpose();
        Ok(Self {
            min: number(record.min)?,
            max: number(record.max)?,
            default: number(record.default)?,
        })
    }
}
