//! Outcomes on their way: closed, but not yet confirmed by the agent that asked.

mod decide;

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::asks::{ClosedEntry, OpenEntry};
use super::table::{Base, KeyTable, Layer, OrderPatch, Ordered, Over, Patch, count_down, count_up};
use crate::id::{AgentId, AskId, Seq};
use crate::limits;
use crate::outcome::{Delivery, OutcomeKind};
use crate::time::Time;

/// An outcome on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwedEntry {
    /// Which ask.
    pub ask: AskId,
    /// Who is owed the outcome.
    pub agent: AgentId,
    /// Where the ask was opened.
    pub opened: Seq,
    /// Where it was closed.
    pub closed: Seq,
    /// How it ended.
    pub how: OutcomeKind,
    /// Whether a late answer was kept.
    pub late: Option<Seq>,
    /// How far the news has got.
    pub delivery: Delivery,
    /// When it was closed.
    pub closed_at: Time,
}

impl OwedEntry {
    /// How the ask stands.
    pub const fn closed(&self) -> ClosedEntry {
        ClosedEntry {
            opened: self.opened,
            closed: self.closed,
            late: self.late,
            how: self.how,
            delivery: self.delivery,
        }
    }
}

/// Outcomes on their way, for every agent in the order in which they closed.
#[derive(Debug)]
pub struct Deliveries<L: Layer> {
    owed: L::Map<AskId, OwedEntry>,
    by_agent: L::Order<(AgentId, Seq), AskId>,
    counts: L::Map<AgentId, usize>,
}

impl<L: Layer> Deliveries<L> {
    /// An outcome on its way.
    pub fn get(&self, ask: AskId) -> Option<&OwedEntry> {
        self.owed.get(&ask)
    }

    /// An ask ended: its agent is owed the outcome.
    pub(super) fn closed(&mut self, open: &OpenEntry, closed: Seq, how: OutcomeKind, at: Time) {
        self.owe(OwedEntry {
            ask: open.ask,
            agent: open.agent,
            opened: open.opened,
            closed,
            how,
            late: None,
            delivery: Delivery::Owed,
            closed_at: at,
        });
    }

    pub(super) fn owe(&mut self, entry: OwedEntry) {
        self.owed.put(entry.ask, entry);
        self.by_agent.put((entry.agent, entry.closed), entry.ask);
        count_up(&mut self.counts, entry.agent);
        let count = self.counts.get(&entry.agent).copied().unwrap_or(0);
        if count > limits::OWED_PER_AGENT_MAX {
            let oldest = self.by_agent.first_from(&(entry.agent, Seq::ZERO));
            if let Some((_, ask)) = oldest.filter(|((agent, _), _)| *agent == entry.agent) {
                self.settled(ask);
            }
        }
    }

    /// A late answer was kept.
    pub(super) fn kept_late(&mut self, ask: AskId, late: Seq) {
        if let Some(entry) = self.owed.edit(&ask) {
            entry.late = Some(late);
        }
    }

    /// The news has got this far; a confirmed outcome is owed no more.
    pub(super) fn marked(&mut self, ask: AskId, stage: Delivery) {
        match stage {
            Delivery::Owed => {}
            Delivery::Sent => {
                if let Some(entry) = self.owed.edit(&ask) {
                    entry.delivery = Delivery::Sent;
                }
            }
            Delivery::Confirmed => self.settled(ask),
        }
    }

    /// An outcome is owed no more.
    pub(super) fn settled(&mut self, ask: AskId) {
        if let Some(entry) = self.owed.get(&ask).copied() {
            self.owed.cut(&ask);
            self.by_agent.cut(&(entry.agent, entry.closed));
            count_down(&mut self.counts, &entry.agent);
        }
    }

    /// Another life of the state began: nobody is owed anything of the last one.
    pub(super) fn epoch_began(&mut self) {
        self.owed.clear();
        self.by_agent.clear();
        self.counts.clear();
    }
}

impl Deliveries<Base> {
    pub(super) fn new() -> Self {
        Self {
            owed: HashMap::new(),
            by_agent: BTreeMap::new(),
            counts: HashMap::new(),
        }
    }

    /// The same, to be changed by a batch.
    pub(super) fn over(&self) -> Deliveries<Over<'_>> {
        Deliveries {
            owed: Patch::over(&self.owed),
            by_agent: OrderPatch::over(&self.by_agent),
            counts: Patch::over(&self.counts),
        }
    }

    /// What an agent is owed, oldest first.
    pub fn of(&self, agent: AgentId) -> impl Iterator<Item = &OwedEntry> {
        let all = self.by_agent.range((agent, Seq::ZERO)..=(agent, Seq::MAX));
        all.filter_map(|(_, ask)| self.owed.get(ask))
    }

    /// How many outcomes are on their way.
    pub fn len(&self) -> usize {
        self.owed.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.owed.is_empty()
    }

    /// Whether the same outcomes are on their way.
    pub(super) fn stands_as(&self, other: &Self) -> bool {
        self.owed == other.owed && self.by_agent == other.by_agent
    }
}
