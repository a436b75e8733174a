//! Answers that do not fit, each with every path and sentence it gets.

use super::{ViolationKind, check_answer, check_note, check_stop, settle_fields, settle_notes};
use crate::action::{Act, Action, Rated, Risk};
use crate::answer::{Answer, Decision, FieldValue, Reply, Scope, Verdict};
use crate::ask::{Ask, Choice, Look, Matter, Pick, Question};
use crate::check::samples::number;
use crate::digest::Digest;
use crate::form::{Field, FieldChoice, FieldKind, Form, Range, TextFormat};
use crate::id::{AgentId, AskId};
use crate::limits;
use crate::outcome::Outcome;
use crate::text::Secret;
use crate::time::Time;

fn question(pick: Pick, labels: &[&str]) -> Question {
    Question {
        text: "Which?".to_owned(),
        tag: None,
        pick,
        choices: labels
            .iter()
            .map(|label| Choice {
                label: (*label).to_owned(),
                ..Choice::default()
            })
            .collect(),
        look: Look::List,
        default: Vec::new(),
        free_text: true,
        required: false,
    }
}

fn approval() -> Matter {
    Matter::Approval(Action {
        tool: "Bash".to_owned(),
        input: "{}".to_owned(),
        tool_schema: None,
        links: None,
        cwd: None,
        reason: None,
        act: Act::Other,
        risk: Rated::hint(Risk::High),
        flags: Vec::new(),
    })
}

fn field(name: &str, kind: FieldKind, required: bool) -> Field {
    Field {
        name: name.to_owned(),
        title: None,
        description: None,
        kind,
        required,
    }
}

fn found(matter: &Matter, answer: &Answer) -> Vec<(String, String)> {
    match check_answer(matter, &[Scope::Once], answer) {
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

fn reply(question: usize, labels: &[&str], other: Option<&str>) -> Reply {
    Reply {
        question,
        labels: labels.iter().map(|label| (*label).to_owned()).collect(),
        other: other.map(str::to_owned),
        note: None,
    }
}

#[test]
fn every_violation_is_listed_with_its_path() {
    let mut closed = question(Pick::One, &["a", "b"]);
    closed.free_text = false;
    let mut required = question(Pick::Text, &[]);
    required.required = true;
    let matter = Matter::Questions(vec![
        question(Pick::One, &["a", "b, c"]),
        question(Pick::Many, &["a"]),
        closed,
        question(Pick::Text, &[]),
        required,
    ]);
    let answer = Answer::Replies(vec![
        reply(0, &["a", "b, c"], None),
        reply(0, &["b"], None),
        reply(1, &["a", "a", "x"], None),
        reply(2, &["a"], Some("mine")),
        reply(3, &["a"], None),
        reply(9, &[], None),
    ]);
    assert_eq!(
        found(&matter, &answer),
        pairs(&[
            ("/replies/0/labels", "must have only one label"),
            ("/replies/1/question", "already has a reply"),
            (
                "/replies/1/labels/0",
                "`b` is not one of the choices: `a`, `b, c`"
            ),
            ("/replies/2/labels/2", "`x` is not one of the choices: `a`"),
            ("/replies/2/labels/1", "is a duplicate"),
            (
                "/replies/3/other",
                "is not allowed: this question takes no free text"
            ),
            (
                "/replies/3",
                "must have one label or free text in `other`, not both"
            ),
            (
                "/replies/4/labels",
                "must be empty: this question has no choices; put the answer in `other`"
            ),
            ("/replies/5/question", "must be from 0 to 4"),
            ("/replies", "must answer question 4: Which?"),
        ])
    );
}

#[test]
fn a_label_may_hold_a_comma_and_a_many_may_add_words() {
    let matter = Matter::Questions(vec![
        question(Pick::One, &["a, b"]),
        question(Pick::Many, &["a", "b"]),
        question(Pick::Text, &[]),
    ]);
    let answer = Answer::Replies(vec![
        reply(0, &["a, b"], Some("")),
        reply(1, &["b", "a"], Some("and c")),
        reply(2, &[], Some("words")),
    ]);
    assert_eq!(found(&matter, &answer), pairs(&[]));
}

#[test]
fn a_part_of_the_questions_is_enough_but_none_is_not() {
    let matter = Matter::Questions(vec![
        question(Pick::One, &["a"]),
        question(Pick::One, &["a"]),
    ]);
    assert_eq!(
        found(&matter, &Answer::Replies(vec![reply(1, &["a"], None)])),
        pairs(&[])
    );
    assert_eq!(
        found(&matter, &Answer::Replies(Vec::new())),
        pairs(&[("/replies", "is empty; answer at least one question")])
    );
    let nothing = Reply {
        note: Some("only a note".to_owned()),
        ..reply(0, &[], Some(" "))
    };
    assert_eq!(
        found(&matter, &Answer::Replies(vec![nothing])),
        pairs(&[("/replies/0", "is empty; leave it out instead")])
    );
}

#[test]
fn an_answer_to_another_matter_is_refused_as_a_whole() {
    let answer = Answer::Verdict(Verdict {
        decision: Decision::Deny { stop: false },
        scope: Scope::Once,
        note: None,
    });
    let matter = Matter::Questions(vec![question(Pick::One, &["a"])]);
    assert_eq!(
        found(&matter, &answer),
        pairs(&[(
            "",
            "wrong kind of answer: this ask has questions: send `replies`"
        )])
    );
}

#[test]
fn a_note_that_says_nothing_is_not_kept() {
    let denied = |note: Option<&str>| {
        Answer::Verdict(Verdict {
            decision: Decision::Deny { stop: false },
            scope: Scope::Once,
            note: note.map(str::to_owned),
        })
    };
    for blank in ["", " ", "\n\t"] {
        assert_eq!(settle_notes(denied(Some(blank))), denied(None));
    }
    assert_eq!(settle_notes(denied(Some(" no "))), denied(Some(" no ")));
}

#[test]
fn a_scope_that_is_not_on_offer_is_told_apart() {
    let yes = |scope, note| {
        Answer::Verdict(Verdict {
            decision: Decision::Allow { edited_input: None },
            scope,
            note,
        })
    };
    let refused = |scopes: &[Scope], answer| {
        check_answer(&approval(), scopes, &answer).expect_err("it is refused")
    };
    let far = refused(&[Scope::Once], yes(Scope::Always, None));
    assert_eq!(far.kind(), ViolationKind::ScopeUnavailable);
    assert_eq!(
        far.to_string(),
        "/verdict/scope: `always` is not available for this ask; choose one of: once"
    );
    let also_long = refused(
        &[Scope::Once],
        yes(Scope::Always, Some("x".repeat(limits::NOTE_BYTES_MAX + 1))),
    );
    assert_eq!(also_long.kind(), ViolationKind::Invalid);
    assert_eq!(
        check_answer(&approval(), &Scope::ALL, &yes(Scope::Always, None)),
        Ok(())
    );
}

#[test]
fn a_single_no_is_always_possible() {
    let no = Answer::Verdict(Verdict {
        decision: Decision::Deny { stop: false },
        scope: Scope::Once,
        note: None,
    });
    assert_eq!(check_answer(&approval(), &[], &no), Ok(()));
    let never = Answer::Verdict(Verdict {
        decision: Decision::Deny { stop: false },
        scope: Scope::Always,
        note: None,
    });
    assert_eq!(
        check_answer(&approval(), &[], &never).map_err(|violations| violations.kind()),
        Err(ViolationKind::ScopeUnavailable)
    );
}

#[test]
fn a_turn_ends_only_where_the_asker_can_end_it() {
    let no = |stop| {
        Outcome::Answered(Answer::Verdict(Verdict {
            decision: Decision::Deny { stop },
            scope: Scope::Once,
            note: None,
        }))
    };
    let aside = |stop| Outcome::Dismissed { note: None, stop };
    let ask = |stops| Ask {
        id: AskId::from_bytes([7; 16]),
        agent: AgentId(1),
        conversation: None,
        workspace: None,
        wire_id: None,
        key: None,
        title: None,
        matter: approval(),
        digest: Digest::of(b""),
        shape: Digest::of(b""),
        asked_at: Time::default(),
        deadline: None,
        stops,
    };
    let why = "can't be used here: this agent can't be stopped; leave it out";
    for (outcome, stops, complaint) in [
        (no(true), true, None),
        (no(true), false, Some(format!("/verdict/stop: {why}"))),
        (no(false), false, None),
        (aside(true), true, None),
        (aside(true), false, Some(format!("/stop: {why}"))),
        (aside(false), false, None),
        (Outcome::Expired, false, None),
    ] {
        let found = check_stop(&ask(stops), &outcome);
        let found = found.err().map(|violations| violations.to_string());
        assert_eq!(found, complaint, "{outcome:?}");
    }
}

#[test]
fn fields_are_checked_one_by_one() {
    let choices = vec![
        FieldChoice {
            value: "a".to_owned(),
            title: None,
        },
        FieldChoice {
            value: "b".to_owned(),
            title: None,
        },
    ];
    let range = Range {
        min: Some(number("1")),
        max: Some(number("9007199254740992")),
        default: None,
    };
    let text = |format, min_length, max_length| FieldKind::Text {
        format,
        min_length,
        max_length,
        default: None,
    };
    let form = Form::Fields {
        message: "x".to_owned(),
        fields: vec![
            field("mail", text(Some(TextFormat::Email), None, None), true),
            field("short", text(None, Some(2), Some(3)), false),
            field("long", text(None, Some(2), Some(3)), false),
            field("port", FieldKind::Integer(range.clone()), false),
            field("half", FieldKind::Integer(range), false),
            field(
                "one/of~",
                FieldKind::OneOf {
                    choices: choices.clone(),
                    default: None,
                },
                false,
            ),
            field(
                "many",
                FieldKind::ManyOf {
                    choices,
                    min_items: None,
                    max_items: Some(1),
                    default: Vec::new(),
                },
                false,
            ),
            field("flag", FieldKind::Boolean { default: None }, false),
            field("secret", FieldKind::Secret, false),
            field("needed", FieldKind::Boolean { default: None }, true),
        ],
    };
    let answer = Answer::Fields(vec![
        ("mail".to_owned(), FieldValue::Text("nobody".to_owned())),
        ("short".to_owned(), FieldValue::Text("é".to_owned())),
        ("long".to_owned(), FieldValue::Text("éééé".to_owned())),
        (
            "port".to_owned(),
            FieldValue::Number(number("9007199254740993")),
        ),
        ("half".to_owned(), FieldValue::Number(number("0.5"))),
        ("one/of~".to_owned(), FieldValue::Text("c".to_owned())),
        (
            "many".to_owned(),
            FieldValue::Many(vec!["a".to_owned(), "a".to_owned()]),
        ),
        ("flag".to_owned(), FieldValue::Text("yes".to_owned())),
        ("secret".to_owned(), FieldValue::Secret(None)),
        ("other".to_owned(), FieldValue::Boolean(true)),
    ]);
    assert_eq!(
        found(&Matter::Form(form), &answer),
        pairs(&[
            ("/fields/mail", "is not a valid email address"),
            ("/fields/short", "has 1 characters; at least 2 are needed"),
            ("/fields/long", "has 4 characters; at most 3 are allowed"),
            ("/fields/port", "must be at most 9007199254740992"),
            (
                "/fields/half",
                "must be a whole number, written without a fraction or an exponent"
            ),
            ("/fields/half", "must be at least 1"),
            ("/fields/one~1of~0", "is not one of the choices"),
            ("/fields/many", "has 2 items; at most 1 are allowed"),
            ("/fields/many/1", "is a duplicate"),
            ("/fields/flag", "must be true or false"),
            ("/fields/secret", "must be a string"),
            ("/fields/other", "is not a field of this form"),
            ("/fields/needed", "is missing"),
        ])
    );
}

#[test]
fn a_page_takes_only_an_empty_list_of_fields() {
    let matter = Matter::Form(Form::Page {
        message: "x".to_owned(),
        url: "https://example.org".to_owned(),
    });
    assert_eq!(found(&matter, &Answer::Fields(Vec::new())), pairs(&[]));
    let extra = Answer::Fields(vec![("a".to_owned(), FieldValue::Boolean(true))]);
    assert_eq!(
        found(&matter, &extra),
        pairs(&[("/fields/a", "is not a field of this form")])
    );
}

#[test]
fn settling_makes_secrets_secret_and_keeps_the_order_of_the_form() {
    let kinds = [
        ("key", FieldKind::Secret),
        (
            "name",
            FieldKind::OneOf {
                choices: Vec::new(),
                default: None,
            },
        ),
    ];
    let fields = kinds.map(|(name, kind)| field(name, kind, false)).to_vec();
    let form = Form::Fields {
        message: "x".to_owned(),
        fields,
    };
    let text = |text: &str| FieldValue::Text(text.to_owned());
    let sent = Answer::Fields(vec![
        ("else".to_owned(), text("e")),
        ("name".to_owned(), text("n")),
        ("key".to_owned(), text("hunter2")),
    ]);
    let settled = Answer::Fields(vec![
        (
            "key".to_owned(),
            FieldValue::Secret(Some(Secret::new("hunter2".to_owned()))),
        ),
        ("name".to_owned(), text("n")),
        ("else".to_owned(), text("e")),
    ]);
    assert_eq!(settle_fields(&form, sent), settled);
}

#[test]
fn violations_are_bounded() {
    let matter = Matter::Questions(vec![question(Pick::Many, &["a"])]);
    let labels = (0..100_000).map(|index| format!("label {index}")).collect();
    let answer = Answer::Replies(vec![Reply {
        question: 0,
        labels,
        other: None,
        note: None,
    }]);
    let violations = check_answer(&matter, &[], &answer).expect_err("it is refused");
    assert_eq!(violations.list().len(), limits::VIOLATIONS_MAX);
}

#[test]
fn a_note_has_a_length() {
    assert_eq!(check_note(None), Ok(()));
    assert_eq!(
        check_note(Some(&"x".repeat(limits::NOTE_BYTES_MAX))),
        Ok(())
    );
    let long =
        check_note(Some(&"x".repeat(limits::NOTE_BYTES_MAX + 1))).expect_err("it is refused");
    assert_eq!(
        long.to_string(),
        "/note: is 16385 bytes long; at most 16384 are allowed"
    );
}
