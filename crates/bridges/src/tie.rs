//! Programs that do not outlive the one who started them, even when that one is killed.
//!
//! The system can tell a program of its parent's death only when the program itself asked for it. So the
//! CLI is started by way of a process of ours that asks, and then becomes the CLI.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;

use rustix::process::{Pid, getppid};
use tokio::process::Command;

/// What is put before a program and its words, so that it ends with us: a program of ours that calls
/// [`become_tied`], and its words. Empty where the system has nothing for it.
#[derive(Debug, Clone, Default)]
pub struct ParentTie(pub Vec<OsString>);

impl ParentTie {
    /// This program, tied to us.
    #[expect(
        clippy::disallowed_methods,
        reason = "standing next to a program that the person named starts that program"
    )]
    pub(crate) fn command(&self, bin: &Path) -> Command {
        match self.0.split_first() {
            Some((own, words)) => {
                let mut command = Command::new(own);
                // The file may be called as what we stand in for, and would then take all words for that.
                command.arg0("sayso").args(words).arg(bin);
                command
            }
            None => Command::new(bin),
        }
    }
}

/// Becomes this program, which is told to end when `parent` does; comes back only with the reason why
/// not.
#[expect(
    clippy::disallowed_methods,
    reason = "standing next to a program that the person named starts that program"
)]
pub fn become_tied(parent: u32, words: &[OsString]) -> io::Error {
    if let Err(error) = ask_for_signal() {
        return error;
    }
    // It may have ended before we asked: then nobody would tell us.
    let is_there = i32::try_from(parent).ok().and_then(Pid::from_raw) == getppid();
    if !is_there {
        return io::Error::other("the program that started this has ended");
    }
    match words.split_first() {
        Some((bin, rest)) => std::process::Command::new(bin).args(rest).exec(),
        None => io::Error::other("there is nothing to run"),
    }
}

#[cfg(target_os = "linux")]
fn ask_for_signal() -> io::Result<()> {
    use rustix::process::{Signal, set_parent_process_death_signal};
    Ok(set_parent_process_death_signal(Some(Signal::TERM))?)
}

#[cfg(not(target_os = "linux"))]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
fn ask_for_signal() -> io::Result<()> {
    Ok(())
}
