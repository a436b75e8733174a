//! Looking after time: deadlines, deliveries that wait for a commit, retention, the background check.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use sayso_core::limits;
use sayso_store::AskQuery;

use crate::expiry;
use crate::hub::{Hub, Inner};
use crate::op::Op;

/// How long deliveries wait for somebody else's commit before they get their own.
const MARKS_ALONE_AFTER: Duration = Duration::from_millis(250);
/// The same for what was on whose screen, which nobody waits for.
const SHOWN_ALONE_AFTER: Duration = Duration::from_secs(1);
/// How soon the store is tried again after it refused.
const TRY_AGAIN_AFTER: Duration = Duration::from_secs(1);
/// How long to sleep when there is nothing to look after; also bounds the effect of a late bell.
const IDLE: Duration = Duration::from_secs(3600);
/// How often old text is looked for.
const RETENTION_EVERY: Duration = Duration::from_secs(3600);

impl Hub {
    /// Starts the tasks that look after time. They end when the hub stops.
    pub(crate) fn tend(&self) {
        tokio::spawn(tend(Arc::clone(&self.0)));
        if let Some(keep) = self.0.settings.retention {
            tokio::spawn(retain(Arc::clone(&self.0), keep));
        }
        let settings = &self.0.settings;
        if settings.token_idle.is_some() || settings.token_max_age.is_some() {
            tokio::spawn(expiry::run(Arc::clone(&self.0)));
        }
        tokio::spawn(verify(Arc::clone(&self.0)));
    }
}

/// Walks over the whole journal once; nobody waits for it.
async fn verify(inner: Arc<Inner>) {
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
        Err(error) => tracing::error!(%error, "the journal could not be checked"),
    }
}

async fn tend(inner: Arc<Inner>) {
    loop {
        let now = inner.now();
        let (deadline, marks_since, shown_since, ready) = {
            let mut known = inner.known();
            let (marks, shown) = (known.marks_since, known.shown.since());
            (known.next_look(), marks, shown, known.chat.is_ready())
        };
        let until_deadline = deadline.map(|deadline| deadline.since(now.hub));
        let until_marks =
            marks_since.map(|since| (since + MARKS_ALONE_AFTER).saturating_sub(now.steady));
        let until_shown =
            shown_since.map(|since| (since + SHOWN_ALONE_AFTER).saturating_sub(now.steady));
        let mut wait = until_deadline
            .into_iter()
            .chain(until_marks)
            .chain(until_shown)
            .chain(ready.then_some(Duration::ZERO))
            .min()
            .unwrap_or(IDLE);
        if !inner.healthy.load(Ordering::Relaxed) {
            wait = wait.max(TRY_AGAIN_AFTER);
        }
        tokio::select! {
            () = inner.clock.sleep(wait) => {
                // The round must have run before the next look, or this would spin.
                if let Err(error) = inner.commit(|reply| Op::Flush { reply }).await {
                    tracing::warn!(%error, "deadlines and deliveries wait");
                }
            }
            () = inner.bell.notified() => {}
            () = inner.stopped() => return,
        }
    }
}

async fn retain(inner: Arc<Inner>, keep: Duration) {
    loop {
        let before = sayso_core::time::Time::from_millis(
            inner
                .clock
                .wall()
                .as_millis()
                .saturating_sub(u64::try_from(keep.as_millis()).unwrap_or(u64::MAX)),
        );
        let query = AskQuery {
            closed_before: Some(before),
            limit: limits::PAGE_ROWS_MAX,
            ..AskQuery::default()
        };
        'pages: loop {
            let page = match inner.store.closed(&query).await {
                Ok(page) => page,
                Err(error) => {
                    tracing::error!(%error, "old asks could not be looked for");
                    break;
                }
            };
            let full = page.rows.len() == query.limit;
            let before = inner.store.viewed();
            for row in page.rows {
                if let Err(error) = inner
                    .commit(|reply| Op::Erase {
                        ask: row.ask,
                        place: row.place,
                        reply,
                    })
                    .await
                {
                    tracing::error!(%error, "an old ask could not be erased");
                    break 'pages;
                }
            }
            // The list comes from a projection: go on once it has seen what was erased.
            if !full || inner.store.viewed() == before {
                break;
            }
        }
        tokio::select! {
            () = inner.clock.sleep(RETENTION_EVERY) => {}
            () = inner.stopped() => return,
        }
    }
}
