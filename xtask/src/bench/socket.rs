//! One WebSocket of the generator: shakes hands, sends frames, reads text frames and answers
//! pings on the way.

use std::net::SocketAddr;

use anyhow::{Context, Result, bail};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::frame::{self, FrameKind, Read};

/// Longest head of an HTTP answer we read.
const HEAD_BYTES_MAX: usize = 64 * 1024;
const ROOM: usize = 4096;

#[derive(Debug)]
pub(super) struct BenchSocket {
    stream: TcpStream,
    inbox: Vec<u8>,
    /// What of the inbox is still to be read.
    start: usize,
    end: usize,
    /// The last text frame: it stays where it is until the next one is asked for.
    last: std::ops::Range<usize>,
    /// Frames to send with the next flush.
    outbox: Vec<u8>,
}

impl BenchSocket {
    pub(super) async fn open(server: SocketAddr, path: &str, token: &str) -> Result<Self> {
        let mut stream = TcpStream::connect(server)
            .await
            .context("could not connect")?;
        stream.set_nodelay(true)?;
        let ask = format!(
            "GET {path} HTTP/1.1\r\nHost: {server}\r\nAuthorization: Bearer {token}\r\nConnection: Upgrade\r\n\
             Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: c2F5c28gYmVuY2ggMDAwMA==\r\n\r\n"
        );
        stream.write_all(ask.as_bytes()).await?;
        let mut socket = Self {
            stream,
            inbox: vec![0; ROOM],
            start: 0,
            end: 0,
            last: 0..0,
            outbox: Vec::new(),
        };
        loop {
            let head = socket.unread();
            if let Some(length) = head.windows(4).position(|four| four == b"\r\n\r\n") {
                if !head.starts_with(b"HTTP/1.1 101") {
                    bail!("{path} was refused: {}", String::from_utf8_lossy(head));
                }
                socket.start += length + 4;
                return Ok(socket);
            }
            let wanted = head.len() + 1;
            if wanted > HEAD_BYTES_MAX {
                bail!("{path}: the head of the answer does not end");
            }
            socket.receive(wanted).await?;
        }
    }

    /// Puts a text frame into the outbox.
    pub(super) fn put(&mut self, payload: &[u8]) {
        frame::write(FrameKind::Text, payload, &mut self.outbox);
    }

    /// Sends what is in the outbox.
    pub(super) async fn flush(&mut self) -> Result<()> {
        self.stream
            .write_all(&self.outbox)
            .await
            .context("could not send")?;
        self.outbox.clear();
        Ok(())
    }

    /// The next text frame.
    pub(super) async fn next(&mut self) -> Result<&[u8]> {
        loop {
            match frame::read(self.unread())? {
                Read::Need(bytes) => self.receive(bytes).await?,
                Read::Whole(head) => {
                    let (start, end) = (self.start + head.start, self.start + head.end);
                    self.start = end;
                    let payload = self.inbox.get(start..end).unwrap_or_default();
                    match head.kind {
                        FrameKind::Text => {
                            self.last = start..end;
                            return Ok(self.last());
                        }
                        FrameKind::Pong => {}
                        FrameKind::Ping => {
                            frame::write(FrameKind::Pong, payload, &mut self.outbox);
                            self.flush().await?;
                        }
                        FrameKind::Close => bail!(
                            "the server closed: {}",
                            String::from_utf8_lossy(payload.get(2..).unwrap_or_default())
                        ),
                    }
                }
            }
        }
    }

    /// The text frame that [`Self::next`] gave last.
    pub(super) fn last(&self) -> &[u8] {
        self.inbox.get(self.last.clone()).unwrap_or_default()
    }

    /// Whether [`Self::next`] would not have to wait.
    pub(super) fn has_frame(&self) -> bool {
        matches!(frame::read(self.unread()), Ok(Read::Whole(_)))
    }

    fn unread(&self) -> &[u8] {
        self.inbox.get(self.start..self.end).unwrap_or_default()
    }

    /// Receives until `wanted` bytes are unread.
    async fn receive(&mut self, wanted: usize) -> Result<()> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        if self.inbox.len() - self.start < wanted {
            self.inbox.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
            self.inbox.resize(self.inbox.len().max(wanted), 0);
        }
        while self.end - self.start < wanted {
            let room = self.inbox.get_mut(self.end..).unwrap_or_default();
            match self.stream.read(room).await.context("could not receive")? {
                0 => bail!("the server hung up"),
                read => self.end += read,
            }
        }
        Ok(())
    }
}
