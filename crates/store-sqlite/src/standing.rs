//! How things stand at the end of a journal: what is open, and which tokens and rules are good.
//!
//! Read from the journal alone, for a restore, which trusts no projection.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use sayso_core::id::{AskId, RuleId, Seq, TokenId};
use sayso_core::journal::Event;
use sayso_core::policy::{Maker, Rule};
use sayso_core::role::Token;
use sayso_store::StoreError;

use crate::fault;
use crate::journal;
use crate::pool::open_reader;

/// Rows read at one time.
const ROWS: usize = 1000;

/// How things stand at the end of a journal.
#[derive(Debug, Default)]
pub(crate) struct Standing {
    pub(crate) events: u64,
    /// The open asks, by where they were opened.
    pub(crate) open: BTreeMap<Seq, AskId>,
    tokens: BTreeMap<TokenId, Token>,
    rules: BTreeMap<RuleId, Arc<Rule>>,
    revoked_tokens: BTreeMap<TokenId, Token>,
    revoked_rules: BTreeMap<RuleId, (Arc<Rule>, Maker)>,
}

impl Standing {
    /// Reads a whole journal.
    pub(crate) fn read(path: &Path) -> Result<Self, StoreError> {
        let connection = open_reader(path).map_err(fault::journal)?;
        let mut standing = Self::default();
        let mut after = Seq::ZERO;
        loop {
            let rows = journal::rows_after(&connection, after, ROWS)?;
            let Some(last) = rows.last() else {
                return Ok(standing);
            };
            after = last.seq;
            standing.events += rows.len() as u64;
            for row in &rows {
                if let Some(event) = journal::decode(row, &mut |_| None)? {
                    standing.take(row.seq, event);
                }
            }
        }
    }

    fn take(&mut self, seq: Seq, event: Event) {
        match event {
            Event::Asked(ask) => drop(self.open.insert(seq, ask.id)),
            Event::Closed { opened, .. } => drop(self.open.remove(&opened)),
            Event::TokenMade(token) => drop(self.tokens.insert(token.id, token)),
            Event::TokenRevoked(id) => {
                self.revoked_tokens.extend(self.tokens.remove_entry(&id));
            }
            Event::RuleMade(rule) => drop(self.rules.insert(rule.id, rule)),
            Event::RuleRevoked { rule: id, by } => {
                if let Some(rule) = self.rules.remove(&id) {
                    self.revoked_rules.insert(id, (rule, by));
                }
            }
            Event::EpochBegan(_)
            | Event::AgentMet(_)
            | Event::ConversationBegan(_)
            | Event::AnsweredLate { .. }
            | Event::Delivered(_)
            | Event::Shown(_)
            | Event::Erased { .. }
            | Event::Cleared { .. }
            | Event::Messaged(_)
            | Event::Handed { .. }
            | Event::Removed { .. }
            | Event::Said(_)
            | Event::Noted(_)
            | Event::TurnEnded { .. } => {}
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
}
