//! What other nodes write: taken in as it comes, and before anything is said that they could have
//! made untrue.
//!
//! It goes through the same turns as everything else, so that events are applied and published in the
//! journal's order. A store with one writer never has anything for it.

use std::sync::Arc;
use std::time::Duration;

use sayso_core::limits;
use sayso_store::StoredEvent;

use crate::error::HubError;
use crate::hub::Inner;

/// How soon the store is asked again after it refused.
const TRY_AGAIN_AFTER: Duration = Duration::from_millis(250);

impl Inner {
    /// Has the next turn take in what others wrote, and waits for it.
    async fn take_over_events(self: &Arc<Self>, events: Vec<StoredEvent>) -> Result<(), HubError> {
        self.memory().arrived.extend(events);
        self.take_turn().await
    }

    /// Waits until everything is taken in that anybody had written when this was called. Only then is
    /// it true that an ask is open, or that something is not there.
    pub(crate) async fn caught_up(self: &Arc<Self>) -> Result<(), HubError> {
        if !self.store.is_shared() {
            return Ok(());
        }
        let head = self.store.head().await?;
        loop {
            let after = self.memory().state.head;
            if after >= head {
                return Ok(());
            }
            let events = self.store.events(after, limits::COMMIT_BATCH_MAX).await?;
            self.take_over_events(events).await?;
        }
    }
}

/// Takes in what others write, until the hub stops.
pub(crate) async fn follow(inner: Arc<Inner>) {
    loop {
        let after = inner.memory().state.head;
        let taken = tokio::select! {
            others = inner.store.others(after) => match others {
                Ok(events) => inner.take_over_events(events).await,
                Err(error) => Err(error.into()),
            },
            () = inner.stopped() => return,
        };
        if let Err(error) = taken {
            tracing::warn!(%error, "what other nodes write cannot be read");
            tokio::select! {
                () = inner.clock.sleep(TRY_AGAIN_AFTER) => {}
                () = inner.stopped() => return,
            }
        }
    }
}
