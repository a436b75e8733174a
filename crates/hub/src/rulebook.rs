//! The rules in force, and what each has done.

use std::collections::HashMap;
use std::sync::Arc;

use sayso_core::id::RuleId;
use sayso_core::policy::{Policy, Rule};
use sayso_core::time::Time;
use sayso_store::RuleEntry;

/// The rules in force.
#[derive(Debug, Default)]
pub(crate) struct Rulebook {
    /// Shared with a round that is being decided; a change makes a copy when somebody looks.
    policy: Arc<Policy>,
    uses: HashMap<RuleId, Uses>,
    last: u32,
}

/// What a rule has done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Uses {
    pub(crate) hits: u64,
    pub(crate) last: Option<Time>,
}

impl Rulebook {
    pub(crate) fn policy(&self) -> &Arc<Policy> {
        &self.policy
    }

    pub(crate) fn next_id(&self) -> RuleId {
        RuleId(self.last + 1)
    }

    pub(crate) fn saw(&mut self, id: RuleId) {
        self.last = self.last.max(id.0);
    }

    pub(crate) fn put(&mut self, rule: Arc<Rule>) {
        self.saw(rule.id);
        Arc::make_mut(&mut self.policy).put(rule);
    }

    pub(crate) fn recovered(&mut self, entry: RuleEntry) {
        let uses = Uses {
            hits: entry.hits,
            last: entry.last_used,
        };
        self.uses.insert(entry.rule.id, uses);
        self.put(entry.rule);
    }

    pub(crate) fn remove(&mut self, id: RuleId) {
        Arc::make_mut(&mut self.policy).remove(id);
        self.uses.remove(&id);
    }

    pub(crate) fn used(&mut self, id: RuleId, at: Time) {
        if self.policy.get(id).is_some() {
            let uses = self.uses.entry(id).or_default();
            uses.hits += 1;
            uses.last = uses.last.max(Some(at));
        }
    }

    pub(crate) fn uses(&self, id: RuleId) -> Uses {
        self.uses.get(&id).copied().unwrap_or_default()
    }
}
