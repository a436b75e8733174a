//! One field of a form on a line: what it takes, and within which bounds.

use std::fmt::Display;

use sayso_core::escape::escape_line;
use sayso_dialects::native::wire::{Field, FieldKind, TextFormat, WireNumber};

use super::outcome;
use crate::text::add;

/// A field by its name, with all that an answer to it must keep to.
pub(super) fn line(field: &Field) -> String {
    let mut line = format!("- {}: {}", escape_line(&field.name), kind(field));
    let bounds = match field.kind {
        FieldKind::Text => bounds(field.min_length, field.max_length, " characters"),
        FieldKind::Number | FieldKind::Integer => {
            bounds(number(field.min.as_ref()), number(field.max.as_ref()), "")
        }
        FieldKind::ManyOf => bounds(field.min_items, field.max_items, ""),
        FieldKind::Boolean | FieldKind::OneOf | FieldKind::Secret => None,
    };
    if let Some(bounds) = bounds {
        add(&mut line, format_args!(", {bounds}"));
    }
    if let Some(title) = &field.title {
        add(&mut line, format_args!(", {}", escape_line(title)));
    }
    if let Some(default) = &field.default {
        let default = outcome::field(default);
        add(
            &mut line,
            format_args!(" (default {})", escape_line(&default)),
        );
    }
    if field.required {
        line.push_str(" (required)");
    }
    line
}

fn kind(field: &Field) -> &'static str {
    match (field.kind, field.format) {
        (FieldKind::Text, Some(TextFormat::Email)) => "an email address",
        (FieldKind::Text, Some(TextFormat::Uri)) => "a URL such as https://example.org",
        (FieldKind::Text, Some(TextFormat::Date)) => "a date such as 2026-12-31",
        (FieldKind::Text, Some(TextFormat::DateTime)) => {
            "a date and time such as \
                                                          2026-12-31T08:00:00Z"
        }
        (FieldKind::Text, None) => "text",
        (FieldKind::Number, _) => "number",
        (FieldKind::Integer, _) => "whole number",
        (FieldKind::Boolean, _) => "true or false",
        (FieldKind::OneOf, _) => "one of",
        (FieldKind::ManyOf, _) => "any of",
        (FieldKind::Secret, _) => "secret",
    }
}

fn number(number: Option<&WireNumber>) -> Option<String> {
    Some(number?.number()?.as_str().to_owned())
}

fn bounds<T: Display>(least: Option<T>, most: Option<T>, of: &str) -> Option<String> {
    match (least, most) {
        (Some(least), Some(most)) => Some(format!("{least} to {most}{of}")),
        (Some(least), None) => Some(format!("at least {least}{of}")),
        (None, Some(most)) => Some(format!("at most {most}{of}")),
        (None, None) => None,
    }
}
