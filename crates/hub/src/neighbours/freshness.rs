//! Freshness: a node that could not write for a second tells nothing to anybody. One that has not taken in
//! what others wrote until a second ago answers nobody. A hub that is alone is always fresh.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use sayso_core::limits;
use tokio::sync::Mutex;

use crate::error::HubError;
use crate::feed::{FeedItem, News};
use crate::hub::{Hub, Inner, Stage};

/// What whoever asks a node is told that may not know.
const SILENT: &str = "This node lost its connection to the database, so its data may be out of \
                      date. Retry in a second or use another node.";

/// Catching up with the other nodes: one question at a time for everybody who waits.
#[derive(Debug, Default)]
pub(crate) struct CatchUp {
    /// Questions that were begun.
    begun: AtomicU64,
    /// The last that was answered.
    answered: Mutex<u64>,
}

fn silent() -> HubError {
    HubError::TryLater(SILENT.to_owned())
}

impl Hub {
    /// Whether this node may believe what it knows, and so may answer.
    pub fn is_fresh(&self) -> bool {
        self.0.is_fresh()
    }

    /// Resolves once this node may answer.
    pub async fn fresh(&self) {
        self.0.fresh().await;
    }

    /// Resolves once this node could not answer for so long without a break.
    pub async fn stale_for(&self, span: Duration) {
        loop {
            self.0.silent().await;
            tokio::select! {
                () = self.0.fresh() => {}
                () = self.0.clock.sleep(span) => return,
            }
        }
    }

    /// Tells the other nodes where this one listens.
    pub fn listens_at(&self, url: &str) {
        if let Some(neighbours) = &self.0.neighbours {
            let head = self.0.memory().state.head;
            neighbours.tell(head, Some(url));
        }
    }
}

impl Inner {
    /// Whether what this node knows may be answered with: it has taken in all that there was a moment ago.
    pub(crate) fn is_fresh(&self) -> bool {
        let neighbours = self.neighbours.as_ref();
        neighbours.is_none_or(|neighbours| neighbours.is_current())
    }

    /// Whether events may be told as they come. A node that is behind may: only so it gets on.
    fn can_tell(&self) -> bool {
        let neighbours = self.neighbours.as_ref();
        neighbours.is_none_or(|neighbours| neighbours.is_fresh())
    }

    /// Resolves once events may be told again.
    async fn tells_again(&self) {
        while !self.can_tell() {
            let Some(neighbours) = &self.neighbours else {
                return;
            };
            // It only fails once the store is closed: nothing changes any more.
            if neighbours.no_longer(false).await.is_err() {
                std::future::pending::<()>().await;
            }
            tokio::task::yield_now().await;
        }
    }

    /// Refuses to read anything to anybody while this node may not know.
    pub(crate) fn refuse_when_silent(&self) -> Result<(), HubError> {
        if self.is_fresh() {
            return Ok(());
        }
        Err(silent())
    }

    pub(crate) async fn fresh(&self) {
        self.until(true).await;
    }

    /// Resolves once this node may no longer answer.
    async fn silent(&self) {
        self.until(false).await;
    }

    async fn until(&self, fresh: bool) {
        while self.is_fresh() != fresh {
            match &self.neighbours {
                // It only fails once the store is closed: nothing changes any more.
                Some(neighbours) if neighbours.becomes_current(fresh).await.is_ok() => {}
                Some(_) | None => std::future::pending().await,
            }
            // What is said to have changed may show a moment later.
            tokio::task::yield_now().await;
        }
    }

    /// Waits until devices and agents may be told something. Says whether they may; a hub that stops
    /// does not wait.
    pub(crate) async fn may_tell(&self) -> bool {
        if self.can_tell() {
            return true;
        }
        let mut stage = self.stage.subscribe();
        tokio::select! {
            () = self.tells_again() => true,
            _ = stage.wait_for(|stage| *stage != Stage::Up) => false,
        }
    }

    /// Tells devices something that has no place in the journal. Nobody is told while this node may not
    /// know.
    pub(crate) fn tell(&self, news: News) {
        if self.can_tell() {
            let item = FeedItem::new(None, self.clock.wall(), news);
            self.feed.publish(item);
        }
    }

    /// Waits until everything is taken in that anybody had written when this was called. Only then is
    /// it true that an ask is open, or that something is not there.
    pub(crate) async fn caught_up(self: &Arc<Self>) -> Result<(), HubError> {
        if self.neighbours.is_none() {
            return Ok(());
        }
        self.refuse_when_silent()?;
        // A question under way may have been answered before the caller came: the next one counts.
        let wanted = self.catching.begun.load(Ordering::SeqCst) + 1;
        let mut answered = tokio::select! {
            answered = self.catching.answered.lock() => answered,
            () = self.silent() => return Err(silent()),
        };
        if *answered >= wanted {
            return Ok(());
        }
        let number = self.catching.begun.fetch_add(1, Ordering::SeqCst) + 1;
        tokio::select! {
            caught_up = self.reach_head() => caught_up?,
            // It may know again by now, and still not what was asked for.
            () = self.silent() => return Err(silent()),
        }
        *answered = number;
        Ok(())
    }

    async fn reach_head(self: &Arc<Self>) -> Result<(), HubError> {
        let head = self.store.head().await?;
        loop {
            let after = self.memory().state.head;
            if after >= head {
                break;
            }
            let events = self.store.events(after, limits::COMMIT_BATCH_MAX).await?;
            self.take_over_events(events).await?;
        }
        // A turn may have applied it and not have told it yet: waits and what lists lack follow what is told.
        if self.feed.head() < head {
            self.take_turn().await?;
        }
        Ok(())
    }
}
