//! The projector: a thread of its own that follows the journal and keeps the projections up.
//!
//! While commits go on it takes small batches with a rest between them, so that the committer has
//! the disk and the processor first; when all is quiet, or when it has fallen so far behind that a
//! start would take long, it does not rest. Whatever it meets, the journal is not touched.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use sayso_store::StoreError;
use sayso_store_sql::views::{ProjectorPace, ViewError};

use crate::store::StoreInner;

/// The rest after a failure.
const REST_AFTER_FAILURE: Duration = Duration::from_secs(1);

/// How the committer wakes the projector, and how it is told to stop.
#[derive(Debug, Default)]
pub(crate) struct Signal {
    /// Whether the projector sleeps: only then does a commit pay for waking it.
    idle: AtomicBool,
    stop: Mutex<bool>,
    changed: Condvar,
}

impl Signal {
    /// There is something new.
    pub(crate) fn wake(&self) {
        if self.idle.swap(false, Ordering::SeqCst) {
            let _held = self.stop.lock().unwrap_or_else(PoisonError::into_inner);
            self.changed.notify_all();
        }
    }

    fn stop(&self) {
        *self.stop.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    /// Sleeps until `ready` or told to stop. Says whether to go on.
    fn wait(&self, ready: impl Fn() -> bool) -> bool {
        let mut stop = self.stop.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            self.idle.store(true, Ordering::SeqCst);
            if *stop || ready() {
                self.idle.store(false, Ordering::SeqCst);
                return !*stop;
            }
            stop = self
                .changed
                .wait(stop)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Rests for a while, or until told to stop. Says whether to go on.
    pub(crate) fn rest(&self, span: Duration) -> bool {
        let stop = self.stop.lock().unwrap_or_else(PoisonError::into_inner);
        let (stop, _) = self
            .changed
            .wait_timeout_while(stop, span, |stop| !*stop)
            .unwrap_or_else(PoisonError::into_inner);
        !*stop
    }
}

/// The running thread; it stops when this is dropped.
#[derive(Debug)]
pub(crate) struct Projector {
    inner: Arc<StoreInner>,
    thread: Option<JoinHandle<()>>,
}

impl Projector {
    pub(crate) fn start(inner: Arc<StoreInner>) -> Result<Self, StoreError> {
        let inside = Arc::clone(&inner);
        let thread = std::thread::Builder::new()
            .name("projector".to_owned())
            .spawn(move || run(&inside))
            .map_err(|e| StoreError::Unusable {
                what: "cannot start the projector".to_owned(),
                detail: e.to_string(),
            })?;
        Ok(Self {
            inner,
            thread: Some(thread),
        })
    }
}

impl Drop for Projector {
    fn drop(&mut self) {
        self.inner.signal.stop();
        if let Some(thread) = self.thread.take() {
            // A panic in it has been printed; the journal is whole either way.
            let _ = thread.join();
        }
    }
}

fn run(inner: &StoreInner) {
    let mut unfinished = true;
    let mut pace = ProjectorPace::default();
    loop {
        let ready = || {
            inner.is_recovered()
                && (unfinished || inner.views.is_broken() || inner.views.rows() < inner.end().seq)
        };
        if !inner.signal.wait(ready) {
            return;
        }
        let (end, before) = (inner.end().seq, inner.views.rows());
        let mut rest = |has_more| pace.rest(end, before, inner.views.rows(), has_more);
        let rest = match step(inner) {
            Ok(ErasedCounts::Rows) => rest(true),
            Ok(ErasedCounts::Text) => {
                unfinished = true;
                rest(true)
            }
            Ok(ErasedCounts::Nothing) => {
                unfinished = false;
                rest(false)
            }
            Err(error) => {
                unfinished = true;
                failed(inner, error);
                REST_AFTER_FAILURE
            }
        };
        if !inner.signal.rest(rest) {
            return;
        }
    }
}

/// What is left to do after a step.
enum ErasedCounts {
    Rows,
    Text,
    Nothing,
}

fn step(inner: &StoreInner) -> Result<ErasedCounts, ViewError> {
    if inner.views.is_broken() {
        tracing::warn!("lists and search are damaged; rebuilding them from the journal");
        inner.views.renew(inner.end())?;
    }
    // Text that is behind comes after all rows: a start waits for them, while text is only searched.
    if inner.views.step_rows(
        &inner.journal,
        inner.end(),
        &|found| inner.note(found),
        true,
    )? {
        return Ok(ErasedCounts::Rows);
    }
    Ok(if inner.views.step_text(&inner.journal)? {
        ErasedCounts::Text
    } else {
        ErasedCounts::Nothing
    })
}

fn failed(inner: &StoreInner, error: ViewError) {
    match error {
        ViewError::Views(error) if error.is_beyond_use() => {
            tracing::warn!(%error, "lists and search are damaged; rebuilding them from the \
                                    journal");
            if let Err(error) = inner.views.renew(inner.end()) {
                tracing::error!(%error, "could not rebuild lists and search");
            }
        }
        ViewError::Views(error) => {
            tracing::warn!(%error, "could not write lists and search; they fall behind");
        }
        ViewError::Journal(error) => {
            tracing::error!(%error, "lists and search can't follow the journal");
        }
    }
}
