//! Who may come in: agents, people, admins, and the tokens that prove it.

use crate::id::{PersonName, TokenId, TokenName};
use crate::time::Time;

/// What a token is good for. One kind each; none includes another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Role {
    /// May ask, and hear the outcomes of its own asks.
    Agent,
    /// May see asks and answer them, as this person.
    Person(PersonName),
    /// May make and revoke tokens, back up, and erase; may neither ask nor answer.
    Admin,
}

impl Role {
    /// The one word for it.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Person(_) => "person",
            Self::Admin => "admin",
        }
    }
}

/// A token as we keep it: never the secret, only its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Our id.
    pub id: TokenId,
    /// What it is called; for a person, the device.
    pub name: TokenName,
    /// What it is good for.
    pub role: Role,
    /// SHA-256 of the secret.
    pub hash: [u8; 32],
    /// When it was made.
    pub made_at: Time,
    /// The token of the same device that this one goes with: when that is taken back, so is this.
    pub with: Option<TokenId>,
}
