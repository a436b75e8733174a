//! Tools as AgentOS 2.2 and 3.1 told them, and what they take back.

use sayso_core::answer::{Reply, Scope};
use sayso_core::ask::Pick;
use sayso_core::text::Number;

use super::*;

fn tool(json: &Value) -> AgentOsTool {
    json.as_object().cloned().unwrap()
}

fn ended(outcome: Outcome) -> Ended {
    Ended {
        outcome,
        late: None,
    }
}

fn replies(said: &[&[&str]]) -> Ended {
    let reply = |(question, values): (usize, &&[&str])| Reply {
        question,
        labels: values.iter().map(|one| (*one).to_owned()).collect(),
        ..Reply::default()
    };
    let replies = said.iter().enumerate().map(reply).collect();
    ended(Outcome::Answered(Answer::Replies(replies)))
}

fn verdict(decision: Decision, note: Option<&str>) -> Ended {
    ended(Outcome::Answered(Answer::Verdict(Verdict {
        decision,
        scope: Scope::Once,
        note: note.map(str::to_owned),
    })))
}

fn deploys() -> AgentOsTool {
    tool(
        &json!({"tool_call_id": "c", "tool_name": "deploy", "tool_args": {"target": "test"},
        "requires_confirmation": true, "confirmed": null, "result": null, "created_at": 7}),
    )
}

fn asks(questions: &str) -> AgentOsTool {
    tool(
        &json!({"tool_name": "ask_user_question", "tool_args": {"questions_json": questions},
        "requires_user_input": true, "answered": null, "user_input_schema": [
            {"name": "questions_json", "field_type": "str", "description": "d", "value": questions},
            {"name": "user_answers", "field_type": "Optional", "description": "d", "value": null}]}),
    )
}

const FRAMEWORK: &str = r#"[{"question":"Which?","header":"F","multiSelect":true,"options":[{"label":"React","description":"r"},{"label":"Vue","description":"v"}]}]"#;

#[test]
fn what_is_settled_waits_for_nothing() {
    for done in [
        json!({"tool_name": "search", "result": "found"}),
        json!({"requires_confirmation": true, "confirmed": true}),
        json!({"requires_confirmation": false, "confirmed": false}),
        json!({"requires_user_input": false, "answered": true}),
        json!({"requires_user_input": true, "answered": true}),
        json!({"external_execution_required": true, "result": "done"}),
    ] {
        assert_eq!(Need::of(&tool(&done)), Need::Nothing, "{done}");
    }
    let program = json!({"external_execution_required": true, "result": null});
    assert_eq!(Need::of(&tool(&program)), Need::Program);
    let mut admin = deploys();
    admin.insert("approval_type".to_owned(), json!("required"));
    assert_eq!(Need::of(&admin), Need::Admin);
}

#[test]
fn a_confirmation_is_leave_and_only_a_yes_confirms() {
    let need = Need::of(&deploys());
    assert_eq!(
        need,
        Need::Approval(Action::new("deploy", r#"{"target":"test"}"#, Act::Other))
    );
    let settled = |ended: &Ended| {
        let mut tool = deploys();
        need.settle(&mut tool, ended);
        // What is not the answer's goes back as it came.
        assert_eq!(tool.get("created_at"), Some(&json!(7)));
        ["confirmed", "confirmation_note", "tool_args"]
            .map(|key| tool.get(key).cloned().unwrap_or_default())
    };
    let same = json!({"target": "test"});
    let allow = |edited: Option<&str>| Decision::Allow {
        edited_input: edited.map(str::to_owned),
    };
    assert_eq!(
        settled(&verdict(allow(None), Some("ok"))),
        [json!(true), json!(null), same.clone()]
    );
    assert_eq!(
        settled(&verdict(allow(Some(r#"{"target":"staging"}"#)), None)),
        [json!(true), json!(null), json!({"target": "staging"})]
    );
    for (ended, note) in [
        (
            verdict(Decision::Deny { stop: false }, None),
            "The user denied this tool call",
        ),
        (
            verdict(Decision::Deny { stop: false }, Some("never")),
            "The user denied this tool call: never",
        ),
        (
            verdict(allow(Some("[1]")), None),
            "The changed input is not an object",
        ),
        (
            ended(Outcome::Dismissed {
                note: None,
                stop: false,
            }),
            "The user dismissed this tool call",
        ),
        (
            ended(Outcome::Expired),
            "Nobody allowed this tool call in time",
        ),
    ] {
        assert_eq!(settled(&ended), [json!(false), json!(note), same.clone()]);
    }
}

#[test]
fn questions_are_asked_and_answered_by_number() {
    let need = Need::of(&asks(FRAMEWORK));
    let Need::Questions(questions) = &need else {
        panic!("{need:?}")
    };
    let first = questions.first().unwrap();
    assert_eq!(
        (first.text.as_str(), first.tag.as_deref(), first.pick),
        ("Which?", Some("F"), Pick::Many)
    );
    let mut tool = asks(FRAMEWORK);
    need.settle(&mut tool, &replies(&[&["React", "Vue"]]));
    assert_eq!(tool.get("answered"), Some(&json!(true)));
    assert_eq!(
        tool.get("user_input_schema")
            .and_then(|all| all.pointer("/1/value")),
        Some(&json!(r#"{"question_0":["React","Vue"]}"#))
    );
}

#[test]
fn what_the_tool_refuses_nobody_is_asked_and_the_tool_says_so() {
    let option = r#"{"label":"A","description":"a"}"#;
    let with = |header: &str, options: &str| {
        format!(
            r#"[{{"question":"Q?","header":"{header}","multiSelect":false,"options":[{options}]}}]"#
        )
    };
    let two = format!("{option},{option}");
    assert!(matches!(
        Need::of(&asks(&with("H", &two))),
        Need::Questions(_)
    ));
    for wrong in [
        "not json".to_owned(),
        "[]".to_owned(),
        "{}".to_owned(),
        r#"[{"question":"Q?"}]"#.to_owned(),
        with("thirteen char", &two),
        with("H", option),
        with("H", r#"{"label":"A"},{"label":"B"}"#),
        format!(
            "[{}]",
            [with("H", &two).trim_matches(['[', ']']); 5].join(",")
        ),
    ] {
        let mut tool = asks(&wrong);
        let need = Need::of(&tool);
        assert_eq!(
            (&need, need.matter()),
            (&Need::ItsOwnError, None),
            "{wrong}"
        );
        need.refuse(&mut tool, "");
        assert_eq!(
            tool.get("user_input_schema")
                .and_then(|all| all.pointer("/1/value")),
            Some(&json!("{}"))
        );
        assert_eq!(tool.get("answered"), Some(&json!(true)));
    }
}

#[test]
fn what_is_not_answered_becomes_the_tools_result() {
    for (outcome, error) in [
        (
            Outcome::Dismissed {
                note: Some("not now".to_owned()),
                stop: false,
            },
            "The questions were dismissed: not now",
        ),
        (Outcome::Expired, "Nobody answered in time"),
        (
            Outcome::Withdrawn { note: None },
            "The questions were withdrawn",
        ),
    ] {
        let mut tool = asks(FRAMEWORK);
        Need::of(&tool).settle(&mut tool, &ended(outcome));
        let result = json!({"error": error, "status": "failed"}).to_string();
        assert_eq!(
            [
                "requires_user_input",
                "external_execution_required",
                "result",
                "answered"
            ]
            .map(|key| tool.get(key).cloned().unwrap_or_default()),
            [json!(false), json!(true), json!(result), json!(true)]
        );
        assert_eq!(Need::of(&tool), Need::Nothing);
    }
}

#[test]
fn agnos_own_questions_are_selected() {
    let mut tool = tool(
        &json!({"tool_name": "ask_user", "requires_user_input": true,
        "user_feedback_schema": [{"question": "Which?", "header": "F", "multi_select": false,
            "selected_options": null, "options": [
                {"label": "React", "description": null, "selected": false},
                {"label": "Vue", "description": "v", "selected": false}]}]}),
    );
    let need = Need::of(&tool);
    assert!(matches!(&need, Need::Feedback(asked) if asked.len() == 1));
    need.settle(&mut tool, &replies(&[&["Vue"]]));
    assert_eq!(
        tool.get("user_feedback_schema"),
        Some(
            &json!([{"question": "Which?", "header": "F", "multi_select": false,
            "selected_options": ["Vue"], "options": [
                {"label": "React", "description": null, "selected": false},
                {"label": "Vue", "description": "v", "selected": true}]}])
        )
    );
}

#[test]
fn open_fields_are_a_form_with_their_kinds() {
    let field = |name: &str, kind: &str, value: Value| json!({"name": name, "field_type": kind, "description": null, "value": value});
    let mut tool = tool(
        &json!({"tool_name": "mail", "tool_args": {"subject": "Hi", "to": null},
        "requires_user_input": true, "user_input_schema": [
            field("subject", "str", json!("Hi")), field("to", "str", json!(null)),
            field("copies", "int", json!(null)), field("tags", "list", json!(null)),
            field("urgent", "bool", json!(null)), field("note", "Optional", json!(null))]}),
    );
    let need = Need::of(&tool);
    let Need::Fields(form) = &need else {
        panic!("{need:?}")
    };
    assert_eq!(
        form.message(),
        r#"mail needs your input; it has {"subject":"Hi"}"#
    );
    let shown: Vec<(&str, bool)> = form
        .fields()
        .iter()
        .map(|field| (field.name.as_str(), field.required))
        .collect();
    assert_eq!(
        shown,
        [
            ("to", true),
            ("copies", true),
            ("tags", true),
            ("urgent", true),
            ("note", false)
        ]
    );
    let fields = vec![
        ("to".to_owned(), FieldValue::Text("ann".to_owned())),
        (
            "copies".to_owned(),
            FieldValue::Number(Number::new("2").unwrap()),
        ),
        ("tags".to_owned(), FieldValue::Text("[\"a\"]".to_owned())),
        ("urgent".to_owned(), FieldValue::Boolean(true)),
    ];
    need.settle(&mut tool, &ended(Outcome::Answered(Answer::Fields(fields))));
    let values: Vec<Value> = schema(&tool)
        .iter()
        .map(|field| field.get("value").cloned().unwrap_or_default())
        .collect();
    assert_eq!(
        values,
        [
            json!("Hi"),
            json!("ann"),
            json!(2),
            json!(["a"]),
            json!(true),
            json!(null)
        ]
    );
}

#[test]
fn a_form_without_open_fields_is_reviewed() {
    let full = || {
        tool(
            &json!({"tool_name": "mail", "tool_args": {"to": "ann"}, "requires_user_input": true,
            "user_input_schema": [{"name": "to", "field_type": "str", "value": "ann"}]}),
        )
    };
    let need = Need::of(&full());
    assert_eq!(
        need,
        Need::Review(Action::new("mail", r#"{"to":"ann"}"#, Act::Other))
    );
    let mut tool = full();
    let edited_input = Some(r#"{"to":"bob"}"#.to_owned());
    need.settle(&mut tool, &verdict(Decision::Allow { edited_input }, None));
    assert_eq!(
        tool.get("user_input_schema")
            .and_then(|all| all.pointer("/0/value")),
        Some(&json!("bob"))
    );
    let mut tool = full();
    need.settle(&mut tool, &verdict(Decision::Deny { stop: false }, None));
    assert_eq!(tool.get("external_execution_required"), Some(&json!(true)));
}
