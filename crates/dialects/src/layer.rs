//! A deserializer around another one: a [`ReadLayer`] says what is read in another way, and what is inside
//! a value is read through the same layer.

use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, Visitor};

/// What is read in another way.
pub(crate) trait ReadLayer: Copy {
    /// The layer for what is inside a value.
    fn inside(self) -> Self;

    /// Reads a string.
    fn text<'de, D: Deserializer<'de>, V: Visitor<'de>>(
        self,
        inner: D,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        inner.deserialize_str(Layered::new(visitor, self))
    }

    /// Reads a struct with these fields.
    fn object<'de, D: Deserializer<'de>, V: Visitor<'de>>(
        self,
        inner: D,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        inner.deserialize_struct(name, fields, Layered::new(visitor, self))
    }

    /// Reads one of these words.
    fn word<'de, D: Deserializer<'de>, V: Visitor<'de>>(
        self,
        inner: D,
        name: &'static str,
        words: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        inner.deserialize_enum(name, words, visitor)
    }

    /// Passes over a value that nobody wants.
    fn skipped<'de, D: Deserializer<'de>, V: Visitor<'de>>(
        self,
        inner: D,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        inner.deserialize_ignored_any(visitor)
    }
}

/// A deserializer, or what takes part in reading, with a layer around it.
pub(crate) struct Layered<T, L> {
    inner: T,
    layer: L,
}

impl<T, L> Layered<T, L> {
    pub(crate) const fn new(inner: T, layer: L) -> Self {
        Self { inner, layer }
    }
}

macro_rules! forward {
    ($($method:ident($($name:ident: $type:ty),*))*) => {$(
        fn $method<V: Visitor<'de>>(self, $($name: $type,)* visitor: V) -> Result<V::Value, D::Error> {
            self.inner.$method($($name,)* Layered::new(visitor, self.layer))
        }
    )*};
}

impl<'de, D: Deserializer<'de>, L: ReadLayer> Deserializer<'de> for Layered<D, L> {
    type Error = D::Error;

    forward! {
        deserialize_any() deserialize_bool() deserialize_i8() deserialize_i16() deserialize_i32()
        deserialize_i64() deserialize_i128() deserialize_u8() deserialize_u16() deserialize_u32()
        deserialize_u64() deserialize_u128() deserialize_f32() deserialize_f64() deserialize_char()
        deserialize_bytes() deserialize_byte_buf() deserialize_option() deserialize_unit()
        deserialize_seq() deserialize_map() deserialize_unit_struct(name: &'static str)
        deserialize_newtype_struct(name: &'static str) deserialize_tuple(len: usize)
        deserialize_tuple_struct(name: &'static str, len: usize)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.layer.text(self.inner, visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.layer.text(self.inner, visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.layer.text(self.inner, visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.layer.object(self.inner, name, fields, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        words: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.layer.word(self.inner, name, words, visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.layer.skipped(self.inner, visitor)
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

macro_rules! keep {
    ($($method:ident($($name:ident: $type:ty)?))*) => {$(
        fn $method<E: de::Error>(self, $($name: $type)?) -> Result<V::Value, E> {
            self.inner.$method($($name)?)
        }
    )*};
}

impl<'de, V: Visitor<'de>, L: ReadLayer> Visitor<'de> for Layered<V, L> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    keep! {
        visit_none() visit_unit() visit_bool(value: bool) visit_i64(value: i64) visit_i128(value: i128)
        visit_u64(value: u64) visit_u128(value: u128) visit_f64(value: f64) visit_char(value: char)
        visit_str(value: &str) visit_borrowed_str(value: &'de str) visit_string(value: String)
        visit_bytes(value: &[u8]) visit_borrowed_bytes(value: &'de [u8]) visit_byte_buf(value: Vec<u8>)
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        let inner = Layered::new(inner, self.layer.inside());
        self.inner.visit_some(inner)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        let inner = Layered::new(inner, self.layer.inside());
        self.inner.visit_newtype_struct(inner)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<V::Value, A::Error> {
        let items = Layered::new(items, self.layer.inside());
        self.inner.visit_seq(items)
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<V::Value, A::Error> {
        let entries = Layered::new(entries, self.layer.inside());
        self.inner.visit_map(entries)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, word: A) -> Result<V::Value, A::Error> {
        self.inner.visit_enum(word)
    }
}

impl<'de, A: SeqAccess<'de>, L: ReadLayer> SeqAccess<'de> for Layered<A, L> {
    type Error = A::Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, A::Error> {
        let seed = Layered::new(seed, self.layer);
        self.inner.next_element_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, A: MapAccess<'de>, L: ReadLayer> MapAccess<'de> for Layered<A, L> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        let seed = Layered::new(seed, self.layer);
        self.inner.next_key_seed(seed)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, A::Error> {
        let seed = Layered::new(seed, self.layer);
        self.inner.next_value_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, T: DeserializeSeed<'de>, L: ReadLayer> DeserializeSeed<'de> for Layered<T, L> {
    type Value = T::Value;

    fn deserialize<D: Deserializer<'de>>(self, inner: D) -> Result<T::Value, D::Error> {
        let inner = Layered::new(inner, self.layer);
        self.inner.deserialize(inner)
    }
}
