//! Building text piece by piece.

use std::fmt::{Arguments, Write};

/// Adds to a text.
pub(crate) fn add(text: &mut String, more: Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = text.write_fmt(more);
}
