//! The bodies of rows about tokens, agents and conversations.

use sayso_core::agent::{Agent, Conversation};
use sayso_core::digest::Digest;
use sayso_core::id::{
    AgentId, AgentName, ConversationId, ConversationName, DialectName, PersonName, TokenId,
    TokenName,
};
use sayso_core::role::{Role, Token};
use sayso_core::time::Time;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::stored::{Stored, recorded};

#[derive(Serialize, Deserialize)]
#[serde(remote = "Token")]
struct TokenRecord {
    #[serde(rename = "token", with = "Stored")]
    id: TokenId,
    #[serde(with = "Stored")]
    name: TokenName,
    #[serde(with = "Stored")]
    role: Role,
    #[serde(with = "Stored")]
    hash: [u8; 32],
    #[serde(with = "Stored")]
    made_at: Time,
    #[serde(with = "Stored", default, skip_serializing_if = "Option::is_none")]
    with: Option<TokenId>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Role", rename_all = "snake_case")]
enum RoleRecord {
    Agent,
    #[serde(with = "Stored")]
    Person(PersonName),
    Admin,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Agent")]
struct AgentRecord {
    #[serde(rename = "agent", with = "Stored")]
    id: AgentId,
    #[serde(with = "Stored")]
    token: TokenId,
    #[serde(with = "Stored")]
    name: AgentName,
    #[serde(with = "Stored")]
    dialect: DialectName,
    /// Worked out from the agents there are.
    #[serde(skip)]
    beside: Option<TokenName>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Conversation")]
struct ConversationRecord {
    #[serde(rename = "conversation", with = "Stored")]
    id: ConversationId,
    #[serde(with = "Stored")]
    agent: AgentId,
    #[serde(with = "Stored")]
    name: ConversationName,
}

recorded! {
    TokenRecord as Token,
    RoleRecord as Role,
    AgentRecord as Agent,
    ConversationRecord as Conversation,
}

/// The sum of a secret.
impl Stored for [u8; 32] {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Stored::serialize(&Digest(*self), to)
    }

    fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let Digest(sum) = Stored::deserialize(from)?;
        Ok(sum)
    }
}
