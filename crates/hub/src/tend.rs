//! Looking after time: deadlines, deliveries that wait for a commit, the background check, and the tasks
//! that erase old text and withdraw what nobody waits for.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use sayso_store::LEVEL;

use crate::device_expiry;
use crate::erase::{count_again, retain};
use crate::hub::{Hub, Inner};
use crate::neighbours::{follow, listen, watch};
use crate::sweep::sweep;

/// How long deliveries wait for somebody else's commit before they get their own.
const MARKS_ALONE_AFTER: Duration = Duration::from_millis(250);
/// The same for what was on whose screen, which nobody waits for.
const SHOWN_ALONE_AFTER: Duration = Duration::from_secs(1);
/// How soon the store is tried again after it refused.
const TRY_AGAIN_AFTER: Duration = Duration::from_secs(1);
/// The same where a node of an older version must go first.
const OLDER_NODES_AFTER: Duration = Duration::from_secs(1);
/// How long to sleep when there is nothing to look after; also bounds the effect of a late bell.
const IDLE: Duration = Duration::from_secs(3600);

impl Hub {
    /// Starts the tasks that look after time. They end when the hub stops.
    pub(crate) fn tend(&self) {
        tokio::spawn(tend(Arc::clone(&self.0)));
        if let Some(keep) = self.0.settings.retention {
            tokio::spawn(retain(Arc::clone(&self.0), keep));
        }
        let settings = &self.0.settings;
        if settings.token_idle.is_some() || settings.token_max_age.is_some() {
            tokio::spawn(device_expiry::run(Arc::clone(&self.0)));
        }
        tokio::spawn(verify(Arc::clone(&self.0)));
        tokio::spawn(write_used(Arc::clone(&self.0)));
        tokio::spawn(sweep(Arc::clone(&self.0)));
        tokio::spawn(count_again(Arc::clone(&self.0)));
        if let Some(neighbours) = &self.0.neighbours {
            tokio::spawn(follow(Arc::clone(&self.0)));
            tokio::spawn(listen(Arc::clone(&self.0), Arc::clone(neighbours)));
            tokio::spawn(watch(Arc::clone(&self.0), Arc::clone(neighbours)));
        }
    }
}

impl Inner {
    /// Writes down when tokens were last used, as far as no commit took that along.
    pub(crate) async fn write_used(&self) {
        if let Err(error) = self.store.write_used().await {
            tracing::warn!(%error, "could not record when tokens were last used");
        }
    }
}

async fn write_used(inner: Arc<Inner>) {
    let every = inner.uses_every();
    loop {
        tokio::select! {
            () = inner.clock.sleep(every) => inner.write_used().await,
            () = inner.stopped() => return,
        }
    }
}

/// Walks over the whole journal; nobody waits for it.
pub(crate) async fn verify(inner: Arc<Inner>) {
    match inner.store.verify().await {
        Ok(verified) => {
            for fault in &verified.faults {
                tracing::error!(%fault, "the journal is damaged");
            }
            *inner
                .verified
                .lock()
                .unwrap_or_else(PoisonError::into_inner) = Some(verified);
        }
        Err(error) => tracing::error!(%error, "could not check the journal"),
    }
}

async fn tend(inner: Arc<Inner>) {
    loop {
        let now = inner.now();
        let (deadline, marks_since, shown_since, ready) = {
            let mut memory = inner.memory();
            let (marks, shown) = (memory.sent.since(), memory.shown.since());
            (memory.next_look(), marks, shown, memory.live.is_ready())
        };
        let until_deadline = deadline.map(|deadline| deadline.since(now.hub));
        let until_marks =
            marks_since.map(|since| (since + MARKS_ALONE_AFTER).saturating_sub(now.steady));
        let until_shown =
            shown_since.map(|since| (since + SHOWN_ALONE_AFTER).saturating_sub(now.steady));
        let until_ready = ready.then_some(if inner.level() < LEVEL {
            OLDER_NODES_AFTER
        } else {
            Duration::ZERO
        });
        let mut wait = until_deadline
            .into_iter()
            .chain(until_marks)
            .chain(until_shown)
            .chain(until_ready)
            .min()
            .unwrap_or(IDLE);
        if !inner.healthy.load(Ordering::Relaxed) {
            wait = wait.max(TRY_AGAIN_AFTER);
        }
        tokio::select! {
            () = inner.clock.sleep(wait) => {
                // The turn must have run before the next look, or this would spin.
                if let Err(error) = inner.flush().await {
                    tracing::warn!(%error, "could not process deadlines and deliveries; retrying");
                }
            }
            () = inner.bell.notified() => {}
            () = inner.stopped() => return,
        }
    }
}
