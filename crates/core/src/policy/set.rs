//! The policy: every rule there is, kept so that few of them need to be looked at.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::facts::Facts;
use super::look::RuleLookup;
use super::rule::{AppliesTo, Rule};
use super::ruling::Ruled;
use super::shelf::RuleShelf;
use crate::id::RuleId;
use crate::time::Time;

/// Every rule there is.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    rules: BTreeMap<RuleId, Arc<Rule>>,
    shelves: HashMap<AppliesTo, RuleShelf>,
}

impl Policy {
    /// Puts a rule in; an older version of it goes.
    pub fn put(&mut self, rule: Arc<Rule>) {
        self.remove(rule.id);
        if answers(&rule) {
            self.shelves
                .entry(rule.applies_to.clone())
                .or_default()
                .put(&rule);
        }
        self.rules.insert(rule.id, rule);
    }

    /// Takes a rule out.
    pub fn remove(&mut self, id: RuleId) -> Option<Arc<Rule>> {
        let gone = self.rules.remove(&id)?;
        let mut rest = RuleShelf::default();
        let mut left = false;
        let beside = |rule: &&Arc<Rule>| rule.applies_to == gone.applies_to && answers(rule);
        for rule in self.rules.values().filter(beside) {
            rest.put(rule);
            left = true;
        }
        if left {
            self.shelves.insert(gone.applies_to.clone(), rest);
        } else {
            self.shelves.remove(&gone.applies_to);
        }
        Some(gone)
    }

    /// The rule with this id.
    pub fn get(&self, id: RuleId) -> Option<&Arc<Rule>> {
        self.rules.get(&id)
    }

    /// Every rule, in the order in which they were made.
    pub fn rules(&self) -> impl Iterator<Item = &Arc<Rule>> {
        self.rules.values()
    }

    /// How many rules there are.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether there is no rule.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// What to do about an act, and why.
    pub fn rule_on(&self, facts: &Facts<'_>, now: Time) -> Ruled {
        let look = RuleLookup {
            shelves: facts
                .covering()
                .filter_map(|applies_to| self.shelves.get(&applies_to))
                .collect(),
            facts,
            now,
        };
        look.rule()
    }
}

/// Whether a rule is looked at: one that stands by is not, nor one that is wider than it may be.
fn answers(rule: &Rule) -> bool {
    !rule.shadow && rule.idle().is_none()
}
