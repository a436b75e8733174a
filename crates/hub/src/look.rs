//! Reading an ask as it stands: memory first, then the journal; never a stale copy.

use std::sync::Arc;

use sayso_core::id::{AskId, Place};
use sayso_core::outcome::Delivery;
use sayso_core::policy;
use sayso_core::view::AskView;
use sayso_store::Told;

use crate::cache::Kept;
use crate::error::HubError;
use crate::hub::Inner;

impl Inner {
    /// An ask as it stands.
    pub(crate) async fn look(&self, ask: AskId) -> Result<AskView, HubError> {
        self.look_with_place(ask).await.map(|(view, _)| view)
    }

    pub(crate) async fn look_with_place(&self, ask: AskId) -> Result<(AskView, Place), HubError> {
        let found = self.known().find(ask);
        let (place, delivery) = match found {
            Some(crate::known::Found::Open(_)) => {
                (found.map(|found| found.place()), Delivery::Owed)
            }
            Some(crate::known::Found::Closed { place, delivery }) => (Some(place), delivery),
            None => match self.store.find(ask).await? {
                Some((place, delivery)) => (Some(place), delivery),
                None => (None, Delivery::Owed),
            },
        };
        let place = place.ok_or(HubError::NotFound)?;
        let cached = self.cache().get(ask).filter(|kept| {
            kept.closing.is_some() == place.closed.is_some()
                && kept.late.is_some() == place.late.is_some()
        });
        let kept = match cached {
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
        let delivery = self
            .known()
            .marks
            .get(&ask)
            .map_or(delivery, |mark| mark.delivery.max(delivery));
        self.view_of(kept, delivery)
            .map(|view| (view, place))
            .ok_or(HubError::NotFound)
    }

    /// Puts together what is shown of an ask.
    pub(crate) fn view_of(&self, kept: Kept, delivery: Delivery) -> Option<AskView> {
        let (agent, conversation) = {
            let known = self.known();
            let agent = Arc::clone(known.roll.agent(kept.ask.agent)?);
            (
                agent,
                kept.ask
                    .conversation
                    .and_then(|id| known.roll.conversation(id).cloned()),
            )
        };
        Some(AskView {
            connected: self.links.is_here(agent.id, self.clock.wall()),
            scopes: policy::scopes(&kept.ask),
            ask: kept.ask,
            agent,
            conversation,
            closing: kept.closing,
            late: kept.late,
            delivery,
        })
    }
}
