//! Reading that takes nothing it was not told about.
//!
//! Plain serde is kind: a struct may come as a list, a word as an object, and keys nobody knows
//! are skipped. For what comes in to us each of these is an error. Wire types stay kind, so that a
//! program built with an older version of them can read what a newer server says.

use std::borrow::Cow;
use std::fmt;

use serde::de::value::CowStrDeserializer;
use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::layer::{Layered, ReadLayer};

/// The strict reading of what a deserializer reads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StrictReading {
    /// A key of the outermost object that was read before and is passed over.
    tag: Option<&'static str>,
    /// The keys that would have been right where this value stands.
    known: &'static [&'static str],
}

impl StrictReading {
    const PLAIN: Self = Self {
        tag: None,
        known: &[],
    };

    pub(crate) const fn around<D>(inner: D) -> Layered<D, Self> {
        Layered::new(inner, Self::PLAIN)
    }

    pub(crate) const fn tagged<D>(inner: D, tag: &'static str) -> Layered<D, Self> {
        let tag = Some(tag);
        Layered::new(inner, Self { tag, ..Self::PLAIN })
    }
}

impl ReadLayer for StrictReading {
    fn inside(self) -> Self {
        Self::PLAIN
    }

    fn object<'de, D: Deserializer<'de>, V: Visitor<'de>>(
        self,
        inner: D,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        inner.deserialize_map(Object {
            visitor,
            tag: self.tag,
            known: fields,
        })
    }

    fn word<'de, D: Deserializer<'de>, V: Visitor<'de>>(
        self,
        inner: D,
        _name: &'static str,
        words: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        inner.deserialize_str(Word { visitor, words })
    }

    fn skipped<'de, D: Deserializer<'de>, V: Visitor<'de>>(
        self,
        _inner: D,
        _visitor: V,
    ) -> Result<V::Value, D::Error> {
        Err(de::Error::custom(format_args!(
            "is unknown; expected one of: {}",
            self.known.join(", ")
        )))
    }
}

/// A struct: only from an object, with only its own keys.
struct Object<V> {
    visitor: V,
    tag: Option<&'static str>,
    known: &'static [&'static str],
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Object<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        let (tag, known) = (self.tag, self.known);
        self.visitor.visit_map(Entries { inner, tag, known })
    }
}

/// A word: only from a string.
struct Word<V> {
    visitor: V,
    words: &'static [&'static str],
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Word<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "one of: {}", self.words.join(", "))
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<V::Value, E> {
        if !self.words.contains(&word) {
            return Err(E::invalid_value(de::Unexpected::Str(word), &self));
        }
        self.visitor
            .visit_enum(CowStrDeserializer::new(Cow::Borrowed(word)))
    }
}

/// The entries of a struct.
struct Entries<A> {
    inner: A,
    tag: Option<&'static str>,
    known: &'static [&'static str],
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Entries<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        let Some(tag) = self.tag else {
            return self.inner.next_key_seed(seed);
        };
        let Some(key) = self.inner.next_key_seed(KeyText)? else {
            return Ok(None);
        };
        if key == tag {
            self.inner.next_value::<IgnoredAny>()?;
            // A second one is then an unknown key like any other.
            self.tag = None;
            return self.inner.next_key_seed(seed);
        }
        seed.deserialize(CowStrDeserializer::new(key)).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, A::Error> {
        let (tag, known) = (None, self.known);
        self.inner
            .next_value_seed(Layered::new(seed, StrictReading { tag, known }))
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

/// A key as text, borrowed where the JSON has no escapes in it.
pub(crate) struct KeyText;

impl<'de> DeserializeSeed<'de> for KeyText {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Cow<'de, str>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for KeyText {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}
