//! What goes out: frames one after another, written when it is time.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::AsyncWrite;
use tungstenite::protocol::frame::coding::{Control, Data, OpCode};

use super::spare;

/// The first byte of a frame that is the whole message.
const WHOLE: u8 = 0x80;
/// The longest head of a frame of ours.
const HEAD_BYTES_MAX: usize = 10;
/// The head that most frames have; another one moves what follows.
const HEAD_BYTES: usize = 4;

/// Frames that are not on their way yet.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    bytes: Vec<u8>,
    /// What lies before is on its way.
    written: usize,
}

impl Outbox {
    /// How much is not on its way.
    pub(super) fn len(&self) -> usize {
        self.bytes.len() - self.written
    }

    /// Adds a frame of text, which is written in its place.
    pub(super) fn text(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        let start = self.room().len();
        self.bytes.extend_from_slice(&[0; HEAD_BYTES]);
        write(&mut self.bytes);
        let length = self.bytes.len().saturating_sub(start + HEAD_BYTES);
        let (head, size) = head(OpCode::Data(Data::Text), length);
        let place = start..start + HEAD_BYTES;
        match self.bytes.get_mut(place.clone()) {
            Some(room) if size == HEAD_BYTES => room.copy_from_slice(&head[..HEAD_BYTES]),
            Some(_) | None => drop(self.bytes.splice(place, head.into_iter().take(size))),
        }
    }

    pub(super) fn ping(&mut self) {
        self.control(Control::Ping, &[]);
    }

    pub(super) fn pong(&mut self, payload: &[u8]) {
        self.control(Control::Pong, payload);
    }

    /// Adds a goodbye; without a code there is no reason either.
    pub(super) fn close(&mut self, code: Option<u16>, reason: &str) {
        let payload = code.map(|code| [&code.to_be_bytes(), reason.as_bytes()].concat());
        self.control(Control::Close, &payload.unwrap_or_default());
    }

    fn control(&mut self, control: Control, payload: &[u8]) {
        let (head, size) = head(OpCode::Control(control), payload.len());
        let bytes = self.room();
        bytes.extend(head.into_iter().take(size));
        bytes.extend_from_slice(payload);
    }

    fn room(&mut self) -> &mut Vec<u8> {
        if self.bytes.capacity() == 0 {
            self.bytes = spare::take();
        }
        &mut self.bytes
    }

    /// Writes everything out; holds nothing once that is done.
    pub(super) fn poll_write(
        &mut self,
        context: &mut Context<'_>,
        stream: &mut (impl AsyncWrite + Unpin),
    ) -> Poll<io::Result<()>> {
        let mut stream = Pin::new(stream);
        while let Some(rest @ [_, ..]) = self.bytes.get(self.written..) {
            match ready!(stream.as_mut().poll_write(context, rest))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                written => self.written += written,
            }
        }
        self.written = 0;
        spare::give_back(&mut self.bytes);
        stream.poll_flush(context)
    }
}

/// The head of a frame, and how much of it counts. The lengths say which of three forms it has.
fn head(code: OpCode, length: usize) -> ([u8; HEAD_BYTES_MAX], usize) {
    let first = WHOLE | u8::from(code);
    let [.., six, seven] = (length as u64).to_be_bytes();
    match length {
        0..=125 => ([first, seven, 0, 0, 0, 0, 0, 0, 0, 0], 2),
        126..=0xffff => ([first, 126, six, seven, 0, 0, 0, 0, 0, 0], 4),
        0x1_0000.. => {
            let [zero, one, two, three, four, five, ..] = (length as u64).to_be_bytes();
            let head = [first, 127, zero, one, two, three, four, five, six, seven];
            (head, 10)
        }
    }
}

#[cfg(test)]
#[path = "outbox_tests.rs"]
mod tests;
