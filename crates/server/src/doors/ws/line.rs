//! One open socket: whole texts in and out, and whether the other side is still there.
//!
//! Reading and writing happen in the one task that owns the socket.

use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use sayso_core::id::TokenId;
use sayso_core::limits;
use sayso_dialects::Frames;
use tokio::io::AsyncReadExt as _;
use tokio::time::{Instant, Sleep};

use super::goodbye::Goodbye;
use super::inbox::{self, BrokenFrame, Inbox, WholeMessage};
use super::outbox::Outbox;
use super::pace::PingPace;
use super::upgrade::{Opened, SocketStream};
use crate::halves::{Half, NoRoom};
use crate::shared::Shared;

/// With that much to be written, nothing more is told until it is.
const WRITE_BYTES: usize = 16 * 1024;
/// Quiet for this long, we ask whether the other side is still there.
const QUIET: Duration = Duration::from_secs(20);
/// Silent for this long, it is not.
const SILENT_MAX: Duration = Duration::from_secs(45);
/// How long a large message may take to come in.
const HALF_MAX: Duration = Duration::from_secs(limits::HALF_S);
/// How long a goodbye may take.
const GOODBYE_MAX: Duration = Duration::from_secs(2);

/// What came in.
#[derive(Debug)]
pub(crate) enum SocketHeard {
    /// A frame of text.
    Text(String),
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
pub(crate) struct SocketLine {
    stream: SocketStream,
    inbox: Inbox,
    outbox: Outbox,
    heard_at: Instant,
    /// Rings when it is time to look after the socket.
    watch: Pin<Box<Sleep>>,
    pace: PingPace,
    unwritten: Unwritten,
    /// What of the agents' room for half messages this one has; people's sockets need none.
    half: Option<Half>,
    /// When the message that has come in half began to.
    half_since: Option<Instant>,
}

/// Frames on their way into a socket.
pub(crate) struct Written<'a> {
    line: &'a mut SocketLine,
    patience: Option<Duration>,
    /// Whether there was one.
    pub(crate) any: bool,
}

impl Frames for Written<'_> {
    fn write(&mut self, write: &mut dyn FnMut(&mut Vec<u8>)) {
        self.any = true;
        match self.patience {
            Some(patience) => self.line.put_off(patience),
            None => self.line.unwritten = Unwritten::Now,
        }
        self.line.outbox.text(write);
    }
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
    Message(WholeMessage),
    Broken(BrokenFrame),
    Watch,
    Gone,
}

impl SocketLine {
    pub(crate) fn new(opened: Opened, frames_per_minute: Option<u32>) -> Self {
        let now = Instant::now();
        Self {
            stream: opened.stream,
            inbox: opened.inbox,
            outbox: Outbox::default(),
            heard_at: now,
            watch: Box::pin(tokio::time::sleep_until(now + QUIET)),
            pace: PingPace::new(frames_per_minute, now),
            unwritten: Unwritten::Nothing,
            half: None,
            half_since: None,
        }
    }

    /// A socket of an agent with this token.
    pub(crate) fn of_agent(opened: Opened, shared: &Shared, token: TokenId) -> Self {
        let mut line = Self::new(opened, shared.frames_per_minute);
        line.half = Some(shared.halves.of(token));
        line
    }

    /// A socket over which a token is still to come: until then little is read at a time.
    pub(crate) fn of_stranger(opened: Opened, frames_per_minute: Option<u32>) -> Self {
        let mut line = Self::new(opened, frames_per_minute);
        line.inbox.limit(limits::STRANGER_BODY_BYTES_MAX);
        line
    }

    /// A valid token came.
    pub(crate) fn trust(&mut self) {
        self.inbox.limit(inbox::BYTES_MAX);
    }

    /// The next frame; meanwhile what was told is written out. Without `reading` only that is done,
    /// and the other side waits. Safe to drop and call again.
    pub(crate) async fn next(&mut self, reading: bool) -> SocketHeard {
        loop {
            let message = match poll_fn(|context| self.poll_event(context, reading)).await {
                Event::Message(message) => message,
                Event::Watch => match self.look_after() {
                    Ok(()) => continue,
                    Err(Gone) => return SocketHeard::Gone,
                },
                Event::Broken(BrokenFrame::FarTooLarge) => return SocketHeard::FarTooLarge,
                Event::Broken(broken @ (BrokenFrame::NoRoom | BrokenFrame::TooSlow)) => {
                    tracing::debug!(reason = broken.reason(), "the buffer of a socket is full");
                    self.outbox.close(Some(broken.code()), broken.reason());
                    // Whoever does not answer is cut.
                    let _ = tokio::time::timeout(GOODBYE_MAX, self.farewell()).await;
                    return SocketHeard::Gone;
                }
                Event::Broken(broken) => {
                    tracing::debug!(reason = broken.reason(), "a socket failed");
                    self.leave(Some(broken.code()), broken.reason()).await;
                    return SocketHeard::Gone;
                }
                Event::Gone => return SocketHeard::Gone,
            };
            self.heard_at = Instant::now();
            if let Some(until) = self.pace.count(self.heard_at) {
                self.watch.as_mut().reset(until);
            }
            match message {
                WholeMessage::Text(text) => return SocketHeard::Text(text),
                WholeMessage::TooLarge => return SocketHeard::TooLarge,
                WholeMessage::NotText => return SocketHeard::NotText,
                WholeMessage::Ping(payload) => {
                    self.outbox.pong(&payload);
                    self.unwritten = Unwritten::Now;
                }
                WholeMessage::Pong => {}
                WholeMessage::Close(code) => {
                    self.leave(code, "").await;
                    return SocketHeard::Gone;
                }
            }
        }
    }

    /// Reading comes first: what was told is written only when there is nothing to read, so that
    /// what belongs together goes out together.
    fn poll_event(&mut self, context: &mut Context<'_>, reading: bool) -> Poll<Event> {
        // Whoever asks for signs of life and takes none is not read either.
        if reading
            && !self.pace.is_resting()
            && self.outbox.len() < WRITE_BYTES
            && let Poll::Ready(event) = self.poll_message(context)
        {
            return Poll::Ready(event);
        }
        if self.unwritten == Unwritten::Now {
            match self.poll_written(context) {
                Poll::Ready(Ok(())) | Poll::Pending => {}
                Poll::Ready(Err(_)) => return Poll::Ready(Event::Gone),
            }
        }
        self.watch.as_mut().poll(context).map(|()| Event::Watch)
    }

    fn poll_message(&mut self, context: &mut Context<'_>) -> Poll<Event> {
        loop {
            match self.inbox.next() {
                Ok(Some(message)) => {
                    if message.is_data() {
                        self.half_since = None;
                    }
                    return Poll::Ready(Event::Message(message));
                }
                Ok(None) => {}
                Err(broken) => return Poll::Ready(Event::Broken(broken)),
            }
            if let Err(broken) = self.holds_half() {
                self.inbox.forget();
                return Poll::Ready(Event::Broken(broken));
            }
            match self.poll_read(context) {
                Poll::Ready(Ok(0)) => return Poll::Ready(Event::Gone),
                Poll::Ready(Ok(_)) => {}
                Poll::Ready(Err(error)) => {
                    tracing::debug!(%error, "a socket failed");
                    return Poll::Ready(Event::Gone);
                }
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    /// Counts what is kept of a message that is not whole yet, and for how long.
    fn holds_half(&mut self) -> Result<(), BrokenFrame> {
        let held = self.inbox.held();
        if held == 0 {
            self.half_since = None;
        } else {
            let since = *self.half_since.get_or_insert_with(Instant::now);
            // Ordinary ones are whole at once, and nothing waits for the others.
            if held > limits::HALF_FREE_BYTES && since.elapsed() >= HALF_MAX {
                return Err(BrokenFrame::TooSlow);
            }
        }
        match &mut self.half {
            Some(half) => half.holds(held).map_err(|NoRoom| BrokenFrame::NoRoom),
            None => Ok(()),
        }
    }

    /// Adds to the inbox what the network has.
    fn poll_read(&mut self, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let read = pin!(self.stream.read_buf(self.inbox.room())).poll(context);
        if read.is_pending() {
            self.inbox.rest();
        }
        read
    }

    fn poll_written(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let written = self.outbox.poll_write(context, &mut self.stream);
        if written.is_ready() {
            self.unwritten = Unwritten::Nothing;
        }
        written
    }

    /// Writes what has waited long enough. Asks for a sign of life when it has been quiet; gives up
    /// when it has been silent.
    fn look_after(&mut self) -> Result<(), Gone> {
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
        if self.pace.wake() {
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
        self.outbox.ping();
        self.unwritten = Unwritten::Now;
        Ok(())
    }

    /// Tells a frame. It is on its way at the next wait for a frame, together with what else was
    /// told until then.
    pub(crate) async fn send(&mut self, text: &str) -> Result<(), Gone> {
        let text = text.as_bytes();
        self.frames(None)
            .write(&mut |out| out.extend_from_slice(text));
        self.room().await
    }

    /// What is told next may wait that long, unless something that is told already may not.
    fn put_off(&mut self, patience: Duration) {
        if self.unwritten == Unwritten::Nothing {
            let until = Instant::now() + patience;
            self.unwritten = Unwritten::Until(until);
            // What else it watches for is looked after then.
            self.watch.as_mut().reset(until);
        }
    }

    /// Where frames are written to. With patience they may wait that long for company: nobody acts
    /// on them, and each way to the system costs more than all else that is done for a frame.
    pub(crate) fn frames(&mut self, patience: Option<Duration>) -> Written<'_> {
        Written {
            line: self,
            patience,
            any: false,
        }
    }

    /// Waits until there is room for more frames.
    pub(crate) async fn room(&mut self) -> Result<(), Gone> {
        if self.outbox.len() < WRITE_BYTES {
            return Ok(());
        }
        poll_fn(|context| self.poll_written(context))
            .await
            .map_err(|_| Gone)
    }

    /// Says goodbye and waits a moment for the other side to do the same.
    pub(crate) async fn close(&mut self, goodbye: Goodbye) {
        self.outbox.close(Some(goodbye.code()), goodbye.reason());
        // Whoever does not answer is cut.
        let _ = tokio::time::timeout(GOODBYE_MAX, self.farewell()).await;
    }

    async fn farewell(&mut self) {
        let written = poll_fn(|context| self.poll_written(context)).await;
        if written.is_err() {
            return;
        }
        loop {
            match poll_fn(|context| self.poll_message(context)).await {
                Event::Message(WholeMessage::Close(_)) | Event::Gone => return,
                Event::Message(_) | Event::Watch => {}
                // It is waited out: a connection that ends with something unread takes our last
                // words with it.
                Event::Broken(_) => self.inbox.forget(),
            }
        }
    }

    /// Says the last word, as far as that can be done at once.
    async fn leave(&mut self, code: Option<u16>, reason: &str) {
        self.outbox.close(code, reason);
        poll_fn(|context| {
            // Nobody is left to be told that it failed.
            let _ = self.poll_written(context);
            Poll::Ready(())
        })
        .await;
    }
}
