//! Logging in to the page with a one-time code.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::WireTime;

/// A request for a login code.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct NewLogin {
    /// The person who logs in; the local person by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// Whether the device also gets an admin token.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub admin: bool,
}

/// A login code: valid once, for two minutes.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LoginCode {
    /// The code.
    pub code: String,
    /// The URL of the page, with the code in its fragment, which browsers don't send.
    pub url: String,
    /// When it expires.
    pub expires_at: WireTime,
    /// The URL as a QR code: one string per row, `#` is dark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub qr: Option<Vec<String>>,
}

/// A request to exchange a login code for a token.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LoginRequest {
    /// The code from the link.
    pub code: String,
    /// The name of this device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
}

/// The token of this device. It is shown only once.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LoggedIn {
    /// The token.
    pub token: String,
    /// The person who owns it.
    pub person: String,
    /// The name of the device.
    pub device: String,
    /// An admin token of the same device, if the link was for one; revoking one token revokes the
    /// other.
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
