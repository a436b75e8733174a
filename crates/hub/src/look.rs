//! Reading an ask as it stands: memory first, then the journal; never a stale copy.

use std::sync::Arc;

use sayso_core::id::{AskId, Place};
use sayso_core::outcome::Delivery;
use sayso_core::policy;
use sayso_core::unreadable;
use sayso_core::view::AskView;
use sayso_store::Told;

use crate::cache::Kept;
use crate::error::HubError;
use crate::hub::Inner;
use crate::known::Found;

impl Inner {
    /// An ask as it stands.
    pub(crate) async fn look(&self, ask: AskId) -> Result<AskView, HubError> {
        self.look_with_place(ask).await.map(|(view, _)| view)
    }

    pub(crate) async fn look_with_place(&self, ask: AskId) -> Result<(AskView, Place), HubError> {
        // Whoever looks at many asks lets others have a turn in between.
        tokio::task::consume_budget().await;
        if let Some(looked) = self.look_now(ask) {
            return Ok(looked);
        }
        let (place, delivery) = match self.remembered(ask) {
            Some(found) => found,
            None => self.store.find(ask).await?.ok_or(HubError::NotFound)?,
        };
        let kept = match self.cached(ask, place) {
            Some(kept) => kept,
            None => match self.store.read(place).await? {
                Told::Whole { ask, closing, late } => {
                    let kept = Kept { ask, closing, late };
                    self.cache().put(kept.clone());
                    kept
                }
                Told::Erased => return Err(HubError::NotFound),
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
        let found = self.known().find(ask)?;
        let delivery = match found {
            Found::Open(_) => Delivery::Owed,
            Found::Closed { delivery, .. } => delivery,
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
        let mark = self
            .known()
            .marks
            .get(&kept.ask.id)
            .map(|mark| mark.delivery);
        self.view_of(kept, mark.map_or(delivery, |mark| mark.max(delivery)))
    }

    /// Puts together what is shown of an ask.
    pub(crate) fn view_of(&self, kept: Kept, delivery: Delivery) -> Option<AskView> {
        let wall = self.clock.wall();
        let (agent, conversation, prefill) = {
            let known = self.known();
            let agent = match known.roll.agent(kept.ask.agent) {
                Some(agent) => Arc::clone(agent),
                // Who asked what cannot be read may not be known.
                None if kept.ask.is_unreadable() => unreadable::agent()?,
                None => return None,
            };
            let conversation = kept.ask.conversation;
            let prefill = match kept.closing {
                None => known.prefills.of(&kept.ask, wall),
                Some(_) => None,
            };
            (
                agent,
                conversation.and_then(|id| known.roll.conversation(id).cloned()),
                prefill,
            )
        };
        Some(AskView {
            connected: self.links.is_here(agent.id, wall),
            scopes: policy::scopes(&kept.ask),
            ask: kept.ask,
            agent,
            conversation,
            closing: kept.closing,
            late: kept.late,
            delivery,
            prefill,
        })
    }
}
