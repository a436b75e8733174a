//! Ctrl-C and a polite kill: both mean stop, and a command may still tidy up. A file that may not
//! grow is no reason to die.

use rustix::process::Signal as Number;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::failure::Failure;

/// From now on a write beyond the limit on file sizes is an error like any other, which the store
/// answers with "try later"; by default the system would kill the process instead.
pub(crate) fn outlive_file_limits() -> Result<(), Failure> {
    // Once listened for, a signal no longer does what it does by default; nobody needs to hear it.
    drop(signal(SignalKind::from_raw(Number::XFSZ.as_raw()))?);
    Ok(())
}

/// Listens for the signals that mean stop, from now on.
#[derive(Debug)]
pub(crate) struct StopSignal {
    interrupt: Signal,
    terminate: Signal,
}

impl StopSignal {
    pub(crate) fn listen() -> Result<Self, Failure> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Resolves when one has come. May be awaited again for the next one.
    pub(crate) async fn come(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
