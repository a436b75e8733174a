//! Document 001: the chat bridge's questions over a WebSocket.

use sayso_testkit::faces::socket::FakeSocket;
use serde_json::{Value, json};

use crate::matrix::server::Server;

const HOW: &str = "How should I format the output?";

/// An agent in a conversation that takes turns.
async fn agent(server: &Server) -> FakeSocket {
    let dialled = FakeSocket::dial(&server.host, "/v1/agent", Some(&server.local("agent"))).await;
    let mut agent = dialled.unwrap();
    agent
        .send(&json!({"do": "take_turns", "conversations": "any"}))
        .await;
    agent
}

/// The agent asks the document's question; gives the id under which the language has it.
async fn asks(agent: &mut FakeSocket, timeout_s: Option<u64>) -> Value {
    let choices = json!([{"label": "Summary", "description": "Brief overview"},
        {"label": "Detailed", "description": "Full explanation"}]);
    let mut ask = json!({"matter": "questions", "conversation": "session-123",
        "questions": [{"text": HOW, "tag": "Format", "choices": choices}]});
    if let Some(timeout_s) = timeout_s {
        ask["timeout_s"] = json!(timeout_s);
    }
    agent
        .send(&json!({"do": "ask", "ref": "1", "ask": ask}))
        .await;
    let asked = agent.find(|frame| frame["event"] == "asked").await;
    json!(format!(
        "q_{}",
        asked["id"].as_str().unwrap().replace('-', "")
    ))
}

/// A front end in that conversation, past its greeting; gives the status too.
async fn front(server: &Server) -> (FakeSocket, Value) {
    let target = "/api/v1/chat/ws/session-123";
    let dialled = FakeSocket::dial(&server.host, target, Some(&server.local("person"))).await;
    let mut front = dialled.unwrap();
    assert_eq!(front.next().await["type"], "connected");
    let status = front.next().await;
    (front, status)
}

async fn outcome(agent: &mut FakeSocket) -> Value {
    let told = agent.find(|frame| frame["event"] == "outcome").await;
    agent
        .send(&json!({"do": "confirm", "id": told["id"]}))
        .await;
    told["outcome"].clone()
}

fn response(id: &Value, answers: &Value) -> Value {
    json!({"type": "ask_user_response",
        "data": {"question_id": id, "answers": answers, "cancelled": false}})
}

fn timed_out(id: &Value, error: &str) -> Value {
    json!({"type": "ask_user_timeout", "question_id": id, "questionId": id, "error": error})
}

/// Proves that nothing else was said before: this error is the next thing to come.
async fn nothing_more(front: &mut FakeSocket) {
    front.send(&json!({"type": "interrupt", "data": {}})).await;
    assert_eq!(
        front.next().await,
        json!({"type": "error", "error": "Interrupt not yet implemented"})
    );
}

#[tokio::test]
async fn server_to_client_and_back() {
    let server = Server::start();
    let mut agent = agent(&server).await;
    let id = asks(&mut agent, Some(55)).await;
    let (mut front, status) = front(&server).await;
    for (key, value) in [
        ("type", json!("session_status")),
        // The document has false here; its program goes on being busy while it waits.
        ("is_processing", json!(true)),
        ("waiting_for_user", json!(true)),
        ("pending_question_id", id.clone()),
    ] {
        assert_eq!(status[key], value, "{key} in {status}");
    }
    let frame = front.next().await;
    let left = frame["timeout_seconds"].as_u64().unwrap();
    assert!((45..=55).contains(&left), "{left}");
    assert_eq!(
        frame,
        json!({
          "type": "ask_user_question",
          "question_id": id,
          "questionId": id,
          "questions": [
            {
              "question": "How should I format the output?",
              "header": "Format",
              "options": [
                {"label": "Summary", "description": "Brief overview"},
                {"label": "Detailed", "description": "Full explanation"}
              ],
              "multiSelect": false
            }
          ],
          "timeout_seconds": left
        })
    );
    front.send(&response(&id, &json!({HOW: "Summary"}))).await;
    let told = outcome(&mut agent).await;
    assert_eq!(
        told["answer"],
        json!({"replies": [{"question": 0, "labels": ["Summary"]}]})
    );
    nothing_more(&mut front).await;
}

#[tokio::test]
async fn free_text_and_a_wrong_id() {
    let server = Server::start();
    let mut agent = agent(&server).await;
    let id = asks(&mut agent, None).await;
    let (mut front, _) = front(&server).await;
    front.next().await;
    front
        .send(&response(&json!("q_123"), &json!({HOW: "Summary"})))
        .await;
    assert_eq!(
        front.next().await,
        json!({"type": "error", "error": "Question ID does not match pending question"})
    );
    front
        .send(&response(&id, &json!({HOW: "As a haiku"})))
        .await;
    assert_eq!(
        outcome(&mut agent).await["answer"],
        json!({"replies": [{"question": 0, "labels": [], "other": "As a haiku"}]})
    );
}

#[tokio::test]
async fn timeout_and_a_late_response() {
    let server = Server::start();
    let mut agent = agent(&server).await;
    // The conversation is there before the short question, so that the front end is too.
    let first = asks(&mut agent, None).await;
    let (mut front, _) = front(&server).await;
    front.next().await;
    front
        .send(&response(&first, &json!({HOW: "Detailed"})))
        .await;
    outcome(&mut agent).await;
    let id = asks(&mut agent, Some(1)).await;
    assert_eq!(front.next().await["question_id"], id);
    assert_eq!(
        front.next().await,
        timed_out(&id, "User response timed out")
    );
    assert_eq!(outcome(&mut agent).await["kind"], "expired");
    front.send(&response(&id, &json!({HOW: "Summary"}))).await;
    nothing_more(&mut front).await;
}

#[tokio::test]
async fn cancelling() {
    let server = Server::start();
    let mut agent = agent(&server).await;
    let id = asks(&mut agent, None).await;
    let (mut front, _) = front(&server).await;
    front.next().await;
    front
        .send(&json!({"type": "ask_user_response",
            "data": {"question_id": id, "answers": {}, "cancelled": true}}))
        .await;
    assert_eq!(
        front.next().await,
        timed_out(&id, "User response timed out")
    );
    assert_eq!(outcome(&mut agent).await["kind"], "dismissed");
}

#[tokio::test]
async fn a_connection_that_is_not_active_is_rejected_and_the_question_stays() {
    let server = Server::start();
    let mut agent = agent(&server).await;
    let id = asks(&mut agent, None).await;
    let (mut older, _) = front(&server).await;
    older.next().await;
    let (mut newer, status) = front(&server).await;
    assert_eq!(status["pending_question_id"], id);
    older.send(&response(&id, &json!({HOW: "Detailed"}))).await;
    let (frames, _) = older.closed().await;
    assert_eq!(frames.first(), Some(&json!({"type": "session_taken"})));
    assert_eq!(newer.next().await["question_id"], id);
    newer.send(&response(&id, &json!({HOW: "Summary"}))).await;
    assert_eq!(
        outcome(&mut agent).await["answer"],
        json!({"replies": [{"question": 0, "labels": ["Summary"]}]})
    );
}

#[tokio::test]
async fn words_are_queued_while_a_question_waits_and_the_question_is_replayed() {
    let server = Server::start();
    let mut agent = agent(&server).await;
    let id = asks(&mut agent, None).await;
    let (mut first, _) = front(&server).await;
    assert_eq!(first.next().await["question_id"], id);
    let message = json!({"type": "user_message", "data": {"message": "And hurry"}});
    first.send(&message).await;
    nothing_more(&mut first).await;
    let entries = server.read("/v1/conversations/session-123/entries").await;
    let queued: Vec<&Value> = entries["entries"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| entry["kind"] == "message")
        .map(|entry| &entry["state"])
        .collect();
    assert_eq!(queued, [&json!("queued")], "{entries}");
    drop(first);
    let (mut again, status) = front(&server).await;
    assert_eq!(status["waiting_for_user"], true);
    assert_eq!(again.next().await["question_id"], id);
    again.send(&response(&id, &json!({HOW: ["Summary"]}))).await;
    outcome(&mut agent).await;
    let turn = agent.find(|frame| frame["event"] == "turn").await;
    assert_eq!(turn["text"], "And hurry");
}

#[tokio::test]
async fn an_unknown_id_is_refused_before_the_upgrade() {
    let server = Server::start();
    let token = server.local("person");
    let refused = FakeSocket::dial(&server.host, "/api/v1/chat/ws/nobody", Some(&token)).await;
    assert_eq!(refused.err(), Some(403));
    let fresh = FakeSocket::dial(&server.host, "/api/v1/chat/ws/new", Some(&token)).await;
    assert_eq!(fresh.unwrap().next().await["type"], "connected");
}
