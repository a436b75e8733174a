//! Erasing text: by age, by conversation, by agent. That something was there remains.
//!
//! Asks that are open, messages that wait for their agent and the words of a turn that runs are left
//! alone. Many are erased in one commit, with a rest after each, so that live traffic has its turn.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use sayso_core::id::{AgentId, ConversationId, Place, Seq};
use sayso_core::limits;
use sayso_core::outcome::{Delivery, OutcomeKind};
use sayso_core::state::{ClosedEntry, Op, OpenFilter};
use sayso_core::time::Time;
use sayso_store::{AskQuery, Compact, SaidQuery};

use crate::error::HubError;
use crate::feed::News;
use crate::hub::Inner;

/// How often old text is looked for.
const RETENTION_EVERY: Duration = Duration::from_secs(3600);

/// What is to be erased: everything that fits all that is given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Forget {
    /// Only of this conversation.
    pub conversation: Option<ConversationId>,
    /// Only of this agent.
    pub agent: Option<AgentId>,
    /// Only asks that closed, and words that were said, before this moment.
    pub before: Option<Time>,
}

/// What was erased, and what was left alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Forgotten {
    /// Asks that were erased.
    pub asks: u64,
    /// Messages, words and notes that were erased.
    pub entries: u64,
    /// Asks that are still open.
    pub open: u64,
    /// Messages that wait for their agent.
    pub queued: u64,
    /// Conversations in which a turn runs.
    pub running: u64,
}

impl Inner {
    /// Erases what fits, and has open pages read their lists again.
    pub(crate) async fn forget(self: &Arc<Self>, what: &Forget) -> Result<Forgotten, HubError> {
        // What is erased is found in the projections: nothing of a moment ago may be missing there.
        self.store.caught_up(self.feed.head()).await?;
        let mut done = self.left_alone(what);
        done.asks = self.erase_asks(what).await?;
        if what.conversation.is_none() && what.agent.is_none() {
            done.entries = self.erase_said(None, what.before).await?;
        } else {
            for conversation in self.conversations_of(what) {
                done.entries += self.erase_said(Some(conversation), what.before).await?;
            }
        }
        if done.asks + done.entries > 0 {
            self.count_conversations().await?;
            self.tell_erased();
            self.give_space_back();
        }
        Ok(done)
    }

    /// Counts the conversations again, after something was erased: one of which nothing is left makes
    /// room for another.
    pub(crate) async fn count_conversations(&self) -> Result<(), HubError> {
        self.store.caught_up(self.feed.head()).await?;
        let empty = self.store.empty_conversations().await?;
        let mut memory = self.memory();
        memory.fresh.prune(self.store.viewed());
        memory.emptied(empty);
        Ok(())
    }

    /// Has open pages read their lists again: what they show may be gone.
    pub(crate) fn tell_erased(&self) {
        self.tell(News::Erased(self.feed.head()));
    }

    fn conversations_of(&self, what: &Forget) -> Vec<ConversationId> {
        let memory = self.memory();
        let all = memory.state.directory.conversations().iter();
        all.filter(|one| what.conversation.is_none_or(|id| id == one.id))
            .filter(|one| what.agent.is_none_or(|agent| agent == one.agent))
            .map(|one| one.id)
            .collect()
    }

    /// What fits and stays, because somebody still needs it.
    fn left_alone(&self, what: &Forget) -> Forgotten {
        let conversations = self.conversations_of(what);
        let of = OpenFilter {
            agent: what.agent,
            conversation: what.conversation,
            matter: None,
        };
        let memory = self.memory();
        let state = &memory.state;
        let queued = conversations.iter().map(|id| state.talk.queued_in(*id));
        let running = conversations.iter().filter(|id| memory.is_running(**id));
        Forgotten {
            open: state.asks.open().list(&of, None, usize::MAX).0.len() as u64,
            queued: queued.sum::<usize>() as u64,
            running: running.count() as u64,
            ..Forgotten::default()
        }
    }

    async fn erase_asks(self: &Arc<Self>, what: &Forget) -> Result<u64, HubError> {
        let mut query = AskQuery {
            agent: what.agent,
            conversation: what.conversation,
            closed_before: what.before,
            limit: limits::PAGE_ROWS_MAX,
            ..AskQuery::default()
        };
        let mut erased = 0;
        loop {
            let page = self.store.closed(&query).await?;
            let begun = self.clock.steady();
            erased += page.rows.len() as u64;
            let ops = page.rows.into_iter().filter_map(|row| {
                let looked = ended(row.place)?;
                let ask = row.ask;
                Some(Op::Erase { ask, looked })
            });
            self.decide_all(ops).await?;
            if page.next.is_none() {
                return Ok(erased);
            }
            query.after = page.next;
            self.rest_since(begun).await;
        }
    }

    async fn erase_said(
        self: &Arc<Self>,
        conversation: Option<ConversationId>,
        before: Option<Time>,
    ) -> Result<u64, HubError> {
        let mut query = SaidQuery {
            conversation,
            before,
            after: None,
            limit: limits::PAGE_ROWS_MAX,
        };
        let mut erased = 0;
        loop {
            let rows = self.store.said(&query).await?;
            let begun = self.clock.steady();
            let mut places: BTreeMap<ConversationId, Vec<Seq>> = BTreeMap::new();
            {
                let memory = self.memory();
                let still = rows
                    .iter()
                    .filter(|row| !memory.is_running(row.conversation));
                for row in still {
                    places.entry(row.conversation).or_default().push(row.seq);
                    erased += 1;
                }
            }
            let ops = places.into_iter().map(|(conversation, places)| Op::Clear {
                conversation,
                places,
            });
            self.decide_all(ops).await?;
            if rows.len() < query.limit {
                return Ok(erased);
            }
            query.after = rows.last().copied();
            self.rest_since(begun).await;
        }
    }

    /// Rests for half as long as the last batch took, so that others have the disk in between.
    async fn rest_since(&self, begun: Duration) {
        let took = self.clock.steady().saturating_sub(begun);
        self.clock.sleep(took / 2).await;
    }

    /// Has the store give free space back, beside everything else.
    fn give_space_back(self: &Arc<Self>) {
        let inner = Arc::clone(self);
        tokio::spawn(async move {
            if let Err(error) = inner.store.compact(Compact::WhenWorthIt).await {
                tracing::warn!(%error, "could not return free space to the disk");
            }
        });
    }
}

/// How an ask stands that is only known to have ended at a place.
fn ended(place: Place) -> Option<ClosedEntry> {
    Some(ClosedEntry {
        opened: place.opened,
        closed: place.closed?,
        late: place.late,
        how: OutcomeKind::Withdrawn,
        delivery: Delivery::Confirmed,
    })
}

/// Counts conversations again, once the projections have what the start could not know yet, and whenever
/// another node erased something.
pub(crate) async fn count_again(inner: Arc<Inner>) {
    loop {
        if let Err(error) = inner.count_conversations().await {
            tracing::warn!(%error, "could not recount conversations");
        }
        tokio::select! {
            () = inner.recount.notified() => {}
            () = inner.stopped() => return,
        }
    }
}

/// Erases old text, again and again.
pub(crate) async fn retain(inner: Arc<Inner>, keep: Duration) {
    let keep = u64::try_from(keep.as_millis()).unwrap_or(u64::MAX);
    loop {
        let now = inner.journal_time().as_millis();
        let old = Forget {
            before: Some(Time::from_millis(now.saturating_sub(keep))),
            ..Forget::default()
        };
        if inner.has_seat() {
            match inner.forget(&old).await {
                Ok(Forgotten { asks, entries, .. }) if asks + entries > 0 => {
                    tracing::info!(asks, entries, "erased old text");
                }
                Ok(_) => {}
                Err(error) => tracing::error!(%error, "could not erase old text"),
            }
        }
        tokio::select! {
            () = inner.clock.sleep(RETENTION_EVERY) => {}
            () = inner.stopped() => return,
        }
    }
}
