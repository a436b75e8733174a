//! Document 000: the backend's side of the plugin's questions and approvals.

use sayso_testkit::faces::socket::FakeSocket;
use serde_json::{Value, json};

use crate::matrix::server::Server;

async fn plugin(server: &Server) -> FakeSocket {
    let token = server.token("agent", "laptop").await;
    let target = format!("/api/v1/providers/ws?token={token}");
    let mut plugin = FakeSocket::dial(&server.host, &target, None).await.unwrap();
    plugin.send(&json!({"type": "health"})).await;
    plugin
}

fn event(name: &str, payload: &Value) -> Value {
    json!({"type": "event", "payload": {"event": name, "payload": payload}})
}

fn asked(id: &str, questions: &Value) -> Value {
    event(
        "ask_user_question",
        &json!({"sessionKey": "user-session-123", "agentId": "agent-abc", "questionId": id,
            "questions": questions}),
    )
}

fn answer(id: &str, answers: &Value) -> Value {
    json!({"type": "hook.ask_user_answer", "payload": {"questionId": id, "answers": answers}})
}

fn database() -> Value {
    json!([{"question": "Which database should I use for caching?", "header": "Database",
        "options": [
            {"label": "Redis", "description": "In-memory store, very fast"},
            {"label": "SQLite", "description": "File-based, no server needed"},
            {"label": "PostgreSQL", "description": "Full relational database",
                "markdown": "```\n  CREATE TABLE cache\n```"}],
        "multiSelect": false}])
}

const ID: &str = "550e8400-e29b-41d4-a716-446655440000";
const WHICH: &str = "Which database should I use for caching?";

#[tokio::test]
async fn step_1_and_2_the_event_is_routed_and_everything_in_it_is_shown() {
    let server = Server::start();
    let mut plugin = plugin(&server).await;
    plugin.send(&asked(ID, &database())).await;
    let ask = server.open_ask(WHICH).await;
    assert_eq!(
        json!([
            ask["conversation"]["name"],
            ask["agent"]["name"],
            ask["wire_id"]
        ]),
        json!(["user-session-123", "agent-abc", ID])
    );
    assert_eq!(
        ask["questions"],
        json!([{"text": WHICH, "tag": "Database", "pick": "one", "look": "list",
            "choices": [
                {"label": "Redis", "description": "In-memory store, very fast"},
                {"label": "SQLite", "description": "File-based, no server needed"},
                {"label": "PostgreSQL", "description": "Full relational database",
                    "preview": "```\n  CREATE TABLE cache\n```"}],
            "default": [], "free_text": true, "required": false}])
    );
    // The plugin waits 120 seconds: the device counts down the same.
    let seconds = |at: &Value| -> f64 {
        let at = at.as_str().unwrap();
        let clock: Vec<f64> = at[11..23]
            .split(':')
            .map(|part| part.parse().unwrap())
            .collect();
        clock[0] * 3600.0 + clock[1] * 60.0 + clock[2]
    };
    let left = seconds(&ask["deadline"]) - seconds(&ask["asked_at"]);
    assert!((left.rem_euclid(86_400.0) - 120.0).abs() < 0.01, "{left}");
}

#[tokio::test]
async fn step_3_the_answer_goes_back_under_the_questions_text() {
    let server = Server::start();
    let mut plugin = plugin(&server).await;
    plugin.send(&asked(ID, &database())).await;
    let ask = server.open_ask(WHICH).await;
    let chosen = json!({"replies": [{"question": 0, "labels": ["Redis"]}]});
    server.say(&ask, "answer", chosen).await;
    assert_eq!(plugin.next().await, answer(ID, &json!({WHICH: "Redis"})));

    let features = "Which features should I enable?";
    let labels = ["Dark mode", "Notifications"];
    let choices = labels.map(|label| json!({"label": label, "description": ""}));
    let many = json!([{"question": features, "header": "Features", "options": choices, "multiSelect": true}]);
    plugin.send(&asked("q-2", &many)).await;
    let ask = server.open_ask(features).await;
    let chosen = json!({"replies": [{"question": 0, "labels": labels}]});
    server.say(&ask, "answer", chosen).await;
    let joined = json!({features: "Dark mode, Notifications"});
    assert_eq!(plugin.next().await, answer("q-2", &joined));

    plugin.send(&asked("q-3", &database())).await;
    let ask = server.open_ask(WHICH).await;
    let own = "DynamoDB — we already use AWS";
    let said = json!({"replies": [{"question": 0, "other": own}]});
    server.say(&ask, "answer", said).await;
    assert_eq!(plugin.next().await, answer("q-3", &json!({WHICH: own})));
}

#[tokio::test]
async fn step_4_dismissal_several_questions_and_a_second_answer() {
    let server = Server::start();
    let mut plugin = plugin(&server).await;
    plugin.send(&asked("q-1", &database())).await;
    let ask = server.open_ask(WHICH).await;
    server.say(&ask, "dismiss", json!({})).await;
    assert_eq!(plugin.next().await, answer("q-1", &json!({})));

    // All answers in a single frame, every question's text as a key.
    let mut batch = database();
    let choices = ["Yes", "No"].map(|label| json!({"label": label, "description": ""}));
    for text in ["Persist it?", "Replicate it?"] {
        let question =
            json!({"question": text, "header": "More", "options": choices, "multiSelect": false});
        batch.as_array_mut().unwrap().push(question);
    }
    plugin.send(&asked("q-2", &batch)).await;
    let ask = server.open_ask("Persist it?").await;
    let replies = json!({"replies": [{"question": 0, "labels": ["SQLite"]}, {"question": 1, "labels": ["Yes"]}]});
    server.say(&ask, "answer", replies).await;
    let answers = json!({WHICH: "SQLite", "Persist it?": "Yes", "Replicate it?": ""});
    assert_eq!(plugin.next().await, answer("q-2", &answers));

    // Only the first answer counts, and the plugin hears of no other.
    let late = server.local("person");
    assert_eq!(server.answer(&late, &ask, "Redis").await, 409);
    plugin.send(&asked("q-3", &database())).await;
    let ask = server.open_ask(WHICH).await;
    assert_eq!(server.answer(&late, &ask, "Redis").await, 200);
    assert_eq!(plugin.next().await, answer("q-3", &json!({WHICH: "Redis"})));
}

#[tokio::test]
async fn the_approval_flow_beside_it() {
    let server = Server::start();
    let mut plugin = plugin(&server).await;
    for (id, verdict, told) in [
        (
            "e-1",
            json!({"allow": true}),
            json!({"executionId": "e-1", "approved": true}),
        ),
        (
            "e-2",
            json!({"allow": false, "note": "not that one"}),
            json!({"executionId": "e-2", "approved": false, "reason": "not that one"}),
        ),
    ] {
        // The document names nothing but the id.
        plugin
            .send(&event(
                "exec.approval.requested",
                &json!({"executionId": id}),
            ))
            .await;
        let ask = server.open_ask(id).await;
        assert_eq!(ask["matter"], "approval");
        server
            .say(&ask, "answer", json!({"verdict": verdict}))
            .await;
        assert_eq!(
            plugin.next().await,
            json!({"type": "hook.approval", "payload": told})
        );
    }
}

#[tokio::test]
async fn the_full_example_sequence() {
    let server = Server::start();
    let mut plugin = plugin(&server).await;
    let frame = json!({
      "type": "event",
      "payload": {
        "event": "ask_user_question",
        "payload": {
          "sessionKey": "user-42",
          "agentId": "coding-agent",
          "questionId": "q-abc-123",
          "questions": [
            {
              "question": "Which testing framework should I use?",
              "header": "Testing",
              "options": [
                { "label": "Jest", "description": "Popular, good for React projects" },
                { "label": "Vitest", "description": "Fast, Vite-native" },
                { "label": "Mocha", "description": "Flexible, widely used" }
              ],
              "multiSelect": false
            }
          ]
        }
      }
    });
    plugin.send(&frame).await;
    let ask = server
        .open_ask("Which testing framework should I use?")
        .await;
    assert_eq!(ask["conversation"]["name"], "user-42");
    let tapped = json!({"replies": [{"question": 0, "labels": ["Vitest"]}]});
    server.say(&ask, "answer", tapped).await;
    assert_eq!(
        plugin.next().await,
        json!({
          "type": "hook.ask_user_answer",
          "payload": {
            "questionId": "q-abc-123",
            "answers": {
              "Which testing framework should I use?": "Vitest"
            }
          }
        })
    );
}
