//! What a device says it had on screen.

use std::collections::HashMap;

use sayso_core::id::{AskId, Seq, TokenId};
use sayso_core::journal::ShownMark;

use super::person::PersonPass;
use crate::error::HubError;

impl PersonPass {
    /// Notes that this device has these asks on screen. An ask that nobody knows, or that ended
    /// long ago, is passed over; a second word about the same one is nothing.
    ///
    /// Resolves before anything is written: it is written with one of the next commits.
    pub async fn has_on_screen(&self, asks: &[AskId]) -> Result<(), HubError> {
        let inner = self.inner();
        let is_known = |ask: &AskId| inner.memory().find(*ask).is_some();
        if !asks.iter().all(is_known) {
            // The device may have been told of it by another node.
            inner.caught_up().await?;
        }
        let (places, unsure) = {
            let memory = inner.memory();
            let places: Vec<(AskId, Seq)> = asks
                .iter()
                .filter_map(|ask| Some((*ask, memory.find(*ask)?.place().opened)))
                .collect();
            let unsure: Vec<Seq> = places
                .iter()
                .filter(|(ask, _)| !memory.shown.remembers(*ask))
                .map(|(_, opened)| *opened)
                .collect();
            (places, unsure)
        };
        let mut before: HashMap<Seq, Vec<TokenId>> = HashMap::new();
        if !unsure.is_empty() {
            for (opened, token) in inner.store.shown(&unsure).await? {
                before.entry(opened).or_default().push(token);
            }
        }
        let now = inner.now();
        let device = self.base.live.token.id;
        let mut wakes = false;
        {
            let mut memory = inner.memory();
            for (ask, opened) in places {
                let devices = before.remove(&opened).unwrap_or_default();
                memory.shown.recall(ask, devices);
                let mark = ShownMark {
                    ask,
                    opened,
                    device,
                    at: now.wall,
                };
                wakes |= memory.shown.note(mark, now.steady);
            }
        }
        if wakes {
            inner.bell.notify_one();
        }
        Ok(())
    }
}
