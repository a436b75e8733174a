//! Inputs that say what is shown, and inputs that do not.

use super::super::Facts;
use super::super::tests::shell;
use super::Agreement;
use crate::action::{Act, Action};

fn agreement(act: Act, input: &str) -> Agreement {
    let action = Action {
        input: input.to_owned(),
        act,
        cwd: Some("/w".to_owned()),
        ..shell("x")
    };
    Facts::of_action(&action).agreement
}

fn command(input: &str) -> Agreement {
    let act = Act::Shell {
        command: "git status".to_owned(),
    };
    agreement(act, input)
}

fn write(input: &str) -> Agreement {
    let act = Act::Write {
        path: "a.txt".to_owned(),
        content: "hello".to_owned(),
    };
    agreement(act, input)
}

fn edit(input: &str) -> Agreement {
    let act = Act::Edit {
        path: "a.txt".to_owned(),
        old: "x".to_owned(),
        new: "y".to_owned(),
    };
    agreement(act, input)
}

#[test]
fn an_input_says_the_command_that_is_shown_and_nothing_unknown() {
    for same in [
        r#"{"command":"git status"}"#,
        r#"{"command":"git status","description":"look","timeout":5}"#,
        r#"{"command":"git status","argv":["git","status"]}"#,
        r#"{"command":["git","status"],"workdir":"/w"}"#,
        "git status",
        "\"git status\"",
        r#"{"resource":"shell","action":"exec","command":"git status"}"#,
    ] {
        assert_eq!(command(same), Agreement::Same, "{same}");
    }
    for differs in [
        r#"{"action":"kill","command":"git status"}"#,
        r#"{"command":"rm -rf x"}"#,
        r#"{"resource":"python","command":"git status"}"#,
        r#"{"resource":7,"command":"git status"}"#,
        "\"rm -rf x\"",
        "rm -rf x",
        "7",
        r#"{"command":"git status","env":{"PATH":"x"}}"#,
        r#"{"command":"git status","stdin":"x"}"#,
        r#"{"command":"git status","cwd":"/other"}"#,
        r#"{"command":"git status","argv":["rm"]}"#,
        r#"{"command":"git status","Command":"rm"}"#,
        r#"{"description":"git status"}"#,
        "{}",
        "null",
    ] {
        assert!(
            matches!(command(differs), Agreement::Differs(_)),
            "{differs}"
        );
    }
    let waits = r#"{"command":"git status","run_in_background":true}"#;
    assert_eq!(command(waits), Agreement::More);
}

#[test]
fn an_input_puts_into_a_file_what_is_shown() {
    for same in [
        r#"{"file_path":"a.txt","content":"hello"}"#,
        r#"{"path":"a.txt","contents":"hell\u006f","description":"say hello"}"#,
    ] {
        assert_eq!(write(same), Agreement::Same, "{same}");
    }
    for (differs, named) in [
        (r#"{"file_path":"a.txt","content":"rm -rf ~"}"#, "`content`"),
        (r#"{"file_path":"b.txt","content":"hello"}"#, "`file_path`"),
        (
            r#"{"file_path":"a.txt","path":"b.txt","content":"hello"}"#,
            "`path`",
        ),
        (
            r#"{"file_path":"a.txt","target":"a.txt","content":"hello"}"#,
            "exactly once",
        ),
        (
            r#"{"file_path":"a.txt","content":"hello","text":"x"}"#,
            "`text`",
        ),
        (
            r#"{"file_path":"a.txt","content":"hello","mode":511}"#,
            "`mode`",
        ),
        (
            r#"{"notebook_path":"a.txt","new_source":"hello"}"#,
            "`new_source`",
        ),
        (r#"{"file_path":"a.txt"}"#, "exactly once"),
        (r#"{"content":"hello"}"#, "exactly once"),
        ("hello", "in more than one way"),
    ] {
        match write(differs) {
            Agreement::Differs(why) => assert!(why.contains(named), "{differs}: {why}"),
            other => panic!("{differs}: {other:?}"),
        }
    }
}

#[test]
fn an_input_changes_in_a_file_what_is_shown() {
    for same in [
        r#"{"file_path":"a.txt","old_string":"x","new_string":"y"}"#,
        r#"{"file_path":"a.txt","old_string":"x","new_string":"y","replace_all":false}"#,
        r#"{"path":"a.txt","edits":[{"oldText":"x","newText":"y"}]}"#,
    ] {
        assert_eq!(edit(same), Agreement::Same, "{same}");
    }
    let all = r#"{"file_path":"a.txt","old_string":"x","new_string":"y","replace_all":true}"#;
    assert_eq!(edit(all), Agreement::More);
    let from = r#"{"file_path":"a.txt","old_string":"x","new_string":"y","start_line":118}"#;
    assert_eq!(edit(from), Agreement::More);
    for differs in [
        r#"{"file_path":"a.txt","old_string":"x","new_string":"z"}"#,
        r#"{"file_path":"a.txt","old_string":"z","new_string":"y"}"#,
        r#"{"file_path":"a.txt","old_string":"x"}"#,
        r#"{"path":"a.txt","edits":[{"oldText":"x","newText":"y"},{"oldText":"a","newText":"b"}]}"#,
        r#"{"path":"a.txt","edits":[],"old":"x","new":"y"}"#,
        r#"{"path":"a.txt","old":"x","new":"y","force":true}"#,
        r#"{"path":"a.txt","old":"x","new":"y","start_line":"118"}"#,
        r#"{"path":"a.txt","old":"x","new":"y","edits":[{"old":"a","new":"b"}]}"#,
    ] {
        assert!(matches!(edit(differs), Agreement::Differs(_)), "{differs}");
    }
}
