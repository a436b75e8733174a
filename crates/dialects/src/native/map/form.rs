//! Forms on their way in. Which keys a field has depends on its kind.

use sayso_core::form::{Field, FieldChoice, FieldKind, Form, Range};
use sayso_core::text::Number;

use super::{Found, refuse_keys, wire};

const NO_NUMBER: &str = "must be a number of at most 64 characters";

pub(super) fn form_from_wire(found: &mut Found, form: wire::Form) -> Option<Form> {
    let wire::Form {
        message,
        fields,
        url,
    } = form;
    match (fields, url) {
        (Some(fields), None) => {
            let fields: Vec<_> = fields
                .into_iter()
                .enumerate()
                .map(|(index, field)| {
                    field_from_wire(found, &format!("/form/fields/{index}"), field)
                })
                .collect();
            let fields = fields.into_iter().collect::<Option<_>>()?;
            Some(Form::Fields { message, fields })
        }
        (None, Some(url)) => Some(Form::Page { message, url }),
        (Some(_), Some(_)) => {
            found.push("/form/url", "a form has `fields` or a `url`, not both");
            None
        }
        (None, None) => {
            found.push("/form/fields", "is missing; a form has `fields` or a `url`");
            None
        }
    }
}

fn field_from_wire(found: &mut Found, at: &str, field: wire::Field) -> Option<Field> {
    let before = found.0.len();
    refuse_other_keys(found, at, &field);
    let default = field.default;
    let mut range = |default: Option<wire::FieldValue>| Range {
        min: number(found, at, "min", field.min.as_ref()),
        max: number(found, at, "max", field.max.as_ref()),
        default: default.and_then(|value| match value {
            wire::FieldValue::Number(value) => number(found, at, "default", Some(&value)),
            _ => wrong(found, at, NO_NUMBER),
        }),
    };
    let kind = match field.kind {
        wire::FieldKind::Text => FieldKind::Text {
            format: field.format.map(Into::into),
            min_length: field.min_length,
            max_length: field.max_length,
            default: text(found, at, default),
        },
        wire::FieldKind::Number => FieldKind::Number(range(default)),
        wire::FieldKind::Integer => FieldKind::Integer(range(default)),
        wire::FieldKind::Boolean => FieldKind::Boolean {
            default: default.and_then(|value| match value {
                wire::FieldValue::Boolean(value) => Some(value),
                _ => wrong(found, at, "must be true or false"),
            }),
        },
        wire::FieldKind::OneOf => FieldKind::OneOf {
            choices: choices(field.options),
            default: text(found, at, default),
        },
        wire::FieldKind::ManyOf => FieldKind::ManyOf {
            choices: choices(field.options),
            min_items: field.min_items,
            max_items: field.max_items,
            default: default
                .and_then(|value| match value {
                    wire::FieldValue::Many(items) => Some(items),
                    _ => wrong(found, at, "must be a list of strings"),
                })
                .unwrap_or_default(),
        },
        wire::FieldKind::Secret => FieldKind::Secret,
    };
    (found.0.len() == before).then_some(Field {
        name: field.name,
        title: field.title,
        description: field.description,
        kind,
        required: field.required,
    })
}

fn refuse_other_keys(found: &mut Found, at: &str, field: &wire::Field) {
    let (name, kept): (&str, &[&str]) = match field.kind {
        wire::FieldKind::Text => ("text", &["format", "min_length", "max_length", "default"]),
        wire::FieldKind::Number => ("number", &["min", "max", "default"]),
        wire::FieldKind::Integer => ("integer", &["min", "max", "default"]),
        wire::FieldKind::Boolean => ("boolean", &["default"]),
        wire::FieldKind::OneOf => ("one_of", &["options", "default"]),
        wire::FieldKind::ManyOf => ("many_of", &["options", "min_items", "max_items", "default"]),
        wire::FieldKind::Secret => ("secret", &[]),
    };
    let given = [
        ("format", field.format.is_some()),
        ("min_length", field.min_length.is_some()),
        ("max_length", field.max_length.is_some()),
        ("min", field.min.is_some()),
        ("max", field.max.is_some()),
        ("options", field.options.is_some()),
        ("min_items", field.min_items.is_some()),
        ("max_items", field.max_items.is_some()),
        ("default", field.default.is_some()),
    ];
    refuse_keys(
        found,
        at,
        name,
        &given.map(|(key, there)| (key, there && !kept.contains(&key))),
    );
}

fn wrong<T>(found: &mut Found, at: &str, message: &str) -> Option<T> {
    found.push(format!("{at}/default"), message);
    None
}

fn text(found: &mut Found, at: &str, value: Option<wire::FieldValue>) -> Option<String> {
    match value? {
        wire::FieldValue::Text(text) => Some(text),
        _ => wrong(found, at, "must be a string"),
    }
}

fn number(
    found: &mut Found,
    at: &str,
    key: &str,
    value: Option<&wire::WireNumber>,
) -> Option<Number> {
    let number = value?.number();
    if number.is_none() {
        found.push(format!("{at}/{key}"), NO_NUMBER);
    }
    number
}

fn choices(options: Option<Vec<wire::FieldChoice>>) -> Vec<FieldChoice> {
    options
        .into_iter()
        .flatten()
        .map(|choice| FieldChoice {
            value: choice.value,
            title: choice.title,
        })
        .collect()
}
