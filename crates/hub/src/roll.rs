//! Everyone the hub knows by name: tokens, agents and conversations.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use sayso_core::agent::{Agent, Conversation};
use sayso_core::id::{
    AgentId, AgentName, ConversationId, ConversationName, DialectName, TokenId, TokenName,
};
use sayso_core::limits;
use sayso_core::role::{Role, Token};
use sayso_core::time::Time;
use tokio::sync::Notify;

/// A token and whether it is still good: shared by everything that came in with it.
#[derive(Debug)]
pub(crate) struct LiveToken {
    pub(crate) token: Token,
    revoked: AtomicBool,
    bell: Notify,
    last_used_ms: AtomicU64,
    /// The use that was last given to the store.
    noted_ms: AtomicU64,
    /// Whether it lies in a file of the server's owner: such a one does not expire.
    local: AtomicBool,
}

impl LiveToken {
    fn new(token: Token) -> Self {
        Self {
            token,
            revoked: AtomicBool::new(false),
            bell: Notify::new(),
            last_used_ms: AtomicU64::new(0),
            noted_ms: AtomicU64::new(0),
            local: AtomicBool::new(false),
        }
    }

    pub(crate) fn is_revoked(&self) -> bool {
        self.revoked.load(Ordering::Acquire)
    }

    pub(crate) fn revoke(&self) {
        self.revoked.store(true, Ordering::Release);
        self.bell.notify_waiters();
    }

    /// Resolves once the token was taken back.
    pub(crate) async fn revoked(&self) {
        let bell = self.bell.notified();
        tokio::pin!(bell);
        // Enabled before the check: a revocation between the two still rings.
        bell.as_mut().enable();
        if !self.is_revoked() {
            bell.await;
        }
    }

    /// Notes a use. Says whether it is time to give it to the store.
    pub(crate) fn used(&self, now: Time) -> bool {
        let now = now.as_millis();
        self.last_used_ms.store(now, Ordering::Relaxed);
        let noted = self.noted_ms.load(Ordering::Relaxed);
        // A clock that was put back counts as time to write, too.
        let due = now.abs_diff(noted) >= limits::USED_EVERY_S * 1000;
        if due {
            self.noted_ms.store(now, Ordering::Relaxed);
        }
        due
    }

    /// Takes over what the store knew.
    fn was_used(&self, at: Time) {
        self.last_used_ms.store(at.as_millis(), Ordering::Relaxed);
        self.noted_ms.store(at.as_millis(), Ordering::Relaxed);
    }

    pub(crate) fn stays(&self) {
        self.local.store(true, Ordering::Release);
    }

    /// Whether it is one of a person's devices, which may expire.
    pub(crate) fn is_device(&self) -> bool {
        let of_person = matches!(self.token.role, Role::Person(_)) || self.token.with.is_some();
        of_person && !self.local.load(Ordering::Acquire)
    }

    pub(crate) fn last_used(&self) -> Option<Time> {
        match self.last_used_ms.load(Ordering::Relaxed) {
            0 => None,
            millis => Some(Time::from_millis(millis)),
        }
    }
}

/// Everyone known.
#[derive(Debug, Default)]
pub(crate) struct Roll {
    tokens: HashMap<TokenId, Arc<LiveToken>>,
    by_hash: HashMap<[u8; 32], TokenId>,
    last_token: u32,
    agents: Vec<Arc<Agent>>,
    agents_by_name: HashMap<(TokenId, DialectName, AgentName), AgentId>,
    agents_by_token: HashMap<TokenId, Vec<AgentId>>,
    /// The token that used a name first, by the plain form of the name.
    names: HashMap<String, TokenId>,
    conversations_by_agent: HashMap<AgentId, usize>,
    /// Conversations that count: all but those of which nothing is left.
    conversations_kept: usize,
    conversations_emptied: HashSet<ConversationId>,
    conversations: Vec<Arc<Conversation>>,
    conversations_by_name: HashMap<(AgentId, ConversationName), ConversationId>,
}

impl Roll {
    pub(crate) fn next_token(&self) -> TokenId {
        TokenId(self.last_token + 1)
    }

    pub(crate) fn saw_token(&mut self, id: TokenId) {
        self.last_token = self.last_token.max(id.0);
    }

    pub(crate) fn add_token(&mut self, token: Token) -> Arc<LiveToken> {
        self.saw_token(token.id);
        self.by_hash.insert(token.hash, token.id);
        let live = Arc::new(LiveToken::new(token));
        self.tokens.insert(live.token.id, Arc::clone(&live));
        live
    }

    /// A token was last used then, before the start.
    pub(crate) fn was_used(&self, id: TokenId, at: Time) {
        if let Some(live) = self.tokens.get(&id) {
            live.was_used(at);
        }
    }

    pub(crate) fn remove_token(&mut self, id: TokenId) {
        if let Some(live) = self.tokens.remove(&id) {
            self.by_hash.remove(&live.token.hash);
            live.revoke();
        }
    }

    pub(crate) fn token_with_hash(&self, hash: &[u8; 32]) -> Option<Arc<LiveToken>> {
        self.tokens.get(self.by_hash.get(hash)?).cloned()
    }

    pub(crate) fn tokens(&self) -> Vec<Arc<LiveToken>> {
        let mut tokens: Vec<_> = self.tokens.values().cloned().collect();
        tokens.sort_by_key(|live| live.token.id);
        tokens
    }

    pub(crate) fn agents(&self) -> &[Arc<Agent>] {
        &self.agents
    }

    pub(crate) fn agents_of(&self, token: TokenId, dialect: &DialectName) -> Vec<Arc<Agent>> {
        let ids = self.agents_by_token.get(&token).into_iter().flatten();
        ids.filter_map(|id| self.agent(*id))
            .filter(|agent| agent.dialect == *dialect)
            .cloned()
            .collect()
    }

    pub(crate) fn next_agent(&self) -> AgentId {
        AgentId(u32::try_from(self.agents.len()).unwrap_or(u32::MAX - 1) + 1)
    }

    /// The token's name for an agent that could be taken for one of another token.
    pub(crate) fn beside(&self, token: TokenId, name: &AgentName) -> Option<TokenName> {
        let first = self.names.get(&Agent::plain_name(name));
        if !Agent::looks_shown(name) && first.is_none_or(|first| *first == token) {
            return None;
        }
        match self.tokens.get(&token) {
            Some(live) => Some(live.token.name.clone()),
            // The token was revoked; its id is all that is left of it.
            None => TokenName::stored(token.to_string()).ok(),
        }
    }

    /// How many agents a token has.
    pub(crate) fn agent_count(&self, token: TokenId) -> usize {
        self.agents_by_token.get(&token).map_or(0, Vec::len)
    }

    /// How many conversations the agents of a token have, without those of which nothing is left.
    pub(crate) fn conversation_count(&self, token: TokenId) -> usize {
        let agents = self.agents_by_token.get(&token).into_iter().flatten();
        agents
            .filter_map(|agent| self.conversations_by_agent.get(agent))
            .sum()
    }

    /// How many conversations there are, without those of which nothing is left.
    pub(crate) fn conversations_kept(&self) -> usize {
        self.conversations_kept
    }

    /// Adds an agent; ids are given without gaps.
    pub(crate) fn add_agent(&mut self, mut agent: Agent) -> Arc<Agent> {
        agent.beside = self.beside(agent.token, &agent.name);
        let plain = Agent::plain_name(&agent.name);
        self.names.entry(plain).or_insert(agent.token);
        let agent = Arc::new(agent);
        self.agents_by_name.insert(
            (agent.token, agent.dialect.clone(), agent.name.clone()),
            agent.id,
        );
        self.agents_by_token
            .entry(agent.token)
            .or_default()
            .push(agent.id);
        self.agents.push(Arc::clone(&agent));
        agent
    }

    pub(crate) fn agent(&self, id: AgentId) -> Option<&Arc<Agent>> {
        self.agents.get((id.0 as usize).checked_sub(1)?)
    }

    pub(crate) fn agent_named(
        &self,
        token: TokenId,
        dialect: &DialectName,
        name: &AgentName,
    ) -> Option<&Arc<Agent>> {
        self.agent(
            *self
                .agents_by_name
                .get(&(token, dialect.clone(), name.clone()))?,
        )
    }

    pub(crate) fn next_conversation(&self) -> ConversationId {
        ConversationId(u32::try_from(self.conversations.len()).unwrap_or(u32::MAX - 1) + 1)
    }

    /// Adds a conversation; ids are given without gaps.
    pub(crate) fn add_conversation(&mut self, conversation: Conversation) -> Arc<Conversation> {
        let conversation = Arc::new(conversation);
        let of_agent = self.conversations_by_agent.entry(conversation.agent);
        *of_agent.or_default() += 1;
        self.conversations_kept += 1;
        self.conversations_by_name.insert(
            (conversation.agent, conversation.name.clone()),
            conversation.id,
        );
        self.conversations.push(Arc::clone(&conversation));
        conversation
    }

    /// Nothing is left in these: they no longer count until something is said in them again.
    pub(crate) fn emptied(&mut self, ids: impl IntoIterator<Item = ConversationId>) {
        for id in ids {
            let Some(agent) = self.conversation(id).map(|one| one.agent) else {
                continue;
            };
            if self.conversations_emptied.insert(id) {
                self.conversations_kept -= 1;
                if let Some(of_agent) = self.conversations_by_agent.get_mut(&agent) {
                    *of_agent -= 1;
                }
            }
        }
    }

    /// Something was said in a conversation: it counts.
    pub(crate) fn revived(&mut self, id: ConversationId) {
        if self.conversations_emptied.remove(&id)
            && let Some(agent) = self.conversation(id).map(|one| one.agent)
        {
            self.conversations_kept += 1;
            *self.conversations_by_agent.entry(agent).or_default() += 1;
        }
    }

    pub(crate) fn is_emptied(&self, id: ConversationId) -> bool {
        self.conversations_emptied.contains(&id)
    }

    /// Every conversation.
    pub(crate) fn conversations(&self) -> impl Iterator<Item = &Arc<Conversation>> {
        self.conversations.iter()
    }

    pub(crate) fn conversation(&self, id: ConversationId) -> Option<&Arc<Conversation>> {
        self.conversations.get((id.0 as usize).checked_sub(1)?)
    }

    pub(crate) fn conversation_named(
        &self,
        agent: AgentId,
        name: &ConversationName,
    ) -> Option<&Arc<Conversation>> {
        self.conversation(*self.conversations_by_name.get(&(agent, name.clone()))?)
    }

    /// Every conversation that some agent calls by this name.
    pub(crate) fn conversations_named(
        &self,
        name: &str,
    ) -> impl Iterator<Item = &Arc<Conversation>> {
        self.conversations
            .iter()
            .filter(move |conversation| conversation.name.as_str() == name)
    }
}
