//! `sayso mcp` as agent programs speak to it, in each version of the protocol.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::stage::{PATIENCE, Stage, begin, waited};

/// A program with the tools.
pub(super) struct Program {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    next: u64,
}

impl Program {
    pub(super) fn start(stage: &Stage, words: &[&str]) -> Self {
        let mut child = stage
            .command(&[&["mcp"][..], words].concat())
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            stdin: child.stdin.take(),
            stdout: BufReader::new(child.stdout.take().unwrap()),
            child,
            next: 0,
        }
    }

    /// One that has said hello in this version.
    fn hello(stage: &Stage, words: &[&str], version: &str) -> Self {
        let mut program = Self::start(stage, words);
        let said = program.call(
            "initialize",
            &json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "claude-code", "version": "2.1.325"}}),
        );
        assert_eq!(said["result"]["protocolVersion"], version);
        assert_eq!(said["result"]["serverInfo"]["name"], "sayso");
        program.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        program
    }

    fn write(&mut self, message: &Value) {
        writeln!(self.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    fn read(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line:?}: {error}"))
    }

    fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.next += 1;
        let id = self.next;
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    pub(super) fn call(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send(method, params);
        let said = self.read();
        assert_eq!(said["id"], json!(id), "{said}");
        said
    }

    fn tool(&mut self, name: &str, arguments: &Value) -> u64 {
        self.send("tools/call", &json!({"name": name, "arguments": arguments}))
    }

    /// The result of a call, as the JSON in its text.
    fn result(&mut self) -> Value {
        let said = self.read();
        let text = said["result"]["content"][0]["text"].as_str();
        let text = text.unwrap_or_else(|| panic!("{said}"));
        assert_ne!(said["result"]["isError"], json!(true), "{said}");
        serde_json::from_str(text).unwrap()
    }

    fn end(mut self) -> Option<i32> {
        self.stdin = None;
        self.ended()
    }

    fn ended(&mut self) -> Option<i32> {
        let begun = begin();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(waited(begun) < PATIENCE, "the tools hang");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

pub(super) fn which() -> Value {
    json!({"questions": [{"question": "Which?", "options": [{"label": "A"}, {"label": "B"}]}]})
}

pub(super) fn bash() -> Value {
    json!({"tool_name": "Bash", "input": {"command": "ls"}, "tool_use_id": "toolu_1"})
}

#[test]
fn every_version_lists_the_tools_and_asks() {
    let stage = Stage::served();
    for version in ["2025-06-18", "2025-11-25"] {
        let mut program = Program::hello(&stage, &[], version);
        let tools = program.call("tools/list", &json!({}));
        let names: Vec<&Value> = tools["result"]["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| &tool["name"])
            .collect();
        assert_eq!(names, ["ask", "approve", "wait", "check", "notify"]);
        program.tool("ask", &which());
        let ask = &stage.open_asks(1)[0];
        assert_eq!(ask["agent"]["name"], "claude-code");
        let id = ask["id"].as_str().unwrap();
        assert_eq!(stage.run(&["answer", id, "--pick", "B"]).code, Some(0));
        let said = program.read();
        let answer = json!({"status": "answered", "id": id, "answers": {"Which?": "B"}});
        assert_eq!(said["result"]["structuredContent"], answer);
        assert_eq!(stage.look(&json!(id))["delivery"], "confirmed");
        assert_eq!(program.end(), Some(0));
    }
}

#[test]
fn the_newest_version_needs_no_hello() {
    let stage = Stage::served();
    let mut program = Program::start(&stage, &[]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "new-agent", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let found = program.call("server/discover", &json!({"_meta": meta}));
    let versions = found["result"]["supportedVersions"].as_array().unwrap();
    for version in ["2025-06-18", "2025-11-25", "2026-07-28"] {
        assert!(versions.contains(&json!(version)), "{found}");
    }
    program.send(
        "tools/call",
        &json!({"name": "ask", "arguments": which(), "_meta": meta}),
    );
    let ask = &stage.open_asks(1)[0];
    assert_eq!(ask["agent"]["name"], "new-agent");
    let id = ask["id"].as_str().unwrap();
    assert_eq!(
        stage
            .run(&["answer", id, "--dismiss", "--note", "later"])
            .code,
        Some(0)
    );
    let said = program.read();
    assert_eq!(said["result"]["resultType"], "complete", "{said}");
    assert_eq!(
        said["result"]["structuredContent"],
        json!({"status": "dismissed", "id": id, "note": "later"})
    );
}

#[test]
fn a_question_outlives_the_call_the_server_and_the_program() {
    let mut stage = Stage::served();
    let mut program = Program::hello(&stage, &["--hold", "1s"], "2025-11-25");
    program.tool("ask", &which());
    let open = program.result();
    assert_eq!(open["status"], "open");
    let id = open["id"].clone();
    program.tool("check", &json!({"id": id}));
    assert_eq!(program.result(), open);
    assert_eq!(program.end(), Some(0));

    let mut program = Program::hello(&stage, &[], "2025-11-25");
    program.tool("wait", &json!({"id": id}));
    let port = stage.port();
    stage.kill();
    stage.serve_at(port);
    assert_eq!(
        stage
            .run(&["answer", id.as_str().unwrap(), "--pick", "A"])
            .code,
        Some(0)
    );
    let answer = json!({"status": "answered", "id": id, "answers": {"Which?": "A"}});
    assert_eq!(program.result(), answer);
    program.tool("check", &json!({"id": id}));
    assert_eq!(program.result(), answer);
    // What nobody asked, and what cannot be asked.
    program.tool(
        "check",
        &json!({"id": "01938d1e-7c1a-7e55-9a4e-3a0f6c1d2b3c"}),
    );
    assert_eq!(program.read()["result"]["isError"], json!(true));
    program.tool("ask", &json!({"questions": []}));
    assert_eq!(program.read()["result"]["isError"], json!(true));
}

#[test]
fn a_permission_is_allow_or_deny_and_nothing_else() {
    let mut stage = Stage::served();
    let mut program = Program::hello(&stage, &["--hold", "1s"], "2025-11-25");
    let meta = json!({"claudecode/toolUseId": "toolu_1", "progressToken": 2});
    program.send(
        "tools/call",
        &json!({"name": "approve", "arguments": bash(), "_meta": meta}),
    );
    let told = program.read();
    assert_eq!(
        (&told["method"], &told["params"]["progressToken"]),
        (&json!("notifications/progress"), &json!(2))
    );
    let ask = &stage.open_asks(1)[0];
    assert_eq!(
        ask["action"]["act"],
        json!({"kind": "shell", "command": "ls"})
    );
    // Longer than the hold: a question that is asked now is let go of first.
    program.tool("ask", &which());
    let held = program.result();
    assert_eq!(held["status"], "open");
    let held = held["id"].as_str().unwrap();
    assert_eq!(stage.run(&["answer", held, "--dismiss"]).code, Some(0));
    let id = ask["id"].as_str().unwrap();
    assert_eq!(stage.run(&["answer", id, "--allow"]).code, Some(0));
    assert_eq!(
        program.result(),
        json!({"behavior": "allow", "updatedInput": {"command": "ls"}})
    );

    program.tool("approve", &bash());
    let id = stage.open_ask();
    assert_eq!(
        stage.run(&["answer", &id, "--deny", "--note", "no"]).code,
        Some(0)
    );
    assert_eq!(
        program.result(),
        json!({"behavior": "deny", "message": "no"})
    );

    // Cancelled by the program, and left by it: nothing stays open.
    let call = program.tool("approve", &bash());
    let id = stage.open_ask();
    program.write(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": call}}));
    stage.open_asks(0);
    let note = json!("The agent withdrew the question.");
    assert_eq!(stage.look(&json!(id))["outcome"]["note"], note);
    program.tool("approve", &bash());
    let id = stage.open_ask();
    assert_eq!(program.end(), Some(0));
    assert_eq!(stage.look(&json!(id))["outcome"]["note"], note);

    let mut program = Program::hello(&stage, &[], "2025-11-25");
    stage.kill();
    program.tool("approve", &bash());
    let said = program.result();
    assert_eq!(said["behavior"], "deny");
    program.tool("approve", &json!({"tool_name": "Bash"}));
    assert_eq!(program.result()["behavior"], "deny");
}

/// Programs end their tools with a signal and leave the pipe as it is.
#[test]
fn a_signal_takes_back_what_is_asked() {
    let stage = Stage::served();
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let mut program = Program::hello(&stage, &[], "2025-11-25");
        program.tool("approve", &bash());
        let id = stage.open_ask();
        let pid = Pid::from_raw(i32::try_from(program.child.id()).unwrap());
        kill_process(pid.unwrap(), signal).unwrap();
        assert_eq!(program.ended(), Some(0));
        let outcome = &stage.look(&json!(id))["outcome"];
        assert_eq!(outcome["note"], "The agent withdrew the question.");
    }
}

#[test]
fn what_is_always_allowed_is_not_asked_again() {
    let stage = Stage::served();
    let mut program = Program::hello(&stage, &[], "2025-11-25");
    let call = |command: &str| json!({"tool_name": "Bash", "input": {"command": command}});
    program.tool("approve", &call("git status"));
    let id = stage.open_ask();
    let always = ["answer", &id, "--allow", "--scope", "always"];
    assert_eq!(stage.run(&always).code, Some(0));
    let allow = json!({"behavior": "allow", "updatedInput": {"command": "git status"}});
    assert_eq!(program.result(), allow);
    program.tool("approve", &call("git status"));
    assert_eq!(program.result(), allow);
    program.tool("approve", &call("git status -s"));
    let id = stage.open_ask();
    assert_eq!(stage.run(&["answer", &id, "--deny"]).code, Some(0));
    assert_eq!(program.result()["behavior"], "deny");
}
