//! Values of several JSON types.

use std::fmt;

use sayso_core::text::Number;
use serde::ser::{Error as _, SerializeMap as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::read;

/// A value by its JSON type; a number keeps its text.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// A string.
    Text(String),
    /// A number.
    Number(Number),
    /// True or false.
    Boolean(bool),
    /// A list of strings.
    Many(Vec<String>),
    /// A secret that is not shown: `{"secret":true}`.
    Hidden,
    /// Nothing.
    Null,
    /// Anything else; nobody takes it.
    Other,
}

/// The kind only: any of the texts may be a secret.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text(_) => "Text(..)",
            Self::Number(_) => "Number(..)",
            Self::Boolean(_) => "Boolean(..)",
            Self::Many(_) => "Many(..)",
            Self::Hidden => "Hidden",
            Self::Null => "Null",
            Self::Other => "Other",
        })
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let text = raw.get();
        let value = match text.as_bytes().first() {
            Some(b'"') => read::kindly(text).ok().map(Self::Text),
            Some(b't') => Some(Self::Boolean(true)),
            Some(b'f') => Some(Self::Boolean(false)),
            Some(b'n') => Some(Self::Null),
            Some(b'[') => read::kindly(text).ok().map(Self::Many),
            Some(b'-' | b'0'..=b'9') => Number::new(text).map(Self::Number),
            Some(_) | None => None,
        };
        Ok(value.unwrap_or(Self::Other))
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Number(number) => {
                let raw: &RawValue =
                    serde_json::from_str(number.as_str()).map_err(S::Error::custom)?;
                raw.serialize(serializer)
            }
            Self::Boolean(value) => serializer.serialize_bool(*value),
            Self::Many(items) => items.serialize(serializer),
            Self::Hidden => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("secret", &true)?;
                map.end()
            }
            Self::Null | Self::Other => serializer.serialize_unit(),
        }
    }
}
