//! Reading text that somebody cut in the middle of a character.
//!
//! A string of JavaScript is a list of 16 bit units, and most emoji are two of them. A program that
//! cuts a string after so many units may leave half of one, and writes it as half of a pair of
//! escapes, `\ud83d`, which is no text. It is read as U+FFFD. Raw values keep their letters: the
//! input of a tool is never mended.

use std::fmt;

use serde::de::{self, DeserializeOwned, Deserializer, IgnoredAny, Visitor};

use crate::layer::{Layered, ReadLayer};

/// Reads a text again that could not be read, if all that is wrong with it may be a half.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Option<serde_json::Result<T>> {
    let has_escape = text.contains("\\ud") || text.contains("\\uD");
    // Passing over a value proves its grammar, and halves are none of its business.
    if !has_escape || serde_json::from_str::<IgnoredAny>(text).is_err() {
        return None;
    }
    let mut source = serde_json::Deserializer::from_str(text);
    let mended = Layered::new(&mut source, Mended);
    Some(T::deserialize(mended).and_then(|value| source.end().map(|()| value)))
}

/// The text of bytes in which a half is written as if it were a character.
fn mended(bytes: &[u8]) -> String {
    /// The first byte of every half; its two others are never first.
    const HALF: u8 = 0xED;
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if chunk.invalid().first() == Some(&HALF) {
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
    text
}

/// Strings may have halves.
#[derive(Debug, Clone, Copy)]
struct Mended;

impl ReadLayer for Mended {
    fn inside(self) -> Self {
        self
    }

    fn text<'de, D: Deserializer<'de>, V: Visitor<'de>>(
        self,
        inner: D,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        inner.deserialize_bytes(Text(visitor))
    }
}

/// A string, from the bytes it has when halves are let through. A raw value comes as text.
struct Text<V>(V);

impl<'de, V: Visitor<'de>> Visitor<'de> for Text<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<V::Value, E> {
        self.0.visit_string(mended(bytes))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<V::Value, E> {
        self.0.visit_str(text)
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<V::Value, E> {
        self.0.visit_string(text)
    }
}

#[cfg(test)]
#[path = "halves_tests.rs"]
mod tests;
