//! One story through everything: three languages, one ask, and a death in the middle.

use sayso_testkit::faces::socket::FakeSocket;
use serde_json::json;

use super::server::Server;

#[tokio::test]
async fn a_nebo_agent_asks_a_chat_sees_it_the_server_dies_and_a_control_tab_answers() {
    let server = Server::start();
    let agent = server.token("agent", "nebo").await;
    let phone = server.token("person", "phone").await;
    let tab = server.token("person", "tab").await;

    // The agent asks; its conversation is named after it.
    let target = format!("/api/v1/agent/ws?name=deployer&token={agent}");
    let mut nebo = FakeSocket::dial(&server.host, &target, None).await.unwrap();
    assert_eq!(nebo.next().await["method"], "ready");
    let widgets = json!([{"type": "buttons", "label": "When", "options": ["Now", "Tonight"]}]);
    let request = json!({"type": "ask_request", "id": "5b6c", "payload":
        {"prompt": "Deploy the shop?", "widgets": widgets}});
    nebo.send(&request).await;
    let ask = server.open_ask("Deploy the shop?").await;

    // The chat front end sees it as its own kind of question.
    let chat = "/api/v1/chat/ws/deployer";
    let mut front = FakeSocket::dial(&server.host, chat, Some(&phone))
        .await
        .unwrap();
    assert_eq!(front.next().await["type"], "connected");
    let status = front.next().await;
    assert_eq!(status["waiting_for_user"], true);
    let id = format!("q_{}", ask["id"].as_str().unwrap().replace('-', ""));
    assert_eq!(
        front.next().await,
        json!({"type": "ask_user_question", "question_id": id, "questionId": id,
            "questions": [{"question": "Deploy the shop?", "header": "When", "multiSelect": false,
                "options": [{"label": "Now", "description": ""}, {"label": "Tonight", "description": ""}]}],
            "timeout_seconds": 604_800})
    );

    server.kill();
    server.start_again();

    // A control tab, which never saw it before, answers.
    let subscribe = "/api/claude/sessions/deployer/subscribe";
    let mut control = FakeSocket::dial(&server.host, subscribe, Some(&tab))
        .await
        .unwrap();
    let shown = control
        .find(|frame| frame["type"] == "control_request")
        .await;
    let request = &shown["request"];
    assert_eq!(request["tool_name"], "AskUserQuestion");
    let said = json!({"questions": request["input"]["questions"],
        "answers": {"Deploy the shop?": "Tonight"}});
    control
        .send(
            &json!({"type": "control_response", "request_id": shown["request_id"], "response":
            {"subtype": "success", "response": {"behavior": "allow", "updated_input": said}}}),
        )
        .await;
    let closed = server.closed(&ask["id"]).await;
    assert_eq!(
        closed["outcome"]["by"],
        json!({"person": "ann", "device": "tab"})
    );

    // The agent comes back and is told in its own frames.
    let mut nebo = FakeSocket::dial(&server.host, &target, None).await.unwrap();
    assert_eq!(nebo.next().await["method"], "ready");
    assert_eq!(
        nebo.next().await,
        json!({"type": "ask_response", "id": "5b6c",
            "payload": {"request_id": "5b6c", "value": "Tonight"}})
    );
    nebo.send(&json!({"type": "event", "method": "lane_update", "payload": {}}))
        .await;
    let confirmed = |ask: &serde_json::Value| ask["delivery"] == "confirmed";
    server.ask_when(&ask["id"], confirmed).await;

    // The chat front end comes back too, and nothing waits for it.
    let mut front = FakeSocket::dial(&server.host, chat, Some(&phone))
        .await
        .unwrap();
    assert_eq!(front.next().await["type"], "connected");
    let status = front.next().await;
    assert_eq!(
        json!([status["waiting_for_user"], status["pending_question_id"]]),
        json!([false, null])
    );
    let verified = server.verified().await;
    assert!(verified.starts_with("sound: "), "{verified}");
}
