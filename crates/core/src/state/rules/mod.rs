//! The rules in force, and what each has done.

mod decide;

pub(super) use decide::{made, ruled};

use std::sync::Arc;

use hashbrown::HashMap;

use super::load::RuleEntry;
use super::table::{Base, KeyTable, Layer, Over, Patch};
use crate::id::RuleId;
use crate::policy::{Policy, Rule};
use crate::time::Time;

/// What a rule has done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RuleUses {
    /// How many asks it has answered.
    pub hits: u64,
    /// When it last did.
    pub last: Option<Time>,
}

/// The rules in force.
#[derive(Debug)]
pub struct Rules<L: Layer> {
    /// Shared with whoever looks; a change makes a copy then.
    policy: Arc<Policy>,
    uses: L::Map<RuleId, RuleUses>,
    last: u32,
}

impl<L: Layer> Rules<L> {
    /// Every rule.
    pub fn policy(&self) -> &Arc<Policy> {
        &self.policy
    }

    /// What a rule has done.
    pub fn uses(&self, id: RuleId) -> RuleUses {
        self.uses.get(&id).copied().unwrap_or_default()
    }

    pub(super) fn made(&mut self, rule: Arc<Rule>) {
        self.saw(rule.id);
        Arc::make_mut(&mut self.policy).put(rule);
    }

    pub(super) fn saw(&mut self, id: RuleId) {
        self.last = self.last.max(id.0);
    }

    pub(super) fn revoked(&mut self, id: RuleId) {
        Arc::make_mut(&mut self.policy).remove(id);
        self.uses.cut(&id);
    }

    /// A rule answered an ask.
    pub(super) fn used(&mut self, id: RuleId, at: Time) {
        if self.policy.get(id).is_some() {
            let uses = self.uses(id);
            self.uses.put(
                id,
                RuleUses {
                    hits: uses.hits + 1,
                    last: uses.last.max(Some(at)),
                },
            );
        }
    }
}

impl Rules<Base> {
    pub(super) fn new() -> Self {
        Self {
            policy: Arc::default(),
            uses: HashMap::new(),
            last: 0,
        }
    }

    /// The same, to be changed by a batch.
    pub(super) fn over(&self) -> Rules<Over<'_>> {
        Rules {
            policy: Arc::clone(&self.policy),
            uses: Patch::over(&self.uses),
            last: self.last,
        }
    }

    pub(super) fn load(&mut self, entry: RuleEntry) {
        let uses = RuleUses {
            hits: entry.hits,
            last: entry.last_used,
        };
        if uses != RuleUses::default() {
            self.uses.insert(entry.rule.id, uses);
        }
        self.made(entry.rule);
    }

    /// Whether the same rules are in force. What they have done is told by asks whose text may be
    /// erased, and decides nothing.
    pub(super) fn stands_as(&self, other: &Self) -> bool {
        self.policy.rules().eq(other.policy.rules()) && self.last == other.last
    }
}
