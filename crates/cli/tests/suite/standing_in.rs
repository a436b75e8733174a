//! `sayso claude` between an app and a CLI that says what a real one says.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::raw::Call;
use super::socket::Socket;
use super::stage::{PATIENCE, Stage, begin, text_of, waited};

const INIT: &str = r#"{"type":"system","subtype":"init","cwd":"/tmp","session_id":"s-1"}"#;
const ASK: &str = r#"{"type":"control_request","request_id":"r-1","request":{"subtype":"can_use_tool","tool_name":"Bash","display_name":"Bash","input":{"command":"ls -l"},"description":"List","tool_use_id":"toolu_1"}}"#;
const RAN: &str = r#"{"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_1","type":"tool_result","content":"ran","is_error":false}]},"session_id":"s-1"}"#;
const RESULT: &str = r#"{"type":"result","subtype":"success","is_error":false,"session_id":"s-1"}"#;
const PIPE: [&str; 5] = [
    "--input-format",
    "stream-json",
    "--output-format",
    "stream-json",
    "--verbose",
];

/// An app with the stand-in as its CLI.
struct App {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Option<BufReader<ChildStdout>>,
}

impl App {
    fn start(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        Self {
            stdin: child.stdin.take(),
            stdout: child.stdout.take().map(BufReader::new),
            child,
        }
    }

    fn write(&mut self, line: &str) {
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.as_mut().unwrap().read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    fn code(mut self) -> Option<i32> {
        self.stdin = None;
        let begun = begin();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(waited(begun) < PATIENCE, "the stand-in hangs");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for App {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A CLI that writes what `script` writes and keeps what it hears in the file `heard`.
fn cli(stage: &Stage, script: &str) -> String {
    let path = stage.path("cli.sh");
    let heard = text_of(&stage.path("heard"));
    let text = format!(
        "#!/bin/sh\nprintf '%s\\n' \"$*\" \"mark=$SAYSO_BESIDE\" > {words}\n\
         say() {{ printf '%s\\n' \"$1\"; }}\n\
         hear() {{ IFS= read -r line || exit 9; printf '%s\\n' \"$line\" >> {heard}; }}\n{script}\n",
        words = text_of(&stage.path("words")),
    );
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    text_of(&path)
}

fn stand_in(stage: &Stage, script: &str, words: &[&str]) -> App {
    let bin = cli(stage, script);
    let mut all = vec!["claude", "--bin", &bin, "--"];
    all.extend(words);
    App::start(stage.command(&all))
}

/// One question, then its end.
fn one_question() -> String {
    format!(
        "hear\nsay '{INIT}'\nsay '{ASK}'\nhear\nsay '{RAN}'\nsay '{RESULT}'\nhear || true\nexit 7"
    )
}

const HELLO: &str = r#"{"type":"user","message":{"role":"user","content":"go"}}"#;

fn heard(stage: &Stage) -> Vec<Value> {
    let text = fs::read_to_string(stage.path("heard")).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn response(body: &Value) -> Value {
    json!({"type": "control_response", "response": {"subtype": "success", "request_id": "r-1", "response": body}})
}

#[test]
fn a_device_answers_and_everything_else_passes() {
    let mut stage = Stage::served();
    let mut app = stand_in(&stage, &one_question(), &PIPE);
    app.write(HELLO);
    assert_eq!(app.line(), INIT);
    let ask = &stage.open_asks(1)[0];
    assert_eq!(
        (
            &ask["conversation"]["name"],
            &ask["action"]["reason"],
            &ask["action"]["cwd"]
        ),
        (&json!("s-1"), &json!("List"), &json!("/tmp"))
    );
    let id = ask["id"].as_str().unwrap().to_owned();
    // The server may go and come back meanwhile.
    let port = stage.port();
    stage.kill();
    stage.serve_at(port);
    assert_eq!(stage.run(&["answer", &id, "--allow"]).code, Some(0));
    // The app never offered to answer, so it is not asked.
    assert_eq!(
        (app.line(), app.line()),
        (RAN.to_owned(), RESULT.to_owned())
    );
    // Its input ends with the app's; the code is the CLI's own.
    assert_eq!(app.code(), Some(9));
    let allow = json!({"behavior": "allow", "updatedInput": {"command": "ls -l"}});
    assert_eq!(
        heard(&stage),
        [serde_json::from_str(HELLO).unwrap(), response(&allow)]
    );
    assert_eq!(
        fs::read_to_string(stage.path("words")).unwrap(),
        format!(
            "--permission-prompt-tool stdio {}\nmark=1\n",
            PIPE.join(" ")
        )
    );
    let delivery = &stage.look(&json!(id))["delivery"];
    assert_eq!(delivery, "confirmed");
}

/// An app that dies leaves neither a question nor a CLI behind.
#[test]
fn an_app_that_dies_takes_its_questions_and_its_cli_with_it() {
    let stage = Stage::served();
    let mut app = stand_in(&stage, &one_question(), &PIPE);
    app.write(HELLO);
    assert_eq!(app.line(), INIT);
    let id = stage.open_ask();
    (app.stdin, app.stdout) = (None, None);
    let begun = begin();
    while app.child.try_wait().unwrap().is_none() {
        assert!(waited(begun) < PATIENCE, "the stand-in stays behind");
        std::thread::sleep(Duration::from_millis(10));
    }
    let outcome = &stage.look(&json!(id))["outcome"];
    assert_eq!(
        (&outcome["kind"], &outcome["note"]),
        (&json!("withdrawn"), &json!("The app has ended."))
    );
}

#[test]
fn what_is_always_allowed_is_answered_by_the_rule() {
    let stage = Stage::served();
    let ask = |id: &str, command: &str| {
        format!(
            r#"{{"type":"control_request","request_id":"{id}","request":{{"subtype":"can_use_tool","tool_name":"Bash","input":{{"command":"{command}"}},"permission_suggestions":[{{"type":"setMode","mode":"acceptEdits","destination":"session"}}],"tool_use_id":"toolu_1"}}}}"#
        )
    };
    let script = format!(
        "hear\nsay '{INIT}'\nsay '{}'\nhear\nsay '{}'\nhear\nsay '{}'\nhear\nsay '{RESULT}'\nhear",
        ask("r-1", "git status"),
        ask("r-2", "git status"),
        ask("r-3", "git status -s"),
    );
    let mut app = stand_in(&stage, &script, &PIPE);
    app.write(HELLO);
    let id = stage.open_ask();
    let always = ["answer", &id, "--allow", "--scope", "always"];
    assert_eq!(stage.run(&always).code, Some(0));
    // The second is not asked; the third is.
    let ask = &stage.open_asks(1)[0];
    assert_eq!(ask["action"]["act"]["command"], "git status -s");
    let id = ask["id"].as_str().unwrap();
    assert_eq!(stage.run(&["answer", id, "--deny"]).code, Some(0));
    assert_eq!(
        (app.line(), app.line()),
        (INIT.to_owned(), RESULT.to_owned())
    );
    app.code();
    let allow = json!({"behavior": "allow", "updatedInput": {"command": "git status"}});
    let deny = json!({"behavior": "deny", "message": "Permission denied by user for tool: Bash"});
    let said: Vec<Value> = heard(&stage)[1..]
        .iter()
        .map(|line| json!([line["response"]["request_id"], line["response"]["response"]]))
        .collect();
    assert_eq!(
        said,
        [
            json!(["r-1", allow]),
            json!(["r-2", allow]),
            json!(["r-3", deny])
        ]
    );
}

#[test]
fn the_app_answers_first_and_its_word_that_it_has_no_answer_does_not_count() {
    let stage = Stage::served();
    let words = [&PIPE[..], &["--permission-prompt-tool=stdio"]].concat();
    let mut app = stand_in(&stage, &one_question(), &words);
    app.write(HELLO);
    assert_eq!((app.line(), app.line()), (INIT.to_owned(), ASK.to_owned()));
    let id = stage.open_ask();
    app.write(r#"{"type":"control_response","response":{"subtype":"error","request_id":"r-1","error":"no callback"}}"#);
    let deny = response(&json!({"behavior": "deny", "message": "app says no"}));
    app.write(&deny.to_string());
    assert_eq!(
        (app.line(), app.line()),
        (RAN.to_owned(), RESULT.to_owned())
    );
    stage.open_asks(0);
    assert_eq!(
        stage.look(&json!(id))["outcome"]["note"],
        "Answered in the app."
    );
    app.code();
    assert_eq!(heard(&stage)[1], deny);
}

#[test]
fn an_app_that_is_asked_too_is_told_when_a_device_was_faster() {
    let stage = Stage::served();
    let words = [&PIPE[..], &["--permission-prompt-tool", "stdio"]].concat();
    let mut app = stand_in(&stage, &one_question(), &words);
    app.write(HELLO);
    assert_eq!((app.line(), app.line()), (INIT.to_owned(), ASK.to_owned()));
    let id = stage.open_ask();
    assert_eq!(stage.run(&["answer", &id, "--allow"]).code, Some(0));
    let mut lines: Vec<String> = (0..3).map(|_| app.line()).collect();
    // The two sides are written at the same time.
    lines.sort();
    let cancel = r#"{"type":"control_cancel_request","request_id":"r-1"}"#;
    let mut all = [cancel, RAN, RESULT];
    all.sort_unstable();
    assert_eq!(lines, all);
    app.code();
    let allow = json!({"behavior": "allow", "updatedInput": {"command": "ls -l"}});
    assert_eq!(heard(&stage)[1], response(&allow));
}

#[test]
fn what_the_cli_takes_back_is_withdrawn() {
    let stage = Stage::served();
    let cancel = r#"{"type":"control_cancel_request","request_id":"r-1"}"#;
    let script =
        format!("hear\nsay '{INIT}'\nsay '{ASK}'\nhear\nsay '{cancel}'\nsay '{RESULT}'\nhear");
    let words = [&PIPE[..], &["--permission-prompt-tool", "stdio"]].concat();
    let mut app = stand_in(&stage, &script, &words);
    app.write(HELLO);
    let id = stage.open_ask();
    app.write(r#"{"type":"control_request","request_id":"i-1","request":{"subtype":"interrupt"}}"#);
    let lines: Vec<String> = (0..4).map(|_| app.line()).collect();
    assert_eq!(lines, [INIT, ASK, cancel, RESULT]);
    stage.open_asks(0);
    assert_eq!(
        stage.look(&json!(id))["outcome"]["note"],
        "Claude Code withdrew the question."
    );
}

#[test]
fn a_cli_that_dies_leaves_nothing_open() {
    let stage = Stage::served();
    let script = format!("hear\nsay '{INIT}'\nsay '{ASK}'\nhear\nkill -9 $$");
    let mut app = stand_in(&stage, &script, &PIPE);
    app.write(HELLO);
    let id = stage.open_ask();
    app.write(r#"{"type":"keep_alive"}"#);
    assert_eq!(app.line(), INIT);
    assert_eq!(app.code(), Some(137));
    stage.open_asks(0);
    let outcome = &stage.look(&json!(id))["outcome"];
    assert_eq!(
        (&outcome["kind"], &outcome["note"]),
        (&json!("withdrawn"), &json!("Claude Code has ended."))
    );
}

#[test]
fn an_app_that_attaches_again_is_not_asked_twice() {
    let stage = Stage::served();
    let again = format!(
        r#"{{"type":"control_response","response":{{"subtype":"success","request_id":"init-2","response":{{}},"pending_permission_requests":[{ASK}]}}}}"#
    );
    let script =
        format!("hear\nsay '{INIT}'\nsay '{ASK}'\nsay '{again}'\nhear\nsay '{RESULT}'\nhear");
    let mut app = stand_in(&stage, &script, &PIPE);
    app.write(HELLO);
    assert_eq!((app.line(), app.line()), (INIT.to_owned(), again));
    let id = stage.open_ask();
    assert_eq!(stage.run(&["answer", &id, "--deny"]).code, Some(0));
    assert_eq!(app.line(), RESULT);
    app.code();
    let deny = json!({"behavior": "deny", "message": "Permission denied by user for tool: Bash"});
    assert_eq!(heard(&stage)[1], response(&deny));
}

/// The CLI goes on, and the app, which offered no answers, is not asked.
#[test]
fn what_cannot_be_read_is_refused_at_once() {
    let stage = Stage::served();
    let ask = ASK.replace("\"tool_name\":\"Bash\",", "");
    let mut app = stand_in(&stage, &one_question().replace(ASK, &ask), &PIPE);
    app.write(HELLO);
    let lines: Vec<String> = (0..3).map(|_| app.line()).collect();
    assert_eq!(lines, [INIT, RAN, RESULT]);
    app.code();
    let message = "The question could not be asked: /request/tool_name: is missing";
    let deny = json!({"behavior": "deny", "message": message});
    assert_eq!(heard(&stage)[1], response(&deny));
}

/// Half of a character, as a program in JavaScript leaves it, hides nothing and stays in the input.
#[test]
fn half_of_a_character_is_asked_about_like_any_other() {
    let stage = Stage::served();
    let ask = ASK.replace("\"List\"", r#""List \ud83d""#);
    let ask = ask.replace("\"ls -l\"", r#""ls \ud83d""#);
    let mut app = stand_in(&stage, &one_question().replace(ASK, &ask), &PIPE);
    app.write(HELLO);
    assert_eq!(app.line(), INIT);
    let ask = &stage.open_asks(1)[0];
    assert_eq!(
        (&ask["action"]["reason"], &ask["action"]["input"]),
        (
            &json!("List \u{fffd}"),
            &json!(r#"{"command":"ls \ud83d"}"#)
        )
    );
    let id = ask["id"].as_str().unwrap();
    assert_eq!(stage.run(&["answer", id, "--allow"]).code, Some(0));
    assert_eq!(app.line(), RAN);
    app.code();
    let text = fs::read_to_string(stage.path("heard")).unwrap();
    assert!(
        text.contains(r#""updatedInput":{"command":"ls \ud83d"}"#),
        "{text}"
    );
}

#[test]
fn without_a_server_nothing_is_allowed() {
    let stage = Stage::empty();
    let mut app = stand_in(&stage, &one_question(), &PIPE);
    app.write(HELLO);
    let lines: Vec<String> = (0..3).map(|_| app.line()).collect();
    assert_eq!(lines, [INIT, RAN, RESULT]);
    app.code();
    let said = &heard(&stage)[1]["response"]["response"];
    assert_eq!(said["behavior"], "deny");
    assert!(
        said["message"]
            .as_str()
            .unwrap()
            .starts_with("The question could not be asked:"),
        "{said}"
    );
}

#[test]
fn a_person_chats_with_it() {
    let stage = Stage::served();
    let words = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"Hello Ann"}]},"session_id":"s-1"}"#;
    let script = format!(
        "hear\nsay '{INIT}'\nsay '{words}'\nsay '{RESULT}'\nhear\nsay '{INIT}'\nsay '{RESULT}'\nhear"
    );
    let mut app = stand_in(&stage, &script, &PIPE);
    app.write(HELLO);
    let lines: Vec<String> = (0..3).map(|_| app.line()).collect();
    assert_eq!(lines, [INIT, words, RESULT]);
    let begun = begin();
    loop {
        let said = stage.run(&[
            "say",
            "claude-code",
            "and the docs",
            "--conversation",
            "s-1",
        ]);
        if said.code == Some(0) {
            break;
        }
        assert!(waited(begun) < PATIENCE, "{said:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(
        (app.line(), app.line()),
        (INIT.to_owned(), RESULT.to_owned())
    );
    assert_eq!(
        heard(&stage)[1],
        json!({"type": "user", "message": {"role": "user", "content": "and the docs"}})
    );
    app.code();
    stage.caught_up();
    let entries = stage.by("person", Call::get("/v1/conversations/s-1/entries"));
    let entries = entries.with(200)["entries"].clone();
    let texts: Vec<&Value> = entries
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["text"])
        .collect();
    assert!(texts.contains(&&json!("Hello Ann")), "{entries}");
    assert!(texts.contains(&&json!("and the docs")), "{entries}");
}

/// A front end of the same protocol on the other side of the server.
fn front(stage: &Stage) -> Socket {
    let call = Call::get("/api/claude/sessions/s-1/subscribe").token(&stage.token("person"));
    Socket::open(call, stage.port()).unwrap()
}

/// The next frame of this type.
fn next_of(front: &mut Socket, name: &str) -> Value {
    loop {
        let frame = front.next_json();
        if frame["type"] == name {
            return frame;
        }
    }
}

#[test]
fn a_turn_that_did_not_end_well_says_so_to_front_ends() {
    let bad = [
        (r#""subtype":"error_max_turns","is_error":true"#, "failed"),
        (
            r#""subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_tools""#,
            "stopped",
        ),
    ];
    let stage = Stage::served();
    let results = bad.map(|(rest, _)| format!("hear\nsay '{{\"type\":\"result\",{rest}}}'"));
    let results = results.join("\n");
    let words = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"Hello"}]}}"#;
    let script = format!("hear\nsay '{INIT}'\nsay '{words}'\nsay '{RESULT}'\n{results}\nhear");
    let mut app = stand_in(&stage, &script, &PIPE);
    app.write(HELLO);
    // The conversation is there once its first words are on disk, which they are with the turn's end.
    let entries = || stage.by("person", Call::get("/v1/conversations/s-1/entries"));
    let begun = begin();
    while !String::from_utf8_lossy(&entries().body).contains(r#""end":"done""#) {
        assert!(waited(begun) < PATIENCE);
        std::thread::sleep(Duration::from_millis(20));
    }
    let mut front = front(&stage);
    let result = next_of(&mut front, "result");
    assert_eq!(result["subtype"], "success");
    for _ in bad {
        front.send_text(&json!({"type": "user_message", "content": "more"}).to_string());
        let result = next_of(&mut front, "result");
        assert_eq!(
            (&result["subtype"], &result["is_error"]),
            (&json!("error_during_execution"), &json!(true))
        );
    }
    drop(app);
    let entries = entries().with(200)["entries"].clone();
    let entries = entries.as_array().unwrap().iter();
    let ended: Vec<&str> = entries.filter_map(|entry| entry["end"].as_str()).collect();
    assert_eq!(ended, ["done", "failed", "stopped"]);
}

#[test]
fn a_front_end_stops_it_and_sets_its_mode() {
    let stage = Stage::served();
    let mode = r#"{"type":"control_response","response":{"subtype":"success","request_id":"sayso-control-1","response":{"mode":"plan"}}}"#;
    let no = r#"{"type":"control_response","response":{"subtype":"error","request_id":"sayso-control-2","error":"not now"}}"#;
    let done = r#"{"type":"control_response","response":{"subtype":"success","request_id":"sayso-control-3","response":{}}}"#;
    let cancel = r#"{"type":"control_cancel_request","request_id":"r-1"}"#;
    let script = format!(
        "hear\nsay '{INIT}'\nsay '{ASK}'\nhear\nsay '{mode}'\nhear\nsay '{no}'\nhear\nsay '{done}'\nsay '{cancel}'\nsay '{RESULT}'\nhear"
    );
    let words = [&PIPE[..], &["--permission-prompt-tool", "stdio"]].concat();
    let mut app = stand_in(&stage, &script, &words);
    app.write(HELLO);
    let id = stage.open_ask();
    let mut front = front(&stage);
    next_of(&mut front, "control_request");
    let set = |id: &str, mode: &str| {
        json!({"type": "control_request", "request_id": id, "request": {"subtype": "set_permission_mode", "mode": mode}})
            .to_string()
    };
    // The stand-in may still be on its way to the server: until then nobody can be told.
    let begun = begin();
    let set_to_plan = loop {
        front.send_text(&set("m-1", "plan"));
        let said = next_of(&mut front, "control_response");
        if said["error"].is_null() {
            break said;
        }
        let why = "Failed to set permission mode: no connected program of this agent accepts \
                   such commands (Claude Code does when it is started with `sayso claude`)";
        assert_eq!(said["error"], why);
        assert!(waited(begun) < PATIENCE, "{said}");
    };
    assert_eq!(
        (&set_to_plan["request_id"], &set_to_plan["response"]["mode"]),
        (&json!("m-1"), &json!("plan"))
    );
    // What the CLI will not do is told as it says it, and what no admin enabled never gets there.
    front.send_text(&set("m-2", "acceptEdits"));
    assert_eq!(
        next_of(&mut front, "control_response")["error"],
        "Failed to set permission mode: not now"
    );
    front.send_text(&set("m-3", "bypassPermissions"));
    let refused = next_of(&mut front, "control_response");
    assert!(
        refused["error"]
            .as_str()
            .unwrap()
            .contains("no admin has enabled it"),
        "{refused}"
    );
    front.send_text(
        r#"{"type":"control_request","request_id":"i-1","request":{"subtype":"interrupt"}}"#,
    );
    // Its app sees what the CLI says of itself, and none of what it said to us.
    let lines: Vec<String> = (0..4).map(|_| app.line()).collect();
    assert_eq!(lines, [INIT, ASK, cancel, RESULT]);
    stage.open_asks(0);
    assert_eq!(
        stage.look(&json!(id))["outcome"]["note"],
        "Claude Code withdrew the question."
    );
    app.code();
    let told: Vec<Value> = heard(&stage)[1..]
        .iter()
        .map(|line| line["request"].clone())
        .collect();
    assert_eq!(
        told,
        [
            json!({"subtype": "set_permission_mode", "mode": "plan"}),
            json!({"subtype": "set_permission_mode", "mode": "acceptEdits"}),
            json!({"subtype": "interrupt"}),
        ]
    );
    stage.caught_up();
    let entries = stage.by("person", Call::get("/v1/conversations/s-1/entries"));
    let entries = entries.with(200)["entries"].to_string();
    let person = "permission mode plan, set by ";
    assert!(entries.contains(person), "{entries}");
    // Once it has ended, nobody can be told any more.
    front.send_text(
        r#"{"type":"control_request","request_id":"i-2","request":{"subtype":"interrupt"}}"#,
    );
    assert_eq!(
        next_of(&mut front, "error")["error"],
        "Failed to interrupt session: no connected program of this agent accepts such commands \
         (Claude Code does when it is started with `sayso claude`)"
    );
}

#[test]
fn an_admin_may_let_people_switch_asking_off() {
    let mut stage = Stage::empty();
    let mut command = stage.command(&["serve", "--listen", "127.0.0.1:0"]);
    command.env("SAYSO_DIALECTS_CLAUDE_CONTROL_BYPASS_PERMISSIONS", "allow");
    stage.serve_by(command);
    let done = r#"{"type":"control_response","response":{"subtype":"success","request_id":"sayso-control-1","response":{}}}"#;
    let cancel = r#"{"type":"control_cancel_request","request_id":"r-1"}"#;
    let script = format!(
        "hear\nsay '{INIT}'\nsay '{ASK}'\nhear\nsay '{done}'\nsay '{cancel}'\nsay '{RESULT}'\nhear"
    );
    let mut app = stand_in(&stage, &script, &PIPE);
    app.write(HELLO);
    stage.open_ask();
    let mut front = front(&stage);
    let set = r#"{"type":"control_request","request_id":"m","request":{"subtype":"set_permission_mode","mode":"bypassPermissions"}}"#;
    let begun = begin();
    loop {
        front.send_text(set);
        let said = next_of(&mut front, "control_response");
        if said["error"].is_null() {
            assert_eq!(said["response"]["mode"], "bypassPermissions");
            break;
        }
        assert!(waited(begun) < PATIENCE, "{said}");
    }
    assert_eq!(
        (app.line(), app.line()),
        (INIT.to_owned(), RESULT.to_owned())
    );
    app.code();
    assert_eq!(
        heard(&stage)[1]["request"],
        json!({"subtype": "set_permission_mode", "mode": "bypassPermissions"})
    );
}

#[test]
fn in_every_other_mode_it_becomes_the_cli_under_either_name() {
    let stage = Stage::empty();
    let bin = cli(&stage, "echo 2.1.325; exit 3");
    let ended = stage.run(&["claude", "--bin", &bin, "--version"]);
    assert_eq!((ended.code, ended.data.as_str()), (Some(3), "2.1.325\n"));
    let link = stage.path("claude");
    symlink(env!("CARGO_BIN_EXE_sayso"), &link).unwrap();
    let mut command = stage.shell(&format!("{} -p 'a  b'", text_of(&link)));
    let output = command.env("SAYSO_CLAUDE_BIN", &bin).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(
        fs::read_to_string(stage.path("words")).unwrap(),
        "-p a  b\nmark=\n"
    );
    // It does not take itself for the CLI.
    let mut command = stage.shell(&format!("{} --version", text_of(&link)));
    command.env("PATH", stage.path(""));
    assert_eq!(command.output().unwrap().status.code(), Some(2));
}
