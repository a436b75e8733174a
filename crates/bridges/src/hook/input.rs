//! What the program writes to a hook: all of it, within a size and a time.

use std::io::{self, Read};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::error::BridgeError;

/// The largest input: a hook is also told what a tool gave back, and that may be a whole file.
const BYTES_MAX: usize = 32 * 1024 * 1024;
/// How long nothing may come before the program is taken for one that says nothing.
const SILENT_MAX: Duration = Duration::from_secs(5);
/// How long all of it may take: a program that trickles on for ever says nothing either.
const WHOLE_MAX: Duration = Duration::from_secs(30);
const PIECE: usize = 64 * 1024;

/// Reads standard input to its end.
#[expect(
    clippy::disallowed_methods,
    reason = "there is nothing yet that has a clock, and only how long it takes is looked at"
)]
pub fn input() -> Result<Vec<u8>, BridgeError> {
    let source = io::stdin();
    let begun = Instant::now();
    read(source.lock(), || {
        let left = WHOLE_MAX.saturating_sub(begun.elapsed());
        Ok(!left.is_zero() && ready(&source, left.min(SILENT_MAX))?)
    })
}

/// Waits until there is something to read, or the end; false when nothing came in time.
fn ready(source: &io::Stdin, max: Duration) -> io::Result<bool> {
    let time = Timespec {
        tv_sec: max.as_secs().try_into().unwrap_or(i64::MAX),
        tv_nsec: max.subsec_nanos().into(),
    };
    let mut looked = [PollFd::new(source, PollFlags::IN)];
    Ok(poll(&mut looked, Some(&time))? > 0)
}

fn read(
    mut source: impl Read,
    ready: impl Fn() -> io::Result<bool>,
) -> Result<Vec<u8>, BridgeError> {
    let failed = || BridgeError::system("can't read the input of the hook");
    let (mut bytes, mut piece) = (Vec::new(), vec![0; PIECE]);
    loop {
        if !ready().map_err(failed())? {
            return Err(BridgeError::Input("it did not end in time"));
        }
        let count = match source.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(failed()(error)),
        };
        bytes.extend_from_slice(piece.get(..count).unwrap_or_default());
        if bytes.len() > BYTES_MAX {
            return Err(BridgeError::Input("it is too large for a hook"));
        }
    }
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(BridgeError::Input(
            "it is empty; Claude Code runs this command as a hook (set up by `sayso install \
             claude`)",
        ));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_the_size_and_the_silence_are_told_apart() {
        let all = |source: &mut dyn Read, is_ready: bool| read(source, || Ok(is_ready));
        assert_eq!(all(&mut &b"{}"[..], true).unwrap(), b"{}");
        let said = |result: Result<Vec<u8>, BridgeError>| result.unwrap_err().to_string();
        assert!(said(all(&mut &b" \n"[..], true)).contains("is empty"));
        assert!(said(all(&mut &b"{}"[..], false)).contains("did not end in time"));
        assert!(said(all(&mut io::repeat(b'x'), true)).contains("too large"));
        // It says something again and again, and its time is over all the same.
        let left = std::cell::Cell::new(3);
        let trickle = read(io::repeat(b'x').take(2), || {
            left.set(left.get() - 1);
            Ok(left.get() > 0)
        });
        assert_eq!(trickle.unwrap(), b"xx");
        let late = read(io::repeat(b'x'), || {
            left.set(left.get() + 1);
            Ok(left.get() < 3)
        });
        assert!(said(late).contains("did not end in time"));
    }
}
