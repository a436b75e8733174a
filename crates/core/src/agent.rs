//! Who asks, and in which conversation.

use std::borrow::Cow;

use crate::id::{
    AgentId, AgentName, ConversationId, ConversationName, DialectName, TokenId, TokenName,
};

/// What stands before the token where two agents would look the same.
const BESIDE: &str = " (token ";

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
    /// The name of its token, where people could take it for an agent of another token.
    pub beside: Option<TokenName>,
}

impl Agent {
    /// What people read: the name, and the token where the name alone would not tell who it is.
    pub fn shown_name(&self) -> Cow<'_, str> {
        match &self.beside {
            None => Cow::Borrowed(self.name.as_str()),
            Some(token) => Cow::Owned(format!("{}{BESIDE}{token})", self.name)),
        }
    }

    /// A form in which names are the same that people could take for each other.
    pub fn plain_name(name: &AgentName) -> String {
        name.as_str().trim().to_lowercase()
    }

    /// Whether a name looks as if it had a token behind it already.
    pub fn looks_shown(name: &AgentName) -> bool {
        name.as_str().to_lowercase().contains(BESIDE.trim_start())
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_that_could_be_taken_for_another_is_shown_with_its_token() {
        let name = |text: &str| AgentName::new(text).unwrap();
        let mut agent = Agent {
            id: AgentId(1),
            token: TokenId(1),
            name: name("coder"),
            dialect: DialectName::new("native").unwrap(),
            beside: None,
        };
        assert_eq!(agent.shown_name(), "coder");
        agent.beside = TokenName::new("laptop").ok();
        assert_eq!(agent.shown_name(), "coder (token laptop)");
        let plain = |text: &str| Agent::plain_name(&name(text));
        assert_eq!(plain("coder"), plain(" Coder "));
        assert_ne!(plain("coder"), plain("coder-2"));
        assert!(Agent::looks_shown(&name("coder (Token laptop)")));
        assert!(!Agent::looks_shown(&name("coder (2)")));
    }
}
