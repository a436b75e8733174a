//! Objects in the order they were written, with the values as they were written.

use std::fmt;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// An object in its order.
#[derive(Debug, Default)]
pub(super) struct OrderedObject(Vec<(String, Box<RawValue>)>);

impl OrderedObject {
    pub(super) fn get(&self, key: &str) -> Option<&RawValue> {
        let found = self.0.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| &**value)
    }

    /// Puts a value where the key stands, or at the end.
    pub(super) fn set(&mut self, key: &str, text: String) {
        // What is not JSON was not written by us.
        let Ok(value) = RawValue::from_string(text) else {
            return;
        };
        match self.0.iter_mut().find(|(name, _)| name == key) {
            Some((_, slot)) => *slot = value,
            None => self.0.push((key.to_owned(), value)),
        }
    }

    pub(super) fn remove(&mut self, key: &str) {
        self.0.retain(|(name, _)| name != key);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'de> Deserialize<'de> for OrderedObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor)
    }
}

struct ObjectVisitor;

impl<'de> Visitor<'de> for ObjectVisitor {
    type Value = OrderedObject;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<OrderedObject, A::Error> {
        let mut object = OrderedObject::default();
        while let Some(key) = entries.next_key::<String>()? {
            if object.get(&key).is_some() {
                return Err(A::Error::custom("a key is a duplicate"));
            }
            object.0.push((key, entries.next_value()?));
        }
        Ok(object)
    }
}

/// An object with one key a line, inside this indentation.
pub(super) fn write_object(object: &OrderedObject, indent: usize) -> String {
    let lines = object.0.iter().map(|(key, value)| {
        let key = Value::String(key.clone());
        format!("{key}: {}", value.get())
    });
    enclosed(['{', '}'], lines, indent)
}

/// A list with one value a line.
pub(super) fn write_list(values: &[Box<RawValue>], indent: usize) -> String {
    let lines = values.iter().map(|value| value.get().to_owned());
    enclosed(['[', ']'], lines, indent)
}

fn enclosed(
    [open, close]: [char; 2],
    lines: impl Iterator<Item = String>,
    indent: usize,
) -> String {
    let (outer, inner) = (" ".repeat(indent), " ".repeat(indent + 2));
    let lines: Vec<String> = lines.map(|line| format!("{inner}{line}")).collect();
    if lines.is_empty() {
        return format!("{open}{close}");
    }
    format!("{open}\n{}\n{outer}{close}", lines.join(",\n"))
}
