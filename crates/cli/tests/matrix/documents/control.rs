//! Document 004: one protocol for every tool, questions included.

use sayso_testkit::faces::http::{FakeCall, FakeReply};
use sayso_testkit::faces::socket::FakeSocket;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::matrix::server::Server;

const ID: &str = "sdk-perm-1738668123456789";
const WHICH: &str = "Which database should we use?";

/// The CLI's control request, passed on.
fn asks(server: &Server, id: &str, tool: &str, input: &Value) -> JoinHandle<FakeReply> {
    let body = json!({"type": "control_request", "request_id": id, "session_id": "s-1",
        "request": {"subtype": "can_use_tool", "tool_name": tool, "input": input}});
    let token = server.local("agent");
    let call = FakeCall::post("/v1/dialects/claude-control/ask", &token, &body);
    let host = server.host.clone();
    tokio::spawn(async move { call.now(&host).await })
}

async fn tab(server: &Server) -> FakeSocket {
    let target = "/api/claude/sessions/s-1/subscribe";
    let dialled = FakeSocket::dial(&server.host, target, Some(&server.local("person"))).await;
    dialled.unwrap()
}

async fn shown(tab: &mut FakeSocket) -> Value {
    tab.find(|frame| frame["type"] == "control_request").await
}

fn input() -> Value {
    json!({"questions": [{"question": WHICH, "header": "Database",
        "options": [
            {"label": "PostgreSQL", "description": "..."},
            {"label": "SQLite", "description": "..."}],
        "multiSelect": false}]})
}

fn decided(id: &Value, response: &Value) -> Value {
    json!({"type": "control_response", "request_id": id,
        "response": {"subtype": "success", "response": response}})
}

/// What the CLI is told.
fn told(id: &str, response: &Value) -> Value {
    json!({"type": "control_response",
        "response": {"subtype": "success", "request_id": id, "response": response}})
}

fn with_answers(answers: &Value) -> Value {
    let mut input = input();
    input["answers"] = answers.clone();
    input
}

#[tokio::test]
async fn a_question_is_an_ordinary_control_request_and_its_answers_are_the_updated_input() {
    let server = Server::start();
    let cli = asks(&server, ID, "AskUserQuestion", &input());
    server.open_ask(WHICH).await;
    let mut tab = tab(&server).await;
    let frame = shown(&mut tab).await;
    let request = &frame["request"];
    assert_eq!(
        json!([request["subtype"], request["tool_name"], request["input"]]),
        json!(["can_use_tool", "AskUserQuestion", input()])
    );
    let said = with_answers(&json!({WHICH: "PostgreSQL"}));
    tab.send(&decided(
        &frame["request_id"],
        &json!({"behavior": "allow", "updated_input": said}),
    ))
    .await;
    assert_eq!(
        cli.await.unwrap().with(200),
        told(ID, &json!({"behavior": "allow", "updatedInput": said}))
    );
}

#[tokio::test]
async fn the_clis_own_id_and_its_own_spelling_are_understood_too() {
    let server = Server::start();
    let cli = asks(&server, ID, "AskUserQuestion", &input());
    server.open_ask(WHICH).await;
    let mut tab = tab(&server).await;
    shown(&mut tab).await;
    let said = with_answers(&json!({WHICH: "SQLite"}));
    let response = json!({"behavior": "allow", "updatedInput": said});
    tab.send(&json!({"type": "control_response",
        "response": {"subtype": "success", "request_id": ID, "response": response}}))
        .await;
    assert_eq!(cli.await.unwrap().with(200), told(ID, &response));
}

#[tokio::test]
async fn skipping_is_a_deny_with_its_message() {
    let server = Server::start();
    let cli = asks(&server, ID, "AskUserQuestion", &input());
    let ask = server.open_ask(WHICH).await;
    let mut tab = tab(&server).await;
    let frame = shown(&mut tab).await;
    let skipped = json!({"behavior": "deny", "message": "User skipped this question"});
    tab.send(&decided(&frame["request_id"], &skipped)).await;
    assert_eq!(cli.await.unwrap().with(200), told(ID, &skipped));
    let closed = server.closed(&ask["id"]).await;
    assert_eq!(closed["outcome"]["kind"], "dismissed");
}

#[tokio::test]
async fn other_tools_go_the_same_way_and_come_back_with_what_was_shown() {
    let server = Server::start();
    let write = json!({"file_path": "/tmp/a", "content": "b"});
    for (id, tool, input, decision, expected) in [
        (
            "r-1",
            "Bash",
            json!({"command": "cargo test"}),
            json!({"behavior": "allow", "updated_input": {"command": "something else"}}),
            json!({"behavior": "allow", "updatedInput": {"command": "cargo test"}}),
        ),
        (
            "r-2",
            "Write",
            write,
            json!({"behavior": "deny", "message": "Not there"}),
            json!({"behavior": "deny", "message": "Not there"}),
        ),
    ] {
        let cli = asks(&server, id, tool, &input);
        server.open_ask(id).await;
        let mut tab = tab(&server).await;
        let frame = tab
            .find(|frame| frame["type"] == "control_request" && frame["request"]["input"] == input)
            .await;
        assert_eq!(frame["request"]["tool_name"], tool);
        tab.send(&decided(&frame["request_id"], &decision)).await;
        assert_eq!(cli.await.unwrap().with(200), told(id, &expected));
    }
}

#[tokio::test]
async fn several_questions_and_several_choices() {
    let server = Server::start();
    let mut input = input();
    let choices = ["Logs", "Traces"].map(|label| json!({"label": label, "description": ""}));
    let more = json!({"question": "What to keep?", "header": "Keep", "options": choices, "multiSelect": true});
    input["questions"].as_array_mut().unwrap().push(more);
    let cli = asks(&server, ID, "AskUserQuestion", &input);
    server.open_ask(WHICH).await;
    let mut tab = tab(&server).await;
    let frame = shown(&mut tab).await;
    let mut said = input.clone();
    said["answers"] = json!({WHICH: "SQLite", "What to keep?": ["Logs", "Traces"]});
    let decision = json!({"behavior": "allow", "updated_input": said});
    tab.send(&decided(&frame["request_id"], &decision)).await;
    said["answers"]["What to keep?"] = json!("Logs, Traces");
    let expected = json!({"behavior": "allow", "updatedInput": said});
    assert_eq!(cli.await.unwrap().with(200), told(ID, &expected));
}

#[tokio::test]
async fn the_invented_message_types_do_not_exist() {
    let server = Server::start();
    let _cli = asks(&server, ID, "AskUserQuestion", &input());
    let ask = server.open_ask(WHICH).await;
    let mut tab = tab(&server).await;
    let frame = shown(&mut tab).await;
    for id in [&frame["request_id"], &json!(ID)] {
        tab.send(&json!({"type": "question_response", "request_id": id,
            "answers": {WHICH: "SQLite"}, "skipped": false}))
            .await;
    }
    // What is wrong is answered in order: the invented frames got no reply and did nothing.
    tab.send(&json!({"type": "user_message", "content": ""}))
        .await;
    let error = tab.find(|frame| frame["type"] == "error").await;
    assert_eq!(error["error"], "/content: is empty");
    let open = server.ask_when(&ask["id"], |_| true).await;
    assert_eq!(open["state"], "open");
}
