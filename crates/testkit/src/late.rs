//! Whether the machine itself was late: a thread that sleeps for a moment and measures how much longer it
//! took. A time that a test measured while that was long says nothing about the server.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long the thread sleeps.
const NAP: Duration = Duration::from_millis(5);

/// Watches how late this machine is.
#[derive(Debug)]
pub struct Lateness {
    worst: Arc<AtomicU64>,
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Default for Lateness {
    #[expect(
        clippy::disallowed_methods,
        reason = "it is the machine's own clock that is watched"
    )]
    fn default() -> Self {
        let (worst, ended) = (Arc::<AtomicU64>::default(), Arc::<AtomicBool>::default());
        let (told, over) = (Arc::clone(&worst), Arc::clone(&ended));
        let thread = std::thread::spawn(move || {
            while !over.load(Ordering::SeqCst) {
                let began = Instant::now();
                std::thread::sleep(NAP);
                let late = began.elapsed().saturating_sub(NAP).as_micros();
                told.fetch_max(u64::try_from(late).unwrap_or(u64::MAX), Ordering::SeqCst);
            }
        });
        Self {
            worst,
            ended,
            thread: Some(thread),
        }
    }
}

impl Lateness {
    /// The longest that anything was late since this was asked last.
    pub fn worst(&self) -> Duration {
        Duration::from_micros(self.worst.swap(0, Ordering::SeqCst))
    }
}

impl Drop for Lateness {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        // It ends within a nap; a test does not wait for more than that.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
