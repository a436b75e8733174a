//! One WebSocket as both kinds of socket use it: whole texts in and out, signs of life, limits.
//!
//! Reading and writing happen in the one task that owns the socket. Nothing here knows what the
//! frames say.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use bytes::Bytes;
use futures_util::{SinkExt as _, StreamExt as _};
use sayso_core::limits;
use tokio::time::{Instant, Sleep};

use crate::problem::Refusal;

/// Read at a time: an ordinary frame fits, and an idle socket stays small.
const READ_BYTES: usize = 1024;
/// Written at a time, once there is that much; less goes out when there is nothing to read.
const WRITE_BYTES: usize = 4096;
/// What may wait to be written: the largest ask with every character escaped.
const WRITE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Frames up to here are read, so that one over the limit can be refused and the socket stays.
const READ_BYTES_MAX: usize = 2 * limits::FRAME_BYTES_MAX;
/// Quiet for this long, we ask whether the other side is still there.
const QUIET: Duration = Duration::from_secs(20);
/// Silent for this long, it is not.
const SILENT_MAX: Duration = Duration::from_secs(45);
/// How long a goodbye may take.
const GOODBYE_MAX: Duration = Duration::from_secs(2);
const MINUTE: Duration = Duration::from_secs(60);

/// Why we close a socket, in the numbers of the protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Goodbye {
    /// The server stops.
    Stopping,
    /// What came was far too large.
    TooLarge,
    /// The other side fell behind.
    Behind(String),
    /// The state cannot be read now.
    TryLater,
    /// The token was taken back.
    Revoked,
    /// A newer connection stands in this one's place, or the dialect is done with it.
    Done(&'static str),
}

impl Goodbye {
    const fn code(&self) -> u16 {
        match self {
            Self::Stopping => 1001,
            Self::TooLarge => 1009,
            Self::TryLater | Self::Behind(_) => 1013,
            Self::Revoked => 4001,
            Self::Done(_) => 1000,
        }
    }

    fn reason(&self) -> &str {
        match self {
            Self::Stopping => "the server is stopping",
            Self::TooLarge => "too large",
            Self::Behind(reason) => reason,
            Self::TryLater => "the state cannot be read now",
            Self::Revoked => "token revoked",
            Self::Done(reason) => reason,
        }
    }
}

/// What came in.
#[derive(Debug)]
pub(crate) enum Heard {
    /// A frame of text.
    Text(Utf8Bytes),
    /// A frame over the limit; it was read and forgotten.
    TooLarge,
    /// A frame that is no text.
    NotText,
    /// The other side is gone.
    Gone,
    /// What came was so large that the socket cannot go on.
    FarTooLarge,
}

/// The other side is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gone;

/// One open socket.
#[derive(Debug)]
pub(crate) struct Line {
    socket: WebSocket,
    heard_at: Instant,
    /// Rings when it is time to look after the socket.
    watch: Pin<Box<Sleep>>,
    pace: Pace,
    unwritten: Unwritten,
}

/// Whether something was told that is not on its way yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unwritten {
    Nothing,
    /// It may wait for company until then.
    Until(Instant),
    Now,
}

/// What a socket that is waited for comes up with.
enum Event {
    Message(Option<Result<Message, axum::Error>>),
    Watch,
    Broken,
}

/// How many frames may still come.
#[derive(Debug)]
struct Pace {
    per_minute: Option<u32>,
    began: Instant,
    count: u32,
    resting: bool,
}

impl Pace {
    /// Counts a frame; says until when to read no more.
    fn count(&mut self, now: Instant) -> Option<Instant> {
        let max = self.per_minute?;
        if now.duration_since(self.began) >= MINUTE {
            self.began = now;
            self.count = 0;
        }
        self.count += 1;
        self.resting = self.count >= max;
        self.resting.then(|| self.began + MINUTE)
    }

    /// Until when to read no more, if that is still so.
    fn rests_until(&self, now: Instant) -> Option<Instant> {
        let over = self.began + MINUTE;
        (self.resting && now < over).then_some(over)
    }
}

/// Makes the buffers small and the limits ours.
pub(crate) fn opening(
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<WebSocketUpgrade, Refusal> {
    let upgrade = upgrade.map_err(|error| {
        Refusal::invalid("", format!("this address is a WebSocket: {error}"))
            .hint("Connect with a WebSocket client.")
    })?;
    Ok(upgrade
        .read_buffer_size(READ_BYTES)
        .write_buffer_size(WRITE_BYTES)
        .max_write_buffer_size(WRITE_BYTES_MAX)
        .max_message_size(READ_BYTES_MAX)
        .max_frame_size(READ_BYTES_MAX))
}

impl Line {
    pub(crate) fn new(socket: WebSocket, frames_per_minute: Option<u32>) -> Self {
        let now = Instant::now();
        Self {
            socket,
            heard_at: now,
            watch: Box::pin(tokio::time::sleep_until(now + QUIET)),
            pace: Pace {
                per_minute: frames_per_minute,
                began: now,
                count: 0,
                resting: false,
            },
            unwritten: Unwritten::Nothing,
        }
    }

    /// The next frame; meanwhile what was told is written out. Without `reading` only that is done,
    /// and the other side waits. Safe to drop and call again.
    pub(crate) async fn next(&mut self, reading: bool) -> Heard {
        loop {
            let message = match poll_fn(|context| self.poll_event(context, reading)).await {
                Event::Message(message) => message,
                Event::Watch => {
                    if self.look_after().await.is_err() {
                        return Heard::Gone;
                    }
                    continue;
                }
                Event::Broken => return Heard::Gone,
            };
            self.heard_at = Instant::now();
            if let Some(until) = self.pace.count(self.heard_at) {
                self.watch.as_mut().reset(until);
            }
            match message {
                Some(Ok(Message::Text(text))) if text.len() > limits::FRAME_BYTES_MAX => {
                    return Heard::TooLarge;
                }
                Some(Ok(Message::Text(text))) => return Heard::Text(text),
                Some(Ok(Message::Binary(_))) => return Heard::NotText,
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(Message::Close(_))) | None => return Heard::Gone,
                // The library gives its reason as text only.
                Some(Err(error)) if error.to_string().contains("too long") => {
                    return Heard::FarTooLarge;
                }
                Some(Err(error)) => {
                    tracing::debug!(%error, "a socket broke");
                    return Heard::Gone;
                }
            }
        }
    }

    /// Reading comes first: what was told is written only when there is nothing to read, so that
    /// what belongs together goes out together.
    fn poll_event(&mut self, context: &mut Context<'_>, reading: bool) -> Poll<Event> {
        if reading
            && !self.pace.resting
            && let Poll::Ready(message) = self.socket.poll_next_unpin(context)
        {
            return Poll::Ready(Event::Message(message));
        }
        if self.unwritten == Unwritten::Now {
            match self.socket.poll_flush_unpin(context) {
                Poll::Ready(Ok(())) => self.unwritten = Unwritten::Nothing,
                Poll::Ready(Err(_)) => return Poll::Ready(Event::Broken),
                Poll::Pending => {}
            }
        }
        self.watch.as_mut().poll(context).map(|()| Event::Watch)
    }

    /// Writes what has waited long enough. Asks for a sign of life when it has been quiet; gives up
    /// when it has been silent.
    async fn look_after(&mut self) -> Result<(), Gone> {
        let now = Instant::now();
        match self.unwritten {
            Unwritten::Until(until) if now < until => {
                self.watch.as_mut().reset(until);
                return Ok(());
            }
            Unwritten::Until(_) => self.unwritten = Unwritten::Now,
            Unwritten::Nothing | Unwritten::Now => {}
        }
        if let Some(until) = self.pace.rests_until(now) {
            self.watch.as_mut().reset(until);
            return Ok(());
        }
        if self.pace.resting {
            self.pace.resting = false;
            self.heard_at = now;
        }
        let silence = now.duration_since(self.heard_at);
        if silence >= SILENT_MAX {
            return Err(Gone);
        }
        if silence < QUIET {
            self.watch.as_mut().reset(self.heard_at + QUIET);
            return Ok(());
        }
        self.watch
            .as_mut()
            .reset((now + QUIET).min(self.heard_at + SILENT_MAX));
        self.socket
            .send(Message::Ping(Bytes::new()))
            .await
            .map_err(|_| Gone)
    }

    /// Tells a frame. It is on its way at the next wait for a frame, together with what else was
    /// told until then.
    pub(crate) async fn send(&mut self, text: impl Into<Utf8Bytes>) -> Result<(), Gone> {
        self.unwritten = Unwritten::Now;
        self.put(text.into()).await
    }

    /// Tells a frame that nobody acts on. It goes with the next one that somebody does, or when its
    /// time is up: each way to the system costs more than all else that is done for a frame.
    pub(crate) async fn mention(
        &mut self,
        text: impl Into<Utf8Bytes>,
        patience: Duration,
    ) -> Result<(), Gone> {
        if self.unwritten == Unwritten::Nothing {
            let until = Instant::now() + patience;
            self.unwritten = Unwritten::Until(until);
            // What else it watches for is looked after then.
            self.watch.as_mut().reset(until);
        }
        self.put(text.into()).await
    }

    async fn put(&mut self, text: Utf8Bytes) -> Result<(), Gone> {
        self.socket
            .feed(Message::Text(text))
            .await
            .map_err(|_| Gone)
    }

    /// Says goodbye and waits a moment for the other side to do the same.
    pub(crate) async fn close(&mut self, goodbye: Goodbye) {
        let frame = CloseFrame {
            code: goodbye.code(),
            reason: goodbye.reason().into(),
        };
        let farewell = async {
            if self.socket.send(Message::Close(Some(frame))).await.is_ok() {
                while let Some(Ok(_)) = self.socket.recv().await {}
            }
        };
        // Whoever does not answer is cut.
        let _ = tokio::time::timeout(GOODBYE_MAX, farewell).await;
    }
}

/// The text of something that is always text.
pub(crate) fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_default()
}

/// The text of a value of ours; these cannot fail to be written.
pub(crate) fn json_of(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_not_read_until_its_minute_is_over() {
        let began = Instant::now();
        let mut pace = Pace {
            per_minute: Some(3),
            began,
            count: 0,
            resting: false,
        };
        assert_eq!(pace.count(began), None);
        assert_eq!(pace.count(began), None);
        assert_eq!(pace.count(began), Some(began + MINUTE));
        assert!(pace.resting);
        assert_eq!(pace.count(began + MINUTE), None);
        assert!(!pace.resting);
        let mut free = Pace {
            per_minute: None,
            began,
            count: 0,
            resting: false,
        };
        assert_eq!(free.count(began), None);
    }

    #[test]
    fn goodbyes_fit_into_a_control_frame() {
        for goodbye in [
            Goodbye::Stopping,
            Goodbye::TooLarge,
            Goodbye::TryLater,
            Goodbye::Revoked,
            Goodbye::Behind(format!("behind; resume with after={}", u64::MAX)),
        ] {
            assert!(goodbye.reason().len() <= 123, "{goodbye:?}");
        }
    }
}
