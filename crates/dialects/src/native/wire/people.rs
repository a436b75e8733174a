//! The people who may answer.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The people who may answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct People {
    /// One row each.
    pub people: Vec<PersonRow>,
}

/// One person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PersonRow {
    /// Their name.
    pub name: String,
    /// The names of their devices.
    pub devices: Vec<String>,
}
