//! Logging in to the page with a one-time code.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Exchanges a one-time code for a token.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LoginRequest {
    /// The code from the link.
    pub code: String,
    /// What this device is to be called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
}

/// The token of this device; shown once.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LoggedIn {
    /// The token.
    pub token: String,
    /// Whose it is.
    pub person: String,
    /// What the device is called.
    pub device: String,
    /// An admin's token of the same device, when the link was for one: it goes with the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub admin: Option<String>,
}

/// Without the secret, so that no log can hold it.
impl fmt::Debug for LoginRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoginRequest")
            .field("device", &self.device)
            .finish_non_exhaustive()
    }
}

/// Without the secret, so that no log can hold it.
impl fmt::Debug for LoggedIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoggedIn")
            .field("person", &self.person)
            .field("device", &self.device)
            .finish_non_exhaustive()
    }
}
