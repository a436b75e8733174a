//! Deciding what an ask becomes: who asks, where, and whether it was asked before.

use std::sync::Arc;

use sayso_core::agent::{Agent, Conversation};
use sayso_core::ask::{Ask, MatterKind};
use sayso_core::id::{AgentId, AskId, ConversationName, Seq};
use sayso_core::journal::Event;
use sayso_core::limits;
use sayso_store::{OpenEntry, ask_keys};

use super::{Planned, Round, Told};
use crate::error::{Flood, HubError};
use crate::known::Known;
use crate::op::{AskOp, Asked, MeetOp, Reply};

/// An ask that was taken in under the same key before.
enum Same {
    Stored(AskId),
    InRound(Arc<Ask>),
}

impl Round {
    pub(super) fn meet(&mut self, known: &Known, meet: &MeetOp) -> Result<Arc<Agent>, HubError> {
        if let Some(agent) = known
            .roll
            .agent_named(meet.token, &meet.dialect, &meet.name)
        {
            return Ok(Arc::clone(agent));
        }
        let same = |agent: &&Arc<Agent>| {
            agent.token == meet.token && agent.dialect == meet.dialect && agent.name == meet.name
        };
        if let Some(agent) = self.agents.iter().find(same) {
            return Ok(Arc::clone(agent));
        }
        let count = known.roll.agents().len() + self.agents.len();
        if count >= limits::AGENTS_MAX {
            return Err(HubError::Refused(format!(
                "there are {count} agents already; use one name for one agent"
            )));
        }
        let fresh = self.agents.iter();
        let of_token = known.roll.agent_count(meet.token)
            + fresh.filter(|agent| agent.token == meet.token).count();
        if of_token >= limits::AGENTS_PER_TOKEN_MAX {
            return Err(HubError::full(Flood::Agents));
        }
        let id = AgentId(
            known.roll.next_agent().0 + u32::try_from(self.agents.len()).unwrap_or(u32::MAX / 2),
        );
        let agent = Arc::new(Agent {
            id,
            token: meet.token,
            name: meet.name.clone(),
            dialect: meet.dialect.clone(),
            beside: known.roll.beside(meet.token, &meet.name),
        });
        let at = self.push(Event::AgentMet(Agent::clone(&agent)));
        self.agents.push(Arc::clone(&agent));
        self.planned.push(Planned::Met {
            at,
            agent: Arc::clone(&agent),
        });
        Ok(agent)
    }

    pub(super) fn converse(
        &mut self,
        known: &Known,
        agent: AgentId,
        name: &ConversationName,
    ) -> Result<Arc<Conversation>, HubError> {
        if let Some(conversation) = known.roll.conversation_named(agent, name) {
            let is_new_again = known.roll.is_emptied(conversation.id)
                && !self.revived.iter().any(|one| one.id == conversation.id);
            if is_new_again {
                self.room_for_conversation(known, agent)?;
                self.revived.push(Arc::clone(conversation));
            }
            return Ok(Arc::clone(conversation));
        }
        if let Some(conversation) = self
            .conversations
            .iter()
            .find(|known| known.agent == agent && known.name == *name)
        {
            return Ok(Arc::clone(conversation));
        }
        self.room_for_conversation(known, agent)?;
        let mut id = known.roll.next_conversation();
        id.0 += u32::try_from(self.conversations.len()).unwrap_or(u32::MAX / 2);
        let conversation = Arc::new(Conversation {
            id,
            agent,
            name: name.clone(),
        });
        let at = self.push(Event::ConversationBegan(Conversation::clone(&conversation)));
        self.conversations.push(Arc::clone(&conversation));
        self.planned.push(Planned::Began {
            at,
            conversation: Arc::clone(&conversation),
        });
        Ok(conversation)
    }

    /// Whether an agent may begin another conversation.
    fn room_for_conversation(&self, known: &Known, agent: AgentId) -> Result<(), HubError> {
        let token_of = |id: AgentId| {
            let fresh = self.agents.iter().find(|agent| agent.id == id);
            known.roll.agent(id).or(fresh).map(|agent| agent.token)
        };
        let Some(token) = token_of(agent) else {
            return Ok(());
        };
        let fresh = self.conversations.iter().chain(&self.revived);
        let of_token = known.roll.conversation_count(token)
            + fresh
                .filter(|one| token_of(one.agent) == Some(token))
                .count();
        let all = known.roll.conversations_kept() + self.conversations.len() + self.revived.len();
        if of_token >= self.conversations_per_token || all >= limits::CONVERSATIONS_MAX {
            return Err(HubError::full(Flood::Conversations));
        }
        Ok(())
    }

    pub(super) fn decide_ask(&mut self, known: &mut Known, op: AskOp, reply: Reply<Asked>) {
        let (agent, conversation) = match self.place_ask(known, &op) {
            Ok(placed) => placed,
            Err(error) => return reply.send(Err(error)),
        };
        let id = match known.ids.make(self.now.wall) {
            Ok(id) => id,
            Err(error) => return reply.send(Err(error)),
        };
        let AskOp {
            draft,
            digest,
            shape,
            ..
        } = op;
        let ask = Arc::new(Ask {
            id,
            agent: agent.id,
            conversation: conversation.as_ref().map(|conversation| conversation.id),
            workspace: draft.workspace,
            wire_id: draft.wire_id,
            key: draft.key,
            title: draft.title,
            matter: draft.matter,
            digest,
            shape,
            asked_at: self.now.wall,
            deadline: draft.timeout.map(|span| self.now.wall.after(span)),
            stops: draft.stops,
        });
        let keys = ask_keys(&agent, &ask);
        if let Some(found) = self.with_same_key(known, keys) {
            let (id, digest_of) = match found {
                Same::Stored(id) => (id, Some(ask)),
                Same::InRound(other) if other.digest == ask.digest => (other.id, None),
                Same::InRound(other) => (other.id, Some(ask)),
            };
            return self.told.push(Told::Asked {
                ask: id,
                fresh: false,
                digest_of,
                reply,
            });
        }
        let deadline = draft.timeout.map(|span| self.now.hub.after(span));
        let entry = OpenEntry {
            ask: ask.id,
            opened: Seq::ZERO,
            deadline,
            agent: agent.id,
            conversation: ask.conversation,
            matter: ask.matter.kind(),
            keys,
        };
        for key in keys.into_iter().flatten() {
            self.keys.insert(key, Arc::clone(&ask));
        }
        *self.opened_by.entry(agent.id).or_default() += 1;
        if let Some(conversation) = &conversation {
            // What led to the question stands before it.
            self.finish_saying(known, conversation);
        }
        let at = self.push(Event::Asked(Arc::clone(&ask)));
        self.told.push(Told::Asked {
            ask: ask.id,
            fresh: true,
            digest_of: None,
            reply,
        });
        self.planned.push(Planned::Opened {
            at,
            ask: Arc::clone(&ask),
            agent: Arc::clone(&agent),
            conversation,
            entry,
            quiet: false,
        });
        if !self.rule_at_once(known, &ask, &agent, entry)
            && ask.matter.kind() == MatterKind::Approval
        {
            self.fresh.push((ask, agent, entry));
        }
    }

    fn place_ask(
        &mut self,
        known: &Known,
        op: &AskOp,
    ) -> Result<(Arc<Agent>, Option<Arc<Conversation>>), HubError> {
        let agent = self.meet(known, &op.meet)?;
        let open = known.open_by_agent.get(&agent.id).copied().unwrap_or(0)
            + self.opened_by.get(&agent.id).copied().unwrap_or(0);
        if open >= self.open_asks_per_agent {
            return Err(HubError::full(Flood::OpenAsks));
        }
        let conversation = op
            .draft
            .conversation
            .as_ref()
            .map(|name| self.converse(known, agent.id, name))
            .transpose()?;
        Ok((agent, conversation))
    }

    fn with_same_key(&self, known: &Known, keys: [Option<u64>; 2]) -> Option<Same> {
        keys.into_iter().flatten().find_map(|key| {
            if let Some(ask) = self.keys.get(&key) {
                return Some(Same::InRound(Arc::clone(ask)));
            }
            known
                .open
                .by_key(key)
                .first()
                .map(|entry| entry.ask)
                .or_else(|| known.recent.by_key(key))
                .map(Same::Stored)
        })
    }
}
