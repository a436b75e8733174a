//! Drafts that make no sense, each with every path and sentence it gets.

use super::{check_draft, check_matter};
use crate::action::{Act, Action, Flag, Rated};
use crate::ask::{Choice, Draft, Look, Matter, Pick, Question};
use crate::check::samples::number;
use crate::form::{Field, FieldChoice, FieldKind, Form, Range, TextFormat};
use crate::limits;

fn found(matter: &Matter) -> Vec<(String, String)> {
    match check_matter(matter) {
        Ok(()) => Vec::new(),
        Err(violations) => violations
            .into_vec()
            .into_iter()
            .map(|violation| (violation.path, violation.message))
            .collect(),
    }
}

fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter()
        .map(|(path, message)| ((*path).to_owned(), (*message).to_owned()))
        .collect()
}

fn choice(label: &str) -> Choice {
    Choice {
        label: label.to_owned(),
        ..Choice::default()
    }
}

fn question(pick: Pick, labels: &[&str], default: &[&str]) -> Question {
    Question {
        text: "Which?".to_owned(),
        tag: None,
        pick,
        choices: labels.iter().map(|label| choice(label)).collect(),
        look: Look::List,
        default: default.iter().map(|label| (*label).to_owned()).collect(),
        free_text: false,
        required: false,
    }
}

#[test]
fn questions_are_checked_one_by_one() {
    let mut wordless = question(Pick::One, &["a", "", "a"], &["a", "b"]);
    wordless.text = String::new();
    wordless.choices[0].preview = Some("x".repeat(limits::TEXT_BYTES_MAX + 1));
    let list = vec![
        wordless,
        question(Pick::Many, &[], &[]),
        question(Pick::Text, &["a"], &["one", "two"]),
        question(Pick::Text, &[], &["text"]),
    ];
    assert_eq!(
        found(&Matter::Questions(list)),
        pairs(&[
            ("/questions/0/text", "is empty"),
            (
                "/questions/0/choices/0/preview",
                "is 262145 bytes long; at most 262144 are allowed"
            ),
            ("/questions/0/choices/1/label", "is empty"),
            ("/questions/0/choices/2/label", "is a duplicate"),
            ("/questions/0/default", "has 2 items; at most 1 are allowed"),
            ("/questions/0/default/1", "is not one of the labels"),
            (
                "/questions/1/choices",
                "is empty and free text is not allowed, so nobody could answer"
            ),
            (
                "/questions/2/choices",
                "must be empty where the answer is a text"
            ),
            ("/questions/2/default", "has 2 items; at most 1 are allowed"),
        ])
    );
    assert_eq!(
        found(&Matter::Questions(Vec::new())),
        pairs(&[("/questions", "is empty; ask at least one question")])
    );
}

#[test]
fn equal_questions_and_commas_in_labels_are_fine() {
    let list = vec![
        question(Pick::One, &["a, b", "a"], &["a, b"]),
        question(Pick::One, &["a, b", "a"], &[]),
    ];
    assert_eq!(found(&Matter::Questions(list)), pairs(&[]));
}

#[test]
fn actions_are_checked() {
    let action = Action {
        tool: " ".to_owned(),
        input: String::new(),
        tool_schema: None,
        links: None,
        cwd: Some("x".repeat(limits::WORKSPACE_BYTES_MAX + 1)),
        reason: None,
        act: Act::Edit {
            path: String::new(),
            old: String::new(),
            new: String::new(),
        },
        risk: Rated::default(),
        flags: vec![Flag::NoAlways, Flag::DefaultNo],
    };
    assert_eq!(
        found(&Matter::Approval(action)),
        pairs(&[
            ("/action/tool", "is empty"),
            (
                "/action/cwd",
                "is 4097 bytes long; at most 4096 are allowed"
            ),
            ("/action/act/path", "is empty"),
            ("/action/flags", "must be sorted and have no duplicates"),
        ])
    );
}

#[test]
fn forms_are_checked_field_by_field() {
    let field = |name: &str, kind| Field {
        name: name.to_owned(),
        title: None,
        description: None,
        kind,
        required: false,
    };
    let value = |value: &str| FieldChoice {
        value: value.to_owned(),
        title: None,
    };
    let range = |min, max, default| Range {
        min: Some(number(min)),
        max: Some(number(max)),
        default: Some(number(default)),
    };
    let fields = vec![
        field("", FieldKind::Secret),
        field(
            "a",
            FieldKind::Text {
                format: Some(TextFormat::Date),
                min_length: Some(5),
                max_length: Some(4),
                default: Some("2026-02-30".to_owned()),
            },
        ),
        field("a", FieldKind::Integer(range("2", "1.5", "1.5"))),
        field("b", FieldKind::Number(range("0", "1", "1e1"))),
        field(
            "c",
            FieldKind::OneOf {
                choices: Vec::new(),
                default: Some("x".to_owned()),
            },
        ),
        field(
            "d",
            FieldKind::ManyOf {
                choices: vec![value("x"), value("x")],
                min_items: Some(3),
                max_items: Some(2),
                default: vec!["y".to_owned()],
            },
        ),
    ];
    assert_eq!(
        found(&Matter::Form(Form::Fields {
            message: "Fill in".to_owned(),
            fields
        })),
        pairs(&[
            ("/form/fields/0/name", "is empty"),
            ("/form/fields/1/min_length", "is larger than max_length"),
            (
                "/form/fields/1/default",
                "has 10 characters; at most 4 are allowed"
            ),
            (
                "/form/fields/1/default",
                "is not a valid date, such as 2026-11-15"
            ),
            ("/form/fields/2/min", "is larger than max"),
            (
                "/form/fields/2/default",
                "must be a whole number, written without a fraction or an exponent"
            ),
            ("/form/fields/2/default", "must be at least 2"),
            ("/form/fields/3/default", "must be at most 1"),
            (
                "/form/fields/4/options",
                "is empty; there is nothing to choose"
            ),
            ("/form/fields/4/default", "is not one of the choices"),
            ("/form/fields/5/options/1/value", "is a duplicate"),
            ("/form/fields/5/min_items", "is larger than max_items"),
            (
                "/form/fields/5/min_items",
                "is larger than the number of choices"
            ),
            (
                "/form/fields/5/default",
                "has 1 items; at least 3 are needed"
            ),
            ("/form/fields/5/default/0", "is not one of the choices"),
            ("/form/fields/2/name", "is a duplicate"),
        ])
    );
}

#[test]
fn a_page_to_visit_needs_a_message_and_a_safe_address() {
    let page = Form::Page {
        message: String::new(),
        url: "http://example.org".to_owned(),
    };
    assert_eq!(
        found(&Matter::Form(page)),
        pairs(&[
            ("/form/message", "is empty"),
            (
                "/form/url",
                "must start with https://; http:// is allowed only for this machine"
            )
        ])
    );
}

#[test]
fn a_draft_is_checked_around_its_matter_too() {
    let draft = Draft {
        title: Some("x".repeat(limits::TITLE_BYTES_MAX + 1)),
        matter: Matter::Questions(Vec::new()),
        conversation: None,
        workspace: None,
        wire_id: None,
        key: None,
        timeout: Some(std::time::Duration::ZERO),
        stops: false,
    };
    let violations = check_draft(&draft).expect_err("it is refused");
    assert_eq!(
        violations.to_string(),
        "/title: is 1025 bytes long; at most 1024 are allowed; /questions: is empty; ask at least one question; /timeout_s: must be from 1 to 31622400 seconds"
    );
}

#[test]
fn a_flood_is_refused_without_a_flood_of_violations() {
    let list = vec![question(Pick::Many, &[""; 300], &[]); 40];
    let violations = check_matter(&Matter::Questions(list)).expect_err("it is refused");
    assert_eq!(violations.list().len(), limits::VIOLATIONS_MAX);
}
