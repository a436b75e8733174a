//! Time for the hub: a wall to write down, and a steady hand to measure with.
//!
//! Deadlines run on the steady clock, so that a jump of the wall clock can neither expire an ask
//! early nor keep it open; what is shown and stored is wall time.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use sayso_core::time::Time;

/// One moment on every clock: what is written down, and what deadlines are held against.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClockReading {
    pub(crate) wall: Time,
    /// Wall time as it would be if nobody had touched the calendar since the start.
    pub(crate) hub: Time,
    pub(crate) steady: Duration,
    /// The latest that any clock has it: a rule that has ended does not begin again because the
    /// wall clock was put back.
    pub(crate) latest: Time,
}

/// Where the hub gets its time from.
pub trait Clock: Send + Sync + fmt::Debug {
    /// What the calendar says.
    fn wall(&self) -> Time;

    /// How long this clock has run, untouched by changes of the calendar.
    fn steady(&self) -> Duration;

    /// Resolves after this span of steady time.
    fn sleep(&self, span: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}

/// The clock of the machine.
#[derive(Debug)]
pub struct SystemClock {
    started: Instant,
}

impl SystemClock {
    /// A clock that starts now.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that reads the machine's clock"
    )]
    pub fn new() -> Self {
        Self {
            started: Instant::now(),
        }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that reads the machine's clock"
    )]
    fn wall(&self) -> Time {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Time::from_millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that reads the machine's clock"
    )]
    fn steady(&self) -> Duration {
        self.started.elapsed()
    }

    fn sleep(&self, span: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(tokio::time::sleep(span))
    }
}
