//! Deciding who is known: agents and conversations at their first mention, and tokens.

use std::sync::Arc;

use super::Directory;
use crate::agent::{Agent, Conversation};
use crate::id::{AgentId, ConversationId, ConversationName, TokenId, TokenName};
use crate::journal::Event;
use crate::limits;
use crate::role::Token;
use crate::state::op::{Meet, NewToken, Now, OpReply, Plan};
use crate::state::refusal::{Flood, Refusal};
use crate::state::table::{KeyTable, Layer, NumberedRows};

impl<L: Layer> Directory<L> {
    /// The agent of this name, and the event that makes it known if it is new.
    pub(in crate::state) fn meet(
        &self,
        meet: &Meet,
    ) -> Result<(Arc<Agent>, Option<Event>), Refusal> {
        if let Some(agent) = self.agent_named(meet.token, &meet.dialect, &meet.name) {
            return Ok((Arc::clone(agent), None));
        }
        let count = self.agents.count();
        if count >= limits::AGENTS_MAX {
            return Err(Refusal::TooManyAgents { count });
        }
        let of_token = self.agents_by_token.get(&meet.token).map_or(0, Vec::len);
        if of_token >= limits::AGENTS_PER_TOKEN_MAX {
            return Err(Refusal::Full(Flood::Agents));
        }
        let agent = Agent {
            id: AgentId(number_after(count)),
            token: meet.token,
            name: meet.name.clone(),
            dialect: meet.dialect.clone(),
            beside: self.token_name_of(meet.token, &meet.name),
        };
        let event = Event::AgentMet(agent.clone());
        Ok((Arc::new(agent), Some(event)))
    }

    /// The conversation of this name, and the event that makes it known if it is new.
    pub(in crate::state) fn converse(
        &self,
        agent: &Agent,
        name: &ConversationName,
        now: &Now<'_>,
    ) -> Result<(Arc<Conversation>, Option<Event>), Refusal> {
        if let Some(conversation) = self.conversation_named(agent.id, name) {
            if now.emptied.contains(conversation.id) {
                self.room_for_conversation(agent.token, now)?;
            }
            return Ok((Arc::clone(conversation), None));
        }
        self.room_for_conversation(agent.token, now)?;
        let conversation = Conversation {
            id: ConversationId(number_after(self.conversations.count())),
            agent: agent.id,
            name: name.clone(),
        };
        let event = Event::ConversationBegan(conversation.clone());
        Ok((Arc::new(conversation), Some(event)))
    }

    /// Whether the agents of a token may have another conversation.
    fn room_for_conversation(&self, token: TokenId, now: &Now<'_>) -> Result<(), Refusal> {
        let agents = self.agents_by_token.get(&token).into_iter().flatten();
        let kept = agents.map(|agent| {
            let all = self.conversations_by_agent.get(agent).copied().unwrap_or(0);
            all.saturating_sub(now.emptied.of(*agent))
        });
        let all = self.conversations.count().saturating_sub(now.emptied.len());
        if kept.sum::<usize>() >= now.bounds.conversations_per_token
            || all >= limits::CONVERSATIONS_MAX
        {
            return Err(Refusal::Full(Flood::Conversations));
        }
        Ok(())
    }

    pub(in crate::state) fn decide_token(
        &self,
        new: NewToken,
        now: &Now<'_>,
    ) -> Result<Plan, Refusal> {
        if new.name.as_str().parse::<TokenId>().is_ok() {
            return Err(Refusal::NameIsAnId(new.name));
        }
        if new.with.is_some_and(|with| self.token(with).is_none()) {
            return Err(Refusal::CompanionRevoked);
        }
        if self.token_named(&new.name).is_some() {
            return Err(Refusal::NameTaken(new.name));
        }
        if self.token_count >= limits::TOKENS_MAX {
            return Err(Refusal::TooManyTokens);
        }
        let token = Token {
            id: self.next_token(),
            name: new.name,
            role: new.role,
            hash: new.hash,
            made_at: now.wall,
            with: new.with,
        };
        let id = token.id;
        Ok(Plan::one(Event::TokenMade(token), OpReply::Token(id)))
    }

    /// Revokes a token, and those of the same device in the same turn.
    pub(in crate::state) fn decide_revoke(&self, name: TokenName) -> Result<Plan, Refusal> {
        let Some(token) = self.token_named(&name) else {
            return Err(Refusal::NoToken(name));
        };
        let companions = self.companions.get(&token.id).into_iter().flatten();
        let all = std::iter::once(&token.id).chain(companions);
        Ok(Plan {
            events: all.map(|id| Event::TokenRevoked(*id)).collect(),
            reply: OpReply::Done,
        })
    }
}

/// The number after so many that are numbered from one.
fn number_after(count: usize) -> u32 {
    u32::try_from(count + 1).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::Emptied;
    use super::*;
    use crate::id::{AgentName, DialectName};
    use crate::state::op::Bounds;
    use crate::state::table::Base;
    use crate::time::Time;

    #[test]
    fn the_server_has_a_limit_of_conversations_that_empty_ones_do_not_count_against() {
        let agent = Agent {
            id: AgentId(1),
            token: TokenId(1),
            name: AgentName::new("coder").unwrap(),
            dialect: DialectName::new("native").unwrap(),
            beside: None,
        };
        let conversation = Arc::new(Conversation {
            id: ConversationId(1),
            agent: agent.id,
            name: ConversationName::new("main").unwrap(),
        });
        let mut directory = Directory::<Base>::new();
        directory.conversations = vec![Arc::clone(&conversation); limits::CONVERSATIONS_MAX];
        let bounds = Bounds {
            open_asks_per_agent: 1,
            conversations_per_token: 1,
        };
        let next = |emptied: &Emptied| {
            let now = Now {
                wall: Time::default(),
                latest: Time::default(),
                bounds: &bounds,
                emptied,
            };
            let name = ConversationName::new("more").unwrap();
            let next = directory.converse(&agent, &name, &now);
            next.map(|(conversation, _)| conversation.id)
        };
        let mut emptied = Emptied::default();
        assert_eq!(next(&emptied), Err(Refusal::Full(Flood::Conversations)));
        emptied.add(&conversation);
        let count = directory.conversations.len();
        assert_eq!(next(&emptied), Ok(ConversationId(number_after(count))));
    }
}
