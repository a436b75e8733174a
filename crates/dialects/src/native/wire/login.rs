//! Logging in to the page with a one-time code.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::WireTime;

/// Asks for a one-time code.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct NewLogin {
    /// Who is to log in; the local person when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// Whether the device is to get an admin's token beside the person's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub admin: bool,
}

/// A one-time code: good once, for two minutes.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LoginCode {
    /// The code.
    pub code: String,
    /// The page with the code in its fragment, which browsers do not send.
    pub url: String,
    /// When it is no longer good.
    pub expires_at: WireTime,
    /// The address as a QR code: one text for each row, `#` for dark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub qr: Option<Vec<String>>,
}

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
impl fmt::Debug for LoginCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoginCode")
            .field("expires_at", &self.expires_at)
            .finish_non_exhaustive()
    }
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
