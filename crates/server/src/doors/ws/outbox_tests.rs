//! The other side is tungstenite's client here: what we write must be read as it was meant.

use std::io::Cursor;

use tungstenite::Message;
use tungstenite::protocol::{CloseFrame, Role, WebSocket};

use super::*;

/// Takes a few bytes at a time, and now and then none.
#[derive(Debug, Default)]
struct Slow {
    taken: Vec<u8>,
    turns: usize,
}

impl AsyncWrite for Slow {
    fn poll_write(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.turns += 1;
        if self.turns.is_multiple_of(3) {
            return Poll::Pending;
        }
        let some = bytes.get(..bytes.len().min(30_000)).unwrap_or_default();
        self.taken.extend_from_slice(some);
        Poll::Ready(Ok(some.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// What the other side reads of it.
fn read(mut outbox: Outbox) -> Vec<Message> {
    let mut slow = Slow::default();
    let mut context = Context::from_waker(std::task::Waker::noop());
    while outbox.poll_write(&mut context, &mut slow).is_pending() {}
    assert_eq!((outbox.len(), outbox.bytes.capacity()), (0, 0));
    let mut client = WebSocket::from_raw_socket(Cursor::new(slow.taken), Role::Client, None);
    std::iter::from_fn(|| client.read().ok()).collect()
}

#[test]
fn frames_of_every_length_are_read_as_they_were_meant() {
    let mut outbox = Outbox::default();
    let mut meant = Vec::new();
    for length in [0, 1, 125, 126, 127, 487, 65_535, 65_536, 200_000, 3] {
        let text = "x".repeat(length);
        outbox.text(|out| out.extend_from_slice(text.as_bytes()));
        meant.push(Message::text(text));
    }
    assert_eq!(read(outbox), meant);
}

#[test]
fn signs_of_life_and_goodbyes_are_read_as_they_were_meant() {
    let mut outbox = Outbox::default();
    outbox.ping();
    outbox.text(|out| out.extend_from_slice("ß".as_bytes()));
    outbox.pong(b"here");
    outbox.close(Some(4001), "token revoked");
    let goodbye = CloseFrame {
        code: 4001.into(),
        reason: "token revoked".into(),
    };
    let meant = vec![
        Message::Ping(Vec::new().into()),
        Message::text("ß"),
        Message::Pong(b"here".to_vec().into()),
        Message::Close(Some(goodbye)),
    ];
    assert_eq!(read(outbox), meant);
    let mut outbox = Outbox::default();
    outbox.close(None, "");
    assert_eq!(read(outbox), [Message::Close(None)]);
}
