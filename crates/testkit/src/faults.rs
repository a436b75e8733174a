//! What a test build does at its fail points: notes them, and kills itself at the one it was told.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::process::{Signal, getpid, kill_process};
use sayso_store::faults;

/// Where the process is to die.
#[derive(Debug, PartialEq, Eq)]
struct Kill {
    point: String,
    /// Which passing of the point is the last one, from 1.
    at: u64,
}

#[derive(Debug)]
struct Armed {
    kill: Option<Kill>,
    passed: AtomicU64,
    log: Option<File>,
}

static ARMED: OnceLock<Armed> = OnceLock::new();

/// Sees to it that the process is killed at `point:k`, its k-th passing of that point, and that
/// every point it passes is written to `log`, one on each line. The error says what is wrong.
pub fn arm(kill: Option<&str>, log: Option<&Path>) -> Result<(), String> {
    let armed = Armed {
        kill: kill.map(read).transpose()?,
        passed: AtomicU64::new(0),
        log: log
            .map(|path| OpenOptions::new().create(true).append(true).open(path))
            .transpose()
            .map_err(|error| format!("the log of fail points cannot be opened: {error}"))?,
    };
    ARMED
        .set(armed)
        .map_err(|_| "the fail points are armed already".to_owned())?;
    faults::install(pass);
    Ok(())
}

fn read(text: &str) -> Result<Kill, String> {
    let (point, at) = text
        .rsplit_once(':')
        .ok_or_else(|| format!("`{text}` is not POINT:K"))?;
    match at.parse() {
        Ok(at) if at > 0 => Ok(Kill {
            point: point.to_owned(),
            at,
        }),
        _ => Err(format!("`{at}` is not a number from 1")),
    }
}

fn pass(name: &'static str) {
    let Some(armed) = ARMED.get() else { return };
    if let Some(mut log) = armed.log.as_ref() {
        // One write for each line, so that lines of several threads do not mix. A full disk is
        // something that is tested, and then there is no log.
        let _ = log.write_all(format!("{name}\n").as_bytes());
    }
    if let Some(kill) = armed.kill.as_ref().filter(|kill| kill.point == name)
        && armed.passed.fetch_add(1, Ordering::SeqCst) + 1 == kill.at
    {
        let _ = kill_process(getpid(), Signal::KILL);
        // The signal cannot be refused; whoever comes here only waits for it.
        loop {
            std::thread::park();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_to_kill_is_a_point_and_a_number() {
        assert_eq!(
            read("commit_before:2"),
            Ok(Kill {
                point: "commit_before".to_owned(),
                at: 2
            })
        );
        for bad in ["commit_before", "commit_before:", "commit_before:0", ":x"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
