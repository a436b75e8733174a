//! An interrupt of AG-UI 1.0: what it asks, by its schema, and what resumes it.

use sayso_core::action::{Act, Action};
use sayso_core::answer::Answer;
use sayso_core::ask::{Choice, Matter, Pick, Question};
use sayso_core::form::{Field, FieldChoice, FieldKind, Form, Range, TextFormat};
use sayso_core::outcome::Outcome;
use sayso_core::text::Number;
use sayso_dialects::Ended;
use serde_json::{Map, Value, json};

use super::need::{allowed, value_of};
use super::questions;
use super::wire::{Interrupt, OpenCall, Resume};

/// What an interrupt waits for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum InterruptNeed {
    /// A yes or no: `approved`, and `editedArgs` where the schema has it.
    Approval { edits: bool, note: Option<String> },
    /// One of a list, or words, as a plain string.
    Text(Question),
    /// Values by name.
    Fields(Vec<Field>),
    /// Whatever the person says: an object in JSON, else `{"answer": ..}`.
    Words,
}

/// Names under which a schema may take a note beside a yes or no.
const NOTES: [&str; 5] = ["note", "reason", "message", "feedback", "comment"];

impl InterruptNeed {
    pub(super) fn of(interrupt: &Interrupt) -> Self {
        let schema = interrupt.response_schema.as_ref();
        let properties = schema
            .and_then(|schema| schema.get("properties"))
            .and_then(Value::as_object);
        let has = |name: &str| properties.is_some_and(|all| all.contains_key(name));
        let confirms = matches!(interrupt.reason.as_str(), "confirmation" | "tool_call");
        if has("approved") || (confirms && properties.is_none_or(Map::is_empty)) {
            return Self::Approval {
                edits: has("editedArgs"),
                note: NOTES.into_iter().find(|name| has(name)).map(str::to_owned),
            };
        }
        if let Some(properties) = properties.filter(|all| !all.is_empty()) {
            let required = schema.and_then(|schema| schema.get("required"));
            let required: Vec<&str> = required
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            let field = |(name, given): (&String, &Value)| {
                field(name, given, required.contains(&name.as_str()))
            };
            return properties
                .iter()
                .map(field)
                .collect::<Option<Vec<Field>>>()
                .map_or(Self::Words, Self::Fields);
        }
        let text = message(interrupt);
        match schema
            .and_then(|schema| schema.get("type"))
            .and_then(Value::as_str)
        {
            Some("string") => {
                let mut question = Question::open(text);
                if let Some(choices) = schema.and_then(options) {
                    question.pick = Pick::One;
                    question.free_text = false;
                    question.choices = choices
                        .into_iter()
                        .map(|choice| Choice {
                            label: choice.value,
                            description: choice.title,
                            ..Choice::default()
                        })
                        .collect();
                }
                Self::Text(question)
            }
            _ => Self::Words,
        }
    }

    /// What is to be asked. `calls` are the calls of the run, for the one that is meant.
    pub(super) fn matter(&self, interrupt: &Interrupt, calls: &[OpenCall]) -> Matter {
        match self {
            Self::Approval { .. } => {
                let about = interrupt.tool_call_id.as_ref();
                let call = about.and_then(|id| calls.iter().find(|call| call.id == *id));
                let (name, input) = match call {
                    Some(call) if !call.arguments.is_empty() => {
                        (call.name.as_str(), call.arguments.clone())
                    }
                    Some(call) => (call.name.as_str(), "{}".to_owned()),
                    None => (interrupt.reason.as_str(), "{}".to_owned()),
                };
                let name = if name.is_empty() {
                    "confirmation"
                } else {
                    name
                };
                let mut action = Action::new(name, input, Act::Other);
                action.reason.clone_from(&interrupt.message);
                Matter::Approval(action)
            }
            Self::Text(question) => Matter::Questions(vec![question.clone()]),
            Self::Fields(fields) => Matter::Form(Form::Fields {
                message: message(interrupt),
                fields: fields.clone(),
            }),
            Self::Words => Matter::Questions(vec![Question::open(message(interrupt))]),
        }
    }

    /// What resumes it. What nobody answered is cancelled; a no is an answer.
    pub(super) fn resume(&self, interrupt: &Interrupt, ended: &Ended) -> Resume {
        let payload = self.payload(ended);
        Resume {
            interrupt_id: interrupt.id.clone(),
            status: if payload.is_some() {
                "resolved"
            } else {
                "cancelled"
            },
            payload,
        }
    }

    fn payload(&self, ended: &Ended) -> Option<Value> {
        match (&ended.outcome, self) {
            (Outcome::Answered(Answer::Verdict(verdict)), Self::Approval { edits, note }) => {
                let mut payload = Map::new();
                let mut said = verdict.note.clone();
                let approved = match allowed(&ended.outcome) {
                    Ok(None) => true,
                    Ok(Some(edited)) if *edits => {
                        payload.insert("editedArgs".to_owned(), Value::Object(edited));
                        true
                    }
                    // A yes to something else than what it would do is none.
                    Ok(Some(edited)) => {
                        let wish = Value::Object(edited);
                        said = Some(format!("The user wants it with this input instead: {wish}"));
                        false
                    }
                    Err(_) => false,
                };
                payload.insert("approved".to_owned(), json!(approved));
                if let (Some(name), Some(said)) = (note, said) {
                    payload.insert(name.clone(), json!(said));
                }
                Some(Value::Object(payload))
            }
            (Outcome::Answered(Answer::Fields(fields)), Self::Fields(_)) => {
                let values = fields.iter();
                Some(Value::Object(
                    values
                        .map(|(name, value)| (name.clone(), value_of(value, false)))
                        .collect(),
                ))
            }
            (Outcome::Answered(Answer::Replies(_)), Self::Text(_) | Self::Words) => {
                let said = questions::said(ended, 1)?.concat().join(", ");
                Some(match self {
                    Self::Words => match serde_json::from_str(&said) {
                        Ok(Value::Object(object)) => Value::Object(object),
                        Ok(_) | Err(_) => json!({ "answer": said }),
                    },
                    Self::Text(_) | Self::Approval { .. } | Self::Fields(_) => json!(said),
                })
            }
            _ => None,
        }
    }
}

fn message(interrupt: &Interrupt) -> String {
    let message = interrupt.message.clone().filter(|text| !text.is_empty());
    message.unwrap_or_else(|| match interrupt.reason.as_str() {
        "" => "The agent is waiting for your input".to_owned(),
        reason => format!("The agent is waiting for your input: {reason}"),
    })
}

/// A field of a flat schema; nothing for one that a form cannot show.
fn field(name: &str, schema: &Value, required: bool) -> Option<Field> {
    let text = |key: &str| schema.get(key).and_then(Value::as_str).map(str::to_owned);
    let number = |key: &str| {
        let number = schema.get(key).filter(|one| one.is_number())?;
        Number::new(&number.to_string())
    };
    let count = |key: &str| {
        let count = schema.get(key).and_then(Value::as_u64)?;
        u32::try_from(count).ok()
    };
    let range = || Range {
        min: number("minimum"),
        max: number("maximum"),
        default: number("default"),
    };
    let kind = match schema.get("type").and_then(Value::as_str)? {
        "string" => match options(schema) {
            Some(choices) => FieldKind::OneOf {
                choices,
                default: text("default"),
            },
            None => FieldKind::Text {
                format: match text("format").as_deref() {
                    Some("email") => Some(TextFormat::Email),
                    Some("uri") => Some(TextFormat::Uri),
                    Some("date") => Some(TextFormat::Date),
                    Some("date-time") => Some(TextFormat::DateTime),
                    Some(_) | None => None,
                },
                min_length: count("minLength"),
                max_length: count("maxLength"),
                default: text("default"),
            },
        },
        "number" => FieldKind::Number(range()),
        "integer" => FieldKind::Integer(range()),
        "boolean" => FieldKind::Boolean {
            default: schema.get("default").and_then(Value::as_bool),
        },
        "array" => FieldKind::ManyOf {
            choices: options(schema.get("items")?)?,
            min_items: count("minItems"),
            max_items: count("maxItems"),
            default: Vec::new(),
        },
        _ => return None,
    };
    Some(Field {
        name: name.to_owned(),
        title: text("title"),
        description: text("description"),
        kind,
        required,
    })
}

/// What may be chosen: `enum`, or `oneOf` and `anyOf` with `const` and `title`.
fn options(schema: &Value) -> Option<Vec<FieldChoice>> {
    let plain = |value: &Value| {
        Some(FieldChoice {
            value: value.as_str()?.to_owned(),
            title: None,
        })
    };
    let titled = |value: &Value| {
        Some(FieldChoice {
            value: value.get("const")?.as_str()?.to_owned(),
            title: value
                .get("title")
                .and_then(Value::as_str)
                .map(str::to_owned),
        })
    };
    if let Some(list) = schema.get("enum").and_then(Value::as_array) {
        return list.iter().map(plain).collect();
    }
    let list = schema.get("oneOf").or_else(|| schema.get("anyOf"))?;
    list.as_array()?.iter().map(titled).collect()
}

#[cfg(test)]
#[path = "interrupt_tests.rs"]
mod tests;
