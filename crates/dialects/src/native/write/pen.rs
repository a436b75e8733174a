//! Writing JSON objects key by key into a buffer. It knows JSON and nothing else.

use std::fmt::Display;
use std::io::Write as _;

use sayso_core::digest::Digest;
use sayso_core::id::AskId;
use sayso_core::text::Number;
use sayso_core::time::Time;

use crate::time::TimeText;

/// An object that is being written.
pub(super) struct ObjectWriter<'a> {
    out: &'a mut Vec<u8>,
    first: bool,
}

/// Appends an object.
pub(super) fn object(out: &mut Vec<u8>, write: impl FnOnce(&mut ObjectWriter<'_>)) {
    out.push(b'{');
    let mut map = ObjectWriter { out, first: true };
    write(&mut map);
    map.out.push(b'}');
}

fn string(out: &mut Vec<u8>, text: &str) {
    if is_plain(text) {
        out.reserve(text.len() + 2);
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
        return;
    }
    // Neither a string nor a buffer in memory can make this fail.
    let _ = serde_json::to_writer(out, text);
}

/// Whether nothing in a text needs escaping, looked at eight bytes at a time.
fn is_plain(text: &str) -> bool {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    // The high bit of a byte that is below `limit` is set, and of none if there is no such byte.
    let below = |word: u64, limit: u8| word.wrapping_sub(ONES * u64::from(limit)) & !word & HIGH;
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    words.iter().all(|word| {
        let word = u64::from_ne_bytes(*word);
        let is = |sign: u8| below(word ^ (ONES * u64::from(sign)), 1);
        (below(word, b' ') | is(b'"') | is(b'\\')) == 0
    }) && !rest
        .iter()
        .any(|byte| matches!(byte, 0..=0x1f | b'"' | b'\\'))
}

fn list<T>(
    out: &mut Vec<u8>,
    items: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut Vec<u8>, T),
) {
    out.push(b'[');
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write(out, item);
    }
    out.push(b']');
}

impl ObjectWriter<'_> {
    /// Our own keys need no escaping.
    fn key(&mut self, key: &'static str) {
        self.comma();
        self.out.push(b'"');
        self.out.extend_from_slice(key.as_bytes());
        self.out.extend_from_slice(b"\":");
    }

    fn comma(&mut self) {
        if !std::mem::take(&mut self.first) {
            self.out.push(b',');
        }
    }

    /// The rest goes under a key that somebody else chose.
    pub(super) fn named(&mut self, key: &str) -> Value<'_> {
        self.comma();
        string(self.out, key);
        self.out.push(b':');
        Value(self.out)
    }

    pub(super) fn text(&mut self, key: &'static str, text: &str) {
        self.key(key);
        string(self.out, text);
    }

    pub(super) fn text_if(&mut self, key: &'static str, text: Option<&str>) {
        if let Some(text) = text {
            self.text(key, text);
        }
    }

    /// A value whose text needs no escaping: an id.
    pub(super) fn shown(&mut self, key: &'static str, value: impl Display) {
        self.key(key);
        let _ = write!(self.out, "\"{value}\"");
    }

    /// The same for what is in every event, without the formatter's ways.
    pub(super) fn ask_id(&mut self, key: &'static str, id: AskId) {
        self.key(key);
        self.out.push(b'"');
        self.out.extend_from_slice(&id.text());
        self.out.push(b'"');
    }

    pub(super) fn digest(&mut self, key: &'static str, digest: Digest) {
        self.key(key);
        self.out.extend_from_slice(b"\"sha256:");
        self.out.extend_from_slice(&digest.hex());
        self.out.push(b'"');
    }

    pub(super) fn time(&mut self, key: &'static str, time: Time) {
        self.key(key);
        self.out.push(b'"');
        self.out
            .extend_from_slice(TimeText::new(time).as_str().as_bytes());
        self.out.push(b'"');
    }

    pub(super) fn number(&mut self, key: &'static str, number: impl Into<u64>) {
        self.key(key);
        let _ = serde_json::to_writer(&mut *self.out, &number.into());
    }

    pub(super) fn number_if(&mut self, key: &'static str, number: Option<u32>) {
        if let Some(number) = number {
            self.number(key, number);
        }
    }

    pub(super) fn exact_if(&mut self, key: &'static str, number: Option<&Number>) {
        if let Some(number) = number {
            self.key(key);
            self.out.extend_from_slice(number.as_str().as_bytes());
        }
    }

    pub(super) fn boolean(&mut self, key: &'static str, value: bool) {
        self.key(key);
        Value(self.out).boolean(value);
    }

    /// A mark that is there when it is set, and else is not.
    pub(super) fn flag(&mut self, key: &'static str, value: bool) {
        if value {
            self.boolean(key, true);
        }
    }

    pub(super) fn object(&mut self, key: &'static str, write: impl FnOnce(&mut ObjectWriter<'_>)) {
        self.key(key);
        object(self.out, write);
    }

    /// A value that writes itself.
    pub(super) fn written(&mut self, key: &'static str, write: impl FnOnce(&mut Vec<u8>)) {
        self.key(key);
        write(self.out);
    }

    pub(super) fn objects<T>(
        &mut self,
        key: &'static str,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut ObjectWriter<'_>, T),
    ) {
        self.key(key);
        list(self.out, items, |out, item| {
            object(out, |map| write(map, item));
        });
    }

    pub(super) fn texts<'t>(
        &mut self,
        key: &'static str,
        items: impl IntoIterator<Item = &'t str>,
    ) {
        self.key(key);
        list(self.out, items, string);
    }
}

/// The place after a key.
pub(super) struct Value<'a>(&'a mut Vec<u8>);

impl Value<'_> {
    pub(super) fn text(self, text: &str) {
        string(self.0, text);
    }

    pub(super) fn exact(self, number: &Number) {
        self.0.extend_from_slice(number.as_str().as_bytes());
    }

    pub(super) fn boolean(self, value: bool) {
        self.0
            .extend_from_slice(if value { b"true" } else { b"false" });
    }

    pub(super) fn texts(self, items: &[String]) {
        list(self.0, items, |out, item| string(out, item));
    }

    pub(super) fn object(self, write: impl FnOnce(&mut ObjectWriter<'_>)) {
        object(self.0, write);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn texts_are_written_as_serde_writes_them(text in any::<String>(), plain in "[ -~]{0,100}") {
            for text in [text, plain] {
                let mut out = Vec::new();
                string(&mut out, &text);
                prop_assert_eq!(out, serde_json::to_vec(&text).unwrap());
            }
        }
    }

    #[test]
    fn every_character_that_needs_it_is_escaped_wherever_it_stands() {
        for escaped in ('\0'..' ').chain(['"', '\\']) {
            for at in [0, 1, 31, 32, 63, 70] {
                let text = format!("{}{escaped}", "x".repeat(at));
                let mut out = Vec::new();
                string(&mut out, &text);
                assert_eq!(out, serde_json::to_vec(&text).unwrap());
            }
        }
    }
}
