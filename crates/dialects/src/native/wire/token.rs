//! Tokens: who may come in.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::WireTime;

/// The live tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Tokens {
    /// One row each.
    pub tokens: Vec<TokenRow>,
}

/// One token, without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TokenRow {
    /// Our id.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// What it is good for.
    pub role: Role,
    /// Whose it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// When it was made.
    pub made_at: WireTime,
    /// When it was last used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<WireTime>,
    /// When it expires, unless it is used before; never when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<WireTime>,
    /// The id of the token of the same device that this one goes with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
    /// Whether notices are pushed to this device.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub push: bool,
}

/// What a token is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Asking.
    Agent,
    /// Answering.
    Person,
    /// Looking after the server.
    Admin,
}

sayso_core::words! { Role: Agent = "agent", Person = "person", Admin = "admin" }

/// Asks for a new token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NewToken {
    /// What it is to be called; for a person, the device.
    pub name: String,
    /// What it is to be good for.
    pub role: Role,
    /// Whose it is to be; only for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
}

/// A new token with its secret; shown once.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TokenMade {
    /// Our id.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// What it is good for.
    pub role: Role,
    /// Whose it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// When it was made.
    pub made_at: WireTime,
    /// The secret.
    pub token: String,
}

/// Without the secret, so that no log can hold it.
impl fmt::Debug for TokenMade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenMade")
            .field("id", &self.id)
            .field("name", &self.name)
            .field("role", &self.role)
            .field("person", &self.person)
            .field("made_at", &self.made_at)
            .finish_non_exhaustive()
    }
}
