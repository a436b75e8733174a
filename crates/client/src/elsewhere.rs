//! A server that is not ours, reached as ours is: for bridges to programs that speak HTTP.
//!
//! It knows no language: text goes out and text comes back, whole or as a stream of events. A status
//! that means no is told as it is, because only the caller knows what that server means by it.

use std::time::Duration;

use http::header::CONTENT_TYPE;
use http_body_util::{BodyExt, Limited};
use tokio::time::timeout;

use crate::call::{HttpCall, OpenReply};
use crate::client::Client;
use crate::error::ClientError;
use crate::token::TokenSecret;

/// The largest reply and the largest event that is read.
const BYTES_MAX: usize = 16 * 1024 * 1024;
/// A stream that says nothing for this long is dead; a model thinks long, and not for ever.
const SILENCE_MAX: Duration = Duration::from_secs(15 * 60);

/// A way in to a server that is not ours. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Elsewhere(Client);

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ElsewhereReply {
    pub status: u16,
    /// The whole body.
    pub body: Vec<u8>,
}

impl ElsewhereReply {
    /// Whether the status means yes.
    pub const fn is_yes(&self) -> bool {
        matches!(self.status, 200..=299)
    }
}

/// What came back, or the beginning of a stream.
#[derive(Debug)]
pub enum Streamed {
    /// Events follow.
    Events(Events),
    /// Something else came.
    Said(ElsewhereReply),
}

impl Elsewhere {
    /// A way in at this address, which may have a path; with a bearer token, if it wants one.
    pub fn new(url: &str, token: Option<TokenSecret>) -> Result<Self, ClientError> {
        Client::trusting(url, token, &crate::trust::Trust::Web).map(Self)
    }

    /// Where it is.
    pub fn url(&self) -> String {
        self.0.url()
    }

    /// The same server without the path of its address.
    #[must_use]
    pub fn root(&self) -> Self {
        Self(self.0.at_root())
    }

    /// Reads something.
    pub async fn get(&self, route: &str) -> Result<ElsewhereReply, ClientError> {
        whole(self.0.begin(HttpCall::get(route)).await?).await
    }

    /// Sends something and waits so long for the reply.
    pub async fn post(
        &self,
        route: &str,
        kind: &'static str,
        body: Vec<u8>,
        reply_max: Duration,
    ) -> Result<ElsewhereReply, ClientError> {
        let call = HttpCall::post(route).reply_max(reply_max).body(kind, body);
        whole(self.0.begin(call).await?).await
    }

    /// Sends JSON and reads the events that come back.
    pub async fn stream(&self, route: &str, body: Vec<u8>) -> Result<Streamed, ClientError> {
        let call = HttpCall::post(route)
            .reply_max(SILENCE_MAX)
            .body("application/json", body)
            .accept("text/event-stream");
        let begun = self.0.begin(call).await?;
        let kind = begun.response.headers().get(CONTENT_TYPE);
        let events = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
        if events && begun.response.status().is_success() {
            return Ok(Streamed::Events(Events {
                begun,
                bytes: Vec::new(),
                data: Vec::new(),
            }));
        }
        whole(begun).await.map(Streamed::Said)
    }
}

async fn whole(mut begun: OpenReply) -> Result<ElsewhereReply, ClientError> {
    let status = begun.response.status().as_u16();
    let body = Limited::new(begun.response.body_mut(), BYTES_MAX).collect();
    let body = timeout(SILENCE_MAX, body)
        .await
        .map_err(|_| ClientError::Cut("the response ended early".into()))?
        .map_err(|error| ClientError::Cut(error.to_string()))?;
    Ok(ElsewhereReply {
        status,
        body: body.to_bytes().into(),
    })
}

/// A stream of events. The connection lives as long as this does.
#[derive(Debug)]
pub struct Events {
    begun: OpenReply,
    /// What came and is no whole line yet.
    bytes: Vec<u8>,
    /// The data of the event that is being read.
    data: Vec<u8>,
}

impl Events {
    /// The data of the next event; nothing at the end of the stream.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, ClientError> {
        loop {
            if let Some(data) = self.whole_event() {
                return Ok(Some(data));
            }
            if self.bytes.len() + self.data.len() > BYTES_MAX {
                return Err(ClientError::BadAnswer("an event is too large".into()));
            }
            let frame = timeout(SILENCE_MAX, self.begun.response.body_mut().frame())
                .await
                .map_err(|_| ClientError::Cut("the stream timed out".into()))?;
            match frame {
                Some(Ok(frame)) => {
                    if let Some(bytes) = frame.data_ref() {
                        self.bytes.extend_from_slice(bytes);
                    }
                }
                Some(Err(error)) => return Err(ClientError::Cut(error.to_string())),
                // An event without its empty line is none.
                None => return Ok(None),
            }
        }
    }

    fn whole_event(&mut self) -> Option<Vec<u8>> {
        take_event(&mut self.bytes, &mut self.data)
    }
}

/// Takes whole lines off the bytes until they made an event.
fn take_event(bytes: &mut Vec<u8>, data: &mut Vec<u8>) -> Option<Vec<u8>> {
    while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
        let line: Vec<u8> = bytes.drain(..=end).collect();
        let line = line.strip_suffix(b"\n").unwrap_or(&line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            if !data.is_empty() {
                return Some(std::mem::take(data));
            }
        } else if let Some(rest) = line.strip_prefix(b"data:") {
            if !data.is_empty() {
                data.push(b'\n');
            }
            data.extend_from_slice(rest.strip_prefix(b" ").unwrap_or(rest));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_whole_however_they_are_cut() {
        let text =
            "data: {\"a\":1}\n\n: a comment\nevent: x\ndata:two\r\ndata: lines\r\n\r\ndata: no end";
        for cut in 1..text.len() {
            let (mut bytes, mut data, mut told) = (Vec::new(), Vec::new(), Vec::new());
            for piece in text.as_bytes().chunks(cut) {
                bytes.extend_from_slice(piece);
                while let Some(event) = take_event(&mut bytes, &mut data) {
                    told.push(String::from_utf8(event).unwrap());
                }
            }
            assert_eq!(told, ["{\"a\":1}", "two\nlines"], "cut at {cut}");
        }
    }
}
