//! JSON on stdout: one value per line, the same as the API says it.
//!
//! Characters that a terminal acts on or that turn text around are written as `\\uXXXX`: the value is
//! the same, and what an agent wrote cannot change what is on the screen.

use std::fmt::Write as _;

use crate::failure::Failure;

pub(crate) fn line(value: &impl serde::Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string(value)
        .map_err(|error| Failure::unexpected(format!("this cannot be written as JSON: {error}")))?;
    Ok(escaped(&text))
}

/// The same JSON with what must not reach a terminal as escapes. Such characters stand in strings
/// only, where an escape means the same.
fn escaped(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for char in text.chars() {
        if is_plain(char) {
            line.push(char);
            continue;
        }
        let mut units = [0; 2];
        for unit in char.encode_utf16(&mut units) {
            // Writing to a string cannot fail.
            let _ = write!(line, "\\u{unit:04x}");
        }
    }
    line
}

/// Whether the one escaper shows a character as it is.
fn is_plain(char: char) -> bool {
    let mut bytes = [0; 4];
    let text: &str = char.encode_utf8(&mut bytes);
    char.is_ascii() && !char.is_control() || sayso_core::escape::escape_line(text) == text
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn what_a_terminal_acts_on_is_escaped_and_the_value_stays() {
        let hostile =
            "a\u{202e}b\u{9b}31m\u{85}\u{2028}\u{feff}\u{7f}\u{e0041}\u{1b}[2J\u{0} ok é 🙂 \"\\\\";
        let value = json!({"text": hostile, "k\u{202d}y": [hostile]});
        let line = line(&value).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap(), value);
        for char in line.chars() {
            assert!(is_plain(char), "{char:?} in {line}");
        }
        assert!(
            line.contains("\\u202e") && line.contains("\\u009b"),
            "{line}"
        );
        assert!(line.contains("\\udb40\\udc41"), "{line}");
        assert!(line.contains("é 🙂"), "{line}");
    }
}
