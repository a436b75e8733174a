//! Agents as they stand: who is here, since when, and when each last asked.

use std::collections::HashMap;
use std::sync::Arc;

use sayso_core::agent::Agent;
use sayso_core::id::AgentId;
use sayso_core::state::asked_at;
use sayso_core::time::Time;
use sayso_store::AskQuery;

use crate::agent_presence::AgentPresence;
use crate::error::HubError;
use crate::hub::Inner;

/// Agents of whom the last ask is looked up at a time: newer ones first, the rest at the next look.
const LAST_ASKS_MAX: usize = 200;

/// An agent as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentView {
    /// Who.
    pub agent: Arc<Agent>,
    /// Whether a link of it is alive now.
    pub connected: bool,
    /// How many of its asks are open.
    pub open: usize,
    /// When it last sent something that could not be read, in this life of the server.
    pub unreadable_at: Option<Time>,
    /// How it is reached.
    pub presence: AgentPresence,
    /// When it last asked, as far as that was looked up.
    pub last_ask_at: Option<Time>,
}

pub(super) fn agents(inner: &Inner) -> Vec<AgentView> {
    let agents = inner.memory().state.directory.agents().to_vec();
    agents.iter().map(|agent| inner.agent_view(agent)).collect()
}

impl Inner {
    /// An agent as it stands.
    pub(crate) fn agent_view(&self, agent: &Arc<Agent>) -> AgentView {
        let (open, unreadable_at, last_ask_at) = {
            let memory = self.memory();
            let open = memory.state.asks.open_of(agent.id);
            let last_ask = memory.last_asks.get(&agent.id).copied().flatten();
            (open, memory.unreadable.get(&agent.id).copied(), last_ask)
        };
        AgentView {
            agent: Arc::clone(agent),
            connected: self.links.is_here(agent.id, self.clock.wall()),
            open,
            unreadable_at,
            presence: self.links.presence(agent.id),
            last_ask_at,
        }
    }

    /// Looks up when agents last asked of whom that is not known since the start.
    pub(super) async fn recall_last_asks(&self) -> Result<(), HubError> {
        let (unknown, open) = {
            let memory = self.memory();
            let agents = memory.state.directory.agents().iter().rev();
            let agents = agents.map(|agent| agent.id);
            let unknown: Vec<AgentId> = agents
                .filter(|id| !memory.last_asks.contains_key(id))
                .take(LAST_ASKS_MAX)
                .collect();
            let mut open: HashMap<AgentId, Time> = HashMap::new();
            if !unknown.is_empty() {
                for entry in memory.state.asks.open().newest() {
                    open.entry(entry.agent)
                        .or_insert_with(|| asked_at(entry.ask));
                }
            }
            (unknown, open)
        };
        for id in unknown {
            let query = AskQuery {
                agent: Some(id),
                limit: 1,
                ..AskQuery::default()
            };
            let page = self.store.closed(&query).await?;
            let last = page.rows.first().map(|row| asked_at(row.ask));
            let last = last.max(open.get(&id).copied());
            // What it asked meanwhile is newer.
            self.memory().last_asks.entry(id).or_insert(last);
        }
        Ok(())
    }
}
