//! Outcomes on their way: closed, but not yet confirmed by the agent that asked.

use std::collections::BTreeMap;
use std::time::Duration;

use hashbrown::HashMap;
use sayso_core::id::{AgentId, AskId, Place, Seq};
use sayso_core::limits;
use sayso_core::outcome::Delivery;
use sayso_core::time::Time;
use sayso_store::OwedEntry;

/// Outcomes on their way, for every agent in the order in which they closed.
#[derive(Debug, Default)]
pub(crate) struct Owed {
    /// How long an outcome is told again; for ever when absent.
    offer_for: Option<Duration>,
    by_agent: HashMap<AgentId, BTreeMap<Seq, AskId>>,
    by_ask: HashMap<AskId, OwedEntry>,
}

impl Owed {
    pub(crate) fn offering_for(offer_for: Option<Duration>) -> Self {
        Self {
            offer_for,
            ..Self::default()
        }
    }

    /// Whether this is so old that it is not told again.
    fn is_over(&self, entry: &OwedEntry, now: Time) -> bool {
        let age = now.since(entry.closed_at);
        self.offer_for.is_some_and(|span| age >= span)
    }

    /// Takes over what was owed before the start, unless that is over.
    pub(crate) fn recover(&mut self, entry: OwedEntry, now: Time) {
        if !self.is_over(&entry, now) {
            self.add(entry);
        }
    }

    pub(crate) fn add(&mut self, entry: OwedEntry) {
        let list = self.by_agent.entry(entry.agent).or_default();
        list.insert(entry.closed, entry.ask);
        self.by_ask.insert(entry.ask, entry);
        if list.len() > limits::OWED_PER_AGENT_MAX
            && let Some((_, oldest)) = list.pop_first()
        {
            self.by_ask.remove(&oldest);
        }
    }

    pub(crate) fn get(&self, ask: AskId) -> Option<&OwedEntry> {
        self.by_ask.get(&ask)
    }

    pub(crate) fn keep_late(&mut self, ask: AskId, late: Seq) {
        if let Some(entry) = self.by_ask.get_mut(&ask) {
            entry.late = Some(late);
        }
    }

    /// Records how far the news has got; a confirmed outcome is owed no more.
    pub(crate) fn mark(&mut self, ask: AskId, delivery: Delivery) {
        match delivery {
            Delivery::Owed => {}
            Delivery::Sent => {
                if let Some(entry) = self.by_ask.get_mut(&ask) {
                    entry.delivery = Delivery::Sent;
                }
            }
            Delivery::Confirmed => self.remove(ask),
        }
    }

    pub(crate) fn remove(&mut self, ask: AskId) {
        if let Some(entry) = self.by_ask.remove(&ask)
            && let Some(list) = self.by_agent.get_mut(&entry.agent)
        {
            list.remove(&entry.closed);
            if list.is_empty() {
                self.by_agent.remove(&entry.agent);
            }
        }
    }

    /// What this agent is owed, oldest first, without what is too old to bring up again.
    pub(crate) fn of(&self, agent: AgentId, now: Time) -> Vec<AskId> {
        let Some(list) = self.by_agent.get(&agent) else {
            return Vec::new();
        };
        list.values()
            .filter(|ask| {
                self.by_ask
                    .get(*ask)
                    .is_some_and(|entry| !self.is_over(entry, now))
            })
            .copied()
            .collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.by_ask.len()
    }
}

/// Where an owed ask stands.
pub(crate) fn place(entry: &OwedEntry) -> Place {
    Place {
        opened: entry.opened,
        closed: Some(entry.closed),
        late: entry.late,
    }
}
