//! Lines in and out. What is longer than a line of ours may be passes in pieces and is not looked at.

use std::io::{self, BufRead, BufReader, Read, Write};

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWriteExt};
use tokio::process::ChildStdin;
use tokio::sync::mpsc;

/// Lines that may wait at one place: behind a slow reader the writer waits too.
const LINES_MAX: usize = 64;
/// The longest line that is taken as one.
const LINE_BYTES_MAX: usize = 32 * 1024 * 1024;

/// A line with its end, or a piece of one that is too long.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PipeLine {
    pub(super) bytes: Vec<u8>,
    pub(super) whole: bool,
}

impl PipeLine {
    /// The text of a whole line.
    pub(super) fn text(&self) -> Option<&str> {
        let text = std::str::from_utf8(&self.bytes).ok()?;
        self.whole.then_some(text.trim())
    }
}

/// The lines of our own standard input, read where it cannot hold anything up.
pub(super) fn of_app() -> mpsc::Receiver<PipeLine> {
    let (lines, read) = mpsc::channel(LINES_MAX);
    std::thread::spawn(move || {
        let mut source = BufReader::new(io::stdin());
        let mut within = false;
        while let Ok(Some(line)) = next(&mut source, &mut within) {
            if lines.blocking_send(line).is_err() {
                break;
            }
        }
    });
    read
}

fn next(source: &mut impl BufRead, within: &mut bool) -> io::Result<Option<PipeLine>> {
    let mut bytes = Vec::new();
    let max = u64::try_from(LINE_BYTES_MAX).unwrap_or(u64::MAX);
    source.take(max).read_until(b'\n', &mut bytes)?;
    Ok(line(bytes, within))
}

/// A line, when there is one. `within` says whether we are in the middle of one that is too long.
fn line(bytes: Vec<u8>, within: &mut bool) -> Option<PipeLine> {
    if bytes.is_empty() {
        return None;
    }
    let cut = bytes.last() != Some(&b'\n') && bytes.len() >= LINE_BYTES_MAX;
    let whole = !cut && !*within;
    *within = cut;
    Some(PipeLine { bytes, whole })
}

/// Our own standard output, written where it cannot hold anything up. The second part ends once
/// everything is written and the first is gone.
pub(super) fn to_app() -> (mpsc::Sender<Vec<u8>>, std::thread::JoinHandle<()>) {
    let (lines, mut written) = mpsc::channel::<Vec<u8>>(LINES_MAX);
    let writer = std::thread::spawn(move || {
        let mut out = io::stdout();
        while let Some(bytes) = written.blocking_recv() {
            if out.write_all(&bytes).and_then(|()| out.flush()).is_err() {
                break;
            }
        }
    });
    (lines, writer)
}

/// The lines of the CLI.
pub(super) fn of_cli(source: impl AsyncRead + Send + Unpin + 'static) -> mpsc::Receiver<PipeLine> {
    let (lines, read) = mpsc::channel(LINES_MAX);
    tokio::spawn(async move {
        let mut source = tokio::io::BufReader::new(source);
        let mut within = false;
        loop {
            let mut bytes = Vec::new();
            let max = u64::try_from(LINE_BYTES_MAX).unwrap_or(u64::MAX);
            let mut piece = tokio::io::AsyncReadExt::take(&mut source, max);
            if piece.read_until(b'\n', &mut bytes).await.is_err() {
                return;
            }
            let Some(line) = line(bytes, &mut within) else {
                return;
            };
            if lines.send(line).await.is_err() {
                return;
            }
        }
    });
    read
}

/// The standard input of the CLI; it is closed when the sender is gone.
pub(super) fn to_cli(mut sink: ChildStdin) -> mpsc::Sender<Vec<u8>> {
    let (lines, mut written) = mpsc::channel::<Vec<u8>>(LINES_MAX);
    tokio::spawn(async move {
        while let Some(bytes) = written.recv().await {
            // A CLI that is gone is noticed by its end.
            if sink.write_all(&bytes).await.is_err() || sink.flush().await.is_err() {
                return;
            }
        }
    });
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_bytes_and_long_ones_pass_in_pieces() {
        let mut source = Vec::new();
        source.extend(b"{\"a\":1}\r\n\n");
        source.extend(std::iter::repeat_n(b'x', LINE_BYTES_MAX + 3));
        source.extend(b"\n{}");
        let mut reader = BufReader::new(&source[..]);
        let mut within = false;
        let mut lines = Vec::new();
        while let Some(line) = next(&mut reader, &mut within).unwrap() {
            lines.push(line);
        }
        let shapes: Vec<(usize, bool)> = lines
            .iter()
            .map(|line| (line.bytes.len(), line.whole))
            .collect();
        assert_eq!(
            shapes,
            [
                (9, true),
                (1, true),
                (LINE_BYTES_MAX, false),
                (4, false),
                (2, true)
            ]
        );
        assert_eq!(lines.concat_bytes(), source);
    }

    trait Concat {
        fn concat_bytes(&self) -> Vec<u8>;
    }

    impl Concat for Vec<PipeLine> {
        fn concat_bytes(&self) -> Vec<u8> {
            self.iter().flat_map(|line| line.bytes.clone()).collect()
        }
    }
}
