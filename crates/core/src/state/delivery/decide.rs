//! Deciding how far the news of outcomes has got.

use std::collections::BTreeMap;

use crate::id::AskId;
use crate::journal::{DeliveryMark, Event};
use crate::outcome::Delivery;
use crate::state::Parts;
use crate::state::asks::{ClosedEntry, Standing};
use crate::state::delivery::OwedEntry;
use crate::state::op::{Confirm, Marks, Now, OpReply, Plan};
use crate::state::refusal::Refusal;
use crate::state::table::Layer;

impl<L: Layer> Parts<L> {
    /// How an ask stands; `looked` is how it stood for whoever looked it up, where it ended so long
    /// ago that it is not remembered here.
    pub fn standing(&self, ask: AskId, looked: Option<ClosedEntry>) -> Option<Standing> {
        let found = self.asks.find(ask);
        found.or_else(|| {
            let owed = self.delivery.get(ask).map(OwedEntry::closed);
            let mut entry = owed.or(looked)?;
            entry.late = entry.late.or(self.asks.late_of(ask));
            Some(Standing::Closed(entry))
        })
    }

    /// The asker has the outcome: it is not told again, and the store erases its secrets.
    fn confirm(&self, confirm: &Confirm, now: &Now<'_>) -> Result<Option<DeliveryMark>, Refusal> {
        let token = confirm.by.map(|token| self.directory.token(token));
        if token.is_some_and(|token| token.is_none()) {
            return Err(Refusal::Revoked);
        }
        let entry = match self.standing(confirm.ask, confirm.looked) {
            None => return Err(Refusal::NotFound),
            Some(Standing::Open(_)) => return Err(Refusal::StillOpen),
            Some(Standing::Closed(entry)) => entry,
        };
        let is_news = entry.delivery < Delivery::Confirmed;
        Ok(is_news.then_some(DeliveryMark {
            ask: confirm.ask,
            opened: entry.opened,
            delivery: Delivery::Confirmed,
            at: now.wall,
        }))
    }

    /// Writes down, in one event, what was confirmed and what was sent, as far as that is news; and
    /// what was on whose screen.
    pub(in crate::state) fn decide_marks(&self, marks: Marks, now: &Now<'_>) -> Plan {
        let is_news = |mark: &DeliveryMark| match self.standing(mark.ask, None) {
            Some(Standing::Closed(entry)) => entry.delivery < mark.delivery,
            Some(Standing::Open(_)) | None => false,
        };
        let sent = marks.sent.into_iter().filter(is_news);
        let mut delivered: BTreeMap<_, _> = sent.map(|mark| (mark.opened, mark)).collect();
        let mut confirmed = Vec::with_capacity(marks.confirmed.len());
        for confirm in &marks.confirmed {
            confirmed.push(match self.confirm(confirm, now) {
                Ok(mark) => {
                    delivered.extend(mark.map(|mark| (mark.opened, mark)));
                    Ok(())
                }
                Err(refusal) => Err(refusal),
            });
        }
        let delivered: Vec<_> = delivered.into_values().collect();
        let delivered = (!delivered.is_empty()).then_some(Event::Delivered(delivered));
        let shown = (!marks.shown.is_empty()).then_some(Event::Shown(marks.shown));
        Plan {
            events: delivered.into_iter().chain(shown).collect(),
            reply: OpReply::Confirmed(confirmed),
        }
    }
}
