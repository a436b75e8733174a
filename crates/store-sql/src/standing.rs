//! How things stand at the end of a journal: what is open, and which tokens and rules are good.
//!
//! Read from the journal alone, for a restore, which trusts no projection.

use std::collections::BTreeMap;
use std::sync::Arc;

use sayso_core::id::{AskId, RuleId, Seq, TokenId, TokenName};
use sayso_core::journal::Event;
use sayso_core::policy::{Maker, Rule, Says};
use sayso_core::role::Token;
use sayso_store::StoreError;

use crate::journal::{SqlJournal, Tail, What, found_after, last_seq};
use crate::life::Revoke;
use crate::sql::Sql;

/// Rows read at one time.
const ROWS: usize = 1000;

/// How things stand at the end of a journal.
#[derive(Debug, Default)]
pub struct JournalStanding {
    /// How many events there are.
    pub events: u64,
    /// Events that cannot be read; a revocation may be among them.
    pub(crate) lost: u64,
    /// The open asks, by where they were opened.
    pub(crate) open: BTreeMap<Seq, AskId>,
    tokens: BTreeMap<TokenId, Token>,
    rules: BTreeMap<RuleId, Arc<Rule>>,
    revoked_tokens: BTreeMap<TokenId, Token>,
    revoked_rules: BTreeMap<RuleId, (Arc<Rule>, Maker)>,
}

impl JournalStanding {
    /// Reads a whole journal.
    pub fn read(journal: &dyn Sql) -> Result<Self, StoreError> {
        let journal = SqlJournal(journal);
        let seq = last_seq(journal)?;
        let tail = Tail { seq, hash: None };
        let mut standing = Self::default();
        let mut after = Seq::ZERO;
        loop {
            let rows = found_after(&journal, after, ROWS, tail)?;
            let Some(last) = rows.last() else {
                return Ok(standing);
            };
            after = last.seq;
            standing.events += rows.len() as u64;
            for row in rows {
                match row.what {
                    What::Event(event) => standing.take(row.seq, &event),
                    What::Gone => {}
                    What::Lost => standing.lost += 1,
                }
            }
        }
    }

    /// How many asks are open.
    pub fn open_asks(&self) -> u64 {
        self.open.len() as u64
    }

    fn take(&mut self, seq: Seq, event: &Event) {
        if let Some(ask) = event.asked() {
            self.open.insert(seq, ask.id);
        }
        if event.closing().is_some()
            && let Some(opened) = event.outcome_of()
        {
            self.open.remove(&opened);
        }
        if let Some(rule) = event.rule() {
            self.rules.insert(rule.id, Arc::clone(rule));
        }
        if let Some(token) = event.revokes() {
            let revoked = self.tokens.remove_entry(&token);
            self.revoked_tokens.extend(revoked);
        }
        if let Event::TokenMade(token) = event {
            self.tokens.insert(token.id, token.clone());
        }
        if let Event::RuleRevoked { rule: id, by } = event
            && let Some(rule) = self.rules.remove(id)
        {
            self.revoked_rules.insert(*id, (rule, by.clone()));
        }
    }

    /// What is good here and was taken back in another life of the same state. Ids are given again
    /// after a restore, so a token or rule of the same id must be the same one.
    pub(crate) fn taken_back_in(&self, other: &Self) -> Vec<Event> {
        let tokens = other.revoked_tokens.iter().filter_map(|(id, revoked)| {
            let same = self.tokens.get(id)? == revoked;
            same.then_some(Event::TokenRevoked(*id))
        });
        let rules = other
            .revoked_rules
            .iter()
            .filter_map(|(id, (revoked, by))| {
                let good = self.rules.get(id)?;
                // A rule that was armed since is still the one that was made then.
                let same = (good.made_at, &good.by) == (revoked.made_at, &revoked.by);
                same.then(|| Event::RuleRevoked {
                    rule: *id,
                    by: by.clone(),
                })
            });
        tokens.chain(rules).collect()
    }

    /// What is revoked: what was taken back since, and what is not to come back.
    pub(crate) fn revoked(
        &self,
        revoke: Revoke,
        taken_back: &[Event],
    ) -> Result<Vec<Event>, StoreError> {
        let by = TokenName::new("sayso restore").map_err(|error| StoreError::Unusable {
            what: "cannot name who revokes".to_owned(),
            detail: error.to_string(),
        })?;
        let mut revoked = taken_back.to_vec();
        let tokens = self.tokens.keys().filter(|_| revoke.tokens);
        let rules = self.rules.values().filter(|_| revoke.rules);
        let all = tokens.map(|id| Event::TokenRevoked(*id)).chain(
            rules
                .filter(|rule| !denies(rule))
                .map(|rule| Event::RuleRevoked {
                    rule: rule.id,
                    by: Maker::Admin(by.clone()),
                }),
        );
        for event in all {
            if !revoked.iter().any(|other| revokes_same(other, &event)) {
                revoked.push(event);
            }
        }
        Ok(revoked)
    }

    /// The names of tokens and the ids of rules that are good once these are revoked. Rules that deny
    /// are left out: nothing is opened by one that comes back.
    pub(crate) fn good_without(&self, revoked: &[Event]) -> (Vec<String>, Vec<String>) {
        let is_revoked = |event: Event| revoked.iter().any(|other| revokes_same(other, &event));
        let tokens = self.tokens.values();
        let tokens = tokens.filter(|token| !is_revoked(Event::TokenRevoked(token.id)));
        let rules = self.rules.values().filter(|rule| {
            let revoke = Event::RuleRevoked {
                rule: rule.id,
                by: rule.by.clone(),
            };
            !denies(rule) && !is_revoked(revoke)
        });
        (
            tokens.map(|token| token.name.to_string()).collect(),
            rules.map(|rule| rule.id.to_string()).collect(),
        )
    }
}

fn denies(rule: &Rule) -> bool {
    matches!(rule.says, Says::Deny(_))
}

fn revokes_same(one: &Event, other: &Event) -> bool {
    match (one, other) {
        (Event::TokenRevoked(one), Event::TokenRevoked(other)) => one == other,
        (Event::RuleRevoked { rule: one, .. }, Event::RuleRevoked { rule: other, .. }) => {
            one == other
        }
        _ => false,
    }
}
