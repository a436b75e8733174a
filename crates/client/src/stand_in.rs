//! A scripted stand-in for a server, for what a real one cannot be made to do on cue: losing a
//! reply, speaking through a broken proxy, cutting a socket between two frames.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use futures_util::{SinkExt, StreamExt};
use sayso_dialects::native::wire::{
    AgentRef, Ask, By, Delivery, Matter, Outcome, OutcomeKind, State, WireTime,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};

use crate::client::Client;

/// What the stand-in does with the next connection.
#[derive(Debug)]
pub(crate) enum StandInStep {
    /// Reads the call and replies.
    Reply(u16, String),
    /// Reads the call and closes the connection.
    Lose,
    /// Takes a socket, and then does this, one after the other, before it closes it.
    Socket(Vec<StandInTurn>),
}

/// One turn on a socket.
#[derive(Debug)]
pub(crate) enum StandInTurn {
    Say(String),
    Hear,
}

/// What was heard: the first line of a call with its key, or a frame.
pub(crate) type Recorded = Arc<Mutex<Vec<String>>>;

/// Starts a stand-in that follows the script and then takes no more connections.
pub(crate) async fn start(script: Vec<StandInStep>) -> (Client, Recorded) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let heard = Recorded::default();
    let told = Arc::clone(&heard);
    tokio::spawn(async move {
        let mut script = VecDeque::from(script);
        while let Some(step) = script.pop_front() {
            let (stream, _) = listener.accept().await.unwrap();
            follow(stream, step, &told).await;
        }
    });
    (Client::new(&url, "token").unwrap(), heard)
}

async fn follow(mut stream: TcpStream, step: StandInStep, heard: &Recorded) {
    let note_down = |text: String| heard.lock().unwrap().push(text);
    match step {
        StandInStep::Lose => note_down(call(&mut stream).await),
        StandInStep::Reply(status, body) => {
            note_down(call(&mut stream).await);
            let top = format!(
                "HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            stream.write_all(top.as_bytes()).await.unwrap();
            stream.write_all(body.as_bytes()).await.unwrap();
            stream.shutdown().await.unwrap();
        }
        StandInStep::Socket(turns) => {
            #[expect(
                clippy::result_large_err,
                reason = "the shape that the handshake wants"
            )]
            let note = |request: &Request, response: Response| {
                note_down(format!("GET {}", request.uri()));
                Ok(response)
            };
            let mut socket = tokio_tungstenite::accept_hdr_async(stream, note)
                .await
                .unwrap();
            for turn in turns {
                match turn {
                    StandInTurn::Say(text) => socket.send(Message::text(text)).await.unwrap(),
                    StandInTurn::Hear => note_down(
                        socket
                            .next()
                            .await
                            .unwrap()
                            .unwrap()
                            .into_text()
                            .unwrap()
                            .to_string(),
                    ),
                }
            }
        }
    }
}

/// Reads one call; gives its first two words and its key.
async fn call(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let (head, body) = loop {
        stream.read_buf(&mut bytes).await.unwrap();
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break (String::from_utf8(bytes[..end].to_vec()).unwrap(), end + 4);
        }
    };
    let header = |name: &str| {
        let line = head
            .lines()
            .find(|line| line.to_lowercase().starts_with(&format!("{name}:")));
        line.and_then(|line| line.split_once(": "))
            .map(|(_, value)| value.to_owned())
    };
    assert_eq!(header("authorization").as_deref(), Some("Bearer token"));
    let length: usize = header("content-length").map_or(0, |length| length.parse().unwrap());
    while bytes.len() < body + length {
        stream.read_buf(&mut bytes).await.unwrap();
    }
    let first: Vec<&str> = head.split(' ').take(2).collect();
    match header("idempotency-key") {
        Some(key) => format!("{} key={key}", first.join(" ")),
        None => first.join(" "),
    }
}

/// An ask as a server tells it; `closed` is the kind of its outcome.
pub(crate) fn ask(closed: Option<OutcomeKind>) -> Ask {
    let at = WireTime(sayso_dialects::time::parse("2026-11-15T08:00:00.123Z").unwrap());
    Ask {
        stop: false,
        unreadable: false,
        id: "01938d1e-7c1a-7e55-9a4e-3a0f6c1d2b3c".into(),
        state: if closed.is_some() {
            State::Closed
        } else {
            State::Open
        },
        matter: Matter::Questions,
        title: None,
        questions: Some(Vec::new()),
        action: None,
        form: None,
        agent: AgentRef {
            id: "ag_1".into(),
            name: "a".into(),
            dialect: "native".into(),
            connected: true,
        },
        conversation: None,
        workspace: None,
        wire_id: None,
        digest: "sha256:00".into(),
        shape: "sha256:00".into(),
        asked_at: at,
        deadline: None,
        scopes: Vec::new(),
        edit: None,
        delivery: Delivery::Owed,
        outcome: closed.map(|kind| Outcome {
            stop: false,
            kind,
            answer: None,
            note: None,
            by: By {
                clock: true,
                ..By::default()
            },
            at,
        }),
        late: None,
        prefill: None,
    }
}

pub(crate) fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap()
}

pub(crate) fn heard(heard: &Recorded) -> Vec<String> {
    heard.lock().unwrap().clone()
}
