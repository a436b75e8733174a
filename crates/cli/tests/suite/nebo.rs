//! Nebo's agents and browsers beside other programs: turns that are stopped, words of other devices.

use serde_json::{Value, json};

use super::raw::Call;
use super::socket::Socket;
use super::stage::{Stage, wait_until};

/// A browser that has been let in.
fn browser(stage: &Stage) -> Socket {
    let mut socket = Socket::open(Call::get("/ws"), stage.port()).unwrap();
    socket.send(&json!({"type": "auth", "data": {"token": stage.token("person")}}));
    next_of(&mut socket, "auth_ok");
    socket
}

/// The next frame of this type.
fn next_of(socket: &mut Socket, kind: &str) -> Value {
    loop {
        let frame = socket.next_json();
        assert!(kind == "error" || frame["type"] != "error", "{frame}");
        if frame["type"] == kind {
            return frame;
        }
    }
}

#[test]
fn a_browser_stops_the_turn_of_an_agent_of_any_language() {
    let stage = Stage::served();
    let call = Call::get("/v1/agent?agent=coder").token(&stage.token("agent"));
    let mut agent = Socket::open(call, stage.port()).unwrap();
    for offer in ["take_turns", "take_controls"] {
        agent.send(&json!({"do": offer, "conversations": "any"}));
    }
    agent.send(&json!({"do": "say", "conversation": "errand", "text": "At it"}));
    let mut browser = browser(&stage);
    wait_until("the conversation", || {
        stage
            .by("person", Call::get("/v1/conversations/errand/entries"))
            .status
            == 200
    });
    browser.send(&json!({"type": "check_stream", "data": {"session_id": "errand"}}));
    browser.send(&json!({"type": "cancel", "data": {"session_id": "errand"}}));
    let wanted = agent.event("control");
    assert_eq!(
        (&wanted["control"], &wanted["conversation"]),
        (&json!("interrupt"), &json!("errand"))
    );
    agent.send(&json!({"do": "controlled", "id": wanted["id"]}));
    agent.send(&json!({"do": "say", "conversation": "errand", "text": "", "done": true, "ended": "stopped"}));
    let ended = next_of(&mut browser, "chat_cancelled");
    assert_eq!(ended["data"]["session_id"], "errand");
    // One that cannot be told is named.
    agent.send_frame(0x88, &[]);
    drop(agent);
    wait_until("the agent to be gone", || {
        let agents = stage.by("person", Call::get("/v1/agents")).with(200);
        agents["agents"][0]["connected"] == false
    });
    browser.send(&json!({"type": "cancel", "data": {"session_id": "errand"}}));
    let refused = next_of(&mut browser, "error");
    let why = refused["data"]["error"].as_str().unwrap();
    assert!(why.starts_with("The turn was not stopped: "), "{why}");
}

#[test]
fn an_agent_of_nebo_is_told_to_stop_and_words_of_other_devices_reach_every_browser() {
    let stage = Stage::served();
    let call = Call::get("/api/v1/agent/ws?name=coder").token(&stage.token("agent"));
    let mut agent = Socket::open(call, stage.port()).unwrap();
    next_of(&mut agent, "event");
    let (mut first, mut second) = (browser(&stage), browser(&stage));
    first.send(&json!({"type": "chat", "data": {"session_id": "errand", "prompt": "Deploy"}}));
    let run = next_of(&mut agent, "req");
    assert_eq!(run["method"], "run");
    let told = next_of(&mut second, "chat_message");
    assert_eq!(told["data"]["content"], "Deploy");
    let body = json!({"text": "Hurry"});
    let call = Call::post("/v1/conversations/errand/messages").json(&body);
    stage.by("person", call).with(201);
    // The browser that said the first has drawn it itself.
    for browser in [&mut first, &mut second] {
        let told = next_of(browser, "chat_message");
        assert_eq!(told["data"]["content"], "Hurry");
    }
    second.send(&json!({"type": "cancel", "data": {"session_id": "errand"}}));
    let stop = next_of(&mut agent, "req");
    assert_eq!(
        (&stop["method"], &stop["params"]["session_key"]),
        (&json!("cancel"), &json!("errand"))
    );
    agent.send(&json!({"type": "res", "id": stop["id"], "ok": true}));
    agent.send(&json!({"type": "res", "id": run["id"], "error": "context canceled"}));
    let ended = next_of(&mut first, "chat_cancelled");
    assert_eq!(ended["data"]["session_id"], "errand");
}
