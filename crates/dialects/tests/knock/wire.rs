//! The frames.

use serde::{Deserialize, Serialize};

#[derive(Debug, Deserialize)]
pub(super) struct Knock {
    pub(super) id: String,
    pub(super) question: String,
}

#[derive(Debug, Serialize)]
pub(super) struct Heard {
    pub(super) said: Vec<String>,
}
