//! A device's place in the feed: what it missed, then what happens, without gap or repeat.

use std::collections::VecDeque;
use std::sync::Arc;

use sayso_core::id::Seq;
use sayso_core::journal::Event;
use sayso_core::limits;
use sayso_store::StoredEvent;

use crate::error::HubError;
use crate::feed::{FeedFilter, FeedItem};
use crate::hub::Inner;
use crate::mailbox::Mailbox;
use crate::news::news;

/// Events read from the journal at a time while catching up.
const REPLAY_PAGE: usize = 200;

/// A device's place in the feed.
#[derive(Debug)]
pub struct Subscription {
    inner: Arc<Inner>,
    filter: FeedFilter,
    live: Mailbox<Arc<FeedItem>>,
    missed: VecDeque<Arc<FeedItem>>,
    /// How far this device has been told.
    cursor: Seq,
    /// Up to here the journal tells; after it the live stream does.
    head: Seq,
}

/// Why a subscription ended.
#[derive(Debug)]
pub enum FeedEnded {
    /// The device fell behind and was cut; it resumes from this cursor.
    Behind(Seq),
    /// The journal could not be read.
    Failed(HubError),
}

impl Subscription {
    /// Starts after `after`, or now; the flag says that `after` is too old or unknown and the
    /// device must read the lists again.
    pub(crate) fn new(inner: Arc<Inner>, filter: FeedFilter, after: Option<Seq>) -> (Self, bool) {
        let (head, live) = inner.feed.listen(filter);
        let reset =
            after.is_some_and(|after| after > head || head.0 - after.0 > limits::FEED_REPLAY_MAX);
        let cursor = after.filter(|_| !reset).unwrap_or(head);
        (
            Self {
                inner,
                filter,
                live,
                missed: VecDeque::new(),
                cursor,
                head,
            },
            reset,
        )
    }

    /// The place up to which the journal will be told before the live stream begins.
    pub fn head(&self) -> Seq {
        self.head
    }

    /// The next item. Safe to drop and call again.
    pub async fn next(&mut self) -> Result<Arc<FeedItem>, FeedEnded> {
        loop {
            if let Some(item) = self.missed.pop_front() {
                self.cursor = item.seq.unwrap_or(self.cursor);
                return Ok(item);
            }
            if self.cursor < self.head {
                // Boxed: a device that waits must not carry the room a read needs.
                Box::pin(self.read_page())
                    .await
                    .map_err(FeedEnded::Failed)?;
                continue;
            }
            let Some(item) = self.live.next().await else {
                return Err(FeedEnded::Behind(self.cursor));
            };
            match item.seq {
                Some(seq) if seq <= self.cursor => {}
                Some(seq) => {
                    self.cursor = seq;
                    return Ok(item);
                }
                None => return Ok(item),
            }
        }
    }

    async fn read_page(&mut self) -> Result<(), HubError> {
        // One more than is told: whether an ask was ever open shows the event after it.
        let events = self
            .inner
            .store
            .events(self.cursor, REPLAY_PAGE + 1)
            .await?;
        let told = events.len().min(REPLAY_PAGE);
        let mut cursor = self.head;
        if events.len() > REPLAY_PAGE
            && let Some(last) = events.get(told.saturating_sub(1))
        {
            cursor = last.seq.min(self.head);
        }
        let mut missed = VecDeque::new();
        for (stored, after) in events.iter().take(told).zip(1..) {
            let next = events.get(after).and_then(|next| next.event.as_ref());
            if stored.seq <= self.head
                && let Some(item) = self.item(stored, next).await?
                && self.filter.takes(&item.news)
            {
                missed.push_back(Arc::new(item));
            }
        }
        // All of the page at once: a caller that gave up in between starts it again.
        self.missed = missed;
        self.cursor = cursor;
        Ok(())
    }

    /// The news of an event, as it was told when it happened; nothing once its text was erased.
    async fn item(
        &self,
        stored: &StoredEvent,
        next: Option<&Event>,
    ) -> Result<Option<FeedItem>, HubError> {
        let Some(event) = &stored.event else {
            return Ok(None);
        };
        let bodies = self.inner.bodies(event).await?;
        let news = {
            let memory = self.inner.memory();
            let directory = &memory.state.directory;
            news(stored.seq, stored.at, event, next, bodies, directory)
        };
        Ok(news.map(|news| FeedItem::new(Some(stored.seq), stored.at, news)))
    }
}
