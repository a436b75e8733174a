//! Whether one value fits one form field: used for answers and for what is set beforehand.

use std::cmp::Ordering;

use super::decimal::compare;
use super::format;
use super::found::{At, Checker};
use crate::answer::FieldValue;
use crate::form::{FieldChoice, FieldKind, Range, TextFormat};
use crate::limits;
use crate::text::Number;

/// Adds every way in which `value` does not fit `kind`.
pub(super) fn check_value(found: &mut Checker, at: At<'_>, kind: &FieldKind, value: &FieldValue) {
    match (kind, value) {
        (
            FieldKind::Text {
                format,
                min_length,
                max_length,
                default: _,
            },
            FieldValue::Text(text),
        ) => {
            check_text(found, at, text, (*min_length, *max_length), *format);
        }
        (FieldKind::Number(range), FieldValue::Number(number)) => {
            check_number(found, at, range, number);
        }
        (FieldKind::Integer(range), FieldValue::Number(number)) => {
            check_integer(found, at, range, number);
        }
        (FieldKind::Boolean { .. }, FieldValue::Boolean(_)) => {}
        (FieldKind::OneOf { choices, .. }, FieldValue::Text(text)) => {
            check_choice(found, at, choices, text);
        }
        (
            FieldKind::ManyOf {
                choices,
                min_items,
                max_items,
                default: _,
            },
            FieldValue::Many(items),
        ) => {
            check_items(found, at, choices, (*min_items, *max_items), items);
        }
        (FieldKind::Secret, FieldValue::Secret(Some(secret))) => {
            found.length(at, secret.reveal(), limits::TEXT_BYTES_MAX);
        }
        (FieldKind::Text { .. } | FieldKind::OneOf { .. } | FieldKind::Secret, _) => {
            found.add(at, "must be a string");
        }
        (FieldKind::Number(_), _) => found.add(at, "must be a number"),
        (FieldKind::Integer(_), _) => found.add(at, "must be a whole number"),
        (FieldKind::Boolean { .. }, _) => found.add(at, "must be true or false"),
        (FieldKind::ManyOf { .. }, _) => found.add(at, "must be a list of strings"),
    }
}

pub(super) fn check_text(
    found: &mut Checker,
    at: At<'_>,
    text: &str,
    (min, max): (Option<u32>, Option<u32>),
    format: Option<TextFormat>,
) {
    found.length(at, text, limits::TEXT_BYTES_MAX);
    let length = text.chars().count();
    check_bounds(found, at, length, (min, max), "characters");
    if let Some(format) = format
        && !format::fits(format, text)
    {
        found.add(at, format::said(format));
    }
}

fn check_bounds(
    found: &mut Checker,
    at: At<'_>,
    count: usize,
    (min, max): (Option<u32>, Option<u32>),
    what: &str,
) {
    let count = u64::try_from(count).unwrap_or(u64::MAX);
    if let Some(min) = min
        && count < u64::from(min)
    {
        found.add(at, format!("has {count} {what}; at least {min} are needed"));
    }
    if let Some(max) = max
        && count > u64::from(max)
    {
        found.add(at, format!("has {count} {what}; at most {max} are allowed"));
    }
}

pub(super) fn check_number(found: &mut Checker, at: At<'_>, range: &Range, number: &Number) {
    if let Some(min) = &range.min
        && compare(number, min) == Ordering::Less
    {
        found.add(at, format!("must be at least {}", min.as_str()));
    }
    if let Some(max) = &range.max
        && compare(number, max) == Ordering::Greater
    {
        found.add(at, format!("must be at most {}", max.as_str()));
    }
}

pub(super) fn check_integer(found: &mut Checker, at: At<'_>, range: &Range, number: &Number) {
    if !number.is_integer() {
        found.add(
            at,
            "must be a whole number, written without a fraction or an exponent",
        );
    }
    check_number(found, at, range, number);
}

pub(super) fn check_choice(found: &mut Checker, at: At<'_>, choices: &[FieldChoice], value: &str) {
    if !choices.iter().any(|choice| choice.value == value) {
        found.add(at, "is not one of the choices");
    }
}

pub(super) fn check_items(
    found: &mut Checker,
    at: At<'_>,
    choices: &[FieldChoice],
    bounds: (Option<u32>, Option<u32>),
    items: &[String],
) {
    check_bounds(found, at, items.len(), bounds, "items");
    for (index, item) in items.iter().enumerate().take(limits::FIELD_CHOICES_MAX) {
        check_choice(found, at.index(index), choices, item);
    }
    found.repeats(at, items.iter().map(String::as_str), None);
}
