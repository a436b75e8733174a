//! `sayso claude run` with a CLI that puts calls off as a real one does.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use super::raw::Call;
use super::stage::{PATIENCE, Running, Stage, begin, text_of, waited};

/// A CLI that wants to run one command: it asks its hook, and does as that says.
const CLI: &str = r#"#!/bin/sh
before=
for word in "$@"; do
  case $before in
    --settings) settings=$word;;
    --session-id|--resume) session=$word;;
  esac
  before=$word
done
printf '%s\n' "$*" | sed 's/--settings .*--permission-prompt-tool/--ours/' >> words
case $* in *-p\ --resume*) [ -f marker ] || exit 1;; esac
hook=$(printf '%s' "$settings" | sed 's/.*"command":"\([^"]*\)".*/\1/')
for call in ${CALLS:-toolu_1}; do
  said=$(printf '{"session_id":"%s","cwd":"%s","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git status"},"tool_use_id":"%s"}' "$session" "$PWD" "$call" | sh -c "$hook")
  printf '%s\n' "$said" >> said
  case $said in *'"defer"'*) deferred=yes;; esac
done
rm -f marker
case $said$deferred in
  *yes) touch marker; echo '{"type":"result","stop_reason":"tool_deferred","result":"","is_error":false}';;
  *'"allow"'*) touch made; echo '{"type":"result","stop_reason":"end_turn","result":"made it"}';;
  *) echo '{"type":"result","stop_reason":"end_turn","result":"not made"}'; exit 4;;
esac
"#;

fn cli(stage: &Stage) -> String {
    let path = stage.path("cli.sh");
    fs::write(&path, CLI).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    fs::create_dir(stage.path("work")).unwrap();
    text_of(&path)
}

fn command(stage: &Stage, words: &[&str]) -> Command {
    let mut command = stage.command(&[&["claude", "run"][..], words].concat());
    command.current_dir(stage.path("work"));
    command
}

fn started(mut command: Command) -> Running {
    Running::of(command.spawn().unwrap())
}

/// The lines of a file of the CLI, once there are this many.
fn lines(stage: &Stage, name: &str, count: usize) -> Vec<String> {
    let begun = begin();
    loop {
        let text = fs::read_to_string(stage.path("work").join(name)).unwrap_or_default();
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        if lines.len() >= count {
            return lines;
        }
        assert!(waited(begun) < PATIENCE, "{name}: {text}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn decisions(stage: &Stage, count: usize) -> Vec<String> {
    let of = |line: &String| {
        let said: Value = serde_json::from_str(line).unwrap();
        let said = &said["hookSpecificOutput"]["permissionDecision"];
        said.as_str().unwrap().to_owned()
    };
    lines(stage, "said", count).iter().map(of).collect()
}

fn runs(stage: &Stage) -> usize {
    fs::read_dir(stage.state().join("runs")).map_or(0, Iterator::count)
}

fn is_made(stage: &Stage) -> bool {
    stage.path("work").join("made").exists()
}

#[test]
fn a_call_waits_after_the_program_has_ended_and_the_answer_resumes_it() {
    let mut stage = Stage::served();
    let bin = cli(&stage);
    let words = [
        "Tidy up", "--bin", &bin, "--hold", "1s", "--", "--model", "x",
    ];
    let running = started(command(&stage, &words));
    let ask = &stage.open_asks(1)[0];
    assert_eq!(
        (&ask["agent"]["name"], &ask["action"]["act"]["command"]),
        (&json!("claude-code"), &json!("git status"))
    );
    let (id, session) = (
        ask["id"].as_str().unwrap(),
        ask["conversation"]["name"].as_str().unwrap(),
    );
    assert_eq!(decisions(&stage, 1), ["defer"]);
    // The server may go meanwhile, and the ask stays as it was.
    let port = stage.port();
    stage.kill();
    stage.serve_at(port);
    assert_eq!(stage.open_ask(), id);
    assert!(!is_made(&stage));
    assert_eq!(stage.run(&["answer", id, "--allow"]).code, Some(0));
    let ended = running.end();
    assert_eq!((ended.code, ended.data.as_str()), (Some(0), "made it\n"));
    assert_eq!(
        ended.said,
        format!("sayso claude run: Claude Code is waiting for a person: ask {id}\n")
    );
    assert!(is_made(&stage));
    assert_eq!(decisions(&stage, 2), ["defer", "allow"]);
    let ours = "--output-format json --ours mcp__sayso__approve --model x";
    assert_eq!(
        lines(&stage, "words", 2),
        [
            format!("-p Tidy up --session-id {session} {ours}"),
            format!("-p --resume {session} {ours}"),
        ]
    );
    assert_eq!(stage.look(&json!(id))["delivery"], "confirmed");
    assert_eq!(runs(&stage), 0);
}

#[test]
fn a_run_is_gone_on_with_after_its_process_is_no_more() {
    let stage = Stage::served();
    let bin = cli(&stage);
    let running = started(command(&stage, &["go", "--bin", &bin, "--hold", "1s"]));
    let id = stage.open_ask();
    decisions(&stage, 1);
    let put_off = ["claude", "run", "--resume-all"];
    // Somebody drives it already.
    assert_eq!(stage.run(&put_off).data, "");
    running.terminate();
    assert_eq!(running.end().code, Some(143));
    assert_eq!(runs(&stage), 1);
    let resumed = stage.start(&put_off);
    assert_eq!(stage.open_ask(), id);
    let no = ["answer", &id, "--deny", "--note", "not today"];
    assert_eq!(stage.run(&no).code, Some(0));
    let ended = resumed.end();
    assert_eq!((ended.code, ended.data.as_str()), (Some(0), "not made\n"));
    assert!(ended.said.contains("ended with code 4"), "{ended:?}");
    assert!(lines(&stage, "said", 2)[1].contains("not today"));
    assert_eq!((runs(&stage), is_made(&stage)), (0, false));
    let nothing = stage.run(&put_off);
    assert_eq!((nothing.code, nothing.data.as_str()), (Some(0), ""));
}

#[test]
fn a_program_that_was_cut_off_is_told_to_go_on() {
    let stage = Stage::served();
    let bin = cli(&stage);
    let mut running = started(command(&stage, &["go", "--bin", &bin]));
    let id = stage.open_ask();
    running.kill();
    // Its hook died with it, or is about to; the ask has nobody to hear its answer.
    let resumed = stage.start(&["claude", "run", "--resume-all"]);
    let begun = begin();
    while stage.look(&json!(id))["state"] == "open" {
        assert!(waited(begun) < PATIENCE, "the old ask stays open");
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(
        stage.look(&json!(id))["outcome"]["note"],
        "Claude Code was interrupted."
    );
    let words = lines(&stage, "words", 3);
    assert!(words[1].starts_with("-p --resume "), "{words:?}");
    assert!(
        words[2].starts_with("-p You were interrupted. Continue where you stopped. --resume "),
        "{words:?}"
    );
    drop(resumed);
}

#[test]
fn only_one_call_of_a_turn_is_put_off() {
    let stage = Stage::served();
    let bin = cli(&stage);
    let mut two = command(&stage, &["go", "--bin", &bin, "--hold", "1s"]);
    two.env("CALLS", "toolu_1 toolu_2");
    let running = started(two);
    assert_eq!(decisions(&stage, 2), ["defer", "deny"]);
    let second = &lines(&stage, "said", 2)[1];
    assert!(second.contains("Repeat this call"), "{second}");
    let id = stage.open_ask();
    assert_eq!(stage.run(&["answer", &id, "--dismiss"]).code, Some(0));
    assert_eq!(running.end().code, Some(4));
    assert_eq!(decisions(&stage, 4), ["defer", "deny", "deny", "deny"]);
    assert_eq!(ends(&stage), ["failed"]);
}

/// How the turns of the one conversation ended.
fn ends(stage: &Stage) -> Vec<String> {
    let all = stage.by("person", Call::get("/v1/conversations")).with(200);
    let id = all["conversations"][0]["id"].as_str().unwrap();
    let path = format!("/v1/conversations/{id}/entries");
    let page = stage.by("person", Call::get(&path)).with(200);
    let entries = page["entries"].as_array().unwrap().iter();
    let ends = entries.filter_map(|entry| entry["end"].as_str());
    ends.map(str::to_owned).collect()
}

#[test]
fn a_rule_answers_at_once_and_without_a_server_nothing_runs() {
    let mut stage = Stage::served();
    let bin = cli(&stage);
    let work = text_of(&stage.path("work"));
    let rule = ["rules", "add", "allow", "git status", "--workspace", &work];
    assert_eq!(stage.run(&rule).code, Some(0));
    let ended = started(command(&stage, &["go", "--bin", &bin])).end();
    assert_eq!((ended.code, ended.data.as_str()), (Some(0), "made it\n"));
    assert_eq!(ended.said, "");
    stage.kill();
    fs::remove_file(stage.path("work").join("made")).unwrap();
    let ended = started(command(&stage, &["go", "--bin", &bin])).end();
    assert_eq!((ended.code, ended.data.as_str()), (Some(4), "not made\n"));
    assert!(lines(&stage, "said", 2)[1].contains("The question could not be asked"));
    assert!(!is_made(&stage));
    assert_eq!(runs(&stage), 0);
}

#[test]
fn ctrl_c_gives_it_up() {
    let stage = Stage::served();
    let bin = cli(&stage);
    let running = started(command(&stage, &["go", "--bin", &bin, "--hold", "1s"]));
    let id = stage.open_ask();
    decisions(&stage, 1);
    running.interrupt();
    assert_eq!(running.end().code, Some(130));
    stage.open_asks(0);
    assert_eq!(
        stage.look(&json!(id))["outcome"]["note"],
        "Stopped by the person who started it."
    );
    assert_eq!(runs(&stage), 0);
    let ours = stage.run(&["claude", "run", "go", "--bin", &bin, "--", "--resume", "x"]);
    assert_eq!(ours.code, Some(2), "{ours:?}");
    let neither = stage.run(&["claude", "run"]);
    assert_eq!(neither.code, Some(2), "{neither:?}");
}
