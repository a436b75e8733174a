//! The answer shapes of both generations.

use sayso_core::answer::{Answer, Decision, Reply, Scope, Verdict};
use sayso_core::outcome::Outcome;

use super::*;

fn open(arguments: &Value) -> OpenCall {
    OpenCall {
        id: "c".to_owned(),
        name: "tool".to_owned(),
        arguments: arguments.to_string(),
    }
}

fn pause(continues: bool, said: &str) -> KeptPause {
    KeptPause {
        run: "r".to_owned(),
        calls: Vec::new(),
        interrupts: Vec::new(),
        continues,
        said: said.to_owned(),
    }
}

fn react() -> Ended {
    let reply = Reply {
        question: 0,
        labels: vec!["React".to_owned()],
        ..Reply::default()
    };
    Ended {
        outcome: Outcome::Answered(Answer::Replies(vec![reply])),
        late: None,
    }
}

fn dismissed() -> Ended {
    Ended {
        outcome: Outcome::Dismissed {
            note: None,
            stop: false,
        },
        late: None,
    }
}

fn verdict(decision: Decision) -> Ended {
    Ended {
        outcome: Outcome::Answered(Answer::Verdict(Verdict {
            decision,
            scope: Scope::Once,
            note: None,
        })),
        late: None,
    }
}

fn content(call: &CallNeed, ended: &Ended, continues: bool) -> Value {
    serde_json::from_str(&call.content(ended, continues)).unwrap()
}

fn options() -> Value {
    json!([{"label": "React", "description": "r"}, {"label": "Vue", "description": "v"}])
}

#[test]
fn the_documented_tool() {
    let questions =
        json!([{"question": "Which?", "header": "F", "multiSelect": false, "options": options()}]);
    let arguments = json!({"questions_json": questions.to_string()});
    let call = CallNeed::of(&pause(true, ""), &open(&arguments));
    assert!(matches!(&call, CallNeed::Questions { document: true, .. }));
    assert_eq!(
        content(&call, &react(), false),
        json!({"answers": {"F": ["React"]}, "questions_asked": 1, "status": "completed"})
    );
    assert_eq!(
        content(&call, &react(), true),
        json!({"values": {"user_answers": "{\"question_0\":[\"React\"]}"}})
    );
    assert_eq!(
        content(&call, &dismissed(), false),
        json!({"error": "The questions were dismissed", "status": "failed"})
    );
    assert_eq!(
        content(&call, &dismissed(), true),
        json!({"values": {"user_answers": "{}"}})
    );
}

#[test]
fn agnos_own_tool() {
    let question =
        json!({"question": "Which?", "header": "F", "multi_select": true, "options": options()});
    let call = CallNeed::of(&pause(true, ""), &open(&json!({"questions": [question]})));
    assert!(matches!(
        &call,
        CallNeed::Questions {
            document: false,
            ..
        }
    ));
    assert_eq!(
        content(&call, &react(), true),
        json!({"selections": {"Which?": ["React"]}})
    );
    assert_eq!(
        content(&call, &dismissed(), true),
        json!({"selections": {"Which?": []}})
    );
}

#[test]
fn everything_else_asks_leave_and_an_edit_is_no_yes_to_the_original() {
    let call = CallNeed::of(
        &pause(true, "I need confirmation."),
        &open(&json!({"a": 1})),
    );
    assert_eq!(call, CallNeed::Approval);
    let allow = |edited_input| verdict(Decision::Allow { edited_input });
    assert_eq!(
        content(&call, &allow(None), true),
        json!({"accepted": true})
    );
    assert_eq!(
        content(&call, &allow(Some("{\"a\":2}".to_owned())), true),
        json!({"accepted": false, "note": "The user wants it with this input instead: {\"a\":2}"})
    );
    assert_eq!(
        content(&call, &verdict(Decision::Deny { stop: false }), true),
        json!({"accepted": false, "note": "The user denied this tool call"})
    );
    assert_eq!(
        content(&call, &dismissed(), true),
        json!({"accepted": false, "note": "The user dismissed this tool call"})
    );
}

#[test]
fn input_whose_fields_are_not_told_is_not_asked() {
    let open = open(&json!({"subject": "Hi"}));
    let call = CallNeed::of(
        &pause(true, "I have tools to execute, but I need user input."),
        &open,
    );
    assert_eq!((&call, call.matter(&open)), (&CallNeed::Fields, None));
}
