//! A thread that looks after the files while nothing is written: whether they are still there, and
//! whether erased text is out of the log.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use sayso_store::StoreError;

use crate::store::StoreInner;

/// How often it looks.
const EVERY: Duration = Duration::from_millis(500);

/// The running thread; it stops when this is dropped.
#[derive(Debug)]
pub(crate) struct Keeper {
    stop: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl Keeper {
    pub(crate) fn start(inner: Arc<StoreInner>) -> Result<Self, StoreError> {
        let stop = Arc::<(Mutex<bool>, Condvar)>::default();
        let stopped = Arc::clone(&stop);
        let thread = std::thread::Builder::new()
            .name("keeper".to_owned())
            .spawn(move || {
                let (flag, changed) = &*stopped;
                let mut flag = flag.lock().unwrap_or_else(PoisonError::into_inner);
                while !*flag {
                    drop(flag);
                    inner.look_after();
                    flag = stopped.0.lock().unwrap_or_else(PoisonError::into_inner);
                    flag = changed
                        .wait_timeout_while(flag, EVERY, |stop| !*stop)
                        .unwrap_or_else(PoisonError::into_inner)
                        .0;
                }
            })
            .map_err(|error| StoreError::Unusable {
                what: "cannot start the maintenance thread".to_owned(),
                detail: error.to_string(),
            })?;
        Ok(Self {
            stop,
            thread: Some(thread),
        })
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        *self.stop.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.stop.1.notify_all();
        if let Some(thread) = self.thread.take() {
            // A panic in it has been printed.
            let _ = thread.join();
        }
    }
}
