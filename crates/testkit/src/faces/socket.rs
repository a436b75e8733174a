//! A WebSocket that speaks JSON, for fakes.

use std::collections::VecDeque;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use super::{BEHIND, BEHIND_TRIES, soon};

/// An open socket.
#[derive(Debug)]
pub struct FakeSocket {
    stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
    /// Texts of a frame that held several.
    rest: VecDeque<String>,
}

impl FakeSocket {
    /// Dials, with a token in the header where there is one; gives the status of a refusal.
    pub async fn dial(host: &str, target: &str, token: Option<&str>) -> Result<Self, u16> {
        let mut call = format!("ws://{host}{target}")
            .into_client_request()
            .expect("a good address");
        if let Some(token) = token {
            let bearer = format!("Bearer {token}").parse().expect("a good header");
            call.headers_mut().insert("authorization", bearer);
        }
        let mut tries = 0;
        loop {
            tries += 1;
            match soon("the handshake", connect_async(call.clone())).await {
                Ok((stream, _)) => {
                    return Ok(Self {
                        stream,
                        rest: VecDeque::new(),
                    });
                }
                // As every client does whose server says that it is behind for a moment.
                Err(Error::Http(reply)) if reply.status() == 503 && tries < BEHIND_TRIES => {
                    tokio::time::sleep(BEHIND).await;
                }
                Err(Error::Http(reply)) => return Err(reply.status().as_u16()),
                Err(error) => unreachable!("{target} cannot be dialled: {error}"),
            }
        }
    }

    /// Sends a frame.
    pub async fn send(&mut self, frame: &Value) {
        self.send_text(&frame.to_string()).await;
    }

    /// Sends a frame that need not be JSON.
    pub async fn send_text(&mut self, text: &str) {
        let sent = self.stream.send(Message::text(text)).await;
        sent.expect("the server reads");
    }

    /// The next text; nothing once the server has closed.
    async fn text(&mut self) -> Option<String> {
        loop {
            match soon("a frame", self.stream.next()).await {
                Some(Ok(Message::Text(text))) => return Some(text.to_string()),
                Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                Some(Ok(_)) => {}
            }
        }
    }

    /// The next frame.
    pub async fn next(&mut self) -> Value {
        let text = self.text().await.expect("the connection stands");
        serde_json::from_str(&text).expect("JSON")
    }

    /// The next JSON text, where one frame may hold several, a line each.
    pub async fn next_line(&mut self) -> Value {
        loop {
            if let Some(line) = self.rest.pop_front() {
                return serde_json::from_str(&line).expect("JSON on each line");
            }
            let text = self.text().await.expect("the connection stands");
            let lines = text.lines().filter(|line| !line.trim().is_empty());
            self.rest.extend(lines.map(str::to_owned));
        }
    }

    /// The next frame that is wanted; those before it are passed over.
    pub async fn find(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let frame = self.next().await;
            if wanted(&frame) {
                return frame;
            }
        }
    }

    /// Reads until the server closes; gives the frames before that and the reason.
    pub async fn closed(mut self) -> (Vec<Value>, String) {
        let mut frames = Vec::new();
        loop {
            match soon("the close", self.stream.next()).await {
                Some(Ok(Message::Text(text))) => {
                    frames.push(serde_json::from_str(&text).expect("JSON"));
                }
                Some(Ok(Message::Close(close))) => {
                    let reason = close.map(|close| close.reason.to_string());
                    return (frames, reason.unwrap_or_default());
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return (frames, String::new()),
            }
        }
    }
}
