//! A page of asks.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Ask;

/// A page of asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AskPage {
    /// The asks.
    pub asks: Vec<Ask>,
    /// The cursor of the next page; null on the last page.
    pub next: Option<String>,
    /// The position in the journal that this page reflects.
    pub as_of: u64,
}
