//! Who waits for an ask to end: wake-ups by ask id, across any number of connections.
//!
//! A cache over the truth in the journal: whoever is woken looks the ask up again.

use std::sync::{Arc, Mutex, PoisonError};

use hashbrown::HashMap;
use sayso_core::id::AskId;
use tokio::sync::Notify;

#[derive(Debug, Default)]
pub(crate) struct Waits(Mutex<HashMap<AskId, Arc<Notify>>>);

/// One place in the queue; leaving it is dropping it.
#[derive(Debug)]
pub(crate) struct Wait<'a> {
    waits: &'a Waits,
    ask: AskId,
    bell: Arc<Notify>,
}

impl Waits {
    /// Starts to wait. What happens after this call rings; look the ask up before waiting for it.
    pub(crate) fn enter(&self, ask: AskId) -> Wait<'_> {
        let bell = Arc::clone(self.lock().entry(ask).or_default());
        Wait {
            waits: self,
            ask,
            bell,
        }
    }

    /// Wakes everyone who waits for this ask.
    pub(crate) fn ring(&self, ask: AskId) {
        if let Some(bell) = self.lock().get(&ask) {
            bell.notify_waiters();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<AskId, Arc<Notify>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wait<'_> {
    /// A future that resolves at the next ring after this call.
    pub(crate) fn rung(&self) -> tokio::sync::futures::Notified<'_> {
        self.bell.notified()
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        let mut waits = self.waits.lock();
        // The map and this wait hold one each: when nobody else waits, the bell goes.
        if Arc::strong_count(&self.bell) <= 2 {
            waits.remove(&self.ask);
        }
    }
}
