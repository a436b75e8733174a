//! Pairing: a short code that a program trades for a token, once and soon.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::WireTime;

/// A request for a pairing code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NewPairing {
    /// The dialect of the program to pair.
    #[schema(example = "whimmy")]
    pub dialect: String,
    /// The name of the token. By default the name of the dialect, with a number if that name is
    /// taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// A pairing code: valid once, for ten minutes.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Pairing {
    /// Six digits.
    pub code: String,
    /// The dialect of the program.
    pub dialect: String,
    /// When it expires.
    pub expires_at: WireTime,
    /// The instructions, line by line.
    #[serde(default)]
    pub lines: Vec<String>,
    /// The text to copy to the program, including the code.
    #[serde(default)]
    pub copied: String,
    /// The same as a QR code: one string per row, `#` is dark.
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
