//! A device's place in the feed: what it missed, then what happens, without gap or repeat.

use std::collections::VecDeque;
use std::sync::Arc;

use sayso_core::entry::{Entry, EntryKind, MessageState};
use sayso_core::id::Seq;
use sayso_core::journal::Event;
use sayso_core::limits;
use sayso_core::time::Time;
use sayso_store::StoredEvent;

use crate::error::HubError;
use crate::feed::{FeedFilter, FeedItem, News};
use crate::hub::Inner;
use crate::mailbox::Mailbox;

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
pub enum Ended {
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
    pub async fn next(&mut self) -> Result<Arc<FeedItem>, Ended> {
        loop {
            if let Some(item) = self.missed.pop_front() {
                self.cursor = item.seq.unwrap_or(self.cursor);
                return Ok(item);
            }
            if self.cursor < self.head {
                // Boxed: a device that waits must not carry the room a read needs.
                Box::pin(self.read_page()).await.map_err(Ended::Failed)?;
                continue;
            }
            let Some(item) = self.live.next().await else {
                return Err(Ended::Behind(self.cursor));
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
        let events = self.inner.store.events(self.cursor, REPLAY_PAGE).await?;
        let mut cursor = self.head;
        if events.len() == REPLAY_PAGE
            && let Some(last) = events.last()
        {
            cursor = last.seq.min(self.head);
        }
        let mut missed = VecDeque::new();
        for event in events.into_iter().filter(|event| event.seq <= self.head) {
            if let Some(item) = self.item(event).await?
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

    async fn item(&self, stored: StoredEvent) -> Result<Option<FeedItem>, HubError> {
        let StoredEvent { seq, at, event, .. } = stored;
        let looked = match &event {
            Some(Event::Asked(ask)) => self.inner.look(ask.id).await,
            Some(Event::Closed { ask, .. } | Event::AnsweredLate { ask, .. }) => {
                self.inner.look(*ask).await
            }
            Some(Event::Delivered(marks)) => {
                return Ok(Some(FeedItem::new(
                    Some(seq),
                    at,
                    News::Delivery(marks.clone()),
                )));
            }
            Some(
                Event::Messaged(_)
                | Event::Handed { .. }
                | Event::Removed { .. }
                | Event::Said(_)
                | Event::Noted(_)
                | Event::TurnEnded { .. },
            ) => return self.entry(seq, at, event).await,
            Some(Event::RuleMade(rule)) => {
                return Ok(Some(FeedItem::new(Some(seq), at, News::Rule(rule.id))));
            }
            Some(Event::RuleRevoked { rule, .. }) => {
                return Ok(Some(FeedItem::new(Some(seq), at, News::Rule(*rule))));
            }
            Some(
                Event::EpochBegan(_)
                | Event::TokenMade(_)
                | Event::TokenRevoked(_)
                | Event::AgentMet(_)
                | Event::ConversationBegan(_)
                | Event::Shown(_)
                | Event::Erased { .. }
                | Event::Cleared { .. },
            )
            | None => return Ok(None),
        };
        let view = match looked {
            Ok(view) => view,
            // Erased since: there is nothing left to show.
            Err(HubError::NotFound) => return Ok(None),
            Err(error) => return Err(error),
        };
        // It was never shown as open; that it ended comes next.
        if view.was_never_open() && matches!(event, Some(Event::Asked(_))) {
            return Ok(None);
        }
        let news = if matches!(event, Some(Event::Asked(_))) {
            News::Asked(view)
        } else {
            News::Closed(view)
        };
        Ok(Some(FeedItem::new(Some(seq), at, news)))
    }

    /// What happened in a conversation, as it was told when it happened.
    async fn entry(
        &self,
        seq: Seq,
        at: Time,
        event: Option<Event>,
    ) -> Result<Option<FeedItem>, HubError> {
        let state = if matches!(event, Some(Event::Removed { .. })) {
            MessageState::Removed
        } else {
            MessageState::Sent
        };
        let (place, conversation, kind) = match event {
            Some(Event::Messaged(message)) => (
                (seq, at),
                message.conversation,
                EntryKind::Message {
                    message,
                    state: MessageState::Queued,
                },
            ),
            Some(
                Event::Handed {
                    conversation,
                    opened,
                    ..
                }
                | Event::Removed {
                    conversation,
                    opened,
                    ..
                },
            ) => {
                let stored = self.inner.store.events_at(&[opened]).await?;
                match stored
                    .into_iter()
                    .next()
                    .map(|stored| (stored.at, stored.event))
                {
                    Some((said_at, Some(Event::Messaged(message)))) => (
                        (opened, said_at),
                        conversation,
                        EntryKind::Message { message, state },
                    ),
                    Some(_) | None => return Ok(None),
                }
            }
            Some(Event::Said(said)) => ((seq, at), said.conversation, EntryKind::Said(said)),
            Some(Event::Noted(note)) => ((seq, at), note.conversation, EntryKind::Note(note)),
            Some(Event::TurnEnded { conversation, end }) => {
                ((seq, at), conversation, EntryKind::TurnEnded(end))
            }
            Some(
                Event::EpochBegan(_)
                | Event::TokenMade(_)
                | Event::TokenRevoked(_)
                | Event::AgentMet(_)
                | Event::ConversationBegan(_)
                | Event::Asked(_)
                | Event::Closed { .. }
                | Event::AnsweredLate { .. }
                | Event::Delivered(_)
                | Event::Shown(_)
                | Event::RuleMade(_)
                | Event::RuleRevoked { .. }
                | Event::Erased { .. }
                | Event::Cleared { .. },
            )
            | None => return Ok(None),
        };
        let known = self.inner.known().roll.conversation(conversation).cloned();
        Ok(known.map(|conversation| {
            let news = News::Entry(Entry {
                seq: place.0,
                at: place.1,
                conversation,
                kind,
            });
            FeedItem::new(Some(seq), at, news)
        }))
    }
}
