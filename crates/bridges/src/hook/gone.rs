//! When nobody waits for a hook any more: it is told to end, its parent is gone, or nobody reads
//! what it would say.

use std::io;
use std::time::Duration;

use rustix::process::{Pid, getppid};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{Interval, MissedTickBehavior, interval};

use crate::reader::is_read;

/// How often the parent and the reader are looked at: the system tells of neither. Older programs
/// leave a hook behind without a signal.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Listens for the end of whoever waits for us.
#[derive(Debug)]
pub(crate) struct CallerGone {
    signals: [Signal; 3],
    parent: Option<Pid>,
    ticks: Interval,
}

impl CallerGone {
    /// Listens from now on.
    pub(crate) fn listen() -> io::Result<Self> {
        let mut ticks = interval(LOOK_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Ok(Self {
            signals: [
                signal(SignalKind::terminate())?,
                signal(SignalKind::interrupt())?,
                signal(SignalKind::hangup())?,
            ],
            parent: getppid(),
            ticks,
        })
    }

    /// Resolves once nobody waits any more.
    pub(crate) async fn come(&mut self) {
        let [terminate, interrupt, hangup] = &mut self.signals;
        loop {
            tokio::select! {
                _ = terminate.recv() => return,
                _ = interrupt.recv() => return,
                _ = hangup.recv() => return,
                _ = self.ticks.tick() => {
                    if getppid() != self.parent || !is_read() {
                        return;
                    }
                }
            }
        }
    }
}
