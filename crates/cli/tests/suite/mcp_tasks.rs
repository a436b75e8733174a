//! Asks as tasks of the protocol: on standard input and output, and at `/mcp`.

use std::io::Read as _;

use serde_json::{Value, json};

use super::mcp::{self, bash, which};
use super::mcp_door::{self, NEWEST};
use super::stage::Stage;

const WITHDRAWN: &str = "The agent withdrew the question.";
const NOBODYS: &str = "01938d1e-7c1a-7e55-9a4e-3a0f6c1d2b3c";

/// A way in to the tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Stdio,
    Door,
}

const WAYS: [Way; 2] = [Way::Stdio, Way::Door];

/// A program that has come in on one of the ways.
enum Program {
    Stdio(mcp::Program),
    Door(mcp_door::Program),
}

fn meta(able: &Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": NEWEST,
        "io.modelcontextprotocol/clientInfo": {"name": "new-agent", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": able,
    })
}

impl Program {
    fn new(stage: &Stage, way: Way) -> Self {
        match way {
            Way::Stdio => Self::Stdio(mcp::Program::start(stage, &[])),
            Way::Door => Self::Door(mcp_door::Program::new(stage, NEWEST)),
        }
    }

    /// The reply to a call, without what every reply has.
    fn say(&mut self, method: &str, params: &Value) -> Value {
        let mut said = match self {
            Self::Stdio(program) => program.call(method, params),
            Self::Door(program) => {
                let message =
                    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
                let call = program.call(&message).header("Connection", "close");
                let mut reply = String::new();
                let mut stream = call.start(program.port);
                stream.read_to_string(&mut reply).unwrap();
                let mut lines = reply
                    .lines()
                    .map(|line| line.strip_prefix("data: ").unwrap_or(line));
                let line = lines.find(|line| line.starts_with('{'));
                let line = line.unwrap_or_else(|| panic!("{reply:?}"));
                serde_json::from_str(line).unwrap()
            }
        };
        let said = said.as_object_mut().unwrap();
        assert_eq!(said.remove("jsonrpc"), Some(json!("2.0")));
        assert!(said.remove("id").is_some());
        Value::Object(said.clone())
    }

    /// The reply to a program that takes tasks.
    fn able(&mut self, method: &str, mut params: Value) -> Value {
        params["_meta"] = meta(&json!({"extensions": {"io.modelcontextprotocol/tasks": {}}}));
        self.say(method, &params)
    }

    /// What a tool says to it.
    fn tool(&mut self, name: &str, arguments: &Value) -> Value {
        let params = json!({"name": name, "arguments": arguments});
        self.able("tools/call", params)["result"].take()
    }

    /// What a tool says to a program that does not.
    fn plain(&mut self, name: &str, arguments: &Value) -> Value {
        let params = json!({"name": name, "arguments": arguments, "_meta": meta(&json!({}))});
        self.say("tools/call", &params)["result"].take()
    }

    fn get(&mut self, task: &str) -> Value {
        self.able("tasks/get", json!({"taskId": task}))["result"].take()
    }

    fn cancel(&mut self, task: &str) -> Value {
        self.able("tasks/cancel", json!({"taskId": task}))["result"].take()
    }
}

/// A task that waits, as the call for it, or a look at it, says.
fn waits(kind: &str, task: &str, ask: &Value) -> Value {
    json!({
        "resultType": kind,
        "taskId": task,
        "status": "working",
        "statusMessage": "waiting for a person",
        "createdAt": ask["asked_at"],
        "lastUpdatedAt": ask["asked_at"],
        "ttlMs": null,
        "pollIntervalMs": 2000,
    })
}

fn completed(task: &str, ask: &Value, result: &Value) -> Value {
    json!({
        "resultType": "complete",
        "taskId": task,
        "status": "completed",
        "createdAt": ask["asked_at"],
        "lastUpdatedAt": ask["outcome"]["at"],
        "ttlMs": null,
        "pollIntervalMs": 2000,
        "result": result,
    })
}

fn cancelled(task: &str, ask: &Value) -> Value {
    json!({
        "resultType": "complete",
        "taskId": task,
        "status": "cancelled",
        "statusMessage": WITHDRAWN,
        "createdAt": ask["asked_at"],
        "lastUpdatedAt": ask["outcome"]["at"],
        "ttlMs": null,
        "pollIntervalMs": 2000,
    })
}

fn text(text: &Value) -> Value {
    json!({
        "resultType": "complete",
        "content": [{"type": "text", "text": text.to_string()}],
        "isError": false,
    })
}

fn answer(stage: &Stage, words: &[&str]) {
    assert_eq!(stage.run(&[&["answer"], words].concat()).code, Some(0));
}

#[test]
fn a_question_is_a_task_that_outlives_everything() {
    for way in WAYS {
        let mut stage = Stage::served();
        let mut program = Program::new(&stage, way);
        let begun = program.tool("ask", &which());
        let id = stage.open_ask();
        let ask = stage.look(&json!(id));
        assert_eq!(begun, waits("task", &id, &ask));
        let working = waits("complete", &id, &ask);
        assert_eq!(program.get(&id), working);
        // To wait for it is the same task.
        assert_eq!(program.tool("wait", &json!({"id": id})), begun);

        let port = stage.port();
        stage.kill();
        stage.serve_at(port);
        assert_eq!(program.get(&id), working);
        // The program is gone, and its question is not.
        drop(program);
        let mut others = WAYS.map(|way| Program::new(&stage, way));
        for other in &mut others {
            assert_eq!(other.get(&id), working);
        }
        answer(&stage, &[&id, "--pick", "B"]);
        let said = json!({"status": "answered", "id": id, "answers": {"Which?": "B"}});
        for other in &mut others {
            let task = other.get(&id);
            let ask = stage.look(&json!(id));
            assert_eq!(ask["delivery"], "confirmed");
            let result = other.plain("wait", &json!({"id": id}));
            assert_eq!(result["structuredContent"], said);
            assert_eq!(task, completed(&id, &ask, &result));
            // There is nothing to wait for: the call itself says it.
            assert_eq!(other.tool("wait", &json!({"id": id})), result);
        }
    }
}

#[test]
fn a_verdict_is_a_task_with_the_words_of_the_plain_call() {
    for way in WAYS {
        let stage = Stage::served();
        let mut program = Program::new(&stage, way);
        for (words, verdict) in [
            (
                &["--allow"][..],
                json!({"behavior": "allow", "updatedInput": {"command": "ls"}}),
            ),
            (
                &["--deny", "--note", "no"],
                json!({"behavior": "deny", "message": "no"}),
            ),
            (
                &["--deny"],
                json!({"behavior": "deny", "message": "Permission denied by user for tool: Bash"}),
            ),
        ] {
            let begun = program.tool("approve", &bash());
            let id = stage.open_ask();
            let task = format!("approve-{id}");
            assert_eq!(begun, waits("task", &task, &stage.look(&json!(id))));
            answer(&stage, &[&[id.as_str()], words].concat());
            let ask = stage.look(&json!(id));
            assert_eq!(program.get(&task), completed(&task, &ask, &text(&verdict)));

            let plain = std::thread::scope(|scope| {
                let plain = scope.spawn(|| program.plain("approve", &bash()));
                let id = stage.open_ask();
                answer(&stage, &[&[id.as_str()], words].concat());
                plain.join().unwrap()
            });
            assert_eq!(plain, text(&verdict));
        }

        // What goes back to Claude's own question is more than an ask keeps: the call waits for it.
        let asked = json!({"questions": [{"question": "Which?", "header": "H", "multiSelect": false, "options": [{"label": "A", "description": "a", "more": 1}]}], "metadata": {"source": "x"}});
        let call = json!({"tool_name": "AskUserQuestion", "input": asked});
        let said = std::thread::scope(|scope| {
            let said = scope.spawn(|| program.tool("approve", &call));
            let id = stage.open_ask();
            answer(&stage, &[&id, "--pick", "A"]);
            said.join().unwrap()
        });
        let words = said["content"][0]["text"].as_str().unwrap();
        let words: Value = serde_json::from_str(words).unwrap();
        let input = json!({"questions": asked["questions"], "metadata": {"source": "x"}, "answers": {"Which?": "A"}});
        assert_eq!(words, json!({"behavior": "allow", "updatedInput": input}));
    }
}

#[test]
fn what_a_rule_allows_is_no_task() {
    let stage = Stage::served();
    let mut program = Program::new(&stage, Way::Stdio);
    assert_eq!(program.tool("approve", &bash())["status"], "working");
    let id = stage.open_ask();
    answer(&stage, &[&id, "--allow", "--scope", "always"]);
    let allow = json!({"behavior": "allow", "updatedInput": {"command": "ls"}});
    assert_eq!(program.tool("approve", &bash()), text(&allow));
    // And what cannot be read is refused at once, as ever.
    let refused = program.tool("approve", &json!({"tool_name": "Bash"}));
    assert_eq!(
        refused,
        program.plain("approve", &json!({"tool_name": "Bash"}))
    );
    let words = refused["content"][0]["text"].as_str().unwrap();
    assert!(words.starts_with(r#"{"behavior":"deny""#), "{words}");
}

#[test]
fn a_task_that_is_cancelled_is_withdrawn() {
    for way in WAYS {
        let stage = Stage::served();
        let mut program = Program::new(&stage, way);
        let done = json!({"resultType": "complete"});
        for (tool, arguments, prefix) in [("ask", which(), ""), ("approve", bash(), "approve-")] {
            program.tool(tool, &arguments);
            let id = stage.open_ask();
            let task = format!("{prefix}{id}");
            // It asks its program for nothing.
            let nothing = json!({"taskId": task, "inputResponses": {}});
            assert_eq!(program.able("tasks/update", nothing)["result"], done);
            stage.open_asks(1);
            for _ in 0..2 {
                assert_eq!(program.cancel(&task), done);
                let ask = stage.look(&json!(id));
                assert_eq!(ask["outcome"]["kind"], "withdrawn");
                assert_eq!(program.get(&task), cancelled(&task, &ask));
            }
        }
        // What has ended stays as it is.
        program.tool("ask", &which());
        let id = stage.open_ask();
        answer(&stage, &[&id, "--dismiss", "--note", "later"]);
        assert_eq!(program.cancel(&id), done);
        let ask = stage.look(&json!(id));
        assert_eq!(ask["outcome"]["kind"], "dismissed");
        let result = program.plain("check", &json!({"id": id}));
        assert_eq!(program.get(&id), completed(&id, &ask, &result));
    }
}

#[test]
fn a_task_is_told_to_its_own_agent_and_to_those_who_take_tasks() {
    let stage = Stage::served();
    for way in WAYS {
        let mut program = Program::new(&stage, way);
        let unknown =
            json!({"error": {"code": -32602, "message": "There is no task with this id."}});
        for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
            for id in [NOBODYS, "approve-", "no id", "../people"] {
                let params = json!({"taskId": id, "inputResponses": {}});
                assert_eq!(
                    program.able(method, params),
                    unknown,
                    "{way:?} {method} {id}"
                );
            }
        }
        program.tool("ask", &which());
        let id = stage.open_ask();
        let mut other = mcp_door::Program::new(&stage, NEWEST);
        other.token = stage.new_token("agent", &format!("other-{way:?}"));
        let mut other = Program::Door(other);
        for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
            let params = json!({"taskId": id, "inputResponses": {}});
            assert_eq!(other.able(method, params), unknown);
        }
        assert_eq!(stage.open_ask(), id);

        // A program that does not say that it takes tasks is given none.
        let params = json!({"taskId": id, "_meta": meta(&json!({}))});
        let said = program.say("tasks/get", &params);
        assert_eq!(said["error"]["code"], -32021, "{said}");
        answer(&stage, &[&id, "--pick", "A"]);
        let found = program.say("server/discover", &json!({"_meta": meta(&json!({}))}));
        assert_eq!(
            found["result"]["capabilities"],
            json!({"tools": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}})
        );
    }
}

/// Older versions say once what they take, where there is a session to remember it.
#[test]
fn a_hello_may_say_that_tasks_are_taken() {
    let stage = Stage::served();
    let able = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    for (able, takes) in [(able, true), (json!({}), false)] {
        let mut program = mcp::Program::start(&stage, &["--hold", "1s"]);
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": able, "clientInfo": {"name": "claude-code", "version": "1"}});
        let said = program.call("initialize", &hello);
        assert_eq!(
            said["result"]["capabilities"],
            json!({"tools": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}})
        );
        // The older tasks are asked for with the call, and are not served.
        let call = json!({"name": "ask", "arguments": which(), "task": {"ttl": 60_000}});
        let said = program.call("tools/call", &call)["result"].take();
        let id = stage.open_ask();
        let ask = stage.look(&json!(id));
        if takes {
            assert_eq!(said, waits("task", &id, &ask));
            let said = program.call("tasks/get", &json!({"taskId": id}));
            assert_eq!(said["result"], waits("complete", &id, &ask));
        } else {
            assert_eq!(said["structuredContent"]["status"], "open", "{said}");
        }
        answer(&stage, &[&id, "--dismiss"]);
    }
}
