//! Interrupts with the schemas that AG-UI's document and its packages show.

use sayso_core::answer::{Decision, FieldValue, Reply, Scope, Verdict};
use sayso_core::text::Number;

use super::*;

fn interrupt(json: Value) -> Interrupt {
    serde_json::from_value(json).unwrap()
}

fn ended(answer: Answer) -> Ended {
    Ended {
        outcome: Outcome::Answered(answer),
        late: None,
    }
}

fn verdict(decision: Decision, note: Option<&str>) -> Ended {
    ended(Answer::Verdict(Verdict {
        decision,
        scope: Scope::Once,
        note: note.map(str::to_owned),
    }))
}

fn says(text: &str) -> Ended {
    ended(Answer::Replies(vec![Reply {
        question: 0,
        other: Some(text.to_owned()),
        ..Reply::default()
    }]))
}

fn resumed(interrupt: &Interrupt, ended: &Ended) -> Value {
    serde_json::to_value(InterruptNeed::of(interrupt).resume(interrupt, ended)).unwrap()
}

fn allow(edited: Option<&str>) -> Decision {
    Decision::Allow {
        edited_input: edited.map(str::to_owned),
    }
}

#[test]
fn leave_for_a_tool_call() {
    let properties = json!({"approved": {"type": "boolean"}, "editedArgs": {"type": "object"}, "reason": {"type": "string"}});
    let asked = interrupt(
        json!({"id": "i", "reason": "tool_call", "message": "Send email?", "toolCallId": "c",
        "responseSchema": {"type": "object", "properties": properties, "required": ["approved"]}}),
    );
    let calls = [OpenCall {
        id: "c".to_owned(),
        name: "send".to_owned(),
        arguments: "{\"to\":\"ann\"}".to_owned(),
    }];
    let Matter::Approval(action) = InterruptNeed::of(&asked).matter(&asked, &calls) else {
        panic!()
    };
    assert_eq!(
        (
            action.tool.as_str(),
            action.input.as_str(),
            action.reason.as_deref()
        ),
        ("send", "{\"to\":\"ann\"}", Some("Send email?"))
    );
    assert_eq!(
        resumed(&asked, &verdict(allow(None), None)),
        json!({"interruptId": "i", "status": "resolved", "payload": {"approved": true}})
    );
    assert_eq!(
        resumed(&asked, &verdict(allow(Some("{\"to\":\"bob\"}")), None)),
        json!({"interruptId": "i", "status": "resolved", "payload": {"approved": true, "editedArgs": {"to": "bob"}}})
    );
    assert_eq!(
        resumed(&asked, &verdict(Decision::Deny { stop: false }, Some("no"))),
        json!({"interruptId": "i", "status": "resolved", "payload": {"approved": false, "reason": "no"}})
    );
    for outcome in [
        Outcome::Expired,
        Outcome::Dismissed {
            note: None,
            stop: false,
        },
        Outcome::Withdrawn { note: None },
    ] {
        let over = Ended {
            outcome,
            late: None,
        };
        assert_eq!(
            resumed(&asked, &over),
            json!({"interruptId": "i", "status": "cancelled"})
        );
    }
}

#[test]
fn an_edit_that_the_schema_does_not_take_is_no_yes() {
    let asked = interrupt(json!({"id": "i", "reason": "confirmation", "message": "Sure?"}));
    assert_eq!(
        resumed(&asked, &verdict(allow(Some("{}")), None)),
        json!({"interruptId": "i", "status": "resolved", "payload": {"approved": false}})
    );
}

#[test]
fn a_flat_schema_is_a_form() {
    let properties = json!({
        "db": {"type": "string", "title": "DB", "oneOf": [{"const": "pg", "title": "PostgreSQL"}]},
        "mail": {"type": "string", "format": "email", "minLength": 3},
        "port": {"type": "integer", "minimum": 1, "maximum": 65535, "default": 80},
        "tags": {"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 1},
    });
    let asked = interrupt(
        json!({"id": "i", "reason": "input_required", "message": "Where?",
        "responseSchema": {"type": "object", "properties": properties, "required": ["port"]}}),
    );
    let Matter::Form(form) = InterruptNeed::of(&asked).matter(&asked, &[]) else {
        panic!()
    };
    let number = |text: &str| Number::new(text);
    let kinds: Vec<(&str, &FieldKind, bool)> = form
        .fields()
        .iter()
        .map(|field| (field.name.as_str(), &field.kind, field.required))
        .collect();
    let choice = |value: &str, title: Option<&str>| FieldChoice {
        value: value.to_owned(),
        title: title.map(str::to_owned),
    };
    let db = FieldKind::OneOf {
        choices: vec![choice("pg", Some("PostgreSQL"))],
        default: None,
    };
    let mail = FieldKind::Text {
        format: Some(TextFormat::Email),
        min_length: Some(3),
        max_length: None,
        default: None,
    };
    let port = FieldKind::Integer(Range {
        min: number("1"),
        max: number("65535"),
        default: number("80"),
    });
    let tags = FieldKind::ManyOf {
        choices: vec![choice("a", None), choice("b", None)],
        min_items: Some(1),
        max_items: None,
        default: Vec::new(),
    };
    assert_eq!(
        kinds,
        [
            ("db", &db, false),
            ("mail", &mail, false),
            ("port", &port, true),
            ("tags", &tags, false)
        ]
    );
    let fields = vec![
        ("db".to_owned(), FieldValue::Text("pg".to_owned())),
        (
            "port".to_owned(),
            FieldValue::Number(Number::new("5432").unwrap()),
        ),
    ];
    assert_eq!(
        resumed(&asked, &ended(Answer::Fields(fields))),
        json!({"interruptId": "i", "status": "resolved", "payload": {"db": "pg", "port": 5432}})
    );
}

#[test]
fn a_string_is_chosen_or_written() {
    let schema = json!({"type": "string", "enum": ["Redis", "SQLite"]});
    let asked =
        interrupt(json!({"id": "i", "reason": "x", "message": "Which?", "responseSchema": schema}));
    let Matter::Questions(questions) = InterruptNeed::of(&asked).matter(&asked, &[]) else {
        panic!()
    };
    let question = questions.first().unwrap();
    assert_eq!(
        (question.pick, question.choices.len(), question.free_text),
        (Pick::One, 2, false)
    );
    assert_eq!(
        resumed(&asked, &says("Redis")),
        json!({"interruptId": "i", "status": "resolved", "payload": "Redis"})
    );
}

#[test]
fn whatever_else_is_answered_in_words() {
    for schema in [
        json!(null),
        json!({"type": "object"}),
        json!({"type": "object", "properties": {"deep": {"type": "object"}}}),
    ] {
        let asked = interrupt(json!({"id": "i", "reason": "acme:odd", "responseSchema": schema}));
        let Matter::Questions(questions) = InterruptNeed::of(&asked).matter(&asked, &[]) else {
            panic!()
        };
        let question = questions.first().unwrap();
        assert_eq!(
            question.text,
            "The agent is waiting for your input: acme:odd"
        );
        assert_eq!(
            resumed(&asked, &says("later"))["payload"],
            json!({"answer": "later"})
        );
        assert_eq!(
            resumed(&asked, &says("{\"deep\":{\"a\":1}}"))["payload"],
            json!({"deep": {"a": 1}})
        );
    }
}
