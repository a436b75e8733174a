//! Looks at requests byte by byte before hyper reads them, and refuses what two programs could read in
//! two ways: lines that do not end in CR LF, two lengths, a length beside chunks.
//!
//! What is refused gets one byte changed that no head may have, so that hyper answers 400 and closes
//! the connection. Nothing is kept of what passes but a few numbers.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A byte that no head may have.
const SPOILED: u8 = 0;
/// The longest name and value that are compared with anything.
const WORD_BYTES_MAX: usize = 32;
/// Digits of the largest length there is any sense in.
const LENGTH_DIGITS_MAX: usize = 12;

/// A connection whose requests are looked at.
#[derive(Debug)]
pub(crate) struct Strict<S> {
    inner: S,
    reader: Reader,
}

impl<S> Strict<S> {
    pub(crate) fn new(inner: S) -> Self {
        Self {
            inner,
            reader: Reader::default(),
        }
    }

    pub(crate) fn into_inner(self) -> S {
        self.inner
    }
}

/// Where in a request the next byte stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// Before the line of the method: empty lines may come first.
    Before,
    BeforeLf,
    /// In the line of the method.
    First,
    /// At the first byte of a header, or of the empty line behind them.
    LineStart,
    Name,
    Value,
    /// Behind a CR; `true` when that ends the head.
    Lf(bool),
    Body(u64),
    ChunkSize,
    /// In what may stand behind a chunk's size.
    ChunkExtension,
    ChunkSizeLf,
    ChunkData(u64),
    ChunkCr,
    ChunkLf,
    /// In a line behind the last chunk; `true` while it is empty.
    Trailer(bool),
    TrailerLf(bool),
    /// Nothing more is looked at.
    Open,
}

/// A word of bounded length, in small letters.
#[derive(Debug, Default, Clone, Copy)]
struct Word {
    bytes: [u8; WORD_BYTES_MAX],
    length: usize,
}

impl Word {
    fn push(&mut self, byte: u8) {
        if let Some(room) = self.bytes.get_mut(self.length) {
            *room = byte.to_ascii_lowercase();
        }
        self.length += 1;
    }

    /// The word; nothing when it is longer than any that means something here.
    fn text(&self) -> Option<&[u8]> {
        let text = self.bytes.get(..self.length)?;
        Some(text.trim_ascii())
    }

    fn is(&self, other: &[u8]) -> bool {
        self.text() == Some(other)
    }
}

#[derive(Debug)]
struct Reader {
    at: At,
    name: Word,
    value: Word,
    length: Option<u64>,
    chunked: bool,
    upgrade: bool,
    /// The size of the chunk that begins.
    size: u64,
    size_digits: usize,
}

impl Default for Reader {
    fn default() -> Self {
        Self {
            at: At::Before,
            name: Word::default(),
            value: Word::default(),
            length: None,
            chunked: false,
            upgrade: false,
            size: 0,
            size_digits: 0,
        }
    }
}

/// A byte that must not stand where it does.
struct Bad;

impl Reader {
    fn look(&mut self, mut bytes: &mut [u8]) {
        while let Some((first, rest)) = bytes.split_first_mut() {
            if self.at == At::Open {
                return;
            }
            // What is inside a body is nobody's business here.
            if let At::Body(left) | At::ChunkData(left) = &mut self.at {
                let passed = usize::try_from(*left).unwrap_or(usize::MAX);
                let passed = passed.min(rest.len() + 1);
                *left -= passed as u64;
                if *left == 0 {
                    let in_chunks = self.chunked;
                    self.at = if in_chunks {
                        At::ChunkCr
                    } else {
                        self.next_request()
                    };
                }
                bytes = rest.get_mut(passed - 1..).unwrap_or_default();
                continue;
            }
            let Ok(at) = self.step(*first) else {
                *first = SPOILED;
                self.at = At::Open;
                return;
            };
            self.at = at;
            bytes = rest;
        }
    }

    fn step(&mut self, byte: u8) -> Result<At, Bad> {
        match self.at {
            At::Before => line(byte, At::First, At::BeforeLf),
            At::BeforeLf if byte == b'\n' => Ok(At::Before),
            At::First => line(byte, At::First, At::Lf(false)),
            At::LineStart => match byte {
                b'\r' => Ok(At::Lf(true)),
                // A line that goes on with the header before it.
                b'\n' | b' ' | b'\t' => Err(Bad),
                byte => {
                    (self.name, self.value) = (Word::default(), Word::default());
                    self.name.push(byte);
                    Ok(At::Name)
                }
            },
            At::Name => match byte {
                b':' => self.named(),
                b'\r' | b'\n' => Err(Bad),
                byte => {
                    self.name.push(byte);
                    Ok(At::Name)
                }
            },
            At::Value => {
                if byte == b'\r' {
                    self.valued()?;
                } else {
                    self.value.push(byte);
                }
                line(byte, At::Value, At::Lf(false))
            }
            At::Lf(ends) => match (byte, ends) {
                (b'\n', true) => self.begin_body(),
                (b'\n', false) => Ok(At::LineStart),
                (_, _) => Err(Bad),
            },
            At::ChunkSize => self.chunk_size(byte),
            At::ChunkExtension => line(byte, At::ChunkExtension, At::ChunkSizeLf),
            At::ChunkSizeLf if byte == b'\n' && self.size_digits > 0 => Ok(match self.size {
                0 => At::Trailer(true),
                size => At::ChunkData(size),
            }),
            At::ChunkCr if byte == b'\r' => Ok(At::ChunkLf),
            At::ChunkLf if byte == b'\n' => {
                (self.size, self.size_digits) = (0, 0);
                Ok(At::ChunkSize)
            }
            At::Trailer(empty) => line(byte, At::Trailer(false), At::TrailerLf(empty)),
            At::TrailerLf(ends) if byte == b'\n' => Ok(if ends {
                self.next_request()
            } else {
                At::Trailer(true)
            }),
            At::BeforeLf | At::ChunkSizeLf | At::ChunkCr | At::ChunkLf | At::TrailerLf(_) => {
                Err(Bad)
            }
            At::Body(_) | At::ChunkData(_) | At::Open => Ok(self.at),
        }
    }

    /// A header has its name.
    fn named(&mut self) -> Result<At, Bad> {
        let twice = (self.name.is(b"content-length") && self.length.is_some())
            || (self.name.is(b"transfer-encoding") && self.chunked);
        if twice {
            return Err(Bad);
        }
        self.upgrade |= self.name.is(b"upgrade");
        Ok(At::Value)
    }

    /// A header has its value.
    fn valued(&mut self) -> Result<(), Bad> {
        if self.name.is(b"content-length") {
            let digits = self.value.text().ok_or(Bad)?;
            let fits = (1..=LENGTH_DIGITS_MAX).contains(&digits.len());
            if !fits || !digits.iter().all(u8::is_ascii_digit) {
                return Err(Bad);
            }
            let number = |all: u64, digit: &u8| all * 10 + u64::from(digit - b'0');
            self.length = Some(digits.iter().fold(0, number));
        } else if self.name.is(b"transfer-encoding") {
            if !self.value.is(b"chunked") {
                return Err(Bad);
            }
            self.chunked = true;
        }
        Ok(())
    }

    /// The head is over.
    fn begin_body(&mut self) -> Result<At, Bad> {
        match (self.length, self.chunked) {
            (Some(_), true) => Err(Bad),
            // It becomes a socket, or it is answered and closed.
            (_, _) if self.upgrade => Ok(At::Open),
            (Some(length @ 1..), false) => Ok(At::Body(length)),
            (Some(0) | None, false) => Ok(self.next_request()),
            (None, true) => {
                (self.size, self.size_digits) = (0, 0);
                Ok(At::ChunkSize)
            }
        }
    }

    fn chunk_size(&mut self, byte: u8) -> Result<At, Bad> {
        match byte {
            b'\r' => Ok(At::ChunkSizeLf),
            b';' | b' ' | b'\t' if self.size_digits > 0 => Ok(At::ChunkExtension),
            byte => {
                let digit = char::from(byte).to_digit(16).ok_or(Bad)?;
                self.size_digits += 1;
                if self.size_digits > LENGTH_DIGITS_MAX {
                    return Err(Bad);
                }
                self.size = self.size * 16 + u64::from(digit);
                Ok(At::ChunkSize)
            }
        }
    }

    fn next_request(&mut self) -> At {
        *self = Self::default();
        At::Before
    }
}

/// A byte of a line that ends in CR LF.
fn line(byte: u8, stays: At, ends: At) -> Result<At, Bad> {
    match byte {
        b'\r' => Ok(ends),
        b'\n' => Err(Bad),
        _ => Ok(stays),
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Strict<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.inner).poll_read(context, buffer);
        if let Some(fresh) = buffer.filled_mut().get_mut(before..) {
            self.reader.look(fresh);
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Strict<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

#[cfg(test)]
#[path = "head_tests.rs"]
mod tests;
