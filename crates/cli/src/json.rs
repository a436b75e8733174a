//! JSON on stdout: one value per line, the same as the API says it.

use crate::failure::Failure;

pub(crate) fn line(value: &impl serde::Serialize) -> Result<String, Failure> {
    serde_json::to_string(value)
        .map_err(|error| Failure::unexpected(format!("this cannot be written as JSON: {error}")))
}
