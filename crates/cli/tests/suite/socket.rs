//! A WebSocket written by hand, so that its frames can also be wrong.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

use super::raw::{Call, Reply};
use super::stage::{PATIENCE, begin, waited};

/// What came on a socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Frame {
    Text(String),
    /// Closed by the server, with its reason.
    Closed(u16, String),
    /// The connection ended without a word.
    Ended,
}

/// An open socket.
#[derive(Debug)]
pub(crate) struct Socket(TcpStream);

impl Socket {
    /// Opens a socket; gives the refusal when there is no 101.
    pub(crate) fn open(call: Call, port: u16) -> Result<Self, Reply> {
        let (mut reply, mut stream) = call.upgrade().begin(port);
        if reply.status == 101 {
            return Ok(Self(stream));
        }
        reply.read_body(&mut stream);
        Err(reply)
    }

    /// Sends a frame; the mask is all zeros, which is one like any other.
    pub(crate) fn send_frame(&mut self, head: u8, payload: &[u8]) {
        let mut frame = vec![head];
        match payload.len() {
            length @ 0..126 => frame.push(0x80 | u8::try_from(length).unwrap()),
            length @ 126..65_536 => {
                frame.push(0xfe);
                frame.extend(u16::try_from(length).unwrap().to_be_bytes());
            }
            length => {
                frame.push(0xff);
                frame.extend(u64::try_from(length).unwrap().to_be_bytes());
            }
        }
        frame.extend([0; 4]);
        frame.extend(payload);
        // A server that has closed is noticed at the next frame.
        drop(self.0.write_all(&frame));
    }

    pub(crate) fn send_text(&mut self, text: &str) {
        self.send_frame(0x81, text.as_bytes());
    }

    pub(crate) fn send(&mut self, value: &Value) {
        self.send_text(&value.to_string());
    }

    pub(crate) fn next(&mut self) -> Frame {
        let begun = begin();
        loop {
            // Signs of life keep a read from giving up, so the whole wait is bounded as well.
            assert!(waited(begun) < PATIENCE, "nothing came but signs of life");
            match self.frame() {
                None => return Frame::Ended,
                Some((0x81, payload)) => return Frame::Text(String::from_utf8(payload).unwrap()),
                Some((0x88, payload)) => return closed(&payload),
                Some((0x89, payload)) => self.send_frame(0x8a, &payload),
                Some((0x8a, _)) => {}
                Some((other, _)) => panic!("a frame of the kind {other:x}"),
            }
        }
    }

    /// Asks for a sign of life; gives the goodbye that came instead.
    pub(crate) fn ping(&mut self) -> Result<(), Frame> {
        self.send_frame(0x89, b"there?");
        loop {
            match self.frame() {
                None => return Err(Frame::Ended),
                Some((0x88, payload)) => return Err(closed(&payload)),
                Some((0x8a, payload)) if payload == b"there?" => return Ok(()),
                Some(_) => {}
            }
        }
    }

    /// The next frame: its first byte and what it carries.
    fn frame(&mut self) -> Option<(u8, Vec<u8>)> {
        let [head, length] = self.bytes()?;
        let length = match length & 0x7f {
            126 => u64::from(self.bytes().map(u16::from_be_bytes)?),
            127 => self.bytes().map(u64::from_be_bytes)?,
            short => u64::from(short),
        };
        let mut payload = vec![0; usize::try_from(length).unwrap()];
        self.0.read_exact(&mut payload).ok()?;
        Some((head, payload))
    }

    fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        self.0.read_exact(&mut bytes).ok()?;
        Some(bytes)
    }

    pub(crate) fn next_text(&mut self) -> String {
        match self.next() {
            Frame::Text(text) => text,
            other => panic!("{other:?} instead of a frame of text"),
        }
    }

    pub(crate) fn next_json(&mut self) -> Value {
        serde_json::from_str(&self.next_text()).unwrap()
    }

    /// The next frame that is not about agents that come and go.
    pub(crate) fn news(&mut self) -> Value {
        loop {
            let frame = self.next_json();
            if frame["event"] != "agent" {
                return frame;
            }
        }
    }

    /// The next frame with this `event`; those before it are passed over.
    pub(crate) fn event(&mut self, event: &str) -> Value {
        loop {
            let frame = self.next_json();
            if frame["event"] == event {
                return frame;
            }
        }
    }

    /// What still comes until the server ends the connection, within `limit`.
    pub(crate) fn rest(mut self, limit: Duration) -> Vec<Frame> {
        self.0.set_read_timeout(Some(limit.min(PATIENCE))).unwrap();
        let mut frames = Vec::new();
        loop {
            let frame = self.next();
            frames.push(frame.clone());
            match frame {
                Frame::Text(_) => {}
                Frame::Closed(..) | Frame::Ended => return frames,
            }
        }
    }
}

/// A stream of server-sent events.
#[derive(Debug)]
pub(crate) struct Events {
    stream: TcpStream,
    text: String,
}

impl Events {
    pub(crate) fn open(call: &Call, port: u16) -> Result<Self, Reply> {
        let (mut reply, mut stream) = call.begin(port);
        if reply.status == 200 {
            return Ok(Self {
                stream,
                text: String::new(),
            });
        }
        reply.read_body(&mut stream);
        Err(reply)
    }

    /// The next event: its id and its data. Nothing once the stream has ended.
    pub(crate) fn next(&mut self) -> Option<(u64, Value)> {
        let event = self.event()?;
        let (id, data) = event.split_once('\n').unwrap();
        let id = id.strip_prefix("id: ").unwrap();
        Some((id.parse().unwrap(), read_data(data)))
    }

    /// The data of the next event of a stream whose events have no ids.
    pub(crate) fn data(&mut self) -> Option<Value> {
        self.event().map(|event| read_data(&event))
    }

    fn event(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.text.find("\n\n") {
                let event: String = self.text.drain(..end + 2).collect();
                if event.starts_with(':') {
                    continue;
                }
                return Some(event);
            }
            let chunk = self.chunk()?;
            self.text += &chunk;
        }
    }

    /// One chunk of the transfer; nothing at its end or when the connection ends.
    fn chunk(&mut self) -> Option<String> {
        let mut line = Vec::new();
        let mut byte = [0];
        while !line.ends_with(b"\r\n") {
            if self.stream.read(&mut byte).unwrap() == 0 {
                return None;
            }
            line.push(byte[0]);
        }
        let length = String::from_utf8(line).unwrap();
        let length = usize::from_str_radix(length.trim_end(), 16).unwrap();
        let mut chunk = vec![0; length + 2];
        self.stream.read_exact(&mut chunk).unwrap();
        chunk.truncate(length);
        (length > 0).then(|| String::from_utf8(chunk).unwrap())
    }
}

fn closed(payload: &[u8]) -> Frame {
    let code = u16::from_be_bytes([payload[0], payload[1]]);
    let reason = String::from_utf8(payload[2..].to_vec()).unwrap();
    Frame::Closed(code, reason)
}

fn read_data(line: &str) -> Value {
    let data = line.trim_end().strip_prefix("data: ").unwrap();
    serde_json::from_str(data).unwrap()
}
