//! Settings in and settings out, as text.

use super::*;

const COMMAND: &str = "/usr/local/bin/sayso hook";

fn installed(settings: &str) -> String {
    with_hooks(Some(settings), COMMAND).unwrap()
}

#[test]
fn nothing_becomes_exactly_our_hooks() {
    let text = with_hooks(None, COMMAND).unwrap();
    let ask = r#"{"hooks": [{"type": "command", "command": "/usr/local/bin/sayso hook --timeout 604800", "timeout": 604800}]}"#;
    let tell = r#"{"hooks": [{"type": "command", "command": "/usr/local/bin/sayso hook", "timeout": 10}]}"#;
    let event = |name: &str, group: &str| format!("    \"{name}\": [\n      {group}\n    ]");
    let events = [
        event("PermissionRequest", ask),
        event("Elicitation", ask),
        event("Notification", tell),
        event("PostToolUse", tell),
        event("Stop", tell),
        event("SessionEnd", tell),
    ];
    assert_eq!(
        text,
        format!("{{\n  \"hooks\": {{\n{}\n  }}\n}}\n", events.join(",\n"))
    );
    assert_eq!(in_place(&text), Ok(InPlace::All));
    // A timer of JavaScript ends at once beyond this.
    const { assert!(ASK_TIMEOUT_S * 1000 < 1 << 31) };
}

#[test]
fn what_is_there_stays_and_a_second_time_changes_nothing() {
    let theirs = r#"{"zebra": 1.50, "hooks": {"PostToolUse": [{"matcher": "Bash",
  "hooks": [{"type": "command", "command": "notify sayso hook"}]}], "PreToolUse": [1]}, "apple": {"b": 1, "a": 2}}"#;
    let text = installed(theirs);
    for kept in [
        "\"zebra\": 1.50",
        "\"apple\": {\"b\": 1, \"a\": 2}",
        "notify sayso hook",
        "\"PreToolUse\": [1]",
    ] {
        assert!(text.contains(kept), "{text}");
    }
    assert!(
        text.find("zebra") < text.find("\"hooks\"") && text.find("PreToolUse") < text.find("apple")
    );
    assert_eq!(installed(&text), text);
    let before: Value = serde_json::from_str(theirs).unwrap();
    let after: Value = serde_json::from_str(&without_hooks(&text).unwrap()).unwrap();
    assert_eq!(after, before);
    assert_eq!(without_hooks(theirs).unwrap(), theirs);
}

#[test]
fn an_older_path_is_replaced_and_not_doubled() {
    let old = with_hooks(None, "'/old place/sayso' hook").unwrap();
    assert_eq!(in_place(&old), Ok(InPlace::All));
    let new = installed(&old);
    assert_eq!(new, with_hooks(None, COMMAND).unwrap());
    assert_eq!(without_hooks(&new).unwrap(), "{}\n");
    assert_eq!(in_place("{}"), Ok(InPlace::None));
    let some = r#"{"hooks":{"Stop":[{"hooks":[{"command":"sayso hook"}]}]}}"#;
    assert_eq!(in_place(some), Ok(InPlace::Some));
}

#[test]
fn what_keeps_people_from_being_asked_is_found() {
    for settings in ["{}", "", r#"{"permissions":{"defaultMode":"plan"}}"#] {
        assert_eq!(obstacles(settings), [""; 0], "{settings}");
    }
    let both = r#"{"disableAllHooks":true,"permissions":{"defaultMode":"auto"}}"#;
    let found = obstacles(both);
    assert!(
        found[0].contains("disableAllHooks") && found[1].contains("`auto`"),
        "{found:?}"
    );
    assert_eq!(found.len(), 2);
}

#[test]
fn what_cannot_be_edited_is_named() {
    for (bad, path) in [
        ("", "the file"),
        ("[]", "the file"),
        ("// comment\n{}", "the file"),
        (r#"{"a":1,"a":2}"#, "the file"),
        (r#"{"hooks":[]}"#, "`hooks`"),
        (r#"{"hooks":{"Stop":{}}}"#, "an event in `hooks`"),
    ] {
        assert_eq!(with_hooks(Some(bad), COMMAND).unwrap_err().path, path);
        assert_eq!(without_hooks(bad).unwrap_err().path, path);
    }
}
