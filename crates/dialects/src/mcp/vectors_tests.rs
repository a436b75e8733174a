//! The vectors replayed: what calls mean and what they return, whole.

use sayso_core::answer::{Answer, Decision, FieldValue, Reply, Scope, Verdict};
use sayso_core::ask::Matter;
use sayso_core::check::{check_answer, check_draft};
use sayso_core::outcome::Outcome;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{TOOLS, ToolCall, read_call, write_ask};
use crate::Ended;

#[derive(Deserialize)]
struct Vector {
    tool: String,
    arguments: Value,
    means: Option<Value>,
    refused: Option<String>,
    #[serde(default)]
    replies: Vec<Sent>,
    returns: Option<Value>,
}

#[derive(Deserialize)]
struct Sent {
    question: usize,
    #[serde(default)]
    labels: Vec<String>,
    other: Option<String>,
    note: Option<String>,
}

fn meaning(call: &ToolCall) -> Value {
    match call {
        ToolCall::Ask(draft) => {
            let Matter::Questions(questions) = &draft.matter else {
                panic!("{draft:?}");
            };
            let questions: Vec<Value> = questions
                .iter()
                .map(|one| {
                    let labels: Vec<&str> =
                        one.choices.iter().map(|one| one.label.as_str()).collect();
                    json!([one.text, one.tag, format!("{:?}", one.pick), labels])
                })
                .collect();
            let timeout = draft.timeout.map(|timeout| timeout.as_secs());
            json!({"title": draft.title, "timeout": timeout, "questions": questions})
        }
        ToolCall::Approve => json!("approve"),
        ToolCall::Wait(id) => json!({"wait": id}),
        ToolCall::Check(id) => json!({"check": id}),
        ToolCall::Notify(text) => json!({"notify": text}),
        ToolCall::Unknown => json!("unknown"),
    }
}

fn returned(matter: &Matter, ended: Option<&Ended>) -> Value {
    serde_json::from_str(&write_ask("i", matter, ended)).expect("JSON")
}

#[test]
fn calls_mean_and_return_what_the_vectors_hold() {
    let vectors: Vec<Vector> =
        serde_json::from_str(include_str!("vectors/calls.json")).expect("vectors");
    for vector in &vectors {
        let call = read_call(&vector.tool, &vector.arguments.to_string());
        match (&vector.means, &vector.refused) {
            (Some(means), None) => {
                let call = call.expect("readable");
                assert_eq!(meaning(&call), *means);
                if let (ToolCall::Ask(draft), Some(returns)) = (call, &vector.returns) {
                    check_draft(&draft).expect("the ask makes sense");
                    let reply = |sent: &Sent| Reply {
                        question: sent.question,
                        labels: sent.labels.clone(),
                        other: sent.other.clone(),
                        note: sent.note.clone(),
                    };
                    let answer = Answer::Replies(vector.replies.iter().map(reply).collect());
                    check_answer(&draft.matter, &[], &answer).expect("the answer fits");
                    let ended = Ended::new(&draft.matter, Outcome::Answered(answer), None);
                    assert_eq!(returned(&draft.matter, Some(&ended)), *returns);
                }
            }
            (None, Some(why)) => {
                let error = call.expect_err("refused").to_string();
                assert!(error.contains(why), "{error}");
            }
            (_, _) => panic!("a vector means something or is refused"),
        }
    }
}

#[test]
fn every_outcome_has_a_status_of_its_own() {
    let ToolCall::Ask(draft) =
        read_call("ask", r#"{"questions":[{"question":"Q"}]}"#).expect("a call")
    else {
        panic!("an ask");
    };
    let matter = &draft.matter;
    assert_eq!(
        returned(matter, None),
        json!({"status": "open", "id": "i", "next": "Nobody has answered yet. Call `wait` with this id."})
    );
    let ended = |outcome, late| returned(matter, Some(&Ended { outcome, late }));
    let note = || Some("n".to_owned());
    assert_eq!(
        ended(
            Outcome::Dismissed {
                note: note(),
                stop: false
            },
            None
        ),
        json!({"status": "dismissed", "id": "i", "note": "n"})
    );
    assert_eq!(
        ended(Outcome::Expired, None),
        json!({"status": "expired", "id": "i"})
    );
    let late = Answer::Replies(vec![Reply {
        other: note(),
        ..Reply::default()
    }]);
    assert_eq!(
        ended(Outcome::Expired, Some(late)),
        json!({"status": "answered", "id": "i", "answers": {"Q": "n"}})
    );
    assert_eq!(
        ended(Outcome::Withdrawn { note: None }, None),
        json!({"status": "withdrawn", "id": "i"})
    );
    let verdict = Answer::Verdict(Verdict {
        decision: Decision::Allow {
            edited_input: Some("{}".to_owned()),
        },
        scope: Scope::Once,
        note: None,
    });
    assert_eq!(
        ended(Outcome::Answered(verdict), None),
        json!({"status": "answered", "id": "i", "allowed": true, "input": "{}"})
    );
    let fields = Answer::Fields(vec![("b".to_owned(), FieldValue::Boolean(true))]);
    assert_eq!(
        ended(Outcome::Answered(fields), None),
        json!({"status": "answered", "id": "i", "fields": {"b": true}})
    );
}

#[test]
fn every_tool_has_a_schema_and_is_known() {
    for tool in TOOLS {
        let schema: Value = serde_json::from_str(tool.schema).expect("JSON");
        assert_eq!(schema["type"], "object", "{}", tool.name);
        let call = read_call(tool.name, r#"{"questions":[],"id":"i","text":"t"}"#);
        assert!(!matches!(call, Ok(ToolCall::Unknown)), "{}", tool.name);
    }
}
