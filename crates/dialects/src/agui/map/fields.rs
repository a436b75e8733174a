//! What a front end filled into a form.

use sayso_core::answer::{Answer, FieldValue};
use sayso_core::form::{Field, FieldKind, Form};
use sayso_core::text::Number;
use serde_json::value::RawValue;

use crate::object::Entries;
use crate::read;

/// The fields that can be filled in here, or why none can. A secret is typed on our own page only:
/// a front end may keep what it sends.
pub(super) fn fillable(form: &Form) -> Result<&[Field], &'static str> {
    match form {
        Form::Page { .. } => Ok(&[]),
        Form::Fields { fields, .. } => {
            if fields.iter().any(|field| field.kind == FieldKind::Secret) {
                Err("it asks for a secret: answer on the sayso page")
            } else {
                Ok(fields)
            }
        }
    }
}

/// What the values mean, in the form's order. A key that no field has is an error.
pub(super) fn answer(form: &Form, given: &Entries<Box<RawValue>>) -> Result<Answer, String> {
    let fields = fillable(form)?;
    if let Some((key, _)) = given
        .0
        .iter()
        .find(|(key, _)| fields.iter().all(|field| field.name != *key))
    {
        return Err(super::answer::unknown(key));
    }
    let mut filled = Vec::new();
    for field in fields {
        let Some(raw) = given.get(&field.name).filter(|raw| raw.get() != "null") else {
            continue;
        };
        let value = value(&field.kind, raw).ok_or_else(|| {
            format!(
                "`{}` has a value of the wrong type",
                super::answer::shown(&field.name)
            )
        })?;
        filled.push((field.name.clone(), value));
    }
    Ok(Answer::Fields(filled))
}

fn value(kind: &FieldKind, raw: &RawValue) -> Option<FieldValue> {
    let text = || read::kindly::<String>(raw.get()).ok();
    match kind {
        FieldKind::Text { .. } | FieldKind::OneOf { .. } => text().map(FieldValue::Text),
        FieldKind::Number(_) | FieldKind::Integer(_) => {
            // Forms of browsers give text for numbers.
            let written = text().unwrap_or_else(|| raw.get().to_owned());
            Number::new(written.trim()).map(FieldValue::Number)
        }
        FieldKind::Boolean { .. } => serde_json::from_str(raw.get())
            .ok()
            .map(FieldValue::Boolean),
        FieldKind::ManyOf { .. } => read::kindly(raw.get()).ok().map(FieldValue::Many),
        FieldKind::Secret => None,
    }
}
