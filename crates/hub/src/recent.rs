//! Asks that closed a moment ago and may be missing from the projections.

use std::collections::VecDeque;

use hashbrown::HashMap;
use sayso_core::id::{AskId, Place, Seq};
use sayso_core::outcome::{Delivery, OutcomeKind};

/// Closings that are remembered even once the projection has them, so that a look-up that began
/// before the projection moved still finds them.
const MARGIN: usize = 4096;

/// What is remembered of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RecentEntry {
    pub(crate) place: Place,
    pub(crate) how: OutcomeKind,
    pub(crate) delivery: Delivery,
}

/// Asks that closed a moment ago.
#[derive(Debug, Default)]
pub(crate) struct Recent {
    asks: HashMap<AskId, RecentEntry>,
    keys: HashMap<u64, AskId>,
    order: VecDeque<(Seq, AskId, [Option<u64>; 2])>,
}

impl Recent {
    pub(crate) fn add(
        &mut self,
        ask: AskId,
        closed: Seq,
        entry: RecentEntry,
        keys: [Option<u64>; 2],
    ) {
        self.asks.insert(ask, entry);
        for key in keys.into_iter().flatten() {
            self.keys.insert(key, ask);
        }
        self.order.push_back((closed, ask, keys));
    }

    pub(crate) fn get(&self, ask: AskId) -> Option<&RecentEntry> {
        self.asks.get(&ask)
    }

    pub(crate) fn get_mut(&mut self, ask: AskId) -> Option<&mut RecentEntry> {
        self.asks.get_mut(&ask)
    }

    pub(crate) fn by_key(&self, key: u64) -> Option<AskId> {
        self.keys.get(&key).copied()
    }

    /// No longer finds an ask by its keys: what was said in it is erased.
    pub(crate) fn forget_keys(&mut self, ask: AskId) {
        self.keys.retain(|_, known| *known != ask);
    }

    /// Drops what the projection has, but for a margin.
    pub(crate) fn prune(&mut self, viewed: Seq) {
        while self.order.len() > MARGIN
            && self
                .order
                .front()
                .is_some_and(|(closed, ..)| *closed <= viewed)
        {
            let Some((_, ask, keys)) = self.order.pop_front() else {
                return;
            };
            self.asks.remove(&ask);
            for key in keys.into_iter().flatten() {
                if self.keys.get(&key) == Some(&ask) {
                    self.keys.remove(&key);
                }
            }
        }
    }
}
