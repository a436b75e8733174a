//! The bodies of rows about tokens, agents and conversations.

use sayso_core::agent::{Agent, Conversation};
use sayso_core::digest::Digest;
use sayso_core::id::{
    AgentId, AgentName, ConversationId, ConversationName, DialectName, PersonName, TokenId,
    TokenName,
};
use sayso_core::role::{Role, Token};
use sayso_core::time::Time;
use serde::{Deserialize, Serialize};

use super::BadRecord;
use super::ask::{Text, borrowed};

#[derive(Serialize, Deserialize)]
pub(super) struct TokenRecord<'a> {
    token: u32,
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(borrow)]
    role: RoleRecord<'a>,
    hash: String,
    made_at: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    with: Option<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RoleRecord<'a> {
    Agent,
    #[serde(borrow)]
    Person(Text<'a>),
    Admin,
}

#[derive(Serialize, Deserialize)]
pub(super) struct AgentRecord<'a> {
    agent: u32,
    token: u32,
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(borrow)]
    dialect: Text<'a>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct ConversationRecord<'a> {
    conversation: u32,
    agent: u32,
    #[serde(borrow)]
    name: Text<'a>,
}

impl<'a> From<&'a Token> for TokenRecord<'a> {
    fn from(token: &'a Token) -> Self {
        Self {
            token: token.id.0,
            name: borrowed(token.name.as_str()),
            role: match &token.role {
                Role::Agent => RoleRecord::Agent,
                Role::Person(person) => RoleRecord::Person(borrowed(person.as_str())),
                Role::Admin => RoleRecord::Admin,
            },
            hash: Digest(token.hash).to_string(),
            made_at: token.made_at.as_millis(),
            with: token.with.map(|with| with.0),
        }
    }
}

impl TryFrom<TokenRecord<'_>> for Token {
    type Error = BadRecord;

    fn try_from(record: TokenRecord<'_>) -> Result<Self, BadRecord> {
        Ok(Self {
            id: TokenId(record.token),
            name: TokenName::stored(&*record.name).map_err(BadRecord::impossible)?,
            role: match record.role {
                RoleRecord::Agent => Role::Agent,
                RoleRecord::Person(person) => {
                    Role::Person(PersonName::stored(&*person).map_err(BadRecord::impossible)?)
                }
                RoleRecord::Admin => Role::Admin,
            },
            hash: record
                .hash
                .parse::<Digest>()
                .map_err(BadRecord::impossible)?
                .0,
            made_at: Time::from_millis(record.made_at),
            with: record.with.map(TokenId),
        })
    }
}

impl<'a> From<&'a Agent> for AgentRecord<'a> {
    fn from(agent: &'a Agent) -> Self {
        Self {
            agent: agent.id.0,
            token: agent.token.0,
            name: borrowed(agent.name.as_str()),
            dialect: borrowed(agent.dialect.as_str()),
        }
    }
}

impl TryFrom<AgentRecord<'_>> for Agent {
    type Error = BadRecord;

    fn try_from(record: AgentRecord<'_>) -> Result<Self, BadRecord> {
        Ok(Self {
            id: AgentId(record.agent),
            token: TokenId(record.token),
            name: AgentName::stored(&*record.name).map_err(BadRecord::impossible)?,
            dialect: DialectName::stored(&*record.dialect).map_err(BadRecord::impossible)?,
            beside: None,
        })
    }
}

impl<'a> From<&'a Conversation> for ConversationRecord<'a> {
    fn from(conversation: &'a Conversation) -> Self {
        Self {
            conversation: conversation.id.0,
            agent: conversation.agent.0,
            name: borrowed(conversation.name.as_str()),
        }
    }
}

impl TryFrom<ConversationRecord<'_>> for Conversation {
    type Error = BadRecord;

    fn try_from(record: ConversationRecord<'_>) -> Result<Self, BadRecord> {
        Ok(Self {
            id: ConversationId(record.conversation),
            agent: AgentId(record.agent),
            name: ConversationName::stored(&*record.name).map_err(BadRecord::impossible)?,
        })
    }
}
