//! Runs as real servers told them.

use serde_json::json;

use super::*;

fn heard(events: &[Value]) -> (String, HeardRun) {
    let mut hearing = Hearing::default();
    let mut said = String::new();
    for event in events {
        let event: RunEvent = serde_json::from_value(event.clone()).unwrap();
        said.push_str(&hearing.take(event).unwrap_or_default());
    }
    (said, hearing.end("r"))
}

fn call(id: &str) -> [Value; 3] {
    [
        json!({"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": "deploy", "parentMessageId": "m"}),
        json!({"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": "{\"a\":"}),
        json!({"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": "1}"}),
    ]
}

#[test]
fn a_call_without_a_result_is_a_pause() {
    let mut events = vec![
        json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"}),
        json!({"type": "STATE_SNAPSHOT", "snapshot": {"n": 1}}),
        json!({"type": "RAW", "event": {"event": "RunStarted"}, "source": "agno"}),
        json!({"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"}),
        json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "I need "}),
        json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "confirmation."}),
        json!({"type": "TEXT_MESSAGE_END", "messageId": "m"}),
        json!({"type": "SOMETHING_NEW", "x": 1}),
    ];
    events.extend(call("c1"));
    events.push(json!({"type": "TOOL_CALL_END", "toolCallId": "c1"}));
    events.extend(call("c2"));
    events.push(json!({"type": "TOOL_CALL_RESULT", "messageId": "c2", "toolCallId": "c2", "content": "done", "role": "tool"}));
    events.push(json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}));
    let (said, heard) = heard(&events);
    assert_eq!(said, "I need confirmation.");
    let function = json!({"name": "deploy", "arguments": "{\"a\":1}"});
    let made = |id: &str| json!({"id": id, "type": "function", "function": function});
    assert_eq!(
        heard,
        HeardRun {
            messages: vec![
                json!({"id": "m", "role": "assistant", "content": "I need confirmation."}),
                json!({"id": "r-calls", "role": "assistant", "toolCalls": [made("c1"), made("c2")]}),
                json!({"id": "r-c2", "role": "tool", "toolCallId": "c2", "content": "done"}),
            ],
            history: None,
            state: Some(json!({"n": 1})),
            pause: Some(KeptPause {
                run: "r".to_owned(),
                calls: vec![OpenCall {
                    id: "c1".to_owned(),
                    name: "deploy".to_owned(),
                    arguments: "{\"a\":1}".to_owned(),
                }],
                interrupts: Vec::new(),
                continues: true,
                said: "I need confirmation.".to_owned(),
            }),
            error: None,
        }
    );
}

fn said(id: &str, text: &str) -> Value {
    json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": text})
}

fn result(id: &str) -> Value {
    json!({"type": "TOOL_CALL_RESULT", "messageId": id, "toolCallId": id, "content": "done"})
}

/// The messages of a run in short: what was said, calls and what they came to.
fn told(events: &[Value]) -> Vec<String> {
    let mut events = events.to_vec();
    events.push(json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}));
    let short = |message: &Value| {
        let ids = |calls: &Value| -> Vec<String> {
            let calls = calls.as_array().unwrap();
            calls.iter().map(|call| call["id"].to_string()).collect()
        };
        match (message["role"].as_str().unwrap(), &message["toolCalls"]) {
            ("tool", _) => format!("{} of {}", message["content"], message["toolCallId"]),
            (_, Value::Null) => format!("{} {}", message["id"], message["content"]),
            (_, calls) => format!("{} {}", message["id"], ids(calls).join(" ")),
        }
        .replace('"', "")
    };
    heard(&events).1.messages.iter().map(short).collect()
}

#[test]
fn a_history_has_what_was_said_and_called_in_its_order() {
    let steps = |steps: &[&[Value]]| steps.concat();
    assert_eq!(
        told(&steps(&[
            &[said("m1", "Let me look.")],
            &call("c1"),
            &call("c2"),
            &[result("c1"), result("c2")],
            &call("c3"),
            &[result("c3"), said("m2", "It is done.")],
        ])),
        [
            "m1 Let me look.",
            "r-calls c1 c2",
            "done of c1",
            "done of c2",
            "r-calls-2 c3",
            "done of c3",
            "m2 It is done.",
        ]
    );
    // One id for everything that is said, and words while a call runs.
    assert_eq!(
        told(&steps(&[
            &[said("m", "Let me ")],
            &call("c1"),
            &[
                said("m", "look."),
                result("c1"),
                said("m", "It is "),
                said("m", "done.")
            ],
        ])),
        [
            "m Let me look.",
            "r-calls c1",
            "done of c1",
            "m-2 It is done."
        ]
    );
    // What is still open stands where its result can follow.
    assert_eq!(
        told(&steps(&[
            &call("c1"),
            &[said("m1", "Waiting for you.")],
            &call("c2"),
            &[result("c2"), said("m2", "And that is done.")],
        ])),
        [
            "m1 Waiting for you.",
            "r-calls c2",
            "done of c2",
            "m2 And that is done.",
            "r-calls-2 c1",
        ]
    );
}

#[test]
fn interrupts_are_a_pause_and_calls_that_they_are_not_about_are_none() {
    let mut events: Vec<Value> = [call("c1"), call("c2")].concat();
    events.push(json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": {"type": "interrupt",
        "interrupts": [{"id": "i", "reason": "tool_call", "toolCallId": "c2", "metadata": {}}]}}));
    let pause = heard(&events).1.pause.unwrap();
    let ids: Vec<&str> = pause.calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(
        (pause.interrupts.len(), ids, pause.continues),
        (1, vec!["c2"], false)
    );
}

#[test]
fn chunks_are_heard_as_what_they_stand_for() {
    let (said, heard) = heard(&[
        json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "role": "assistant", "delta": "a"}),
        json!({"type": "TEXT_MESSAGE_CHUNK", "delta": "b"}),
        json!({"type": "TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": "f", "delta": "{"}),
        json!({"type": "TOOL_CALL_CHUNK", "delta": "}"}),
        json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": {"type": "success"}}),
    ]);
    assert_eq!(said, "ab");
    let calls = heard.pause.unwrap().calls;
    assert_eq!(calls.first().unwrap().arguments, "{}");
}

#[test]
fn a_run_that_fails_or_breaks_off_waits_for_nothing() {
    let (_, failed) = heard(&[
        json!({"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"}),
        json!({"type": "RUN_ERROR", "message": "no money"}),
    ]);
    assert_eq!(
        (failed.pause, failed.error),
        (None, Some("no money".to_owned()))
    );
    let (_, broken) = heard(&call("c"));
    assert_eq!(broken.pause, None);
    assert!(broken.error.is_some());
}
