//! The directory: every token that is good, every agent and every conversation, by id and by name.

mod decide;

use std::sync::Arc;

use hashbrown::{Equivalent, HashMap, HashSet};

use super::table::{Base, KeyTable, Layer, ListPatch, NumberedRows, Over, Patch, count_up};
use crate::agent::{Agent, Conversation};
use crate::id::{
    AgentId, AgentName, ConversationId, ConversationName, DialectName, TokenId, TokenName,
};
use crate::role::Token;

/// Under what an agent is known.
type AgentKey = (TokenId, DialectName, AgentName);

/// The same as it is looked up, without a copy.
#[derive(Hash)]
struct AgentLookup<'a>(TokenId, &'a DialectName, &'a AgentName);

impl Equivalent<AgentKey> for AgentLookup<'_> {
    fn equivalent(&self, (token, dialect, name): &AgentKey) -> bool {
        (self.0, self.1, self.2) == (*token, dialect, name)
    }
}

/// How an agent calls a conversation, as it is looked up.
#[derive(Hash)]
struct ConversationLookup<'a>(AgentId, &'a ConversationName);

impl Equivalent<(AgentId, ConversationName)> for ConversationLookup<'_> {
    fn equivalent(&self, (agent, name): &(AgentId, ConversationName)) -> bool {
        (self.0, self.1) == (*agent, name)
    }
}

/// Tokens, agents and conversations.
#[derive(Debug)]
pub struct Directory<L: Layer> {
    tokens: L::Map<TokenId, Arc<Token>>,
    tokens_by_name: L::Map<TokenName, TokenId>,
    /// Tokens that are revoked together with another one.
    companions: L::Map<TokenId, Vec<TokenId>>,
    token_count: usize,
    last_token: u32,
    agents: L::List<Arc<Agent>>,
    agents_by_name: L::Map<AgentKey, AgentId>,
    agents_by_token: L::Map<TokenId, Vec<AgentId>>,
    /// The token that used a name first, by the plain form of the name.
    names: L::Map<String, TokenId>,
    conversations: L::List<Arc<Conversation>>,
    conversations_by_name: L::Map<(AgentId, ConversationName), ConversationId>,
    conversations_by_agent: L::Map<AgentId, usize>,
}

impl<L: Layer> Directory<L> {
    /// A token that is good.
    pub fn token(&self, id: TokenId) -> Option<&Arc<Token>> {
        self.tokens.get(&id)
    }

    /// The good token of this name.
    pub fn token_named(&self, name: &TokenName) -> Option<&Arc<Token>> {
        self.tokens.get(self.tokens_by_name.get(name)?)
    }

    /// The id that the next token gets.
    pub fn next_token(&self) -> TokenId {
        TokenId(self.last_token + 1)
    }

    /// An agent.
    pub fn agent(&self, id: AgentId) -> Option<&Arc<Agent>> {
        self.agents.get(id.0)
    }

    /// The agent of this name.
    pub fn agent_named(
        &self,
        token: TokenId,
        dialect: &DialectName,
        name: &AgentName,
    ) -> Option<&Arc<Agent>> {
        let key = AgentLookup(token, dialect, name);
        self.agent(*self.agents_by_name.get(&key)?)
    }

    /// A conversation.
    pub fn conversation(&self, id: ConversationId) -> Option<&Arc<Conversation>> {
        self.conversations.get(id.0)
    }

    /// The conversation that an agent calls by this name.
    pub fn conversation_named(
        &self,
        agent: AgentId,
        name: &ConversationName,
    ) -> Option<&Arc<Conversation>> {
        let key = ConversationLookup(agent, name);
        self.conversation(*self.conversations_by_name.get(&key)?)
    }

    /// The agents of a token in a dialect.
    pub fn agents_of(&self, token: TokenId, dialect: &DialectName) -> Vec<Arc<Agent>> {
        let ids = self.agents_by_token.get(&token).into_iter().flatten();
        ids.filter_map(|id| self.agent(*id))
            .filter(|agent| agent.dialect == *dialect)
            .cloned()
            .collect()
    }

    /// The name of a token beside an agent that could be taken for one of another token.
    fn token_name_of(&self, token: TokenId, name: &AgentName) -> Option<TokenName> {
        let first = self.names.get(&Agent::plain_name(name));
        if !Agent::looks_shown(name) && first.is_none_or(|first| *first == token) {
            return None;
        }
        match self.tokens.get(&token) {
            Some(token) => Some(token.name.clone()),
            // The token was revoked; its id is all that is left of it.
            None => TokenName::stored(token.to_string()).ok(),
        }
    }

    pub(super) fn token_made(&mut self, token: Arc<Token>) {
        self.saw_token(token.id);
        self.token_count += 1;
        self.tokens_by_name.put(token.name.clone(), token.id);
        if let Some(with) = token.with {
            match self.companions.edit(&with) {
                Some(companions) => companions.push(token.id),
                None => self.companions.put(with, vec![token.id]),
            }
        }
        self.tokens.put(token.id, token);
    }

    pub(super) fn saw_token(&mut self, id: TokenId) {
        self.last_token = self.last_token.max(id.0);
    }

    pub(super) fn token_revoked(&mut self, id: TokenId) {
        let Some(token) = self.tokens.get(&id).cloned() else {
            return;
        };
        self.token_count -= 1;
        self.tokens.cut(&id);
        if self.tokens_by_name.get(&token.name) == Some(&id) {
            self.tokens_by_name.cut(&token.name);
        }
        if let Some(companions) = token.with.and_then(|with| self.companions.edit(&with)) {
            companions.retain(|other| *other != id);
        }
        let agents = self.agents_by_token.get(&id).cloned().unwrap_or_default();
        for agent in agents {
            self.show_anew(agent);
        }
    }

    /// Finds anew what stands beside an agent's name, once its token has none.
    fn show_anew(&mut self, id: AgentId) {
        let beside = self
            .agent(id)
            .filter(|agent| agent.beside.is_some())
            .map(|agent| self.token_name_of(agent.token, &agent.name));
        if let (Some(beside), Some(agent)) = (beside, self.agents.edit(id.0)) {
            *agent = Arc::new(Agent {
                beside,
                ..Agent::clone(agent)
            });
        }
    }

    /// Adds an agent; ids are given without gaps.
    pub(super) fn agent_met(&mut self, agent: &Agent) -> Arc<Agent> {
        let agent = Arc::new(Agent {
            beside: self.token_name_of(agent.token, &agent.name),
            ..agent.clone()
        });
        let plain = Agent::plain_name(&agent.name);
        if self.names.get(&plain).is_none() {
            self.names.put(plain, agent.token);
        }
        let key = (agent.token, agent.dialect.clone(), agent.name.clone());
        self.agents_by_name.put(key, agent.id);
        match self.agents_by_token.edit(&agent.token) {
            Some(ids) => ids.push(agent.id),
            None => self.agents_by_token.put(agent.token, vec![agent.id]),
        }
        self.agents.push(Arc::clone(&agent));
        agent
    }

    /// Adds a conversation; ids are given without gaps.
    pub(super) fn conversation_began(&mut self, conversation: &Conversation) {
        count_up(&mut self.conversations_by_agent, conversation.agent);
        self.conversations_by_name.put(
            (conversation.agent, conversation.name.clone()),
            conversation.id,
        );
        self.conversations.push(Arc::new(conversation.clone()));
    }
}

impl Directory<Base> {
    pub(super) fn new() -> Self {
        Self {
            tokens: HashMap::new(),
            tokens_by_name: HashMap::new(),
            companions: HashMap::new(),
            token_count: 0,
            last_token: 0,
            agents: Vec::new(),
            agents_by_name: HashMap::new(),
            agents_by_token: HashMap::new(),
            names: HashMap::new(),
            conversations: Vec::new(),
            conversations_by_name: HashMap::new(),
            conversations_by_agent: HashMap::new(),
        }
    }

    /// The same, to be changed by a batch.
    pub(super) fn over(&self) -> Directory<Over<'_>> {
        Directory {
            tokens: Patch::over(&self.tokens),
            tokens_by_name: Patch::over(&self.tokens_by_name),
            companions: Patch::over(&self.companions),
            token_count: self.token_count,
            last_token: self.last_token,
            agents: ListPatch::over(&self.agents),
            agents_by_name: Patch::over(&self.agents_by_name),
            agents_by_token: Patch::over(&self.agents_by_token),
            names: Patch::over(&self.names),
            conversations: ListPatch::over(&self.conversations),
            conversations_by_name: Patch::over(&self.conversations_by_name),
            conversations_by_agent: Patch::over(&self.conversations_by_agent),
        }
    }

    /// Every agent, in the order in which they came.
    pub fn agents(&self) -> &[Arc<Agent>] {
        &self.agents
    }

    /// Every conversation, in the order in which they began.
    pub fn conversations(&self) -> &[Arc<Conversation>] {
        &self.conversations
    }

    /// Whether the same tokens, agents and conversations are known.
    pub(super) fn stands_as(&self, other: &Self) -> bool {
        self.tokens == other.tokens
            && self.tokens_by_name == other.tokens_by_name
            && (self.token_count, self.last_token) == (other.token_count, other.last_token)
            && self.agents == other.agents
            && self.names == other.names
            && self.conversations == other.conversations
            && self.conversations_by_agent == other.conversations_by_agent
    }
}

/// Conversations of which nothing is left, so that they do not count against any limit. Found by
/// look-ups after text was erased, never decided.
#[derive(Debug, Default)]
pub struct Emptied {
    ids: HashSet<ConversationId>,
    by_agent: HashMap<AgentId, usize>,
}

impl Emptied {
    /// Nothing is left of a conversation.
    pub fn add(&mut self, conversation: &Conversation) {
        if self.ids.insert(conversation.id) {
            *self.by_agent.entry(conversation.agent).or_default() += 1;
        }
    }

    /// Something was said in a conversation: it counts again.
    pub fn remove(&mut self, conversation: &Conversation) {
        if self.ids.remove(&conversation.id)
            && let Some(count) = self.by_agent.get_mut(&conversation.agent)
        {
            *count -= 1;
        }
    }

    /// Whether nothing is left of a conversation.
    pub fn contains(&self, conversation: ConversationId) -> bool {
        self.ids.contains(&conversation)
    }

    fn of(&self, agent: AgentId) -> usize {
        self.by_agent.get(&agent).copied().unwrap_or(0)
    }

    fn len(&self) -> usize {
        self.ids.len()
    }
}
