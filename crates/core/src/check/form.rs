//! Whether a form makes sense: its fields, their bounds, and what is set beforehand.

use std::cmp::Ordering;

use super::decimal::compare;
use super::field::{check_choice, check_integer, check_items, check_number, check_text};
use super::format;
use super::found::{At, Checker};
use crate::form::{Field, FieldChoice, FieldKind, Form, Range};
use crate::limits;

pub(super) fn check_form(found: &mut Checker, at: At<'_>, form: &Form) {
    found.filled(at.key("message"), form.message(), limits::TEXT_BYTES_MAX);
    match form {
        Form::Page { url, message: _ } => {
            found.length(at.key("url"), url, limits::WORKSPACE_BYTES_MAX);
            if let Some(fault) = format::page_fault(url) {
                found.add(at.key("url"), fault);
            }
        }
        Form::Fields { fields, message: _ } => {
            let at = at.key("fields");
            if fields.is_empty() {
                found.add(at, "is empty; a form has at least one field");
            }
            found.count(at, fields.len(), limits::FIELDS_MAX);
            for (index, field) in fields.iter().enumerate().take(limits::FIELDS_MAX) {
                check_field(found, at.index(index), field);
            }
            found.repeats(
                at,
                fields.iter().map(|field| field.name.as_str()),
                Some("name"),
            );
        }
    }
}

fn check_field(found: &mut Checker, at: At<'_>, field: &Field) {
    found.filled(at.key("name"), &field.name, limits::NAME_BYTES_MAX);
    found.length_if(at.key("title"), &field.title, limits::TITLE_BYTES_MAX);
    found.length_if(
        at.key("description"),
        &field.description,
        limits::LABEL_BYTES_MAX,
    );
    let preset = at.key("default");
    match &field.kind {
        FieldKind::Text {
            format,
            min_length,
            max_length,
            default,
        } => {
            ordered(
                found,
                at.key("min_length"),
                *min_length,
                *max_length,
                "max_length",
            );
            if let Some(default) = default {
                check_text(found, preset, default, (*min_length, *max_length), *format);
            }
        }
        FieldKind::Number(range) => {
            check_range(found, at, range);
            if let Some(default) = &range.default {
                check_number(found, preset, range, default);
            }
        }
        FieldKind::Integer(range) => {
            check_range(found, at, range);
            if let Some(default) = &range.default {
                check_integer(found, preset, range, default);
            }
        }
        FieldKind::Boolean { default: _ } | FieldKind::Secret => {}
        FieldKind::OneOf { choices, default } => {
            check_choices(found, at.key("options"), choices);
            if let Some(default) = default {
                check_choice(found, preset, choices, default);
            }
        }
        FieldKind::ManyOf {
            choices,
            min_items,
            max_items,
            default,
        } => {
            check_choices(found, at.key("options"), choices);
            ordered(
                found,
                at.key("min_items"),
                *min_items,
                *max_items,
                "max_items",
            );
            if let Some(min) = min_items
                && usize::try_from(*min).is_ok_and(|min| min > choices.len())
            {
                found.add(at.key("min_items"), "is larger than the number of choices");
            }
            // Nothing chosen beforehand is no default, whatever must be chosen in the end.
            if !default.is_empty() {
                check_items(found, preset, choices, (*min_items, *max_items), default);
            }
        }
    }
}

fn ordered(found: &mut Checker, at: At<'_>, min: Option<u32>, max: Option<u32>, other: &str) {
    if let (Some(min), Some(max)) = (min, max)
        && min > max
    {
        found.add(at, format!("is larger than {other}"));
    }
}

fn check_range(found: &mut Checker, at: At<'_>, range: &Range) {
    if let (Some(min), Some(max)) = (&range.min, &range.max)
        && compare(min, max) == Ordering::Greater
    {
        found.add(at.key("min"), "is larger than max");
    }
}

fn check_choices(found: &mut Checker, at: At<'_>, choices: &[FieldChoice]) {
    if choices.is_empty() {
        found.add(at, "is empty; there is nothing to choose");
    }
    found.count(at, choices.len(), limits::FIELD_CHOICES_MAX);
    for (index, choice) in choices.iter().enumerate().take(limits::FIELD_CHOICES_MAX) {
        let at = at.index(index);
        found.length(at.key("value"), &choice.value, limits::LABEL_BYTES_MAX);
        found.length_if(at.key("title"), &choice.title, limits::LABEL_BYTES_MAX);
    }
    found.repeats(
        at,
        choices.iter().map(|choice| choice.value.as_str()),
        Some("value"),
    );
}
