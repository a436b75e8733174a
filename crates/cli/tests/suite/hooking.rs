//! `sayso hook` as the Claude CLI runs it: the frames of real programs in, a decision or nothing out.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::raw::Call;
use super::socket::Socket;
use super::stage::{Ended, PATIENCE, Running, Stage, begin, waited};

const SESSION: &str = "536c11b6-9d78-472f-a9bb-b4070c76c1e4";
const COMMAND: &str = "touch made-by-claude.txt && echo ran";

/// What the CLI tells a hook about a tool, as captured from 2.1.325.
fn told(event: &str, tool: &str, input: &Value) -> Value {
    json!({
        "session_id": SESSION, "transcript_path": "/home/ann/t.jsonl", "cwd": "/tmp",
        "prompt_id": "184ff72e-f432-41e7-9819-8a6ceac0da9d", "permission_mode": "default",
        "effort": {"level": "medium"}, "hook_event_name": event,
        "tool_name": tool, "tool_input": input,
    })
}

pub(super) fn bash(event: &str) -> Value {
    told(
        event,
        "Bash",
        &json!({"command": COMMAND, "description": "Create a file"}),
    )
}

fn questions() -> Value {
    json!({"questions": [
        {"question": "Which database should we use?", "header": "Database", "options": [
            {"label": "PostgreSQL", "description": "Server"},
            {"label": "SQLite", "description": "Embedded"}], "multiSelect": false},
        {"question": "Which features do you want?", "header": "Features", "options": [
            {"label": "Auth", "description": "Login"}, {"label": "Search", "description": "FTS"},
            {"label": "Export", "description": "CSV"}], "multiSelect": true}]})
}

fn with_input(mut command: Command, input: &[u8]) -> Child {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    // A hook that has heard enough closes its end.
    drop(child.stdin.take().unwrap().write_all(input));
    child
}

fn hook(stage: &Stage, input: &Value) -> Running {
    let command = stage.command(&["hook"]);
    Running::of(with_input(command, input.to_string().as_bytes()))
}

fn decision(ended: &Ended) -> Value {
    assert_eq!((ended.code, ended.said.as_str()), (Some(0), ""));
    let said: Value = serde_json::from_str(&ended.data).unwrap();
    assert_eq!(
        said["hookSpecificOutput"]["hookEventName"],
        "PermissionRequest"
    );
    said["hookSpecificOutput"]["decision"].clone()
}

fn nothing() -> Ended {
    Ended {
        code: Some(0),
        data: String::new(),
        said: String::new(),
    }
}

fn outcome(stage: &Stage, id: &str) -> Value {
    stage.look(&json!(id))["outcome"].clone()
}

#[test]
fn a_device_decides_and_the_cli_shows_that_it_heard() {
    let stage = Stage::served();
    let asking = hook(&stage, &bash("PermissionRequest"));
    let ask = &stage.open_asks(1)[0];
    let id = ask["id"].as_str().unwrap();
    assert_eq!(
        (
            &ask["action"]["act"],
            &ask["action"]["reason"],
            &ask["action"]["cwd"]
        ),
        (
            &json!({"kind": "shell", "command": COMMAND}),
            &json!("Create a file"),
            &json!("/tmp")
        )
    );
    assert_eq!(
        (&ask["agent"]["name"], &ask["conversation"]["name"]),
        (&json!("claude-code"), &json!(SESSION))
    );
    assert_eq!(stage.run(&["answer", id, "--allow"]).code, Some(0));
    assert_eq!(decision(&asking.end()), json!({"behavior": "allow"}));
    assert_eq!(stage.look(&json!(id))["delivery"], "sent");
    assert_eq!(hook(&stage, &bash("PostToolUse")).end(), nothing());
    assert_eq!(stage.look(&json!(id))["delivery"], "confirmed");

    let asking = hook(&stage, &bash("PermissionRequest"));
    let id = stage.open_ask();
    let denied = stage.run(&["answer", &id, "--deny", "--note", "not today"]);
    assert_eq!(denied.code, Some(0));
    assert_eq!(
        decision(&asking.end()),
        json!({"behavior": "deny", "message": "not today"})
    );

    let asking = hook(&stage, &bash("PermissionRequest"));
    let id = stage.open_ask();
    let edited = r#"{"command":"echo edited"}"#;
    assert_eq!(
        stage
            .run(&["answer", &id, "--allow", "--edit", edited])
            .code,
        Some(0)
    );
    assert_eq!(
        decision(&asking.end()),
        json!({"behavior": "allow", "updatedInput": {"command": "echo edited"}})
    );
}

#[test]
fn what_is_always_allowed_is_not_asked_again_and_nothing_else_is() {
    let stage = Stage::served();
    let call = |command: &str| {
        let mut told = told("PermissionRequest", "Bash", &json!({"command": command}));
        // What the CLI itself would do about it: nothing of this is ever sent back.
        told["permission_suggestions"] = json!([
            {"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "git status:*"}], "behavior": "allow", "destination": "localSettings"},
            {"type": "addDirectories", "directories": ["/tmp"], "destination": "session"},
            {"type": "setMode", "mode": "acceptEdits", "destination": "session"},
        ]);
        told
    };
    let asking = hook(&stage, &call("git status"));
    let ask = &stage.open_asks(1)[0];
    assert_eq!(ask["scopes"], json!(["once", "conversation", "always"]));
    let id = ask["id"].as_str().unwrap();
    let always = ["answer", id, "--allow", "--scope", "always"];
    assert_eq!(stage.run(&always).code, Some(0));
    let allow = json!({"behavior": "allow"});
    assert_eq!(decision(&asking.end()), allow);

    assert_eq!(decision(&hook(&stage, &call("git status")).end()), allow);
    stage.open_asks(0);
    // Another turn of another session, the same call: the rule is of the agent.
    let mut elsewhere = call("git status");
    elsewhere["session_id"] = json!("another");
    assert_eq!(decision(&hook(&stage, &elsewhere).end()), allow);
    let asking = hook(&stage, &call("git status -s"));
    let id = stage.open_ask();
    assert_eq!(stage.run(&["answer", &id, "--deny"]).code, Some(0));
    assert_eq!(decision(&asking.end())["behavior"], "deny");
    // Taken back, it is asked again: the CLI has kept nothing.
    assert_eq!(stage.run(&["rules", "revoke", "ru_1"]).code, Some(0));
    let asking = hook(&stage, &call("git status"));
    let id = stage.open_ask();
    assert_eq!(stage.run(&["answer", &id, "--allow"]).code, Some(0));
    assert_eq!(decision(&asking.end()), allow);
}

#[test]
fn a_path_that_leaves_the_workspace_through_a_link_is_said_with_the_ask() {
    let stage = Stage::served();
    let work = stage.path("work");
    for folder in ["work/.git", "elsewhere"] {
        std::fs::create_dir_all(stage.path(folder)).unwrap();
    }
    std::os::unix::fs::symlink("../elsewhere", work.join("out")).unwrap();
    for (command, links, scopes) in [
        (
            "cat out/key",
            json!({"resolved": true, "escapes": ["out/key"]}),
            json!(["once"]),
        ),
        (
            "cat notes.txt",
            json!({"resolved": true}),
            json!(["once", "conversation", "always"]),
        ),
    ] {
        let mut input = told("PermissionRequest", "Bash", &json!({"command": command}));
        input["cwd"] = json!(work.to_str().unwrap());
        let asking = hook(&stage, &input);
        let ask = &stage.open_asks(1)[0];
        assert_eq!(
            (&ask["action"]["links"], &ask["scopes"]),
            (&links, &scopes),
            "{command}"
        );
        let id = ask["id"].as_str().unwrap();
        assert_eq!(stage.run(&["answer", id, "--deny"]).code, Some(0));
        assert_eq!(decision(&asking.end())["behavior"], "deny");
    }
}

#[test]
fn a_program_that_wants_care_gets_it_on_every_device() {
    let stage = Stage::served();
    let mut input = told("PermissionRequest", "Bash", &json!({"command": "git push"}));
    input["suppress_always_allow_rule"] = json!(true);
    input["default_to_no"] = json!(true);
    let asking = hook(&stage, &input);
    let ask = &stage.open_asks(1)[0];
    assert_eq!(
        (&ask["action"]["flags"], &ask["scopes"]),
        (&json!(["default_no", "no_always"]), &json!(["once"]))
    );
    let id = ask["id"].as_str().unwrap();
    let always = ["answer", id, "--allow", "--scope", "always"];
    assert_ne!(stage.run(&always).code, Some(0));
    assert_eq!(stage.run(&["answer", id, "--deny"]).code, Some(0));
    assert_eq!(decision(&asking.end())["behavior"], "deny");

    // A rule that allows it does not stand in for the person who is wanted.
    let rule = ["rules", "add", "allow", "git status", "--workspace", "/tmp"];
    let made = stage.run(&rule);
    assert_eq!(made.code, Some(0), "{made:?}");
    let status = told(
        "PermissionRequest",
        "Bash",
        &json!({"command": "git status"}),
    );
    assert_eq!(
        decision(&hook(&stage, &status).end()),
        json!({"behavior": "allow"})
    );
    for wants in ["matched_ask_rule", "requires_user_interaction"] {
        let mut input = status.clone();
        input[wants] = json!(true);
        let asking = hook(&stage, &input);
        let ask = &stage.open_asks(1)[0];
        assert_eq!(ask["action"]["flags"], json!(["needs_person"]), "{wants}");
        let id = ask["id"].as_str().unwrap();
        assert_eq!(stage.run(&["answer", id, "--deny"]).code, Some(0));
        assert_eq!(decision(&asking.end())["behavior"], "deny");
    }
}

#[test]
fn questions_go_back_with_their_answers() {
    let stage = Stage::served();
    let input = told("PermissionRequest", "AskUserQuestion", &questions());
    let asking = hook(&stage, &input);
    let id = stage.open_ask();
    let words = [
        "answer",
        &id,
        "--question",
        "1",
        "--pick",
        "SQLite",
        "--question",
        "2",
        "--pick",
        "Auth",
        "--other",
        "a \"b\"",
    ];
    assert_eq!(stage.run(&words).code, Some(0));
    let mut updated = questions();
    updated["answers"] = json!({
        "Which database should we use?": "SQLite",
        "Which features do you want?": "Auth, a \"b\"",
    });
    assert_eq!(
        decision(&asking.end()),
        json!({"behavior": "allow", "updatedInput": updated})
    );

    let asking = hook(&stage, &input);
    let id = stage.open_ask();
    assert_eq!(stage.run(&["answer", &id, "--dismiss"]).code, Some(0));
    assert_eq!(
        decision(&asking.end()),
        json!({"behavior": "deny", "message": "The person dismissed this and did not answer."})
    );
}

#[test]
fn the_terminal_wins_and_the_ask_is_gone_at_once() {
    let stage = Stage::served();
    let withdrawn = json!({"kind": "withdrawn", "note": "Decided in the terminal."});
    let short = |outcome: Value| json!({"kind": outcome["kind"], "note": outcome["note"]});

    // Newer programs end the hook.
    let asking = hook(&stage, &bash("PermissionRequest"));
    let id = stage.open_ask();
    asking.terminate();
    assert_eq!(asking.end(), nothing());
    assert_eq!(short(outcome(&stage, &id)), withdrawn);

    // Older ones leave it behind; that the tool ran says it.
    let asking = hook(&stage, &bash("PermissionRequest"));
    let id = stage.open_ask();
    assert_eq!(hook(&stage, &bash("PostToolUse")).end(), nothing());
    assert_eq!(asking.end(), nothing());
    assert_eq!(short(outcome(&stage, &id)), withdrawn);

    // A denied tool does not run; the end of the turn says it.
    let asking = hook(&stage, &bash("PermissionRequest"));
    let id = stage.open_ask();
    let stop = json!({"session_id": SESSION, "hook_event_name": "Stop"});
    let other = json!({"session_id": "another", "hook_event_name": "Stop"});
    assert_eq!(hook(&stage, &other).end(), nothing());
    assert_eq!(stage.open_ask(), id);
    assert_eq!(hook(&stage, &stop).end(), nothing());
    assert_eq!(asking.end(), nothing());
    assert_eq!(short(outcome(&stage, &id)), withdrawn);

    // Nobody reads what the hook would say.
    let mut asking = hook(&stage, &bash("PermissionRequest"));
    let id = stage.open_ask();
    drop(asking.data());
    assert_eq!(asking.end().code, Some(0));
    assert_eq!(short(outcome(&stage, &id)), withdrawn);

    // The program that started it is gone.
    let script = format!(
        "printf %s '{}' | {} hook & sleep 100",
        bash("PermissionRequest"),
        env!("CARGO_BIN_EXE_sayso")
    );
    let mut command = stage.shell(&script);
    let mut shell = command.spawn().unwrap();
    let id = stage.open_ask();
    shell.kill().unwrap();
    shell.wait().unwrap();
    stage.open_asks(0);
    assert_eq!(short(outcome(&stage, &id)), withdrawn);
}

/// The one file that runs of the hook have left, and when it was last written.
fn slot(stage: &Stage) -> (PathBuf, SystemTime) {
    let folder = fs::read_dir(stage.state().join("hooks")).unwrap();
    let mut files = folder.flat_map(|one| fs::read_dir(one.unwrap().path()).unwrap());
    let path = files.next().unwrap().unwrap().path();
    let written = fs::metadata(&path).unwrap().modified().unwrap();
    (path, written)
}

/// Waits until a run has taken the file over: it writes down that the ask is there.
fn taken(stage: &Stage, before: SystemTime) {
    let begun = begin();
    loop {
        let (path, written) = slot(stage);
        if written > before && fs::read_to_string(path).unwrap().contains("asked") {
            return;
        }
        assert!(waited(begun) < PATIENCE, "nobody goes on with the ask");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_hook_that_is_run_again_finds_its_own_ask() {
    let mut stage = Stage::served();
    let mut asking = hook(&stage, &bash("PermissionRequest"));
    let id = stage.open_ask();
    asking.kill();
    let (_, written) = slot(&stage);
    let again = hook(&stage, &bash("PermissionRequest"));
    taken(&stage, written);
    // The server may go and come back while it waits.
    let port = stage.port();
    stage.kill();
    stage.serve_at(port);
    assert_eq!(stage.run(&["answer", &id, "--allow"]).code, Some(0));
    assert_eq!(decision(&again.end()), json!({"behavior": "allow"}));
    // What was answered is not answered again by itself.
    let third = hook(&stage, &bash("PermissionRequest"));
    assert_ne!(stage.open_ask(), id);
    third.terminate();
    assert_eq!(third.end(), nothing());
}

#[test]
fn the_same_hook_many_times_in_parallel_asks_once() {
    let stage = Stage::served();
    let runs: Vec<Running> = (0..6)
        .map(|_| hook(&stage, &bash("PermissionRequest")))
        .collect();
    // The first one made the ask, the others found it: then nobody is late.
    let begun = begin();
    let found = "sayso_http_requests_total{route=\"/v1/asks\",status=\"200\"} 5";
    while !stage
        .by("admin", Call::get("/metrics"))
        .text()
        .contains(found)
    {
        assert!(waited(begun) < PATIENCE, "not every run found the ask");
        std::thread::sleep(Duration::from_millis(10));
    }
    let id = stage.open_ask();
    assert_eq!(stage.run(&["answer", &id, "--deny"]).code, Some(0));
    for run in runs {
        assert_eq!(decision(&run.end())["behavior"], "deny");
    }
    stage.caught_up();
    let closed = stage
        .by("person", Call::get("/v1/asks?state=closed"))
        .with(200);
    assert_eq!(closed["asks"].as_array().unwrap().len(), 1, "{closed}");
}

#[test]
fn without_a_server_the_terminal_is_left_alone() {
    let stage = Stage::empty();
    let ended = hook(&stage, &bash("PermissionRequest")).end();
    assert_eq!((ended.code, ended.data.as_str()), (Some(0), ""));
    assert_eq!(ended.said.lines().count(), 1, "{}", ended.said);
    assert!(
        ended.said.ends_with("; answer in the terminal\n"),
        "{}",
        ended.said
    );

    let mut stage = Stage::served();
    stage.kill();
    let ended = hook(&stage, &bash("PermissionRequest")).end();
    assert_eq!((ended.code, ended.data.as_str()), (Some(0), ""));
    assert_eq!(ended.said.lines().count(), 1, "{}", ended.said);
    // What was never asked is not remembered.
    let folder = stage.state().join("hooks");
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|one| fs::read_dir(one.unwrap().path()).unwrap().count());
    assert_eq!(files.sum::<usize>(), 0);

    // Settings that cannot be read are no reason to stop an agent.
    let config = stage.write("broken.toml", "= nonsense");
    let mut command = stage.command(&["hook", "--config", &config]);
    command.stdin(Stdio::piped());
    let ended = Running::of(with_input(command, b"{}")).end();
    assert_eq!((ended.code, ended.data.as_str()), (Some(0), ""));
    assert_eq!(ended.said.lines().count(), 1, "{}", ended.said);
}

#[test]
fn bad_input_is_named_and_asks_nothing() {
    let stage = Stage::served();
    let huge = vec![b'x'; 100 * 1024 * 1024];
    for (input, why) in [
        (&b""[..], "is empty"),
        (b"garbage", "invalid JSON"),
        (b"{\"session_id\":\"s\"}", "/hook_event_name"),
        (b"\xff\xfe", "not UTF-8"),
        (b"{\"session_id\":\"s\",\"hook_event_name\":\"PermissionRequest\",\"tool_name\":\"Bash\"}", "/tool_input"),
        (&huge, "too large"),
    ] {
        let ended = Running::of(with_input(stage.command(&["hook"]), input)).end();
        assert_eq!((ended.code, ended.data.as_str()), (Some(0), ""));
        assert!(ended.said.contains(why) && ended.said.lines().count() == 1, "{}", ended.said);
    }
    stage.open_asks(0);
}

#[test]
fn a_hook_steps_aside_for_whoever_asks_already() {
    let stage = Stage::served();
    let mut command = stage.command(&["hook"]);
    command.env("SAYSO_BESIDE", "1");
    let input = bash("PermissionRequest").to_string();
    assert_eq!(
        Running::of(with_input(command, input.as_bytes())).end(),
        nothing()
    );
    stage.open_asks(0);
}

#[test]
fn a_form_and_a_notice() {
    let stage = Stage::served();
    let form = json!({
        "session_id": SESSION, "cwd": "/tmp", "hook_event_name": "Elicitation",
        "mcp_server_name": "stub", "message": "Please fill in", "mode": "form",
        "requested_schema": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
    });
    let asking = hook(&stage, &form);
    let id = stage.open_ask();
    assert_eq!(
        stage
            .run(&["answer", &id, "--fields", "{\"name\":\"Ann\"}"])
            .code,
        Some(0)
    );
    let said: Value = serde_json::from_str(&asking.end().data).unwrap();
    assert_eq!(
        said["hookSpecificOutput"],
        json!({"hookEventName": "Elicitation", "action": "accept", "content": {"name": "Ann"}})
    );

    let notice = json!({
        "session_id": SESSION, "hook_event_name": "Notification",
        "message": "Claude is waiting for your input", "notification_type": "idle_prompt",
    });
    let call = Call::get("/v1/feed").token(&stage.token("person"));
    let mut feed = Socket::open(call, stage.port()).unwrap();
    assert_eq!(hook(&stage, &notice).end(), nothing());
    let entry = feed.event("entry")["entry"].take();
    assert_eq!(entry["text"], "Claude is waiting for your input", "{entry}");
}

#[test]
fn the_clock_of_the_cli_is_shown() {
    let stage = Stage::served();
    let mut command = stage.command(&["hook", "--timeout", "1s"]);
    command.stdin(Stdio::piped());
    let asking = Running::of(with_input(
        command,
        bash("PermissionRequest").to_string().as_bytes(),
    ));
    assert_eq!(asking.end(), nothing());
    stage.caught_up();
    let closed = stage.run(&["history", "--json"]);
    let ask: Value = serde_json::from_str(closed.data.trim()).unwrap();
    assert_eq!(
        (&ask["outcome"]["kind"], ask["deadline"].is_string()),
        (&json!("expired"), true)
    );
}

/// A call as an HTTP hook makes it, by hand: it can be left half way.
fn http_hook(stage: &Stage, input: &Value) -> TcpStream {
    http_hook_as(stage, &stage.token("agent"), input)
}

/// The same with a token of somebody's choice.
pub(super) fn http_hook_as(stage: &Stage, token: &str, input: &Value) -> TcpStream {
    let body = input.to_string();
    let mut stream = TcpStream::connect(("127.0.0.1", stage.port())).unwrap();
    write!(
        stream,
        "POST /hooks/claude HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        stage.port(),
        token,
        body.len()
    )
    .unwrap();
    stream
}

pub(super) fn reply(mut stream: TcpStream) -> (String, String) {
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap();
    (status.to_owned(), body.to_owned())
}

#[test]
fn an_http_hook_races_the_terminal_too() {
    let mut stage = Stage::served();
    let withdrawn = json!("answer in the terminal");

    let asking = http_hook(&stage, &bash("PermissionRequest"));
    let id = stage.open_ask();
    assert_eq!(
        stage.run(&["answer", &id, "--deny", "--note", "no"]).code,
        Some(0)
    );
    let (status, body) = reply(asking);
    let said: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(status, "200");
    assert_eq!(
        said["hookSpecificOutput"]["decision"],
        json!({"behavior": "deny", "message": "no"})
    );

    // The terminal wins: the CLI closes the call.
    let asking = http_hook(&stage, &bash("PermissionRequest"));
    let id = stage.open_ask();
    drop(asking);
    stage.open_asks(0);
    assert_eq!(outcome(&stage, &id)["note"], withdrawn);

    // The server goes: the terminal is all that is left.
    let asking = http_hook(&stage, &bash("PermissionRequest"));
    let id = stage.open_ask();
    stage.kill();
    stage.serve();
    stage.open_asks(0);
    assert_eq!(outcome(&stage, &id)["note"], withdrawn);
    drop(asking);

    let (status, body) = reply(http_hook(&stage, &bash("PostToolUse")));
    assert_eq!((status.as_str(), body.as_str()), ("200", "{}"));

    // The terminal says yes: the CLI leaves the call open, and tells of the tool that ran.
    for over in ["PostToolUse", "Stop"] {
        let asking = http_hook(&stage, &bash("PermissionRequest"));
        let id = stage.open_ask();
        let other = told("PostToolUse", "Bash", &json!({"command": "another"}));
        reply(http_hook(&stage, &other));
        assert_eq!(stage.open_ask(), id);
        reply(http_hook(&stage, &bash(over)));
        let (status, body) = reply(asking);
        assert_eq!((status.as_str(), body.as_str()), ("200", "{}"));
        assert_eq!(outcome(&stage, &id)["note"], "Decided in the terminal.");
    }
    let (status, _) = reply(http_hook(
        &stage,
        &json!({"hook_event_name": "PermissionRequest"}),
    ));
    assert_eq!(status, "400");
}
