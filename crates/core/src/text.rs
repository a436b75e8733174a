//! Exact numbers and secrets, two kinds of text that must not be handled as plain strings, and bytes
//! as text.

use std::fmt;

use crate::limits;

/// Bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let digit = |value: u8| char::from_digit(u32::from(value), 16);
    digits.filter_map(digit).collect()
}

/// The beginning of a text, of at most so many bytes.
pub fn beginning(text: &str, bytes: usize) -> &str {
    let mut ends = (0..=bytes.min(text.len())).rev();
    let end = ends.find(|at| text.is_char_boundary(*at));
    text.get(..end.unwrap_or(0)).unwrap_or_default()
}

/// A JSON number kept as its exact text, so that what was shown is what is digested and returned.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Number(Box<str>);

impl Number {
    /// Takes text that is a JSON number within the length limit.
    pub fn new(text: &str) -> Option<Self> {
        (text.len() <= limits::NUMBER_BYTES_MAX && is_json_number(text.as_bytes()))
            .then(|| Self(text.into()))
    }

    /// The exact text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The nearest double; used for comparing with bounds only.
    pub fn value(&self) -> f64 {
        // A JSON number is always readable as a double; huge exponents become infinite.
        self.0.parse().unwrap_or(f64::NAN)
    }

    /// Whether it is written as a whole number.
    pub fn is_integer(&self) -> bool {
        let digits = self.0.strip_prefix('-').unwrap_or(&self.0);
        digits.bytes().all(|b| b.is_ascii_digit())
    }
}

fn digits(rest: &[u8]) -> Option<&[u8]> {
    let end = rest
        .iter()
        .position(|b| !b.is_ascii_digit())
        .unwrap_or(rest.len());
    (end > 0).then(|| rest.get(end..).unwrap_or_default())
}

fn is_json_number(text: &[u8]) -> bool {
    let rest = text.strip_prefix(b"-").unwrap_or(text);
    let after_whole = match rest {
        [b'0', tail @ ..] => Some(tail),
        other => digits(other),
    };
    let Some(rest) = after_whole else {
        return false;
    };
    let after_fraction = match rest {
        [b'.', tail @ ..] => digits(tail),
        other => Some(other),
    };
    let Some(rest) = after_fraction else {
        return false;
    };
    match rest {
        [] => true,
        [b'e' | b'E', b'+' | b'-', tail @ ..] | [b'e' | b'E', tail @ ..] => {
            digits(tail).is_some_and(<[u8]>::is_empty)
        }
        _ => false,
    }
}

/// A secret a person typed. It never shows itself in logs or debug output.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps the text.
    pub fn new(text: String) -> Self {
        Self(text)
    }

    /// The secret itself, for sealing and for the asker.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_json() {
        for good in ["0", "-0", "12", "1.50", "-1e9", "2E+3", "0.1e-2"] {
            assert_eq!(
                Number::new(good).map(|n| n.as_str().to_owned()),
                Some(good.to_owned())
            );
        }
        for bad in [
            "", "-", "01", "1.", ".5", "1e", "+1", "0x1", "NaN", "1 ", "1e+",
        ] {
            assert_eq!(Number::new(bad), None, "{bad}");
        }
        assert_eq!(Number::new(&"1".repeat(65)), None);
    }

    #[test]
    fn a_secret_does_not_print() {
        assert_eq!(format!("{:?}", Secret::new("hunter2".into())), "Secret(..)");
    }
}
