//! Forms as the flat JSON Schema of an elicitation, both ways, and what was filled in.

use sayso_core::answer::FieldValue;
use sayso_core::form::{Field, FieldChoice, FieldKind, Form, Range, TextFormat};
use sayso_core::text::Number;
use sayso_core::view::Viewer;

use super::super::wire::{Const, Elicitation, Entries, Items, Property, Schema, TypeWord, Value};
use crate::ReadError;
use crate::path::push_key;

/// The format of a text that nobody else may see.
const PASSWORD: &str = "password";

pub(super) fn form_from_wire(sent: Elicitation) -> Result<Form, ReadError> {
    let message = sent.message;
    match sent.mode.as_deref() {
        None | Some("form") => {
            let schema = sent
                .requested_schema
                .ok_or_else(|| ReadError::at("/request/requested_schema", "is missing"))?;
            let fields = fields_from_wire(schema, sent.property_order.as_deref())?;
            Ok(Form::Fields { message, fields })
        }
        Some("url") => match sent.url {
            Some(url) => Ok(Form::Page { message, url }),
            None => Err(ReadError::at("/request/url", "is missing")),
        },
        Some(_) => Err(ReadError::at("/request/mode", "must be `form` or `url`")),
    }
}

fn fields_from_wire(schema: Schema, order: Option<&[String]>) -> Result<Vec<Field>, ReadError> {
    let mut properties = schema.properties.0;
    if let Some(order) = order {
        let place = |name: &str| order.iter().position(|ordered| ordered == name);
        // What the order leaves out keeps its own, behind the rest.
        properties.sort_by_cached_key(|(name, _)| place(name).unwrap_or(usize::MAX));
    }
    properties
        .into_iter()
        .map(|(name, property)| {
            let required = schema.required.contains(&name);
            field_from_wire(name, property, required)
        })
        .collect()
}

fn field_from_wire(name: String, property: Property, required: bool) -> Result<Field, ReadError> {
    let at = |key: &str| {
        let mut path = "/request/requested_schema/properties".to_owned();
        push_key(&mut path, &name);
        push_key(&mut path, key);
        path
    };
    let default = property.default;
    let choices = choices_from_wire(property.words, property.enum_names, property.one_of);
    let kind = match (property.kind, choices) {
        (Some(TypeWord::String) | None, Some(choices)) => FieldKind::OneOf {
            choices,
            default: default.and_then(text),
        },
        (Some(TypeWord::String), None) if property.format.as_deref() == Some(PASSWORD) => {
            FieldKind::Secret
        }
        (Some(TypeWord::String), None) => FieldKind::Text {
            format: property.format.as_deref().and_then(format_from_wire),
            min_length: property.min_length,
            max_length: property.max_length,
            default: default.and_then(text),
        },
        (Some(word @ (TypeWord::Number | TypeWord::Integer)), _) => {
            let range = Range {
                min: property.minimum.and_then(number),
                max: property.maximum.and_then(number),
                default: default.and_then(number),
            };
            if word == TypeWord::Integer {
                FieldKind::Integer(range)
            } else {
                FieldKind::Number(range)
            }
        }
        (Some(TypeWord::Boolean), _) => FieldKind::Boolean {
            default: default.and_then(|value| match value {
                Value::Boolean(value) => Some(value),
                _ => None,
            }),
        },
        (Some(TypeWord::Array), _) => {
            let items = property.items.unwrap_or_default();
            let choices = choices_from_wire(items.words, None, items.any_of)
                .ok_or_else(|| ReadError::at(at("items"), "must list the choices"))?;
            FieldKind::ManyOf {
                choices,
                min_items: property.min_items,
                max_items: property.max_items,
                default: default
                    .and_then(|value| match value {
                        Value::Many(items) => Some(items),
                        _ => None,
                    })
                    .unwrap_or_default(),
            }
        }
        (None, None) => return Err(ReadError::at(at("type"), "is missing")),
    };
    Ok(Field {
        name,
        title: property.title,
        description: property.description,
        kind,
        required,
    })
}

fn choices_from_wire(
    words: Option<Vec<String>>,
    names: Option<Vec<String>>,
    titled: Option<Vec<Const>>,
) -> Option<Vec<FieldChoice>> {
    let titled = titled.map(|titled| {
        let choice = |one: Const| FieldChoice {
            value: one.value,
            title: one.title,
        };
        titled.into_iter().map(choice).collect()
    });
    titled.or_else(|| {
        let mut names = names.unwrap_or_default().into_iter();
        let choice = |value| FieldChoice {
            value,
            title: names.next(),
        };
        Some(words?.into_iter().map(choice).collect())
    })
}

fn text(value: Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

fn number(value: Value) -> Option<Number> {
    match value {
        Value::Number(number) => Some(number),
        _ => None,
    }
}

fn format_from_wire(word: &str) -> Option<TextFormat> {
    let known = |format: &TextFormat| format_to_wire(*format) == word;
    TextFormat::ALL.into_iter().find(known)
}

const fn format_to_wire(format: TextFormat) -> &'static str {
    match format {
        TextFormat::Email => "email",
        TextFormat::Uri => "uri",
        TextFormat::Date => "date",
        TextFormat::DateTime => "date-time",
    }
}

pub(super) fn schema_to_wire(fields: &[Field]) -> Schema {
    let property = |field: &Field| (field.name.clone(), property_to_wire(field));
    let required = fields.iter().filter(|field| field.required);
    Schema {
        kind: Some("object".to_owned()),
        properties: Entries(fields.iter().map(property).collect()),
        required: required.map(|field| field.name.clone()).collect(),
    }
}

fn property_to_wire(field: &Field) -> Property {
    let of = |kind| Property {
        kind: Some(kind),
        title: field.title.clone(),
        description: field.description.clone(),
        ..Property::default()
    };
    let ranged = |kind, range: &Range| Property {
        minimum: range.min.clone().map(Value::Number),
        maximum: range.max.clone().map(Value::Number),
        default: range.default.clone().map(Value::Number),
        ..of(kind)
    };
    match &field.kind {
        FieldKind::Text {
            format,
            min_length,
            max_length,
            default,
        } => Property {
            format: format.map(|format| format_to_wire(format).to_owned()),
            min_length: *min_length,
            max_length: *max_length,
            default: default.clone().map(Value::Text),
            ..of(TypeWord::String)
        },
        FieldKind::Number(range) => ranged(TypeWord::Number, range),
        FieldKind::Integer(range) => ranged(TypeWord::Integer, range),
        FieldKind::Boolean { default } => Property {
            default: default.map(Value::Boolean),
            ..of(TypeWord::Boolean)
        },
        FieldKind::OneOf { choices, default } => Property {
            one_of: Some(choices.iter().map(choice_to_wire).collect()),
            default: default.clone().map(Value::Text),
            ..of(TypeWord::String)
        },
        FieldKind::ManyOf {
            choices,
            min_items,
            max_items,
            default,
        } => Property {
            items: Some(Items {
                any_of: Some(choices.iter().map(choice_to_wire).collect()),
                ..Items::default()
            }),
            min_items: *min_items,
            max_items: *max_items,
            default: (!default.is_empty()).then(|| Value::Many(default.clone())),
            ..of(TypeWord::Array)
        },
        FieldKind::Secret => Property {
            format: Some(PASSWORD.to_owned()),
            ..of(TypeWord::String)
        },
    }
}

fn choice_to_wire(choice: &FieldChoice) -> Const {
    Const {
        value: choice.value.clone(),
        title: Some(choice.title.clone().unwrap_or_else(|| choice.value.clone())),
    }
}

/// What was filled in; the name of the first value that no field takes when there is one.
pub(super) fn fields_of(content: Entries<Value>) -> Result<Vec<(String, FieldValue)>, String> {
    let mut fields = Vec::new();
    for (name, value) in content.0 {
        let value = match value {
            Value::Text(text) => FieldValue::Text(text),
            Value::Number(number) => FieldValue::Number(number),
            Value::Boolean(value) => FieldValue::Boolean(value),
            Value::Many(items) => FieldValue::Many(items),
            Value::Null => continue,
            Value::Hidden | Value::Other => return Err(name),
        };
        fields.push((name, value));
    }
    Ok(fields)
}

/// What was filled in, as this viewer may see it. An erased secret is left out for its asker.
pub(super) fn content_of(fields: &[(String, FieldValue)], viewer: Viewer) -> Entries<Value> {
    let value = |(name, value): &(String, FieldValue)| {
        let value = match (value, viewer) {
            (FieldValue::Text(text), _) => Value::Text(text.clone()),
            (FieldValue::Number(number), _) => Value::Number(number.clone()),
            (FieldValue::Boolean(value), _) => Value::Boolean(*value),
            (FieldValue::Many(items), _) => Value::Many(items.clone()),
            (FieldValue::Secret(_), Viewer::Anybody) => Value::Hidden,
            (FieldValue::Secret(secret), Viewer::Asker) => {
                Value::Text(secret.as_ref()?.reveal().to_owned())
            }
        };
        Some((name.clone(), value))
    };
    Entries(fields.iter().filter_map(value).collect())
}
