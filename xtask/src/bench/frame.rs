//! WebSocket frames by hand: the generator must cost less than what it measures.

use anyhow::{Result, bail};

/// Longest frame we expect from a server; more means that we lost our place in the stream.
const BYTES_MAX: usize = 4 * 1024 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FrameKind {
    Text,
    Ping,
    Pong,
    Close,
}

/// A frame at the start of what was received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FrameHead {
    pub(super) kind: FrameKind,
    /// Where the payload begins.
    pub(super) start: usize,
    /// Where it ends, and the next frame begins.
    pub(super) end: usize,
}

/// The head of the first frame, or how many bytes are needed to know more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Read {
    Whole(FrameHead),
    Need(usize),
}

/// Reads a server's frame: never masked, and from ours never in pieces.
pub(super) fn read(bytes: &[u8]) -> Result<Read> {
    let &[first, second, ref rest @ ..] = bytes else {
        return Ok(Read::Need(2));
    };
    let (start, length) = match second {
        0..=125 => (2, usize::from(second)),
        126 => match rest.first_chunk() {
            Some(bytes) => (4, usize::from(u16::from_be_bytes(*bytes))),
            None => return Ok(Read::Need(4)),
        },
        127 => match rest.first_chunk() {
            Some(bytes) => (10, u64::from_be_bytes(*bytes) as usize),
            None => return Ok(Read::Need(10)),
        },
        128.. => bail!("the server sent a masked frame"),
    };
    if length > BYTES_MAX {
        bail!("the server sent a frame of {length} bytes");
    }
    let kind = match first {
        0x81 => FrameKind::Text,
        0x88 => FrameKind::Close,
        0x89 => FrameKind::Ping,
        0x8a => FrameKind::Pong,
        other => bail!("the server sent a frame that begins with {other:#04x}"),
    };
    let end = start + length;
    if bytes.len() < end {
        return Ok(Read::Need(end));
    }
    Ok(Read::Whole(FrameHead { kind, start, end }))
}

/// Appends a frame of ours. It is masked, as the protocol asks, with a mask of zeroes: the server
/// does all its work, and the generator saves its own.
pub(super) fn write(kind: FrameKind, payload: &[u8], out: &mut Vec<u8>) {
    out.push(match kind {
        FrameKind::Text => 0x81,
        FrameKind::Close => 0x88,
        FrameKind::Ping => 0x89,
        FrameKind::Pong => 0x8a,
    });
    match payload.len() {
        short @ 0..=125 => out.push(0x80 | short as u8),
        long @ 126..=0xffff => {
            out.push(0x80 | 0x7e);
            out.extend_from_slice(&(long as u16).to_be_bytes());
        }
        huge => {
            out.push(0x80 | 0x7f);
            out.extend_from_slice(&(huge as u64).to_be_bytes());
        }
    }
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(payload);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a server would send: the same without the mask.
    fn from_server(kind: FrameKind, payload: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(kind, payload, &mut bytes);
        bytes[1] &= 0x7f;
        let mask = bytes.len() - payload.len() - 4;
        bytes.drain(mask..mask + 4);
        bytes
    }

    #[test]
    fn frames_of_every_length_are_read() {
        for length in [0, 1, 125, 126, 487, 65_535, 65_536] {
            let payload = vec![b'x'; length];
            let bytes = from_server(FrameKind::Text, &payload);
            let end = bytes.len();
            let head = FrameHead {
                kind: FrameKind::Text,
                start: end - length,
                end,
            };
            assert_eq!(read(&bytes).unwrap(), Read::Whole(head));
            for cut in [0, 1, head.start - 1, end - 1] {
                let Read::Need(needed) = read(&bytes[..cut]).unwrap() else {
                    panic!("{cut} bytes are not a frame")
                };
                assert!(needed > cut && needed <= end);
            }
        }
    }

    #[test]
    fn what_we_do_not_speak_is_refused() {
        for bytes in [[0x01, 0x00], [0x82, 0x00], [0x81, 0x80]] {
            assert!(read(&bytes).is_err());
        }
        assert!(read(&[0x81, 127, 0, 0, 1, 0, 0, 0, 0, 0]).is_err());
    }
}
