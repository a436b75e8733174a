//! One HTTP call, for fakes.

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FakeReply {
    pub status: u16,
    /// The body.
    pub text: String,
}

impl FakeReply {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| {
            unreachable!("{error} in {} {:?}", self.status, self.text);
        })
    }

    /// The body as JSON of a reply with this status.
    pub fn with(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text);
        self.json()
    }
}

/// A call that is to be made.
#[derive(Debug, Clone)]
pub struct FakeCall {
    head: String,
    body: Option<String>,
}

impl FakeCall {
    /// Reads something.
    pub fn get(target: &str, token: &str) -> Self {
        Self {
            head: format!("GET {target} HTTP/1.1\r\nauthorization: Bearer {token}\r\n"),
            body: None,
        }
    }

    /// Sends something.
    pub fn post(target: &str, token: &str, body: &Value) -> Self {
        Self {
            head: format!("POST {target} HTTP/1.1\r\nauthorization: Bearer {token}\r\n"),
            body: Some(body.to_string()),
        }
    }

    /// With one more header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.head.extend([name, ": ", value, "\r\n"]);
        self
    }

    /// Makes the call, however long the server takes; nothing when the connection breaks.
    pub async fn send(&self, host: &str) -> Option<FakeReply> {
        let body = self.body.as_deref().unwrap_or_default();
        let call = format!(
            "{}host: {host}\r\nconnection: close\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            self.head,
            body.len()
        );
        let mut stream = TcpStream::connect(host).await.ok()?;
        stream.write_all(call.as_bytes()).await.ok()?;
        let mut reply = Vec::new();
        stream.read_to_end(&mut reply).await.ok()?;
        let reply = String::from_utf8(reply).expect("a reply in text");
        let (head, text) = reply.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok());
        Some(FakeReply {
            status: status.expect("an HTTP status"),
            text: text.to_owned(),
        })
    }

    /// Makes a call whose reply comes soon.
    pub async fn now(&self, host: &str) -> FakeReply {
        let reply = super::soon("a reply", self.patiently(host)).await;
        reply.expect("the server answers")
    }

    /// Makes the call again while the server says that it is behind, as every client does.
    pub async fn patiently(&self, host: &str) -> Option<FakeReply> {
        for _ in 1..super::BEHIND_TRIES {
            let reply = self.send(host).await?;
            if reply.status != 503 {
                return Some(reply);
            }
            tokio::time::sleep(super::BEHIND).await;
        }
        self.send(host).await
    }
}
