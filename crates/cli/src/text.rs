//! Building text piece by piece.

use std::fmt::{Arguments, Write};

/// Adds to a text.
pub(crate) fn add(text: &mut String, more: Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = text.write_fmt(more);
}

/// A number with its noun.
pub(crate) fn count(number: u64, singular: &str, plural: &str) -> String {
    format!("{number} {}", if number == 1 { singular } else { plural })
}
