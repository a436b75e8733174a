//! The tools at `/mcp`, as programs call them over streamable HTTP in each version of the protocol.

use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;

use serde_json::{Value, json};

use super::raw::{Call, Reply};
use super::stage::Stage;

const OLD: &str = "2025-06-18";
const LEGACY: &str = "2025-11-25";
pub(super) const NEWEST: &str = "2026-07-28";

/// A program that calls, with what it says in every call.
pub(super) struct Program {
    pub(super) port: u16,
    pub(super) token: String,
    version: &'static str,
    session: Option<String>,
}

/// A reply that comes piece by piece.
struct Stream(BufReader<TcpStream>);

impl Stream {
    fn next(&mut self) -> Value {
        loop {
            let mut line = String::new();
            let count = self.0.read_line(&mut line).unwrap();
            assert_ne!(count, 0, "the stream ended");
            if let Some(data) = line.strip_prefix("data: ") {
                return serde_json::from_str(data.trim_end()).unwrap();
            }
        }
    }

    /// What a tool returned, as the JSON in its text.
    fn result(&mut self) -> Value {
        let said = self.next();
        let text = said["result"]["content"][0]["text"].as_str();
        let text = text.unwrap_or_else(|| panic!("{said}"));
        assert_ne!(said["result"]["isError"], json!(true), "{said}");
        serde_json::from_str(text).unwrap()
    }
}

impl Program {
    pub(super) fn new(stage: &Stage, version: &'static str) -> Self {
        Self {
            port: stage.port(),
            token: stage.token("agent"),
            version,
            session: None,
        }
    }

    /// One that has said hello, in a version that wants it.
    fn hello(stage: &Stage, version: &'static str, name: &str) -> Self {
        let mut program = Self::new(stage, version);
        let hello = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": name, "version": "1"}});
        let (reply, mut stream) = program.begin(0, "initialize", &hello);
        let said = stream.next();
        assert_eq!(said["result"]["protocolVersion"], version);
        assert_eq!(said["result"]["serverInfo"]["name"], "sayso");
        program.session = reply.header("mcp-session-id").map(str::to_owned);
        assert!(program.session.is_some(), "{reply:?}");
        let done = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(program.call(&done).send(program.port).status, 202);
        program
    }

    pub(super) fn call(&self, message: &Value) -> Call {
        let call = Call::post("/mcp")
            .token(&self.token)
            .header("Accept", "application/json, text/event-stream")
            .header("MCP-Protocol-Version", self.version)
            .json(message);
        let call = match &self.session {
            Some(session) => call.header("Mcp-Session-Id", session),
            None => call,
        };
        // The newest version says in the head what is in the body.
        match (self.version, message["method"].as_str()) {
            (NEWEST, Some(method)) => {
                let call = call.header("Mcp-Method", method);
                let params = &message["params"];
                match params["name"].as_str().or(params["taskId"].as_str()) {
                    Some(name) => call.header("Mcp-Name", name),
                    None => call,
                }
            }
            (_, _) => call,
        }
    }

    fn begin(&self, id: u64, method: &str, params: &Value) -> (Reply, Stream) {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let (reply, stream) = self.call(&message).begin(self.port);
        assert_eq!(reply.status, 200, "{reply:?}");
        (reply, Stream(BufReader::new(stream)))
    }

    fn tool(&self, id: u64, name: &str, arguments: &Value) -> Stream {
        let params = json!({"name": name, "arguments": arguments});
        self.begin(id, "tools/call", &params).1
    }
}

fn which() -> Value {
    json!({"questions": [{"question": "Which?", "options": [{"label": "A"}, {"label": "B"}]}]})
}

fn bash() -> Value {
    json!({"tool_name": "Bash", "input": {"command": "ls"}, "tool_use_id": "toolu_1"})
}

fn served(hold: &str) -> Stage {
    let mut stage = Stage::empty();
    let mut command = stage.command(&["serve", "--listen", "127.0.0.1:0"]);
    command.env("SAYSO_DIALECTS_MCP_HOLD", hold);
    stage.serve_by(command);
    stage
}

#[test]
fn every_version_lists_the_tools_and_asks() {
    let stage = Stage::served();
    for version in [OLD, LEGACY] {
        let program = Program::hello(&stage, version, "claude-code");
        let (_, mut listed) = program.begin(1, "tools/list", &json!({}));
        let tools = listed.next()["result"]["tools"].clone();
        let names: Vec<&Value> = tools
            .as_array()
            .unwrap()
            .iter()
            .map(|one| &one["name"])
            .collect();
        assert_eq!(names, ["ask", "approve", "wait", "check", "notify"]);
        let mut asking = program.tool(2, "ask", &which());
        let ask = &stage.open_asks(1)[0];
        // The name it said hello with, in whichever call it asks.
        assert_eq!(
            (&ask["agent"]["name"], &ask["agent"]["dialect"]),
            (&json!("claude-code"), &json!("mcp"))
        );
        let id = ask["id"].as_str().unwrap();
        assert_eq!(stage.run(&["answer", id, "--pick", "B"]).code, Some(0));
        let answer = json!({"status": "answered", "id": id, "answers": {"Which?": "B"}});
        assert_eq!(asking.next()["result"]["structuredContent"], answer);
        assert_eq!(stage.look(&json!(id))["delivery"], "confirmed");
    }
}

#[test]
fn the_newest_version_needs_no_hello() {
    let stage = Stage::served();
    let program = Program::new(&stage, NEWEST);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": NEWEST,
        "io.modelcontextprotocol/clientInfo": {"name": "new-agent", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let (_, mut found) = program.begin(1, "server/discover", &json!({"_meta": meta}));
    let found = found.next();
    let versions = found["result"]["supportedVersions"].as_array().unwrap();
    for version in [OLD, LEGACY, NEWEST] {
        assert!(versions.contains(&json!(version)), "{found}");
    }
    let params = json!({"name": "ask", "arguments": which(), "_meta": meta});
    // The reply begins with its first word, which comes once somebody has answered.
    let message = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params});
    let asking = program.call(&message).start(program.port);
    let ask = &stage.open_asks(1)[0];
    assert_eq!(ask["agent"]["name"], "new-agent");
    let id = ask["id"].as_str().unwrap();
    let dismissed = ["answer", id, "--dismiss", "--note", "later"];
    assert_eq!(stage.run(&dismissed).code, Some(0));
    let said = Stream(BufReader::new(asking)).next();
    assert_eq!(said["result"]["resultType"], "complete", "{said}");
    assert_eq!(
        said["result"]["structuredContent"],
        json!({"status": "dismissed", "id": id, "note": "later"})
    );
}

#[test]
fn a_question_outlives_the_call_and_the_server() {
    let mut stage = served("1");
    let program = Program::hello(&stage, LEGACY, "claude-code");
    let open = program.tool(1, "ask", &which()).result();
    assert_eq!(
        (&open["status"], &open["next"]),
        (
            &json!("open"),
            &json!("Nobody has answered yet. Call `wait` with this id.")
        )
    );
    let id = open["id"].as_str().unwrap();
    assert_eq!(program.tool(2, "check", &json!({"id": id})).result(), open);
    assert_eq!(program.tool(3, "wait", &json!({"id": id})).result(), open);

    // The same program goes on with a server that has started again.
    let port = stage.port();
    stage.kill();
    stage.serve_at(port);
    let mut waiting = program.tool(4, "wait", &json!({"id": id}));
    assert_eq!(stage.run(&["answer", id, "--pick", "A"]).code, Some(0));
    let answer = json!({"status": "answered", "id": id, "answers": {"Which?": "A"}});
    assert_eq!(waiting.result(), answer);
    assert_eq!(
        program.tool(5, "check", &json!({"id": id})).result(),
        answer
    );
    assert_eq!(
        program.tool(6, "notify", &json!({"text": "done"})).result(),
        json!({"status": "told"})
    );
    // What nobody asked, and what another agent asked.
    let unknown = json!({"id": "01938d1e-7c1a-7e55-9a4e-3a0f6c1d2b3c"});
    let said = program.tool(7, "check", &unknown).next();
    assert_eq!(said["result"]["isError"], json!(true), "{said}");
    let other = Program {
        token: stage.new_token("agent", "other"),
        ..Program::new(&stage, LEGACY)
    };
    let said = other.tool(8, "check", &json!({"id": id})).next();
    assert_eq!(said["result"]["isError"], json!(true), "{said}");
    let said = other.tool(9, "ask", &json!({"questions": []})).next();
    assert_eq!(said["result"]["isError"], json!(true), "{said}");
}

#[test]
fn a_server_that_stops_leaves_the_question_open_and_says_so() {
    let mut stage = Stage::served();
    let program = Program::hello(&stage, LEGACY, "claude-code");
    let mut asking = program.tool(1, "ask", &which());
    let id = stage.open_ask();
    let mut approving = program.tool(2, "approve", &bash());
    stage.open_asks(2);
    let port = stage.port();
    stage.terminate();
    let open = asking.result();
    assert_eq!((&open["status"], &open["id"]), (&json!("open"), &json!(id)));
    assert_eq!(approving.result()["behavior"], "deny");
    assert_eq!(stage.ended().0, Some(0));
    stage.serve_at(port);
    // An approval that nobody waits for any more is not asked for any more.
    assert_eq!(stage.open_ask(), id);
    let mut waiting = program.tool(3, "wait", &json!({"id": id}));
    assert_eq!(stage.run(&["answer", &id, "--pick", "A"]).code, Some(0));
    assert_eq!(waiting.result()["status"], "answered");
}

#[test]
fn a_permission_is_allow_or_deny_and_a_call_that_is_left_is_withdrawn() {
    let stage = served("1");
    let program = Program::hello(&stage, LEGACY, "claude-code");
    let meta = json!({"claudecode/toolUseId": "toolu_1", "progressToken": 2});
    let params = json!({"name": "approve", "arguments": bash(), "_meta": meta});
    let (_, mut approving) = program.begin(1, "tools/call", &params);
    let told = approving.next();
    assert_eq!(
        (&told["method"], &told["params"]["progressToken"]),
        (&json!("notifications/progress"), &json!(2))
    );
    let id = stage.open_ask();
    // Longer than the hold: a question that is asked now is let go of first.
    let held = program.tool(2, "ask", &which()).result();
    let held = held["id"].as_str().unwrap();
    assert_eq!(stage.run(&["answer", held, "--dismiss"]).code, Some(0));
    assert_eq!(stage.run(&["answer", &id, "--allow"]).code, Some(0));
    assert_eq!(
        approving.result(),
        json!({"behavior": "allow", "updatedInput": {"command": "ls"}})
    );

    let note = json!("The agent withdrew the question.");
    let approving = program.tool(3, "approve", &bash());
    let id = stage.open_ask();
    drop(approving);
    stage.open_asks(0);
    assert_eq!(stage.look(&json!(id))["outcome"]["note"], note);

    // Cancelled by its own program, and by nobody who only knows its number.
    let mut approving = program.tool(4, "approve", &bash());
    let id = stage.open_ask();
    let cancel =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 4}});
    let other = Program {
        token: stage.new_token("agent", "other"),
        session: program.session.clone(),
        ..Program::new(&stage, LEGACY)
    };
    let unnamed = Program::new(&stage, LEGACY);
    for stranger in [&other, &unnamed] {
        assert_eq!(stranger.call(&cancel).send(stranger.port).status, 202);
    }
    assert_eq!(stage.open_ask(), id);
    assert_eq!(program.call(&cancel).send(program.port).status, 202);
    assert_eq!(approving.result()["behavior"], "deny");
    stage.open_asks(0);
    assert_eq!(stage.look(&json!(id))["outcome"]["note"], note);

    let denied = program
        .tool(5, "approve", &json!({"tool_name": "Bash"}))
        .result();
    assert_eq!(denied["behavior"], "deny");
}

#[test]
fn what_the_door_does_not_take_is_said() {
    let stage = Stage::served();
    let program = Program::new(&stage, LEGACY);
    let port = stage.port();
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let person = Program {
        token: stage.token("person"),
        ..Program::new(&stage, LEGACY)
    };
    assert_eq!(person.call(&list).send(port).refusal(), "403 forbidden");
    let strange = |call: Call| call.send(port).refusal();
    assert_eq!(
        strange(program.call(&list).hosts(&["evil.com"])),
        "403 forbidden"
    );
    let page = program.call(&list).header("Origin", "https://evil.com");
    assert_eq!(strange(page), "403 forbidden");
    // There is nothing to subscribe to: the programs know what that means.
    let subscribe = Call::get("/mcp").token(&program.token);
    assert_eq!(subscribe.send(port).status, 405);
    let large = "x".repeat(1024 * 1024);
    let large = program.call(&json!({"jsonrpc": "2.0", "id": 1, "method": large}));
    assert_eq!(strange(large), "413 too_large");
    let garbage = Call::post("/mcp")
        .token(&program.token)
        .header("Accept", "application/json, text/event-stream")
        .header("Content-Type", "application/json")
        .bytes("no JSON");
    assert!((400..500).contains(&garbage.send(port).status));
}
