//! Tokens: who may come in.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::WireTime;

/// The valid tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Tokens {
    /// The rows.
    pub tokens: Vec<TokenRow>,
}

/// A token, without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TokenRow {
    /// The id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// The person who owns it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// When it was made.
    pub made_at: WireTime,
    /// When it was last used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<WireTime>,
    /// When it expires if it is not used before; absent if never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<WireTime>,
    /// The id of the other token of the same device; revoking that one revokes this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
    /// Whether this device gets push notifications.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub push: bool,
}

/// The roles of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Can ask.
    Agent,
    /// Can answer.
    Person,
    /// Can administer the server.
    Admin,
}

sayso_core::words! { Role: Agent = "agent", Person = "person", Admin = "admin" }

/// A request for a new token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NewToken {
    /// The name; for a person, the name of the device.
    pub name: String,
    /// The role.
    pub role: Role,
    /// The person who owns it; only with the role `person`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
}

/// A new token with its secret, which is shown only once.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TokenMade {
    /// The id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// The person who owns it.
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
