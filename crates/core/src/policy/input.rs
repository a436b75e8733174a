//! A tool's input read as JSON, strictly: what two programs might read differently is not read.
//!
//! This serves only to hold rules against values. The text itself is what is kept and returned.

use crate::limits;
use crate::text::Number;

/// A value in a tool's input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputValue {
    /// Nothing.
    Null,
    /// Yes or no.
    Boolean(bool),
    /// A number, as its text.
    Number(Number),
    /// Text.
    Text(String),
    /// Values in order.
    List(Vec<InputValue>),
    /// Values by name, in the order of the text.
    Map(Vec<(String, InputValue)>),
}

impl InputValue {
    /// Reads a whole text. Names that come twice, also but for upper and lower case, make it
    /// unreadable: nobody knows which one the tool will take.
    pub fn read(text: &str) -> Option<Self> {
        let mut reading = Reading {
            rest: text.as_bytes(),
        };
        let value = reading.value(0)?;
        reading.blanks();
        reading.rest.is_empty().then_some(value)
    }

    /// The value at a JSON pointer.
    pub fn at(&self, pointer: &str) -> Option<&Self> {
        if pointer.is_empty() {
            return Some(self);
        }
        pointer
            .strip_prefix('/')?
            .split('/')
            .try_fold(self, |value, step| {
                let step = step.replace("~1", "/").replace("~0", "~");
                match value {
                    Self::Map(entries) => entries
                        .iter()
                        .find(|(name, _)| *name == step)
                        .map(|(_, value)| value),
                    Self::List(items) => {
                        let plain = step == "0" || !step.starts_with(['0', '+']);
                        items.get(step.parse::<usize>().ok().filter(|_| plain)?)
                    }
                    Self::Null | Self::Boolean(_) | Self::Number(_) | Self::Text(_) => None,
                }
            })
    }

    /// The text, when it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Null | Self::Boolean(_) | Self::Number(_) | Self::List(_) | Self::Map(_) => None,
        }
    }

    /// The named values, when it is a map.
    pub fn entries(&self) -> &[(String, Self)] {
        match self {
            Self::Map(entries) => entries,
            Self::Null | Self::Boolean(_) | Self::Number(_) | Self::Text(_) | Self::List(_) => &[],
        }
    }
}

struct Reading<'a> {
    rest: &'a [u8],
}

impl Reading<'_> {
    fn blanks(&mut self) {
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        let end = self.rest.iter().position(|byte| !blank(byte));
        self.rest = self
            .rest
            .get(end.unwrap_or(self.rest.len())..)
            .unwrap_or_default();
    }

    fn take(&mut self, word: &[u8]) -> Option<()> {
        self.rest = self.rest.strip_prefix(word)?;
        Some(())
    }

    fn value(&mut self, depth: usize) -> Option<InputValue> {
        if depth > limits::JSON_DEPTH_MAX {
            return None;
        }
        self.blanks();
        match self.rest.first()? {
            b'n' => self.take(b"null").map(|()| InputValue::Null),
            b't' => self.take(b"true").map(|()| InputValue::Boolean(true)),
            b'f' => self.take(b"false").map(|()| InputValue::Boolean(false)),
            b'"' => self.text().map(InputValue::Text),
            b'[' => self.list(depth),
            b'{' => self.map(depth),
            _ => self.number(),
        }
    }

    fn number(&mut self) -> Option<InputValue> {
        let within = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
        let end = self.rest.iter().position(|byte| !within(byte));
        let (text, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        Number::new(std::str::from_utf8(text).ok()?).map(InputValue::Number)
    }

    fn list(&mut self, depth: usize) -> Option<InputValue> {
        self.take(b"[")?;
        let mut items = Vec::new();
        self.blanks();
        if self.take(b"]").is_some() {
            return Some(InputValue::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.blanks();
            if self.take(b"]").is_some() {
                return Some(InputValue::List(items));
            }
            self.take(b",")?;
        }
    }

    fn map(&mut self, depth: usize) -> Option<InputValue> {
        self.take(b"{")?;
        let mut entries = Vec::new();
        let mut names = std::collections::HashSet::new();
        self.blanks();
        if self.take(b"}").is_some() {
            return Some(InputValue::Map(entries));
        }
        loop {
            self.blanks();
            let name = self.text()?;
            if !names.insert(name.to_lowercase()) {
                return None;
            }
            self.blanks();
            self.take(b":")?;
            entries.push((name, self.value(depth + 1)?));
            self.blanks();
            if self.take(b"}").is_some() {
                return Some(InputValue::Map(entries));
            }
            self.take(b",")?;
        }
    }

    fn text(&mut self) -> Option<String> {
        self.take(b"\"")?;
        let mut text = Vec::new();
        loop {
            let (byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            match byte {
                b'"' => return String::from_utf8(text).ok(),
                b'\\' => {
                    let mut room = [0; 4];
                    text.extend_from_slice(self.escape()?.encode_utf8(&mut room).as_bytes());
                }
                0..=0x1f => return None,
                byte => text.push(*byte),
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        let (byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(match byte {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let high = self.hex()?;
                if !(0xd800..0xdc00).contains(&high) {
                    return char::from_u32(high);
                }
                self.take(b"\\u")?;
                let low = self.hex()?;
                let low = (0xdc00..0xe000).contains(&low).then(|| low - 0xdc00)?;
                char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + low)?
            }
            _ => return None,
        })
    }

    fn hex(&mut self) -> Option<u32> {
        let (digits, rest) = self.rest.split_at_checked(4)?;
        self.rest = rest;
        if !digits.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_read_and_pointed_into() {
        let value =
            InputValue::read(r#" {"a":[1,{"b\/c":"x\u00e9\ud83d\ude00"}],"n":null,"t":true} "#)
                .unwrap();
        assert_eq!(
            value.at("/a/1/b~1c").and_then(InputValue::text),
            Some("xé😀")
        );
        assert_eq!(
            value.at("/a/0"),
            Number::new("1").map(InputValue::Number).as_ref()
        );
        assert_eq!(value.at("/t"), Some(&InputValue::Boolean(true)));
        for nowhere in ["/a/2", "/a/00", "/a/+1", "/x", "a", "/n/x"] {
            assert_eq!(value.at(nowhere), None, "{nowhere}");
        }
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_not_read() {
        for bad in [
            "",
            "{",
            "[1,]",
            "{\"a\":1,}",
            "{\"a\":1,\"a\":2}",
            "{\"a\":1,\"A\":2}",
            "01",
            "1 2",
            "nul",
            "\"\\x\"",
            "\"\\ud800\"",
            "\"\u{1}\"",
            "{'a':1}",
            "NaN",
            "+1",
        ] {
            assert_eq!(InputValue::read(bad), None, "{bad}");
        }
        let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
        assert_eq!(InputValue::read(&deep), None);
        let deep = format!("{}1{}", "{\"a\":".repeat(100), "}".repeat(100));
        assert_eq!(InputValue::read(&deep), None);
    }
}
