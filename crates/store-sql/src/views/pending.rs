//! What a batch of events has yet to write: rows that later events of the batch may still change.
//!
//! An ask that opens, ends and is delivered within one batch is written once, and a conversation learns
//! its latest entry once. Before anything reads or changes those tables at large, all of it is written;
//! it never outlives its transaction.

use std::collections::{BTreeMap, HashMap};

use sayso_core::agent::Agent;
use sayso_core::id::{AgentId, ConversationId, Seq};
use sayso_core::time::Time;

use super::asks::{self, PendingAsk};
use super::chat;
use crate::sql::{Sql, SqlResult};

/// The rows of one transaction that are not written yet.
pub(crate) struct Pending<'a> {
    pub(crate) connection: &'a dyn Sql,
    /// Asks that were opened in this batch, by where.
    pub(crate) asks: BTreeMap<Seq, PendingAsk>,
    /// The latest entry of conversations.
    pub(crate) latest: BTreeMap<ConversationId, (Seq, Time)>,
    /// Agents as they are in the file.
    pub(crate) agents: HashMap<AgentId, Option<Agent>>,
}

impl<'a> Pending<'a> {
    pub(crate) fn new(connection: &'a dyn Sql) -> Self {
        Self {
            connection,
            asks: BTreeMap::new(),
            latest: BTreeMap::new(),
            agents: HashMap::new(),
        }
    }

    /// The agent with this id, as far as it was met.
    pub(crate) fn agent(&mut self, id: AgentId) -> SqlResult<Option<&Agent>> {
        if !self.agents.contains_key(&id) {
            self.agents.insert(id, asks::agent(self.connection, id)?);
        }
        Ok(self.agents.get(&id).and_then(Option::as_ref))
    }

    /// Writes everything, so that the file has all that happened so far.
    pub(crate) fn write(&mut self) -> SqlResult<()> {
        for (opened, ask) in std::mem::take(&mut self.asks) {
            ask.write(self.connection, opened)?;
        }
        for (conversation, (seq, at)) in std::mem::take(&mut self.latest) {
            chat::latest(self.connection, conversation, seq, at)?;
        }
        // Whatever comes next may change them.
        self.agents.clear();
        Ok(())
    }
}
