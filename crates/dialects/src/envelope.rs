//! Two-stage reading of frames: the name first, then that frame strictly.
//!
//! An unknown name is no error: the sender may be newer than we are. A known name with a bad
//! payload always is.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeOwned, Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::read::{self, ReadError};
use crate::strict::KeyText;

/// Longest unknown name that is repeated; longer ones are cut.
const NAME_CHARS_MAX: usize = 128;

/// A frame that was read.
#[derive(Debug, Clone, PartialEq)]
pub enum Heard<T> {
    /// A frame we know.
    Known(T),
    /// The name of one we do not know.
    Unknown(String),
}

/// A frame whose name is known and whose rest is still to be read.
#[derive(Debug, Clone)]
pub struct Envelope<'a> {
    text: &'a str,
    key: &'static str,
    name: Cow<'a, str>,
}

impl<'a> Envelope<'a> {
    /// Opens a frame that names itself with the string under `key`.
    pub fn open(bytes: &'a [u8], key: &'static str) -> Result<Self, ReadError> {
        let text = read::text(bytes)?;
        let name = match string_under(text, key) {
            Under::Text(name) => name,
            Under::Missing => return Err(ReadError::at(format!("/{key}"), "is missing")),
            Under::NoText => return Err(ReadError::at(format!("/{key}"), "must be a string")),
            Under::Bad(error) => return Err(read::fault(text, &error)),
        };
        Ok(Self { text, key, name })
    }

    /// What the frame calls itself.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What is heard of a frame whose name nobody knows, once the rest proved to be JSON.
    pub fn unknown<T>(&self) -> Result<Heard<T>, ReadError> {
        serde_json::from_str::<IgnoredAny>(self.text)
            .map_err(|error| read::fault(self.text, &error))?;
        Ok(Heard::Unknown(
            self.name.chars().take(NAME_CHARS_MAX).collect(),
        ))
    }

    /// The rest of the frame, strictly.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, ReadError> {
        read::read_tagged(self.text, self.key)
    }

    /// The rest of the frame, as [`read::kindly`] reads.
    pub fn read_kindly<T: DeserializeOwned>(&self) -> Result<T, ReadError> {
        read::kindly(self.text).map_err(|error| read::fault(self.text, &error))
    }
}

/// The string under one key of the outermost object, however broken the rest is: what a problem
/// with a frame is told back under.
pub fn text_under(bytes: &[u8], key: &str) -> Option<String> {
    match string_under(read::text(bytes).ok()?, key) {
        Under::Text(text) => Some(text.into_owned()),
        Under::Missing | Under::NoText | Under::Bad(_) => None,
    }
}

enum Under<'a> {
    Text(Cow<'a, str>),
    Missing,
    NoText,
    Bad(serde_json::Error),
}

fn string_under<'a>(text: &'a str, key: &str) -> Under<'a> {
    let mut found = Seen::Nothing;
    let mut source = serde_json::Deserializer::from_str(text);
    let read = source.deserialize_map(Search {
        key,
        found: &mut found,
    });
    // The search stops at the key, which the parser calls an error; what was found counts.
    match (found, read) {
        (Seen::Text(name), _) => Under::Text(name),
        (Seen::Key, _) => Under::NoText,
        (Seen::Nothing, Ok(())) => Under::Missing,
        (Seen::Nothing, Err(error)) => Under::Bad(error),
    }
}

/// How far the search for a key has got.
enum Seen<'a> {
    Nothing,
    Key,
    Text(Cow<'a, str>),
}

struct Search<'k, 'f, 'de> {
    key: &'k str,
    found: &'f mut Seen<'de>,
}

impl<'de> Visitor<'de> for Search<'_, '_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        while let Some(key) = entries.next_key_seed(KeyText)? {
            if key == self.key {
                *self.found = Seen::Key;
                *self.found = Seen::Text(entries.next_value_seed(KeyText)?);
                return Ok(());
            }
            entries.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}
