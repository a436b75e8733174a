//! What came in: bytes as the network brings them, taken apart into messages.
//!
//! Never waits and never answers.

use std::io::Cursor;

use sayso_core::limits;
use tungstenite::protocol::frame::FrameHeader;
use tungstenite::protocol::frame::coding::{CloseCode, Control, Data, OpCode};

use super::spare;

/// Messages up to here are read, so that one over the limit can be refused and the socket stays.
pub(super) const BYTES_MAX: usize = 2 * limits::FRAME_BYTES_MAX;
/// Room for the next read; what is left of a frame may need more, and gets it in further reads.
const ROOM: usize = 1024;
/// The most that a control frame may carry.
const CONTROL_BYTES_MAX: u64 = 125;

/// Something whole that came.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum WholeMessage {
    Text(String),
    /// A text over the limit; it was read and forgotten.
    TooLarge,
    /// A message that is no text.
    NotText,
    Ping(Vec<u8>),
    Pong,
    /// The other side goes, with this reason.
    Close(Option<u16>),
}

impl WholeMessage {
    /// Whether it is one of those that may be long.
    pub(super) const fn is_data(&self) -> bool {
        match self {
            Self::Text(_) | Self::TooLarge | Self::NotText => true,
            Self::Ping(_) | Self::Pong | Self::Close(_) => false,
        }
    }
}

/// Why nothing more can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BrokenFrame {
    FarTooLarge,
    /// Too much of messages that are not whole is kept already.
    NoRoom,
    /// A message that began did not come to its end.
    TooSlow,
    NotUtf8,
    Rules(&'static str),
}

impl BrokenFrame {
    pub(super) const fn code(self) -> u16 {
        match self {
            Self::FarTooLarge => 1009,
            Self::NoRoom | Self::TooSlow => 1013,
            Self::NotUtf8 => 1007,
            Self::Rules(_) => 1002,
        }
    }

    pub(super) const fn reason(self) -> &'static str {
        match self {
            Self::FarTooLarge => "too large",
            Self::NoRoom => "too many incomplete messages; retry later",
            Self::TooSlow => "a message took too long to arrive; retry later",
            Self::NotUtf8 => "text is not UTF-8",
            Self::Rules(reason) => reason,
        }
    }
}

/// Bytes that came and were not looked at yet.
#[derive(Debug)]
pub(super) struct Inbox {
    /// Messages up to here are read.
    bytes_max: usize,
    bytes: Vec<u8>,
    /// What lies before was looked at.
    start: usize,
    begun: Option<Begun>,
}

/// A message that comes in pieces.
#[derive(Debug)]
struct Begun {
    is_text: bool,
    bytes: Vec<u8>,
}

impl Default for Inbox {
    fn default() -> Self {
        Self {
            bytes_max: BYTES_MAX,
            bytes: Vec::new(),
            start: 0,
            begun: None,
        }
    }
}

impl Inbox {
    pub(super) fn new(bytes: &[u8]) -> Self {
        Self {
            bytes: bytes.to_vec(),
            ..Self::default()
        }
    }

    /// Sets how large a message may be.
    pub(super) fn limit(&mut self, bytes_max: usize) {
        self.bytes_max = bytes_max;
    }

    /// Where the next bytes go.
    pub(super) fn room(&mut self) -> &mut Vec<u8> {
        if self.bytes.capacity() == 0 {
            self.bytes = spare::take();
        }
        self.bytes.drain(..self.start);
        self.start = 0;
        self.bytes.reserve(ROOM);
        &mut self.bytes
    }

    /// Holds no more than it must while nothing comes.
    pub(super) fn rest(&mut self) {
        if self.start == self.bytes.len() {
            self.start = 0;
            spare::give_back(&mut self.bytes);
        }
    }

    /// How many bytes of a message that is not whole are kept.
    pub(super) fn held(&self) -> usize {
        let begun = self.begun.as_ref().map_or(0, |begun| begun.bytes.len());
        self.bytes.len() - self.start + begun
    }

    /// Forgets what came, when no sense can be made of it.
    pub(super) fn forget(&mut self) {
        self.start = self.bytes.len();
        self.begun = None;
        self.rest();
    }

    /// The next message, if it is whole.
    pub(super) fn next(&mut self) -> Result<Option<WholeMessage>, BrokenFrame> {
        loop {
            let unread = self.bytes.get(self.start..).unwrap_or_default();
            if unread.is_empty() {
                return Ok(None);
            }
            let mut cursor = Cursor::new(unread);
            let head = FrameHeader::parse(&mut cursor)
                .map_err(|_| BrokenFrame::Rules("unknown frame type"))?;
            let Some((head, length)) = head else {
                return Ok(None);
            };
            let begun = self.begun.as_ref().map_or(0, |begun| begun.bytes.len());
            let length = allowed(&head, length, begun, self.bytes_max)?;
            let start = self.start + usize::try_from(cursor.position()).unwrap_or(usize::MAX);
            let end = start.saturating_add(length);
            let Some(payload) = self.bytes.get_mut(start..end) else {
                return Ok(None);
            };
            self.start = end;
            unmask(payload, head.mask);
            let message = match head.opcode {
                OpCode::Control(control) => Some(aside(control, payload)?),
                OpCode::Data(data) => data_of(data, head.is_final, payload, &mut self.begun)?,
            };
            if message.is_some() {
                return Ok(message);
            }
        }
    }
}

/// The length of a frame that follows the rules; `begun` is what came of its message before.
fn allowed(
    head: &FrameHeader,
    length: u64,
    begun: usize,
    bytes_max: usize,
) -> Result<usize, BrokenFrame> {
    if head.rsv1 || head.rsv2 || head.rsv3 {
        return Err(BrokenFrame::Rules("extension was not negotiated"));
    }
    if head.mask.is_none() {
        return Err(BrokenFrame::Rules("frame is not masked"));
    }
    if let OpCode::Control(_) = head.opcode
        && (!head.is_final || length > CONTROL_BYTES_MAX)
    {
        return Err(BrokenFrame::Rules(
            "control frame is fragmented or too long",
        ));
    }
    usize::try_from(length)
        .ok()
        .filter(|length| length.saturating_add(begun) <= bytes_max)
        .ok_or(BrokenFrame::FarTooLarge)
}

fn unmask(payload: &mut [u8], mask: Option<[u8; 4]>) {
    let mask = mask.unwrap_or_default();
    // Whole words first: the compiler takes many of them at once.
    let (words, rest) = payload.as_chunks_mut::<4>();
    for word in words {
        *word = (u32::from_ne_bytes(*word) ^ u32::from_ne_bytes(mask)).to_ne_bytes();
    }
    for (byte, mask) in rest.iter_mut().zip(mask) {
        *byte ^= mask;
    }
}

/// A frame that may come in the middle of a message.
fn aside(control: Control, payload: &[u8]) -> Result<WholeMessage, BrokenFrame> {
    Ok(match (control, payload) {
        (Control::Ping, payload) => WholeMessage::Ping(payload.to_vec()),
        (Control::Pong, _) => WholeMessage::Pong,
        (Control::Close, []) => WholeMessage::Close(None),
        (Control::Close, &[high, low, ref reason @ ..]) => {
            str::from_utf8(reason).map_err(|_| BrokenFrame::NotUtf8)?;
            let code = u16::from_be_bytes([high, low]);
            if !CloseCode::from(code).is_allowed() {
                return Err(BrokenFrame::Rules("invalid close code"));
            }
            WholeMessage::Close(Some(code))
        }
        (Control::Close, [_]) => return Err(BrokenFrame::Rules("incomplete close frame")),
        (Control::Reserved(_), _) => {
            return Err(BrokenFrame::Rules("unknown frame type"));
        }
    })
}

/// A message, once its last piece is there.
fn data_of(
    data: Data,
    is_final: bool,
    payload: &[u8],
    begun: &mut Option<Begun>,
) -> Result<Option<WholeMessage>, BrokenFrame> {
    let is_text = match data {
        Data::Continue => {
            let Some(whole) = begun else {
                return Err(BrokenFrame::Rules("continuation frame without a message"));
            };
            whole.bytes.extend_from_slice(payload);
            if !is_final {
                return Ok(None);
            }
            let message = message(whole.is_text, &whole.bytes)?;
            *begun = None;
            return Ok(Some(message));
        }
        Data::Text => true,
        Data::Binary => false,
        Data::Reserved(_) => return Err(BrokenFrame::Rules("unknown frame type")),
    };
    if begun.is_some() {
        return Err(BrokenFrame::Rules("new message before the last one ended"));
    }
    if !is_final {
        let bytes = payload.to_vec();
        *begun = Some(Begun { is_text, bytes });
        return Ok(None);
    }
    message(is_text, payload).map(Some)
}

fn message(is_text: bool, payload: &[u8]) -> Result<WholeMessage, BrokenFrame> {
    if !is_text {
        return Ok(WholeMessage::NotText);
    }
    if payload.len() > limits::FRAME_BYTES_MAX {
        return Ok(WholeMessage::TooLarge);
    }
    match str::from_utf8(payload) {
        Ok(text) => Ok(WholeMessage::Text(text.to_owned())),
        Err(_) => Err(BrokenFrame::NotUtf8),
    }
}

#[cfg(test)]
#[path = "inbox_tests.rs"]
mod tests;
