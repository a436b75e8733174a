//! Where a batch is written: on a thread of its own, so that the caller's thread goes on with others
//! meanwhile. Whoever is alone with a quick disk writes in place, which saves two switches of thread.
//!
//! A log that has grown long is moved into the file on that thread too, once the caller has its word.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use sayso_core::id::Seq;
use sayso_store::{Decide, JournalEntry, Since, StoreError};
use tokio::sync::oneshot;

use crate::fault;
use crate::store::StoreInner;

/// Entries of a batch that is written in place, if the one before was as small: what one ask or one
/// answer makes, with the news of an outcome.
const IN_PLACE_MAX: usize = 2;
/// A disk that took longer than this for the last batch is not waited for in place.
const QUICK: Duration = Duration::from_millis(1);

/// Something for the thread to do. The hub brings one batch at a time, and the log is moved before
/// the next one, so that few of them ever wait.
enum Job {
    /// A batch with a caller who waits for it.
    Write {
        batch: Vec<JournalEntry>,
        reply: oneshot::Sender<Result<Vec<Seq>, StoreError>>,
    },
    /// The log is long, and nobody waits.
    MoveLog,
}

/// The thread that writes, and how long the disk took last.
#[derive(Debug)]
pub(crate) struct Committer {
    inner: Arc<StoreInner>,
    /// Absent only while this is dropped.
    jobs: Option<mpsc::Sender<Job>>,
    thread: Option<JoinHandle<()>>,
    last: Arc<Took>,
    /// How many entries the last batch had.
    last_entries: AtomicUsize,
}

/// How long the last batch took, in microseconds.
#[derive(Debug, Default)]
struct Took(AtomicU64);

impl Took {
    #[expect(
        clippy::disallowed_methods,
        reason = "the disk's own time is measured; nothing that is kept depends on it"
    )]
    fn measure<T>(&self, work: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let done = work();
        let micros = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.0.store(micros, Ordering::Relaxed);
        done
    }

    fn is_quick(&self) -> bool {
        Duration::from_micros(self.0.load(Ordering::Relaxed)) < QUICK
    }
}

impl Committer {
    pub(crate) fn start(inner: Arc<StoreInner>) -> Result<Self, StoreError> {
        let (jobs, queue) = mpsc::channel::<Job>();
        let last = Arc::new(Took::default());
        let (inside, took) = (Arc::clone(&inner), Arc::clone(&last));
        let thread = std::thread::Builder::new()
            .name("committer".to_owned())
            .spawn(move || {
                for job in queue {
                    if let Job::Write { batch, reply } = job {
                        let places = took.measure(|| inside.commit(&batch));
                        // Whoever went away reads the journal when it is back.
                        drop(reply.send(places));
                    }
                    inside.move_log();
                }
            })
            .map_err(|error| StoreError::Unusable {
                what: "cannot start the writer thread".to_owned(),
                detail: error.to_string(),
            })?;
        Ok(Self {
            inner,
            jobs: Some(jobs),
            thread: Some(thread),
            last,
            last_entries: AtomicUsize::new(0),
        })
    }

    /// Has a turn decided here, where nobody else writes, and writes it.
    pub(crate) async fn turn(&self, after: Seq, decide: Decide) -> Result<Vec<Seq>, StoreError> {
        let end = self.inner.end().seq;
        if after != end {
            return Err(fault::damaged(
                fault::JOURNAL,
                format_args!("it ends at event {end}, and something was decided after {after}"),
            ));
        }
        let batch = decide(Since::default());
        if batch.is_empty() {
            return Ok(Vec::new());
        }
        let before = self.last_entries.swap(batch.len(), Ordering::Relaxed);
        let alone = before.max(batch.len()) <= IN_PLACE_MAX;
        // While the log is long, the thread is moving it or about to.
        if alone && self.last.is_quick() && !self.inner.has_long_log() {
            let places = self.last.measure(|| self.inner.commit(&batch));
            if self.inner.has_long_log() {
                // What was written counts; that the thread has ended, the next batch hears.
                let _ = self.tell(Job::MoveLog);
            }
            return places;
        }
        let (reply, word) = oneshot::channel();
        self.tell(Job::Write { batch, reply })?;
        word.await.unwrap_or_else(|_| Err(gone()))
    }

    fn tell(&self, job: Job) -> Result<(), StoreError> {
        match &self.jobs {
            Some(jobs) => jobs.send(job).map_err(|_| gone()),
            None => Err(gone()),
        }
    }
}

fn gone() -> StoreError {
    StoreError::TryLater {
        detail: "the writer thread has ended; restart the server".to_owned(),
    }
}

impl Drop for Committer {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // A panic in it has been printed.
            let _ = thread.join();
        }
    }
}
