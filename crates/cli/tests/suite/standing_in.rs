//! `sayso claude` between an app and a CLI that says what a real one says.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::raw::Call;
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
    stdout: BufReader<ChildStdout>,
}

impl App {
    fn start(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        Self {
            stdin: child.stdin.take(),
            stdout: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    fn write(&mut self, line: &str) {
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
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
        "Claude Code no longer asks."
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
            .starts_with("Nobody could be asked:"),
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
