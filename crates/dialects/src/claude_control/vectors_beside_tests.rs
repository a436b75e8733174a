//! What stands next to a Claude CLI says exactly what the vectors hold, whichever way it is asked.

use super::*;
use crate::claude_control::{HookEvent, PromptAsk, read_hook};

#[derive(Deserialize)]
struct Told {
    name: String,
    way: Way,
    #[serde(rename = "told")]
    heard: Box<RawValue>,
    matter: Value,
    ends: Vec<Said>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Way {
    Hook,
    Prompt,
    Control,
}

#[derive(Deserialize)]
struct Said {
    ended: super::Ended,
    /// How far a yes reaches: what goes to the CLI is the same.
    #[serde(default)]
    reaches: Reaches,
    says: Value,
}

#[derive(Deserialize, Clone, Copy, Default)]
#[serde(rename_all = "snake_case")]
enum Reaches {
    #[default]
    Once,
    Conversation,
    Always,
}

type Writer = Box<dyn Fn(&crate::Ended) -> Option<String>>;

fn end(said: &Said, matter: &Matter) -> crate::Ended {
    let (closing, late) = closing(&said.ended, matter);
    let mut outcome = closing.outcome;
    if let Outcome::Answered(Answer::Verdict(verdict)) = &mut outcome {
        verdict.scope = match said.reaches {
            Reaches::Once => Scope::Once,
            Reaches::Conversation => Scope::Conversation,
            Reaches::Always => Scope::Always,
        };
    }
    crate::Ended::new(matter, outcome, late.map(|late| late.answer))
}

#[test]
fn a_hook_a_prompt_tool_and_a_pipe_say_what_was_decided() {
    let vectors: Vec<Told> =
        serde_json::from_str(include_str!("vectors/beside.json")).expect("vectors");
    for vector in &vectors {
        let told = vector.heard.get();
        let (draft, write): (Draft, Writer) = match vector.way {
            Way::Hook => match read_hook(told.as_bytes()).expect("readable") {
                HookEvent::Ask(ask) => (ask.draft.clone(), Box::new(move |end| ask.write(end))),
                other => panic!("{}: {other:?}", vector.name),
            },
            Way::Prompt => {
                let ask = PromptAsk::read(told).expect("readable");
                (ask.draft.clone(), Box::new(move |end| Some(ask.write(end))))
            }
            Way::Control => {
                let ask = draft_from_control_request(told).expect("readable");
                (ask.draft.clone(), Box::new(move |end| Some(ask.write(end))))
            }
        };
        check_draft(&draft).expect("the ask of a vector makes sense");
        assert_eq!(
            draft_json(None, &draft)["matter"],
            vector.matter,
            "{}",
            vector.name
        );
        for said in &vector.ends {
            let written = write(&end(said, &draft.matter));
            assert!(written.iter().all(|line| !line.contains('\n')));
            let written = written.map_or(Value::Null, |text| {
                serde_json::from_str(&text).expect("JSON")
            });
            assert_eq!(written, said.says, "{}", vector.name);
        }
    }
}

fn hook(text: &str) -> HookEvent {
    read_hook(text.as_bytes()).expect("readable")
}

#[test]
fn a_call_is_the_same_before_and_after_it_ran() {
    let about = |text: &str| match hook(text) {
        HookEvent::Ask(ask) => ask.about,
        HookEvent::Ran { about, .. } => about,
        other => panic!("{other:?}"),
    };
    let asked = r#"{"session_id":"s","prompt_id":"p","hook_event_name":"PermissionRequest","tool_name":"AskUserQuestion","tool_input":{"questions":[{"question":"Q","header":"h","options":[],"multiSelect":false}]}}"#;
    let ran = r#"{"session_id":"s","prompt_id":"p","hook_event_name":"PostToolUse","tool_name":"AskUserQuestion","tool_input":{"questions":[{"header":"h","question":"Q","options":[],"multiSelect":false}],"answers":{"Q":"x"}},"tool_response":{}}"#;
    assert_eq!(about(asked), about(ran));
    let bash = |event: &str, prompt: &str, command: &str| {
        about(&format!(
            r#"{{"session_id":"s","prompt_id":"{prompt}","hook_event_name":"{event}","tool_name":"Bash","tool_input":{{"command":"{command}"}}}}"#
        ))
    };
    let ls = bash("PermissionRequest", "p", "ls");
    assert_eq!(ls, bash("PostToolUse", "p", "ls"));
    assert_ne!(ls, bash("PostToolUse", "p", "ls -l"));
    assert_ne!(ls, bash("PostToolUse", "q", "ls"));
}

#[test]
fn what_is_told_without_a_question_is_told_apart() {
    let event = |name: &str, rest: &str| {
        hook(&format!(
            r#"{{"session_id":"s","hook_event_name":"{name}"{rest}}}"#
        ))
    };
    assert!(matches!(event("Stop", ""), HookEvent::Over { .. }));
    assert!(matches!(event("SessionEnd", ""), HookEvent::Over { .. }));
    assert!(matches!(event("PreToolUse", ""), HookEvent::Nothing));
    assert!(matches!(event("Invented", ""), HookEvent::Nothing));
    let prompt =
        r#","message":"Claude needs your permission","notification_type":"permission_prompt""#;
    assert!(matches!(event("Notification", prompt), HookEvent::Nothing));
    let idle = r#","message":"Claude is waiting for your input","notification_type":"idle_prompt""#;
    assert!(matches!(
        event("Notification", idle),
        HookEvent::Notice { text, .. } if text == "Claude is waiting for your input"
    ));
}

#[test]
fn what_cannot_be_read_is_named() {
    for (text, why) in [
        ("", "invalid JSON"),
        ("[]", ""),
        (r#"{"session_id":"s"}"#, "/hook_event_name: is missing"),
        (
            r#"{"session_id":"s","hook_event_name":"PermissionRequest"}"#,
            "/tool_name: is missing",
        ),
        (
            r#"{"session_id":"s","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":[]}"#,
            "/tool_input: must be an object",
        ),
        (
            r#"{"session_id":"","hook_event_name":"Stop"}"#,
            "/session_id",
        ),
    ] {
        let error = read_hook(text.as_bytes()).expect_err(text).to_string();
        assert!(error.contains(why), "{text}: {error}");
    }
}
