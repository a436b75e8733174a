//! Values of form fields and exact numbers.
//!
//! A number keeps the text it came with. Reading these never fails, so that whoever maps them can
//! name every value that is wrong, each with its own path.

use std::fmt;

use sayso_core::text::Number;
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{
    AdditionalProperties, ArrayBuilder, ObjectBuilder, OneOfBuilder, Schema, Type,
};
use utoipa::{PartialSchema, ToSchema};

use crate::object::{Twice, entries};

/// A number as its exact text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WireNumber(String);

impl WireNumber {
    /// The exact number, when what came was one within the limits.
    pub fn number(&self) -> Option<Number> {
        Number::new(&self.0)
    }
}

impl Serialize for WireNumber {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(&self.0).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for WireNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(|raw| Self(raw.get().to_owned()))
    }
}

/// The value of one form field, by its JSON type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldValue {
    /// A string.
    Text(String),
    /// A number.
    Number(WireNumber),
    /// True or false.
    Boolean(bool),
    /// A list of strings.
    Many(Vec<String>),
    /// A secret that is not shown: `{"secret":true}`.
    Hidden,
    /// Anything else; no field accepts it.
    Other,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HiddenMark {
    secret: bool,
}

impl<'de> Deserialize<'de> for FieldValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let text = raw.get();
        let value = match text.as_bytes().first() {
            Some(b'"') => serde_json::from_str(text).map(Self::Text),
            Some(b't') => Ok(Self::Boolean(true)),
            Some(b'f') => Ok(Self::Boolean(false)),
            Some(b'[') => serde_json::from_str(text).map(Self::Many),
            Some(b'-' | b'0'..=b'9') => Ok(Self::Number(WireNumber(text.to_owned()))),
            Some(b'{') => serde_json::from_str::<HiddenMark>(text).map(|mark| {
                if mark.secret {
                    Self::Hidden
                } else {
                    Self::Other
                }
            }),
            _ => Ok(Self::Other),
        };
        Ok(value.unwrap_or(Self::Other))
    }
}

impl Serialize for FieldValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Number(number) => number.serialize(serializer),
            Self::Boolean(value) => serializer.serialize_bool(*value),
            Self::Many(items) => items.serialize(serializer),
            Self::Hidden => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("secret", &true)?;
                map.end()
            }
            Self::Other => serializer.serialize_unit(),
        }
    }
}

/// The fields of an answered form: an object, in the order it was written.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Fields(pub Vec<(String, FieldValue)>);

/// Names only: any of the texts may be a secret.
impl fmt::Debug for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set()
            .entries(self.0.iter().map(|(name, _)| name))
            .finish()
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // A name that is there twice is kept twice: the check names it with its path.
        entries(deserializer, Twice::Kept).map(Self)
    }
}

impl PartialSchema for WireNumber {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::Number)
            .description(Some("A number, kept as its exact text"))
            .into()
    }
}

impl ToSchema for WireNumber {}

impl PartialSchema for FieldValue {
    fn schema() -> RefOr<Schema> {
        let hidden = ObjectBuilder::new()
            .schema_type(Type::Object)
            .property("secret", ObjectBuilder::new().schema_type(Type::Boolean))
            .required("secret")
            .description(Some("A secret that is not shown"));
        OneOfBuilder::new()
            .item(ObjectBuilder::new().schema_type(Type::String))
            .item(ObjectBuilder::new().schema_type(Type::Number))
            .item(ObjectBuilder::new().schema_type(Type::Boolean))
            .item(ArrayBuilder::new().items(ObjectBuilder::new().schema_type(Type::String)))
            .item(hidden)
            .into()
    }
}

impl ToSchema for FieldValue {}

impl PartialSchema for Fields {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::Object)
            .additional_properties(Some(AdditionalProperties::RefOr(FieldValue::schema())))
            .into()
    }
}

impl ToSchema for Fields {}
