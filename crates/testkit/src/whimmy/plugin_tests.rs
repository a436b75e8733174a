//! The stand-in against a bare socket: that it has the habits it says it has.

use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::{WebSocketStream, accept_async};

use futures_util::{SinkExt as _, StreamExt as _};

use super::*;

struct Server(TcpListener);

impl Server {
    async fn start() -> (Self, String) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let host = listener.local_addr().expect("an address").to_string();
        (Self(listener), host)
    }

    /// The next connection, after its `health` and its models.
    async fn accept(&self) -> WebSocketStream<TcpStream> {
        let (stream, _) = self.0.accept().await.expect("a connection");
        let mut socket = accept_async(stream).await.expect("a handshake");
        assert_eq!(next(&mut socket).await, json!({"type": "health"}));
        let models = json!({"event": "models.sync", "payload": {"models": []}});
        assert_eq!(
            next(&mut socket).await,
            json!({"type": "event", "payload": models})
        );
        socket
    }
}

async fn next(socket: &mut WebSocketStream<TcpStream>) -> Value {
    let frame = socket.next().await.expect("a frame").expect("a good frame");
    serde_json::from_str(frame.to_text().expect("text")).expect("JSON")
}

async fn event(socket: &mut WebSocketStream<TcpStream>) -> (String, Value) {
    let frame = next(socket).await;
    assert_eq!(frame["type"], "event");
    let name = frame["payload"]["event"].as_str().expect("a name");
    (name.to_owned(), frame["payload"]["payload"].clone())
}

async fn send(socket: &mut WebSocketStream<TcpStream>, frame: Value) {
    socket
        .send(Message::text(frame.to_string()))
        .await
        .expect("the plugin is there");
}

fn turn(agent: &str, config: &Value) -> Value {
    json!({"type": "hook.agent", "payload": {"message": "hi", "agentId": agent,
        "sessionKey": "User-42", "channel": "whimmy", "agentConfig": config}})
}

#[tokio::test]
async fn an_answer_on_the_next_connection_is_taken_and_the_old_turn_is_lost() {
    let (server, host) = Server::start().await;
    let mut plugin = Plugin::start(&host, "t", Habits::quick());
    let mut socket = server.accept().await;
    send(&mut socket, turn("a1", &json!({}))).await;
    let turn = plugin.turn().await;
    assert_eq!(event(&mut socket).await.0, "chat.presence");
    let questions = json!([{"question": "Go?", "options": []}]);
    let asked = plugin.ask("A1", "User-42", questions.clone());
    let serve = async {
        let (name, started) = event(&mut socket).await;
        assert_eq!(name, "tool.start");
        assert_eq!(started["sessionKey"], "agent:a1:direct:user-42");
        let (name, ask) = event(&mut socket).await;
        assert_eq!(name, "ask_user_question");
        assert_eq!(
            ask,
            json!({"sessionKey": "user-42", "agentId": "a1", "questionId": ask["questionId"],
                "questions": questions})
        );
        drop(socket);
        let mut socket = server.accept().await;
        send(
            &mut socket,
            json!({"type": "hook.ask_user_answer",
                "payload": {"questionId": ask["questionId"], "answers": {"Go?": "yes"}}}),
        )
        .await;
        socket
    };
    let (told, _socket) = tokio::join!(asked, serve);
    assert_eq!(told, ToolAnswer::Answers(json!({"Go?": "yes"})));
    assert!(!turn.chunk("lost"));
    assert!(!turn.done());
    assert!(plugin.event("chat.react", &json!({})));
}

#[tokio::test]
async fn leave_is_asked_only_as_told_and_a_mixed_id_loses_it() {
    let (server, host) = Server::start().await;
    let mut plugin = Plugin::start(&host, "t", Habits::quick());
    let mut socket = server.accept().await;
    assert_eq!(
        plugin.call("a1", "k", "exec", json!({})).await,
        Permission::NotAsked
    );
    assert_eq!(event(&mut socket).await.0, "tool.start");
    let config = json!({"approvals": {"enabled": true, "tools": ["Bash"], "timeoutMs": 60_000}});
    for agent in ["a1", "Mixed"] {
        send(&mut socket, turn(agent, &config)).await;
        plugin.turn().await;
        assert_eq!(event(&mut socket).await.0, "chat.presence");
    }
    for (agent, tool) in [("a1", "write"), ("Mixed", "exec")] {
        assert_eq!(
            plugin.call(agent, "k", tool, json!({})).await,
            Permission::NotAsked
        );
        assert_eq!(event(&mut socket).await.0, "tool.start");
    }
    let judge = async {
        let (name, asked) = event(&mut socket).await;
        assert_eq!(name, "exec.approval.requested");
        assert_eq!(asked["action"], r#"exec({"command":"ls"})"#);
        send(
            &mut socket,
            json!({"type": "hook.approval",
                "payload": {"executionId": asked["executionId"], "approved": false}}),
        )
        .await;
    };
    let (leave, ()) = tokio::join!(
        plugin.call("a1", "k", "exec", json!({"command": "ls"})),
        judge
    );
    assert_eq!(leave, Permission::Refused("User denied exec".to_owned()));
}

#[tokio::test]
async fn a_replaced_connection_is_no_error_and_the_gateway_gives_up_in_the_end() {
    let (server, host) = Server::start().await;
    let habits = Habits {
        dials_max: 1,
        ..Habits::quick()
    };
    let mut plugin = Plugin::start(&host, "t", habits);
    for (reason, error) in [("replaced", None), ("bye", Some("Disconnected: bye"))] {
        let mut socket = server.accept().await;
        let close = CloseFrame {
            code: CloseCode::Normal,
            reason: reason.into(),
        };
        socket.close(Some(close)).await.expect("a close");
        plugin.connected().await;
        match plugin.next().await {
            Noticed::Disconnected {
                reason: why,
                error: shown,
            } => assert_eq!((why.as_str(), shown.as_deref()), (reason, error)),
            other => panic!("{other:?}"),
        }
    }
    assert!(matches!(plugin.next().await, Noticed::GaveUp));
    assert!(!plugin.event("chat.react", &json!({})));
}

#[tokio::test]
async fn a_ping_gets_a_pong_and_an_unknown_answer_is_only_noticed() {
    let (server, host) = Server::start().await;
    let mut plugin = Plugin::start(&host, "t", Habits::quick());
    let mut socket = server.accept().await;
    send(&mut socket, json!({"type": "ping"})).await;
    assert_eq!(next(&mut socket).await, json!({"type": "pong"}));
    send(&mut socket, json!({"type": "nobody knows"})).await;
    send(
        &mut socket,
        json!({"type": "hook.ask_user_answer", "payload": {"questionId": "q", "answers": {}}}),
    )
    .await;
    plugin.connected().await;
    assert!(matches!(plugin.next().await, Noticed::Pinged));
    match plugin.next().await {
        Noticed::Unwaited(id) => assert_eq!(id, "q"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn silence_is_a_sentence_for_the_model_after_the_time_that_was_told() {
    let (server, host) = Server::start().await;
    let mut plugin = Plugin::start(&host, "t", Habits::quick());
    let mut socket = server.accept().await;
    let config = json!({"askUserQuestion": {"enabled": true, "timeoutMs": 1}});
    send(&mut socket, turn("a1", &config)).await;
    plugin.turn().await;
    let ToolAnswer::Nothing(sentence) = plugin.ask("a1", "k", json!([])).await else {
        panic!("nobody answered");
    };
    assert!(
        sentence
            .starts_with("User did not respond: AskUserQuestion timed out after 1ms (questionId="),
        "{sentence}"
    );
}
