//! What an answer may look like, as the JSON Schema beside an interrupt.

use sayso_core::action::Action;
use sayso_core::answer::Scope;
use sayso_core::ask::{Pick, Question};
use sayso_core::form::{Field, FieldChoice, FieldKind, Form, Range, TextFormat};
use sayso_core::text::Number;
use sayso_core::view::AskView;
use serde_json::value::{RawValue, to_raw_value};

use super::super::wire::{Named, Schema};
use super::fields;
use crate::object::Entries;
use crate::texts;

fn of(kind: &'static str) -> Schema {
    Schema {
        kind: Some(kind),
        ..Schema::default()
    }
}

fn object(properties: Vec<(String, Schema)>, required: Vec<String>) -> Schema {
    Schema {
        properties: Some(Entries(properties)),
        required,
        additional_properties: Some(false),
        ..of("object")
    }
}

fn constant(value: &str, title: Option<&str>, description: Option<&str>) -> Schema {
    Schema {
        constant: Some(value.to_owned()),
        title: title.map(str::to_owned),
        description: description.map(str::to_owned),
        ..Schema::default()
    }
}

/// Answers by question text.
pub(super) fn questions(questions: &[Question]) -> Schema {
    let keys = texts::text_keys(questions);
    let required = keys.iter().zip(questions);
    let required = required
        .filter(|(_, question)| question.required)
        .map(|(key, _)| key.clone())
        .collect();
    let properties = keys.iter().cloned().zip(questions.iter().map(question));
    let answers = Schema {
        min_properties: Some(1),
        ..object(properties.collect(), required)
    };
    object(
        vec![("answers".to_owned(), answers)],
        vec!["answers".to_owned()],
    )
}

fn question(question: &Question) -> Schema {
    let one = || {
        let choices = question.choices.iter();
        let choices = choices
            .map(|choice| constant(&choice.label, None, choice.description.as_deref()))
            .collect();
        let offered = Schema {
            one_of: choices,
            ..Schema::default()
        };
        if !question.free_text {
            return offered;
        }
        let other = Schema {
            title: Some("Other".to_owned()),
            ..of("string")
        };
        Schema {
            any_of: vec![offered, other],
            ..Schema::default()
        }
    };
    let (schema, default) = match question.pick {
        Pick::Text => (of("string"), question.default.first().map(value)),
        Pick::One => (one(), question.default.first().map(value)),
        Pick::Many => {
            let many = Schema {
                items: Some(Box::new(one())),
                unique_items: Some(true),
                ..of("array")
            };
            let default = (!question.default.is_empty()).then(|| value(&question.default));
            (many, default)
        }
    };
    Schema {
        title: question.tag.clone(),
        default: default.flatten(),
        ..schema
    }
}

fn value(value: &(impl serde::Serialize + ?Sized)) -> Option<Box<RawValue>> {
    to_raw_value(value).ok()
}

/// Yes or no. What is not in it is not on offer.
pub(super) fn approval(view: &AskView, action: &Action) -> Schema {
    let mut properties = vec![
        ("approved".to_owned(), of("boolean")),
        ("note".to_owned(), of("string")),
        ("digest".to_owned(), of("string")),
    ];
    if is_object(&action.input) && crate::takes_edits(view.agent.dialect.as_str()) {
        properties.push(("editedArgs".to_owned(), of("object")));
    }
    let scopes: Vec<&'static str> = view.scopes.iter().map(|scope| scope.word()).collect();
    if scopes.iter().any(|word| *word != Scope::Once.word()) {
        let scope = Schema {
            words: scopes,
            ..of("string")
        };
        properties.push(("scope".to_owned(), scope));
    }
    object(properties, vec!["approved".to_owned()])
}

/// Whether a text is a JSON object.
pub(super) fn is_object(text: &str) -> bool {
    serde_json::from_str::<Entries<Box<RawValue>>>(text).is_ok()
}

/// The fields of a form; none where it cannot be filled in here.
pub(super) fn form(form: &Form) -> Schema {
    let Ok(fillable) = fields::fillable(form) else {
        return object(Vec::new(), Vec::new());
    };
    let required = fillable.iter().filter(|field| field.required);
    let required = required.map(|field| field.name.clone()).collect();
    let properties: Named = Entries(
        fillable
            .iter()
            .map(|one| (one.name.clone(), field(one)))
            .collect(),
    );
    object(properties.0, required)
}

fn field(field: &Field) -> Schema {
    let range = |kind, range: &Range| {
        let exact = |number: &Option<Number>| {
            let text = number.as_ref()?.as_str().to_owned();
            RawValue::from_string(text).ok()
        };
        Schema {
            minimum: exact(&range.min),
            maximum: exact(&range.max),
            default: exact(&range.default),
            ..of(kind)
        }
    };
    let offered = |choices: &[FieldChoice]| {
        let choice = |choice: &FieldChoice| constant(&choice.value, choice.title.as_deref(), None);
        choices.iter().map(choice).collect()
    };
    let schema = match &field.kind {
        FieldKind::Text {
            format,
            min_length,
            max_length,
            default,
        } => Schema {
            format: format.map(|format| match format {
                TextFormat::Email => "email",
                TextFormat::Uri => "uri",
                TextFormat::Date => "date",
                TextFormat::DateTime => "date-time",
            }),
            min_length: *min_length,
            max_length: *max_length,
            default: default.as_ref().and_then(value),
            ..of("string")
        },
        FieldKind::Number(bounds) => range("number", bounds),
        FieldKind::Integer(bounds) => range("integer", bounds),
        FieldKind::Boolean { default } => Schema {
            default: default.as_ref().and_then(value),
            ..of("boolean")
        },
        FieldKind::OneOf { choices, default } => Schema {
            one_of: offered(choices),
            default: default.as_ref().and_then(value),
            ..of("string")
        },
        FieldKind::ManyOf {
            choices,
            min_items,
            max_items,
            default,
        } => Schema {
            items: Some(Box::new(Schema {
                one_of: offered(choices),
                ..of("string")
            })),
            min_items: *min_items,
            max_items: *max_items,
            unique_items: Some(true),
            default: (!default.is_empty()).then(|| value(default)).flatten(),
            ..of("array")
        },
        FieldKind::Secret => of("string"),
    };
    Schema {
        title: field.title.clone(),
        description: field.description.clone(),
        ..schema
    }
}
