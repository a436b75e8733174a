//! Reading an ask as it stands: memory first, then the journal; never a stale copy.

use std::sync::Arc;

use sayso_core::id::{AskId, Place};
use sayso_core::outcome::{Delivery, OutcomeKind};
use sayso_core::state::{ClosedEntry, Standing};
use sayso_core::view::AskView;
use sayso_store::StoredAsk;

use crate::cache::Kept;
use crate::error::HubError;
use crate::hub::Inner;
use crate::news::{self, Bodies};

impl Inner {
    /// An ask as it stands for everybody: that it is open, or not there, is only said once all is taken
    /// in that others wrote.
    pub(crate) async fn look_up(
        self: &Arc<Self>,
        ask: AskId,
    ) -> Result<(AskView, Place), HubError> {
        self.refuse_when_silent()?;
        let before = self.memory().state.head;
        let found = self.look_with_place(ask).await;
        if matches!(&found, Ok((view, _)) if is_final(view)) {
            return found;
        }
        self.caught_up().await?;
        if self.memory().state.head == before {
            return found;
        }
        self.look_with_place(ask).await
    }

    /// Finds something by its name or id in memory, once all is taken in that others wrote: neither that it
    /// is not there is true before, nor that nothing else has the name.
    pub(crate) async fn find<T>(
        self: &Arc<Self>,
        find: impl Fn(&Self) -> Result<T, HubError>,
    ) -> Result<T, HubError> {
        self.caught_up().await?;
        find(self)
    }

    /// An ask as it stands here.
    pub(crate) async fn look(&self, ask: AskId) -> Result<AskView, HubError> {
        self.look_with_place(ask).await.map(|(view, _)| view)
    }

    pub(crate) async fn look_with_place(&self, ask: AskId) -> Result<(AskView, Place), HubError> {
        // Whoever looks at many asks lets others have a turn in between.
        tokio::task::consume_budget().await;
        if let Some(looked) = self.look_now(ask) {
            return Ok(looked);
        }
        let (place, delivery) = if let Some(found) = self.remembered(ask) {
            found
        } else {
            let found = self.store.find(ask).await?;
            let (place, delivery) = found.ok_or(HubError::NotFound)?;
            // A late answer of a moment ago.
            let late = place.late.or(self.memory().state.asks.late_of(ask));
            (Place { late, ..place }, delivery)
        };
        let kept = match self.cached(ask, place) {
            Some(kept) => kept,
            None => match self.store.read(place).await? {
                StoredAsk::Whole { ask, closing, late } => {
                    let kept = Kept { ask, closing, late };
                    self.cache().put(kept.clone());
                    kept
                }
                StoredAsk::Erased => return Err(HubError::NotFound),
            },
        };
        self.marked(kept, delivery)
            .map(|view| (view, place))
            .ok_or(HubError::NotFound)
    }

    /// An ask as it stands, when all of it is in memory.
    pub(crate) fn look_now(&self, ask: AskId) -> Option<(AskView, Place)> {
        let (place, delivery) = self.remembered(ask)?;
        let kept = self.cached(ask, place)?;
        self.marked(kept, delivery).map(|view| (view, place))
    }

    /// Where an ask is and how far its news has got, if the hub remembers.
    fn remembered(&self, ask: AskId) -> Option<(Place, Delivery)> {
        let found = self.memory().find(ask)?;
        let delivery = match found {
            Standing::Open(_) => Delivery::Owed,
            Standing::Closed(entry) => entry.delivery,
        };
        Some((found.place(), delivery))
    }

    /// What is kept of an ask, unless something was written since.
    fn cached(&self, ask: AskId, place: Place) -> Option<Kept> {
        self.cache().get(ask).filter(|kept| {
            kept.closing.is_some() == place.closed.is_some()
                && kept.late.is_some() == place.late.is_some()
        })
    }

    /// What is shown of an ask, with what is known about its news and not written yet.
    fn marked(&self, kept: Kept, delivery: Delivery) -> Option<AskView> {
        let (now, wall) = (self.journal_time(), self.clock.wall());
        let memory = self.memory();
        let bodies = Bodies {
            prefill: memory.prefills.of(&kept.ask, now),
            connected: self.links.is_here(kept.ask.agent, wall),
            ..Bodies::default()
        };
        let delivery = memory.sent.delivery(kept.ask.id, delivery);
        let directory = &memory.state.directory;
        let view = news::view(kept.ask, kept.closing, kept.late, bodies, directory)?;
        Some(AskView { delivery, ..view })
    }
}

/// Whether nothing that others wrote can change what is said of an ask: it ended, and not by the clock
/// alone, after which an answer may still have come.
fn is_final(view: &AskView) -> bool {
    let closing = view.closing.as_ref();
    closing.is_some_and(|closing| {
        view.late.is_some() || closing.outcome.kind() != OutcomeKind::Expired
    })
}

/// How an ask stands for whoever looked it up, if it has ended.
pub(crate) fn looked(view: &AskView, place: Place) -> Option<ClosedEntry> {
    Some(ClosedEntry {
        opened: place.opened,
        closed: place.closed?,
        late: place.late,
        how: view.closing.as_ref()?.outcome.kind(),
        delivery: view.delivery,
    })
}
