//! Who has connections at other nodes, as far as they told.

use hashbrown::HashMap;
use sayso_core::agent::Conversation;
use sayso_core::id::{AgentId, ConversationName};
use sayso_core::time::Time;
use sayso_store::{HereRow, NodeId};

/// The agents that are connected to other nodes. It is empty where there are none.
#[derive(Debug, Default)]
pub(crate) struct LinkedElsewhere(HashMap<AgentId, Vec<HereRow>>);

impl LinkedElsewhere {
    /// Everything that other nodes say now, in place of what they said before. Gives the agents that
    /// came and those that went.
    pub(crate) fn set(&mut self, rows: Vec<(NodeId, HereRow)>) -> (Vec<AgentId>, Vec<AgentId>) {
        let mut now: HashMap<AgentId, Vec<HereRow>> = HashMap::new();
        for (_, row) in rows {
            now.entry(row.agent).or_default().push(row);
        }
        let before = std::mem::replace(&mut self.0, now);
        let came = self.0.keys().filter(|agent| !before.contains_key(*agent));
        let went = before.keys().filter(|agent| !self.0.contains_key(*agent));
        (came.copied().collect(), went.copied().collect())
    }

    /// Whether an agent is connected somewhere, or waits there for an answer.
    pub(crate) fn has(&self, agent: AgentId) -> bool {
        self.0.contains_key(&agent)
    }

    fn of(&self, agent: AgentId) -> &[HereRow] {
        self.0.get(&agent).map_or(&[], Vec::as_slice)
    }

    /// How many connections an agent has, and since when it has one.
    pub(crate) fn presence(&self, agent: AgentId) -> (usize, Option<Time>) {
        let linked = self.of(agent).iter().filter(|row| row.links > 0);
        let links: u32 = linked.clone().map(|row| row.links).sum();
        let since = linked.map(|row| row.since).min();
        (usize::try_from(links).unwrap_or(usize::MAX), since)
    }

    /// Whether somebody takes this agent's turns in a conversation of this name.
    pub(crate) fn takes(&self, agent: AgentId, name: &ConversationName) -> bool {
        let mut rows = self.of(agent).iter();
        rows.any(|row| row.offers.turns.takes(Some(name)))
    }

    /// The agents that take turns in new conversations.
    pub(crate) fn takers(&self) -> impl Iterator<Item = AgentId> + '_ {
        let all = self.0.iter();
        all.filter(|(_, rows)| rows.iter().any(|row| row.offers.turns.takes(None)))
            .map(|(agent, _)| *agent)
    }

    /// Whether a program of this agent can be told there what a person wants.
    pub(crate) fn controls(&self, conversation: &Conversation) -> bool {
        let mut rows = self.of(conversation.agent).iter();
        rows.any(|row| row.offers.controls.takes(Some(&conversation.name)))
    }
}
