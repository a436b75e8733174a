//! Reading JSON: what is wrong comes back with its path, and good input is read once.
//!
//! Refused are text that is not JSON, nesting beyond the limit, and values of the wrong type; strictly,
//! which is how our own language is read, also keys that are unknown or there twice. Nothing here knows
//! what any of it means.

use sayso_core::check::Violation;
use sayso_core::limits;
use serde::de::DeserializeOwned;
use serde_json::error::Category;

use crate::halves;
use crate::path::{pointer_at, push_key};
use crate::strict::StrictReading;

/// Longest message that is given back; values of the sender may be quoted in it.
const MESSAGE_CHARS_MAX: usize = 512;

/// Why a text could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// It is no JSON that we take.
    #[error("invalid JSON: {detail}")]
    BadJson {
        /// What is wrong, with line and column.
        detail: String,
    },
    /// It is JSON, but not the JSON that belongs here.
    #[error("{}", violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Invalid {
        /// What is wrong, each with its path.
        violations: Vec<Violation>,
    },
}

impl ReadError {
    /// One thing that is wrong at one place.
    pub(crate) fn at(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Invalid {
            violations: vec![Violation::invalid(path, message)],
        }
    }
}

/// Reads one value; the whole text must be that value.
pub fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ReadError> {
    let text = text(bytes)?;
    let mut source = serde_json::Deserializer::from_str(text);
    T::deserialize(StrictReading::around(&mut source))
        .and_then(|value| source.end().map(|()| value))
        .map_err(|error| fault(text, &error))
}

/// Reads one value as other people's programs write it: keys that are not known are passed over, and
/// half of a character is read as U+FFFD.
pub fn kindly<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    serde_json::from_str(text).or_else(|error| halves::read(text).unwrap_or(Err(error)))
}

/// The same from bytes, with what is wrong and where.
pub(crate) fn read_kindly<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ReadError> {
    let text = text(bytes)?;
    kindly(text).map_err(|error| fault(text, &error))
}

/// Reads one value out of an object that also names itself with the key `tag`.
pub(crate) fn read_tagged<T: DeserializeOwned>(
    text: &str,
    tag: &'static str,
) -> Result<T, ReadError> {
    let mut source = serde_json::Deserializer::from_str(text);
    T::deserialize(StrictReading::tagged(&mut source, tag))
        .and_then(|value| source.end().map(|()| value))
        .map_err(|error| fault(text, &error))
}

/// The bytes as text whose nesting is within the limit.
pub(crate) fn text(bytes: &[u8]) -> Result<&str, ReadError> {
    let text = std::str::from_utf8(bytes).map_err(|error| ReadError::BadJson {
        detail: format!("byte {} is not UTF-8", error.valid_up_to()),
    })?;
    if nests_too_deep(bytes) {
        return Err(ReadError::BadJson {
            detail: format!("nested deeper than {} levels", limits::JSON_DEPTH_MAX),
        });
    }
    Ok(text)
}

fn nests_too_deep(bytes: &[u8]) -> bool {
    // Without that many brackets there cannot be that much depth: ordinary input stops here.
    let brackets = bytes
        .iter()
        .filter(|byte| matches!(byte, b'[' | b'{'))
        .count();
    if brackets <= limits::JSON_DEPTH_MAX {
        return false;
    }
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for byte in bytes {
        match (in_string, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => in_string = !in_string,
            (false, b'[' | b'{') => depth += 1,
            (false, b']' | b'}') => depth = depth.saturating_sub(1),
            (true | false, _) => {}
        }
        if depth > limits::JSON_DEPTH_MAX {
            return true;
        }
    }
    false
}

/// What went wrong, with its path: only reached for bad input.
pub(crate) fn fault(text: &str, error: &serde_json::Error) -> ReadError {
    let whole = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = whole.strip_suffix(&place).unwrap_or(&whole);
    match error.classify() {
        Category::Data => {
            let mut path = pointer_at(text, offset_of(text, error.line(), error.column()));
            let message = if let Some(key) = quoted_after(message, "missing field `") {
                let parent = pointer_of_object(text, error, path);
                path = parent;
                push_key(&mut path, key);
                "is missing".to_owned()
            } else if message.starts_with("duplicate field") {
                "is a duplicate".to_owned()
            } else {
                plain(message).chars().take(MESSAGE_CHARS_MAX).collect()
            };
            ReadError::at(path, message)
        }
        Category::Syntax | Category::Eof | Category::Io => ReadError::BadJson {
            detail: format!(
                "{}{place}",
                message.chars().take(MESSAGE_CHARS_MAX).collect::<String>()
            ),
        },
    }
}

/// The same message in words that are not those of one programming language.
fn plain(message: &str) -> String {
    let (start, expected) = message.rsplit_once(", expected ").unwrap_or((message, ""));
    let expected = match expected {
        "" => return message.to_owned(),
        "u16" | "u32" | "u64" | "usize" => "a whole number that is not negative",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        name if name.starts_with("struct ") => "an object",
        other => other,
    };
    format!("{start}, expected {expected}")
}

/// The object whose end was just read: its pointer is that of its last key without that key.
fn pointer_of_object(text: &str, error: &serde_json::Error, path: String) -> String {
    let end = offset_of(text, error.line(), error.column());
    let before = text.as_bytes().get(..end).unwrap_or_default();
    // An object without keys has no last key to take away.
    let inner = before.strip_suffix(b"}").unwrap_or(before).trim_ascii_end();
    if inner.ends_with(b"{") {
        return path;
    }
    path.rfind('/')
        .and_then(|cut| path.get(..cut))
        .unwrap_or_default()
        .to_owned()
}

fn quoted_after<'a>(message: &'a str, start: &str) -> Option<&'a str> {
    message.strip_prefix(start)?.strip_suffix('`')
}

/// The byte that a line and a column, both counted from one, stand for.
fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    before.saturating_add(column).min(text.len())
}
