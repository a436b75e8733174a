//! JSON objects as other people's programs write them: read as objects only, each key once.

use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value that must be written as an object: derived reading alone would also take a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(PhantomData))
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = Object<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Object<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(entries)).map(Object)
    }
}

/// An object in the order it was written; a key that is there twice is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entries<T>(pub Vec<(String, T)>);

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Entries<T> {
    /// The value under a key.
    pub fn get(&self, key: &str) -> Option<&T> {
        let entry = self.0.iter().find(|(there, _)| there == key);
        entry.map(|(_, value)| value)
    }
}

impl<T: Serialize> Serialize for Entries<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Entries<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        entries(deserializer, Twice::Refused).map(Self)
    }
}

/// What becomes of a key that is there twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Twice {
    /// The object is refused.
    Refused,
    /// Both entries are kept, for whoever looks at them to say so.
    Kept,
}

/// The entries of an object, in the order they were written.
pub(crate) fn entries<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
    twice: Twice,
) -> Result<Vec<(String, T)>, D::Error> {
    deserializer.deserialize_map(EntriesVisitor(twice, PhantomData))
}

struct EntriesVisitor<T>(Twice, PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for EntriesVisitor<T> {
    type Value = Vec<(String, T)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut seen = HashSet::new();
        let mut kept = Vec::new();
        while let Some(key) = entries.next_key::<String>()? {
            if self.0 == Twice::Refused && !seen.insert(key.clone()) {
                return Err(A::Error::custom(format_args!("duplicate field `{key}`")));
            }
            let value = entries.next_value()?;
            kept.push((key, value));
        }
        Ok(kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_no_object_and_a_key_comes_once() {
        let read = serde_json::from_str::<Object<Entries<u8>>>;
        let entries = Entries(vec![("b".to_owned(), 1), ("a".to_owned(), 2)]);
        assert_eq!(entries.get("a"), Some(&2));
        assert_eq!(read(r#"{"b":1,"a":2}"#).unwrap(), Object(entries));
        for bad in ["[1,2]", r#"{"a":1,"a":2}"#, "null"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
