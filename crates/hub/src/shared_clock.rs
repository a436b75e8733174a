//! The time by which the journal is dated: the clock that all nodes share, where there is one.
//!
//! What is held against a date of the journal is read here, and not from the machine, whose clock may
//! show something else.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sayso_core::time::Time;

use crate::hub::Inner;

/// What the shared clock showed when it was heard of last.
#[derive(Debug)]
pub(crate) struct SharedClock(Mutex<Option<SharedReading>>);

/// The shared clock, and the steady one of this process at that moment.
#[derive(Debug, Clone, Copy)]
struct SharedReading {
    shared: Time,
    steady: Duration,
}

impl SharedClock {
    /// The clock as it was at the start; nothing where this hub is alone.
    pub(crate) fn new(shared: Option<Time>, steady: Duration) -> Self {
        let reading = shared.map(|shared| SharedReading { shared, steady });
        Self(Mutex::new(reading))
    }

    fn lock(&self) -> MutexGuard<'_, Option<SharedReading>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes over what it shows, if there is one.
    pub(crate) fn heard(&self, shared: Option<Time>, steady: Duration) {
        if let Some(shared) = shared {
            *self.lock() = Some(SharedReading { shared, steady });
        }
    }

    /// What it shows now, as far as it goes as steadily as this process.
    fn at(&self, steady: Duration) -> Option<Time> {
        let heard = (*self.lock())?;
        Some(heard.shared.after(steady.saturating_sub(heard.steady)))
    }
}

impl Inner {
    /// What time it is by the clock that dates the journal.
    pub(crate) fn journal_time(&self) -> Time {
        let shared = self.shared.at(self.clock.steady());
        shared.unwrap_or_else(|| self.clock.wall())
    }
}
