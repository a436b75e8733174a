//! The people who may answer.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The people who can answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct People {
    /// The rows.
    pub people: Vec<PersonRow>,
}

/// A person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PersonRow {
    /// Their name.
    pub name: String,
    /// The names of their devices.
    pub devices: Vec<String>,
}
