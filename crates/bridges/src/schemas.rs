//! The schemas of tools, where the program tells them, as the hashes that go with asks.
//!
//! A rule made for a tool is bound to its schema: with another one the same input may mean something
//! else. What is not told for certain is not told at all.

use std::collections::HashMap;

use sayso_core::digest::Digest;
use serde_json::Value;

/// Tools of one program that are remembered.
const TOOLS_MAX: usize = 4_096;

/// What a program has told of its tools, by their names.
#[derive(Debug, Default)]
pub(crate) struct Schemas(HashMap<String, Option<Digest>>);

impl Schemas {
    /// Takes down what is told of one tool. Two of one name that differ are as good as none.
    pub(crate) fn learn(&mut self, tool: &str, schema: &Value) {
        let told = hash(schema);
        if let Some(known) = self.0.get_mut(tool) {
            *known = known.filter(|known| Some(*known) == told);
        } else if self.0.len() < TOOLS_MAX {
            self.0.insert(tool.to_owned(), told);
        }
    }

    /// Whether anything is known of a tool.
    pub(crate) fn knows(&self, tool: &str) -> bool {
        self.0.contains_key(tool)
    }

    /// The schema of a tool, if it was told.
    pub(crate) fn of(&self, tool: &str) -> Option<Digest> {
        self.0.get(tool).copied().flatten()
    }
}

/// The hash of a schema. One without parameters says nothing: programs send such a one for functions
/// that they have not looked at yet.
fn hash(schema: &Value) -> Option<Digest> {
    let parameters = schema.get("properties").and_then(Value::as_object)?;
    // Objects are kept sorted by their keys, and schemas have neither fractions nor huge numbers: this
    // is their canonical form.
    (!parameters.is_empty()).then(|| Digest::of(schema.to_string().as_bytes()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema(of: &str) -> Value {
        json!({"type": "object", "properties": {of: {"type": "string"}}})
    }

    #[test]
    fn a_tool_has_the_schema_that_was_told() {
        let mut schemas = Schemas::default();
        schemas.learn("deploy", &schema("target"));
        schemas.learn("deploy", &schema("target"));
        let canonical = r#"{"properties":{"target":{"type":"string"}},"type":"object"}"#;
        assert_eq!(schemas.of("deploy"), Some(Digest::of(canonical.as_bytes())));
        assert_eq!(schemas.of("other"), None);
    }

    #[test]
    fn what_is_not_certain_is_not_told() {
        let mut schemas = Schemas::default();
        schemas.learn("empty", &json!({"type": "object", "properties": {}}));
        schemas.learn("none", &Value::Null);
        for of in ["a", "b", "a"] {
            schemas.learn("twice", &schema(of));
        }
        for tool in ["empty", "none", "twice"] {
            assert_eq!(schemas.of(tool), None, "{tool}");
        }
    }

    #[test]
    fn memory_is_bounded() {
        let mut schemas = Schemas::default();
        for number in 0..=TOOLS_MAX {
            schemas.learn(&number.to_string(), &schema("a"));
        }
        assert_eq!(schemas.0.len(), TOOLS_MAX);
    }
}
