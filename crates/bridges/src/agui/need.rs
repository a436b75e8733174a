//! What a paused tool of an AgentOS waits for, as an ask; and its outcome as what goes back.
//!
//! A tool goes back as it came, with the few fields changed in which Agno keeps the answer. Those are
//! the same in every generation of Agno.

use sayso_core::action::{Act, Action};
use sayso_core::answer::{Answer, Decision, FieldValue, Verdict};
use sayso_core::ask::{Matter, Question};
use sayso_core::form::{Field, FieldKind, Form, Range};
use sayso_core::outcome::Outcome;
use sayso_core::text::Secret;
use sayso_dialects::Ended;
use serde_json::{Map, Value, json};

use super::questions;

/// A tool as its AgentOS tells it.
pub(super) type AgentOsTool = Map<String, Value>;

/// The parameters of `ask_user_question`.
const QUESTIONS: &str = "questions_json";
const ANSWERS: &str = "user_answers";

/// What a tool waits for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Need {
    /// Nothing: it ran, or never paused.
    Nothing,
    /// A program that executes it; that is not ours to be.
    Program,
    /// An admin's approval in the AgentOS itself.
    Admin,
    /// The tool itself says what is wrong with its questions, once it runs.
    ItsOwnError,
    /// Approval to run.
    Approval(Action),
    /// Approval to run with values that are all there already.
    Review(Action),
    /// Answers to its questions.
    Questions(Vec<Question>),
    /// Answers to the questions of Agno's own tool.
    Feedback(Vec<Question>),
    /// Values for its fields.
    Fields(Form),
}

fn is(tool: &AgentOsTool, key: &str) -> bool {
    tool.get(key).and_then(Value::as_bool) == Some(true)
}

fn is_null(tool: &AgentOsTool, key: &str) -> bool {
    tool.get(key).is_none_or(Value::is_null)
}

impl Need {
    /// What this tool waits for.
    pub(super) fn of(tool: &AgentOsTool) -> Self {
        if is(tool, "requires_confirmation") {
            if !is_null(tool, "confirmed") {
                return Self::Nothing;
            }
            if tool.get("approval_type").and_then(Value::as_str) == Some("required") {
                return Self::Admin;
            }
            return Self::Approval(action(tool));
        }
        if is(tool, "external_execution_required") {
            return if is_null(tool, "result") {
                Self::Program
            } else {
                Self::Nothing
            };
        }
        if !is(tool, "requires_user_input") || is(tool, "answered") {
            return Self::Nothing;
        }
        if let Some(feedback) = tool
            .get("user_feedback_schema")
            .filter(|one| one.is_array())
        {
            return questions::of_feedback(feedback)
                .map_or_else(|| Self::Review(action(tool)), Self::Feedback);
        }
        let fields: Vec<&Value> = schema(tool).iter().collect();
        if let Some(asked) = named(&fields, QUESTIONS)
            && named(&fields, ANSWERS).is_some()
        {
            let value = asked.get("value").unwrap_or(&Value::Null);
            return questions::of_document(value).map_or(Self::ItsOwnError, Self::Questions);
        }
        let open: Vec<Field> = fields
            .iter()
            .filter(|field| field.get("value").is_none_or(Value::is_null))
            .filter_map(|field| form_field(field))
            .collect();
        if open.is_empty() {
            return Self::Review(action(tool));
        }
        Self::Fields(Form::Fields {
            message: message(tool),
            fields: open,
        })
    }

    /// What is to be allowed, if that is it.
    pub(super) fn action_mut(&mut self) -> Option<&mut Action> {
        match self {
            Self::Approval(action) | Self::Review(action) => Some(action),
            Self::Nothing
            | Self::Program
            | Self::Admin
            | Self::ItsOwnError
            | Self::Questions(_)
            | Self::Feedback(_)
            | Self::Fields(_) => None,
        }
    }

    /// What is to be asked; nothing where nobody is.
    pub(super) fn matter(&self) -> Option<Matter> {
        match self {
            Self::Nothing | Self::Program | Self::Admin | Self::ItsOwnError => None,
            Self::Approval(action) | Self::Review(action) => Some(Matter::Approval(action.clone())),
            Self::Questions(questions) | Self::Feedback(questions) => {
                Some(Matter::Questions(questions.clone()))
            }
            Self::Fields(form) => Some(Matter::Form(form.clone())),
        }
    }

    /// Writes into the tool how its ask ended.
    pub(super) fn settle(&self, tool: &mut AgentOsTool, ended: &Ended) {
        match self {
            Self::Nothing | Self::Program | Self::Admin => {}
            Self::ItsOwnError => let_it_say(tool),
            Self::Approval(_) => approve(tool, &ended.outcome),
            Self::Review(_) => match allowed(&ended.outcome) {
                Ok(None) => answered(tool),
                Ok(Some(edited)) => {
                    fill(tool, |name| edited.get(name).cloned());
                    answered(tool);
                }
                Err(note) => give(tool, &questions::failed(&note)),
            },
            Self::Questions(asked) => match questions::said(ended, asked.len()) {
                Some(said) => {
                    let answers = Value::String(questions::by_number(&said));
                    fill(tool, |name| (name == ANSWERS).then(|| answers.clone()));
                    answered(tool);
                }
                None => unanswered(tool, &ended.outcome, "questions were"),
            },
            Self::Feedback(asked) => match questions::said(ended, asked.len()) {
                Some(said) => {
                    select(tool, &said);
                    answered(tool);
                }
                None => unanswered(tool, &ended.outcome, "questions were"),
            },
            Self::Fields(_) => {
                if let Outcome::Answered(Answer::Fields(fields)) = &ended.outcome {
                    let kinds = kinds(tool);
                    fill(tool, |name| {
                        let (_, value) = fields.iter().find(|(field, _)| field == name)?;
                        let structured = kinds.iter().any(|(field, kind)| {
                            field == name && matches!(kind.as_str(), "list" | "dict")
                        });
                        Some(value_of(value, structured))
                    });
                    answered(tool);
                } else {
                    unanswered(tool, &ended.outcome, "form was");
                }
            }
        }
    }

    /// Writes into the tool that nobody could be asked.
    pub(super) fn refuse(&self, tool: &mut AgentOsTool, why: &str) {
        match self {
            Self::Approval(_) => deny(tool, why),
            Self::ItsOwnError => let_it_say(tool),
            Self::Nothing
            | Self::Program
            | Self::Admin
            | Self::Review(_)
            | Self::Questions(_)
            | Self::Feedback(_)
            | Self::Fields(_) => give(tool, &questions::failed(why)),
        }
    }
}

/// Lets the tool run without answers, so that its agent hears what it says about its questions.
fn let_it_say(tool: &mut AgentOsTool) {
    fill(tool, |name| (name == ANSWERS).then(|| json!("{}")));
    answered(tool);
}

fn schema(tool: &AgentOsTool) -> &[Value] {
    tool.get("user_input_schema")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default()
}

fn named<'a>(fields: &[&'a Value], name: &str) -> Option<&'a Value> {
    let mut found = fields.iter().copied();
    found.find(|field| field.get("name").and_then(Value::as_str) == Some(name))
}

fn kinds(tool: &AgentOsTool) -> Vec<(String, String)> {
    let text = |field: &Value, key: &str| {
        let text = field.get(key).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    let fields = schema(tool).iter();
    fields
        .map(|field| (text(field, "name"), text(field, "field_type")))
        .collect()
}

fn arguments(tool: &AgentOsTool) -> Value {
    let given = tool.get("tool_args").filter(|one| one.is_object());
    given.cloned().unwrap_or_else(|| json!({}))
}

fn action(tool: &AgentOsTool) -> Action {
    let name = tool.get("tool_name").and_then(Value::as_str);
    let input = arguments(tool).to_string();
    Action::new(name.unwrap_or_default(), input, Act::Other)
}

fn message(tool: &AgentOsTool) -> String {
    let name = tool.get("tool_name").and_then(Value::as_str);
    let name = name.unwrap_or("A tool");
    let mut given = arguments(tool);
    if let Some(given) = given.as_object_mut() {
        given.retain(|_, value| !value.is_null());
    }
    if given.as_object().is_some_and(Map::is_empty) {
        format!("{name} needs your input")
    } else {
        format!("{name} needs your input; it has {given}")
    }
}

fn form_field(field: &Value) -> Option<Field> {
    let kind = field.get("field_type").and_then(Value::as_str);
    let text = FieldKind::Text {
        format: None,
        min_length: None,
        max_length: None,
        default: None,
    };
    Some(Field {
        name: field.get("name")?.as_str()?.to_owned(),
        title: None,
        description: field
            .get("description")
            .and_then(Value::as_str)
            .map(str::to_owned),
        kind: match kind {
            Some("int") => FieldKind::Integer(Range::default()),
            Some("float") => FieldKind::Number(Range::default()),
            Some("bool") => FieldKind::Boolean { default: None },
            Some(_) | None => text,
        },
        required: kind != Some("Optional"),
    })
}

/// A value of a form as JSON. A list or an object is asked for as text, because a form has no field
/// for it.
pub(super) fn value_of(value: &FieldValue, structured: bool) -> Value {
    match value {
        FieldValue::Text(text) if structured => {
            serde_json::from_str(text).unwrap_or_else(|_| json!(text))
        }
        FieldValue::Text(text) => json!(text),
        FieldValue::Number(number) => serde_json::from_str(number.as_str()).unwrap_or(Value::Null),
        FieldValue::Boolean(value) => json!(value),
        FieldValue::Many(values) => json!(values),
        FieldValue::Secret(secret) => json!(secret.as_ref().map(Secret::reveal)),
    }
}

/// Whether an outcome allows, and with which input when the person changed it; else why not.
pub(super) fn allowed(outcome: &Outcome) -> Result<Option<Map<String, Value>>, String> {
    let Outcome::Answered(Answer::Verdict(Verdict {
        decision: Decision::Allow { edited_input },
        ..
    })) = outcome
    else {
        return Err(questions::refusal(outcome));
    };
    let Some(edited) = edited_input else {
        return Ok(None);
    };
    serde_json::from_str(edited)
        .map(Some)
        .map_err(|_| "The changed input is not an object".to_owned())
}

fn approve(tool: &mut AgentOsTool, outcome: &Outcome) {
    match allowed(outcome) {
        Ok(edited) => {
            if let Some(edited) = edited {
                tool.insert("tool_args".to_owned(), Value::Object(edited));
            }
            tool.insert("confirmed".to_owned(), json!(true));
        }
        Err(note) => deny(tool, &note),
    }
}

fn deny(tool: &mut AgentOsTool, note: &str) {
    tool.insert("confirmed".to_owned(), json!(false));
    tool.insert("confirmation_note".to_owned(), json!(note));
}

fn answered(tool: &mut AgentOsTool) {
    tool.insert("answered".to_owned(), json!(true));
}

fn fill(tool: &mut AgentOsTool, value: impl Fn(&str) -> Option<Value>) {
    let fields = tool
        .get_mut("user_input_schema")
        .and_then(Value::as_array_mut);
    for field in fields.into_iter().flatten() {
        let name = field.get("name").and_then(Value::as_str);
        if let Some(value) = name.and_then(&value)
            && let Some(field) = field.as_object_mut()
        {
            field.insert("value".to_owned(), value);
        }
    }
}

fn select(tool: &mut AgentOsTool, said: &[Vec<String>]) {
    let asked = tool
        .get_mut("user_feedback_schema")
        .and_then(Value::as_array_mut);
    for (question, said) in asked.into_iter().flatten().zip(said) {
        let Some(question) = question.as_object_mut() else {
            continue;
        };
        question.insert("selected_options".to_owned(), json!(said));
        let options = question.get_mut("options").and_then(Value::as_array_mut);
        for option in options
            .into_iter()
            .flatten()
            .filter_map(Value::as_object_mut)
        {
            let label = option.get("label").and_then(Value::as_str);
            let selected = label.is_some_and(|label| said.iter().any(|one| one == label));
            option.insert("selected".to_owned(), json!(selected));
        }
    }
}

fn unanswered(tool: &mut AgentOsTool, outcome: &Outcome, what: &str) {
    give(
        tool,
        &questions::failed(&questions::unanswered(outcome, what)),
    );
}

/// Ends the call with this result instead of running the tool. For Agno this is a call that somebody
/// else has executed: the one way, in every generation, to say that the person did not answer.
fn give(tool: &mut AgentOsTool, result: &str) {
    tool.insert("requires_user_input".to_owned(), json!(false));
    tool.insert("external_execution_required".to_owned(), json!(true));
    tool.insert("result".to_owned(), json!(result));
    answered(tool);
}

#[cfg(test)]
#[path = "need_tests.rs"]
mod tests;
