//! The open asks as a batch sees them: what it has changed, over the index of the state.

use hashbrown::HashMap;

use super::open::{OpenEntry, OpenIndex, OpenTable};
use crate::id::AskId;
use crate::state::table::with_room;

/// What a batch has changed among the open asks.
#[derive(Debug)]
pub struct OpenPatch<'a> {
    base: &'a OpenIndex,
    /// Whether those of the state are gone.
    cleared: bool,
    over: HashMap<AskId, Option<OpenEntry>>,
    /// The newest ask of this batch under a key.
    keys: HashMap<u64, AskId>,
}

impl<'a> OpenPatch<'a> {
    /// Nothing changed yet.
    pub(crate) fn over(base: &'a OpenIndex) -> Self {
        Self {
            base,
            cleared: false,
            over: HashMap::new(),
            keys: HashMap::new(),
        }
    }
}

impl OpenTable for OpenPatch<'_> {
    fn get(&self, ask: AskId) -> Option<OpenEntry> {
        match self.over.get(&ask) {
            Some(changed) => *changed,
            None if self.cleared => None,
            None => self.base.find(ask),
        }
    }

    fn newest_by_key(&self, key: u64) -> Option<AskId> {
        let newest = self.keys.get(&key).copied();
        if let Some(ask) = newest.filter(|ask| self.get(*ask).is_some()) {
            return Some(ask);
        }
        let before = self.base.by_key(key).into_iter().map(|entry| entry.ask);
        before
            .filter(|ask| !self.cleared && !self.over.contains_key(ask))
            .max()
    }

    fn push(&mut self, entry: &OpenEntry) {
        with_room(&mut self.over).insert(entry.ask, Some(*entry));
        for key in entry.keys.into_iter().flatten() {
            self.keys.insert(key, entry.ask);
        }
    }

    fn remove(&mut self, ask: AskId) -> Option<OpenEntry> {
        let before = self.get(ask)?;
        with_room(&mut self.over).insert(ask, None);
        Some(before)
    }

    fn clear(&mut self) -> Vec<OpenEntry> {
        let before = self.base.iter().filter(|_| !self.cleared);
        let kept = before.filter(|entry| !self.over.contains_key(&entry.ask));
        let all = kept.chain(self.over.values().flatten().copied()).collect();
        self.cleared = true;
        self.over.clear();
        all
    }
}
