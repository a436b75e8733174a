//! Pairing: a short code that a program trades for a token, once and soon.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::WireTime;

/// Asks for a pairing code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NewPairing {
    /// The dialect whose program is to be paired.
    #[schema(example = "whimmy")]
    pub dialect: String,
    /// What the token is to be called; named after the dialect when absent, and with a number behind
    /// it when there is one of that name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// A pairing code: good once, for ten minutes.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Pairing {
    /// Six digits.
    pub code: String,
    /// The dialect it is for.
    pub dialect: String,
    /// When it is no longer good.
    pub expires_at: WireTime,
    /// What a person does with it, line by line.
    #[serde(default)]
    pub lines: Vec<String>,
    /// What is to be copied to the program, code included.
    #[serde(default)]
    pub copied: String,
    /// The same as a QR code: one text for each row, `#` for dark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub qr: Option<Vec<String>>,
}

/// Without the code, so that no log can hold it.
impl fmt::Debug for Pairing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pairing")
            .field("dialect", &self.dialect)
            .field("expires_at", &self.expires_at)
            .finish_non_exhaustive()
    }
}
