//! A page of asks.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Ask;

/// A page of asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AskPage {
    /// The asks.
    pub asks: Vec<Ask>,
    /// Where the next page begins; null on the last one.
    pub next: Option<String>,
    /// The place in the journal that this page knows.
    pub as_of: u64,
}
