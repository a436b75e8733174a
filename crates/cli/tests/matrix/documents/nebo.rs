//! Document 003: ask widgets and approvals, from the agent's socket to the browser's and back.

use sayso_testkit::faces::http::FakeCall;
use sayso_testkit::faces::socket::FakeSocket;
use serde_json::{Value, json};

use crate::matrix::server::Server;

async fn agent(server: &Server, name: &str) -> FakeSocket {
    let token = server.token("agent", name).await;
    let target = format!("/api/v1/agent/ws?name={name}&token={token}");
    let mut agent = FakeSocket::dial(&server.host, &target, None).await.unwrap();
    assert_eq!(agent.next().await["method"], "ready");
    agent
}

async fn browser(server: &Server) -> FakeSocket {
    let mut browser = FakeSocket::dial(&server.host, "/ws", None).await.unwrap();
    let auth = json!({"type": "auth", "data": {"token": server.local("person")}});
    browser.send(&auth).await;
    assert_eq!(browser.next_line().await["type"], "auth_ok");
    browser
}

fn ask(id: &str, prompt: &str, widgets: &Value) -> Value {
    json!({"type": "ask_request", "id": id, "payload": {"prompt": prompt, "widgets": widgets}})
}

/// A frame as the browser's page reads it: the type, the id at the top, and the rest.
fn read(frame: &Value) -> Value {
    let mut data = frame["data"].clone();
    data.as_object_mut().unwrap().remove("session_id");
    json!({"type": frame["type"], "id": frame["id"], "data": data})
}

async fn answers(browser: &mut FakeSocket, id: &str, value: &str) {
    let frame = json!({"type": "ask_response", "data": {"request_id": id, "value": value}});
    browser.send(&frame).await;
}

fn told(id: &str, value: &str) -> Value {
    json!({"type": "ask_response", "id": id, "payload": {"request_id": id, "value": value}})
}

#[tokio::test]
async fn every_widget_type_goes_there_and_back() {
    let server = Server::start();
    let mut agent = agent(&server, "main").await;
    let mut browser = browser(&server).await;
    let options = json!(["Option A", "Option B", "Option C"]);
    let table = [
        (
            json!({"type": "buttons", "label": "Choose one:", "options": options}),
            "Option B",
        ),
        (json!({"type": "confirm", "options": ["Yes", "No"]}), "No"),
        (
            json!({"type": "select", "options": options, "default": "Option C"}),
            "Option A",
        ),
        (json!({"type": "radio", "options": options}), "Option C"),
        (
            json!({"type": "checkbox", "options": options}),
            "Option A, Option C",
        ),
        (
            json!({"type": "buttons", "options": options}),
            "something else",
        ),
    ];
    for (place, (widget, value)) in table.into_iter().enumerate() {
        let id = format!("00000000-0000-4000-8000-00000000000{place}");
        agent
            .send(&ask(&id, "Which option do you prefer?", &json!([widget])))
            .await;
        let frame = browser.next_line().await;
        assert_eq!(
            read(&frame),
            json!({"type": "ask_request", "id": id, "data": {"request_id": id,
                "prompt": "Which option do you prefer?", "widgets": [widget]}})
        );
        answers(&mut browser, &id, value).await;
        assert_eq!(agent.next().await, told(&id, value));
        assert_eq!(browser.next_line().await["type"], "ask_resolved");
    }
}

#[tokio::test]
async fn no_widgets_are_a_confirm_and_no_prompt_is_an_error() {
    let server = Server::start();
    let mut agent = agent(&server, "main").await;
    let mut browser = browser(&server).await;
    let proceed = "Should I proceed with the deployment?";
    agent
        .send(&json!({"type": "ask_request", "id": "a-1", "payload": {"prompt": proceed}}))
        .await;
    let frame = browser.next_line().await;
    assert_eq!(
        frame["data"]["widgets"],
        json!([{"type": "confirm", "options": ["Yes", "No"]}])
    );
    answers(&mut browser, "a-1", "Yes").await;
    assert_eq!(agent.next().await, told("a-1", "Yes"));
    agent.send(&ask("a-2", "", &json!([]))).await;
    assert_eq!(
        agent.next().await,
        json!({"type": "res", "id": "a-2", "error": "'prompt' (or 'text') is required for ask action"})
    );
}

#[tokio::test]
async fn the_approval_flow() {
    let server = Server::start();
    let mut agent = agent(&server, "main").await;
    let mut browser = browser(&server).await;
    let plain = json!({"command": "cargo test"});
    // What else is in this input no rule can speak of.
    let more = json!({"command": "cargo test", "background": true});
    for (id, input, said, told) in [
        (
            "approval-1-1",
            &plain,
            json!({"approved": true}),
            json!({"approved": true, "always": false}),
        ),
        (
            "approval-1-2",
            &plain,
            json!({"approved": false}),
            json!({"approved": false, "always": false}),
        ),
        (
            "approval-1-3",
            &more,
            json!({"approved": true, "always": true}),
            json!({"approved": true, "always": false}),
        ),
        (
            "approval-1-4",
            &plain,
            json!({"approved": true, "always": true}),
            json!({"approved": true, "always": false}),
        ),
    ] {
        agent
            .send(&json!({"type": "approval_request", "id": id, "payload": {"tool": "bash", "input": input}}))
            .await;
        let frame = browser.next_line().await;
        assert_eq!(
            read(&frame),
            json!({"type": "approval_request", "id": id,
                "data": {"request_id": id, "tool": "bash", "input": input}})
        );
        let mut data = said;
        data["request_id"] = json!(id);
        browser
            .send(&json!({"type": "approval_response", "data": data}))
            .await;
        let mut payload = told;
        payload["request_id"] = json!(id);
        assert_eq!(
            agent.next().await,
            json!({"type": "approval_response", "id": id, "payload": payload})
        );
        if input == &more {
            let told = browser.next_line().await;
            assert_eq!(
                json!([told["type"], told["data"]["error"]]),
                json!([
                    "error",
                    "Allowed once only: this ask can't be allowed for longer."
                ])
            );
        }
        assert_eq!(browser.next_line().await["type"], "approval_resolved");
    }
    // What was allowed for always is not asked again.
    agent
        .send(&json!({"type": "approval_request", "id": "approval-1-5", "payload": {"tool": "bash", "input": plain}}))
        .await;
    assert_eq!(
        agent.next().await,
        json!({"type": "approval_response", "id": "approval-1-5",
            "payload": {"request_id": "approval-1-5", "approved": true, "always": false}})
    );
}

#[tokio::test]
async fn an_input_cannot_be_edited_and_devices_are_told() {
    let server = Server::start();
    let mut agent = agent(&server, "main").await;
    let input = json!({"command": "cargo test"});
    agent
        .send(&json!({"type": "approval_request", "id": "ap-1", "payload": {"tool": "bash", "input": input}}))
        .await;
    let open = server.open_ask("cargo test").await;
    assert_eq!(open["edit"], false);
    let said = json!({"digest": open["digest"],
        "verdict": {"allow": true, "input": "{\"command\":\"cargo check\"}"}});
    let target = format!("/v1/asks/{}/answer", open["id"].as_str().unwrap());
    let refused = FakeCall::post(&target, &server.local("person"), &said);
    let refused = refused.now(&server.host).await.with(422);
    assert_eq!(
        refused["violations"],
        json!([{"path": "/verdict/input", "message": "can't be edited: this agent speaks nebo, \
                                                      which can't carry a changed input; allow \
                                                      it as it is, or deny it and say what to \
                                                      change"}])
    );
    // As it is, it can be allowed.
    server
        .say(&open, "answer", json!({"verdict": {"allow": true}}))
        .await;
    assert_eq!(
        agent.next().await,
        json!({"type": "approval_response", "id": "ap-1",
            "payload": {"request_id": "ap-1", "approved": true, "always": false}})
    );
}

#[tokio::test]
async fn nobody_connected_disconnects_and_duplicates() {
    let server = Server::start();
    let mut agent = agent(&server, "main").await;
    // Nobody is there: the ask waits, and so does a second one.
    for id in ["a-1", "a-2"] {
        agent
            .send(&ask(id, &format!("Go on with {id}?"), &json!([])))
            .await;
        server.open_ask(id).await;
    }
    let mut first = browser(&server).await;
    for id in ["a-1", "a-2"] {
        assert_eq!(first.next_line().await["id"], id);
    }
    // A browser that goes mid-ask loses nothing.
    drop(first);
    let mut again = browser(&server).await;
    for id in ["a-1", "a-2"] {
        assert_eq!(again.next_line().await["id"], id);
    }
    for value in ["Yes", "No"] {
        answers(&mut again, "a-2", value).await;
    }
    answers(&mut again, "a-1", "No").await;
    assert_eq!(agent.next().await, told("a-2", "Yes"));
    assert_eq!(agent.next().await, told("a-1", "No"));
}

#[tokio::test]
async fn answered_asks_come_back_read_only_after_a_reload() {
    let server = Server::start();
    let mut agent = agent(&server, "main").await;
    let mut browser = browser(&server).await;
    let widgets =
        json!([{"type": "buttons", "label": "Choose one:", "options": ["Option A", "Option B"]}]);
    agent
        .send(&ask("a-1", "Which option do you prefer?", &widgets))
        .await;
    assert_eq!(browser.next_line().await["type"], "ask_request");
    answers(&mut browser, "a-1", "Option B").await;
    assert_eq!(agent.next().await, told("a-1", "Option B"));
    let page = server.read("/api/v1/chats/main").await;
    let metadata = page["messages"][0]["metadata"].as_str().unwrap();
    let metadata: Value = serde_json::from_str(metadata).unwrap();
    assert_eq!(
        metadata,
        json!({"contentBlocks": [{"type": "ask", "askRequestId": "a-1",
            "askPrompt": "Which option do you prefer?", "askWidgets": widgets,
            "askResponse": "Option B"}]})
    );
}

#[tokio::test]
async fn the_tool_invocation_of_a_model() {
    let server = Server::start();
    let token = server.token("agent", "model").await;
    let widgets = json!([{"type": "buttons", "label": "Choose one:",
        "options": ["Option A", "Option B", "Option C"]}]);
    for (body, value) in [
        (
            json!({"resource": "message", "action": "ask",
                "prompt": "Which option do you prefer?", "widgets": widgets}),
            "Option B",
        ),
        (
            json!({"resource": "message", "action": "ask",
                "text": "Should I proceed with the deployment?"}),
            "Yes",
        ),
    ] {
        let call = FakeCall::post("/v1/tools/agent", &token, &body);
        let host = server.host.clone();
        let waiting = tokio::spawn(async move { call.now(&host).await });
        let prompt = body
            .get("prompt")
            .unwrap_or(&body["text"])
            .as_str()
            .unwrap();
        let ask = server.open_ask(prompt).await;
        let replies = json!({"replies": [{"question": 0, "labels": [value]}]});
        server.say(&ask, "answer", replies).await;
        assert_eq!(waiting.await.unwrap().with(200), json!({"content": value}));
    }
    let empty = json!({"resource": "message", "action": "ask", "prompt": ""});
    let call = FakeCall::post("/v1/tools/agent", &token, &empty);
    assert_eq!(
        call.now(&server.host).await.with(200),
        json!({"content": "'prompt' (or 'text') is required for ask action", "is_error": true})
    );
}
