//! Who asks, and in which conversation.

use crate::id::{AgentId, AgentName, ConversationId, ConversationName, DialectName, TokenId};

/// An agent: one token and the name its dialect gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// Our id.
    pub id: AgentId,
    /// The token it comes in with.
    pub token: TokenId,
    /// What it calls itself.
    pub name: AgentName,
    /// The language it speaks.
    pub dialect: DialectName,
}

/// A conversation of one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    /// Our id.
    pub id: ConversationId,
    /// Whose it is.
    pub agent: AgentId,
    /// What the agent calls it.
    pub name: ConversationName,
}
