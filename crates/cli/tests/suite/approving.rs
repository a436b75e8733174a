//! `approve`: a command runs when it was allowed, as it was allowed, and never otherwise.

use std::fs;

use serde_json::{Value, json};

use super::stage::{Stage, text_of};

#[test]
fn nothing_runs_without_a_yes() {
    let stage = Stage::served();
    let proof = text_of(&stage.path("ran"));
    for (answer, code) in [(&["--deny"][..], 10), (&["--dismiss"], 11)] {
        let approving = stage.start(&["approve", "Bash", "--", "touch", &proof]);
        let id = stage.open_ask();
        assert_eq!(
            stage.run(&[&["answer", &id][..], answer].concat()).code,
            Some(0)
        );
        assert_eq!(approving.end().code, Some(code));
    }
    let expired = stage.run(&["approve", "Bash", "--timeout", "1s", "--", "touch", &proof]);
    assert_eq!(expired.code, Some(12));
    let approving = stage.start(&["approve", "Bash", "--", "touch", &proof]);
    stage.open_ask();
    approving.interrupt();
    assert_eq!(approving.end().code, Some(130));
    assert!(!fs::exists(&proof).unwrap());
}

#[test]
fn a_yes_runs_the_command_and_passes_its_code_through() {
    let stage = Stage::served();
    let file = text_of(&stage.path("outcome.json"));
    let approving = stage.start(&[
        "approve",
        "Bash",
        "--outcome",
        &file,
        "--",
        "sh",
        "-c",
        "echo \"$0 $1\"; exit 7",
        "it's",
        "a b",
    ]);
    let asks = stage.open_asks(1);
    let line = "sh -c 'echo \"$0 $1\"; exit 7' 'it'\\''s' 'a b'";
    assert_eq!(
        asks[0]["action"]["act"],
        json!({"kind": "shell", "command": line})
    );
    assert_eq!(
        stage
            .run(&["answer", asks[0]["id"].as_str().unwrap(), "--allow"])
            .code,
        Some(0)
    );
    let ended = approving.end();
    assert_eq!((ended.code, ended.data.as_str()), (Some(7), "it's a b\n"));
    let outcome: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(outcome["answer"]["verdict"]["allow"], json!(true));
}

#[test]
fn an_edit_runs_the_edited_argv() {
    let stage = Stage::served();
    let approving = stage.start(&["approve", "Bash", "--", "echo", "old"]);
    let id = stage.open_ask();
    assert_eq!(
        stage
            .run(&[
                "answer",
                &id,
                "--allow",
                "--edit",
                "{\"argv\":[\"echo\",\"new\"]}"
            ])
            .code,
        Some(0)
    );
    let ended = approving.end();
    assert_eq!((ended.code, ended.data.as_str()), (Some(0), "new\n"));

    let approving = stage.start(&["approve", "Bash", "--", "echo", "old"]);
    let id = stage.open_ask();
    let edit = "{\"argv\":[\"echo\",\"old\"],\"command\":\"echo new\"}";
    assert_eq!(
        stage.run(&["answer", &id, "--allow", "--edit", edit]).code,
        Some(0)
    );
    let ended = approving.end();
    assert_eq!((ended.code, ended.data.as_str()), (Some(1), ""));
}

#[test]
fn a_scope_that_is_not_on_offer_is_refused() {
    let stage = Stage::served();
    let approving = stage.start(&["approve", "Deploy", "--input", "{\"env\":\"prod\"}"]);
    let id = stage.open_ask();
    assert_eq!(
        stage
            .run(&["answer", &id, "--allow", "--scope", "conversation"])
            .code,
        Some(21)
    );
    assert_eq!(stage.run(&["answer", &id, "--pick", "yes"]).code, Some(2));
    assert_eq!(stage.run(&["answer", &id, "--allow"]).code, Some(0));
    assert_eq!(approving.end().code, Some(0));
    assert_eq!(
        stage.run(&["approve", "Deploy", "--input", "no json"]).code,
        Some(2)
    );
}
