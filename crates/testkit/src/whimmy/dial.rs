//! The plugin's connection: dialling, sleeping, reading, and the gateway that dials again.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::sleep;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use super::{Habits, Noticed, PluginTurn, Shared};

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Frames that wait to be written.
const BEHIND_MAX: usize = 1024;

/// The way out, while there is one.
#[derive(Debug, Default)]
pub(super) struct Wire(Mutex<Open>);

#[derive(Debug, Default)]
struct Open {
    link: u64,
    out: Option<mpsc::Sender<String>>,
}

impl Wire {
    /// Sends an event on the connection there is. Without one it is dropped, and nobody is told.
    pub(super) fn event(&self, name: &str, payload: &Value) -> bool {
        let open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.send(name, payload)
    }

    /// Sends an event on that connection only.
    pub(super) fn event_on(&self, link: u64, name: &str, payload: &Value) -> bool {
        let open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.link == link && open.send(name, payload)
    }

    fn open(&self) -> (u64, mpsc::Receiver<String>) {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (send, out) = mpsc::channel(BEHIND_MAX);
        open.link += 1;
        open.out = Some(send);
        (open.link, out)
    }

    fn close(&self) {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.out = None;
    }
}

impl Open {
    fn send(&self, name: &str, payload: &Value) -> bool {
        let frame = json!({"type": "event", "payload": {"event": name, "payload": payload}});
        let out = self.out.as_ref();
        out.is_some_and(|out| out.try_send(frame.to_string()).is_ok())
    }
}

/// Trades a pairing code for a token, or says what the plugin would show.
pub async fn pair(host: &str, prefix: &str, code: &str) -> Result<String, String> {
    let body = json!({"code": code}).to_string();
    let call = format!(
        "POST /api/v1/{prefix}/pair/redeem HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(host).await.expect("the server listens");
    stream
        .write_all(call.as_bytes())
        .await
        .expect("the server reads");
    let mut reply = String::new();
    stream
        .read_to_string(&mut reply)
        .await
        .expect("the server answers in text");
    let (head, body) = reply.split_once("\r\n\r\n").expect("an HTTP reply");
    let status = head.split(' ').nth(1).expect("an HTTP status");
    let token = || {
        let body: Value = serde_json::from_str(body).ok()?;
        Some(body.get("connectionToken")?.as_str()?.to_owned())
    };
    match token() {
        Some(token) if status.starts_with('2') => Ok(token),
        Some(_) | None => Err(format!("Pairing failed ({status}): {body}")),
    }
}

/// The gateway: dials, and dials again whenever the connection is gone, until it gives up.
pub(super) async fn run(
    url: String,
    habits: Habits,
    shared: Arc<Shared>,
    noticed: mpsc::Sender<Noticed>,
) {
    let mut wait = habits.dial_again;
    for dial in 0..=habits.dials_max {
        if dial > 0 {
            sleep(wait).await;
            wait = (wait * 2).min(habits.dial_again_max);
        }
        let gone = match connect_async(url.as_str()).await {
            Ok((socket, _)) => run_connection(socket, habits.stall, &shared, &noticed).await,
            Err(Error::Http(reply)) => Noticed::Refused(reply.status().to_string()),
            Err(error) => Noticed::Refused(error.to_string()),
        };
        shared.wire.close();
        if noticed.send(gone).await.is_err() {
            return;
        }
    }
    // A test that no longer looks does not mind.
    let _ = noticed.send(Noticed::GaveUp).await;
    std::future::pending::<()>().await;
}

/// One connection, to its end.
async fn run_connection(
    mut socket: Socket,
    stall: Duration,
    shared: &Arc<Shared>,
    noticed: &mpsc::Sender<Noticed>,
) -> Noticed {
    let (link, mut out) = shared.wire.open();
    if socket.send(text(&json!({"type": "health"}))).await.is_err() {
        return disconnected(String::new());
    }
    let _ = noticed.send(Noticed::Connected).await;
    // The real one runs another program here and waits for it: it neither reads nor writes.
    sleep(stall).await;
    shared.wire.event("models.sync", &json!({"models": []}));
    loop {
        tokio::select! {
            frame = socket.next() => match frame {
                Some(Ok(Message::Text(frame))) => {
                    if let Some(reply) = hear(&frame, link, shared, noticed).await
                        && socket.send(reply).await.is_err()
                    {
                        return disconnected(String::new());
                    }
                }
                Some(Ok(Message::Close(close))) => {
                    return disconnected(close.map(|close| close.reason.to_string()).unwrap_or_default());
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return disconnected(String::new()),
            },
            Some(frame) = out.recv() => {
                if socket.send(Message::text(frame)).await.is_err() {
                    return disconnected(String::new());
                }
            }
            () = shared.cut.notified() => return disconnected(String::new()),
        }
    }
}

fn disconnected(reason: String) -> Noticed {
    let error = (reason != "replaced").then(|| format!("Disconnected: {reason}"));
    Noticed::Disconnected { reason, error }
}

fn text(frame: &Value) -> Message {
    Message::text(frame.to_string())
}

/// What a frame of the server does; what is written back at once.
async fn hear(
    frame: &str,
    link: u64,
    shared: &Arc<Shared>,
    noticed: &mpsc::Sender<Noticed>,
) -> Option<Message> {
    // What it cannot read, or does not know, it ignores.
    let frame: Value = serde_json::from_str(frame).ok()?;
    let word = |key: &str| {
        frame
            .pointer(key)
            .and_then(Value::as_str)
            .unwrap_or("")
            .to_owned()
    };
    match frame.get("type")?.as_str()? {
        "ping" => {
            let _ = noticed.send(Noticed::Pinged).await;
            return Some(text(&json!({"type": "pong"})));
        }
        "hook.ask_user_answer" => {
            let (id, answers) = (
                word("/payload/questionId"),
                frame.pointer("/payload/answers"),
            );
            let answers = answers.cloned().unwrap_or_default();
            if !shared.waits.answered(&id, answers) {
                let _ = noticed.send(Noticed::Unwaited(id)).await;
            }
        }
        "hook.approval" => {
            let id = word("/payload/executionId");
            let approved = frame.pointer("/payload/approved") == Some(&Value::Bool(true));
            if !shared.waits.judged(&id, approved) {
                let _ = noticed.send(Noticed::Unwaited(id)).await;
            }
        }
        "hook.agent" => {
            let turn = PluginTurn {
                agent: word("/payload/agentId"),
                key: word("/payload/sessionKey"),
                message: word("/payload/message"),
                payload: frame.get("payload").cloned().unwrap_or_default(),
                shared: Arc::clone(shared),
                link,
            };
            let Some(config) = frame.pointer("/payload/agentConfig") else {
                turn.fail("Cannot read properties of undefined (reading 'model')");
                return None;
            };
            shared.waits.configure(&turn.agent, config.clone());
            turn.presence("typing");
            let _ = noticed.send(Noticed::Turn(turn)).await;
        }
        _ => {}
    }
    None
}
