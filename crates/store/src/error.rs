//! What can go wrong in a store, told apart by what a caller can do about it.

/// A store could not do what was asked. Nothing was stored unless the call says otherwise.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// No room, or the device failed; the store is intact and will recover by itself.
    #[error("the state can't be written: {detail}; asks and answers are refused until it can")]
    TryLater {
        /// What the system said.
        detail: String,
    },
    /// What is on disk is not what was written.
    #[error("{file} is damaged: {detail}")]
    Damaged {
        /// Which file.
        file: String,
        /// What was found.
        detail: String,
    },
    /// The state was written by a newer version.
    #[error(
        "{file} was written by a newer version of sayso ({}level {found}, this version reads up to level {known}); upgrade sayso and start it again, nothing was changed",
        by.as_ref().map(|by| format!("{by}, ")).unwrap_or_default()
    )]
    Newer {
        /// Which file.
        file: String,
        /// The level found.
        found: u32,
        /// The highest level this version knows.
        known: u32,
        /// The version that wrote it, if it says so.
        by: Option<String>,
    },
    /// Another server uses this state.
    #[error(
        "the state in {folder} is in use by another sayso server; stop it, or start this one with another --state"
    )]
    InUse {
        /// Which folder.
        folder: String,
    },
    /// The folder or a file in it cannot be used at all.
    #[error("{what}: {detail}")]
    Unusable {
        /// What was tried.
        what: String,
        /// What the system said.
        detail: String,
    },
}

impl StoreError {
    /// The state lives elsewhere: in a folder, or at a URL of PostgreSQL, perhaps in a schema that is named
    /// in parentheses.
    pub fn moved(place: &str) -> Self {
        let in_schema = place.strip_suffix(')');
        let in_schema = in_schema.and_then(|place| place.rsplit_once(" (schema "));
        let (at, schema) = in_schema.map_or((place, None), |(at, schema)| (at, Some(schema)));
        let flag = if at.starts_with("postgres") {
            "--store"
        } else {
            "--state"
        };
        // A shell would take the parameters of a URL for something else.
        let quote = if at.contains(['?', '&', ' ']) {
            "'"
        } else {
            ""
        };
        let schema = schema.map(|schema| format!(" and `SAYSO_STORE_SCHEMA={schema}`"));
        Self::Unusable {
            what: format!("this state was moved to {place}"),
            detail: format!(
                "start the server with `{flag} {quote}{at}{quote}`{}",
                schema.unwrap_or_default()
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_that_was_moved_names_the_flag_to_start_with() {
        for (place, said) in [
            (
                "/var/lib/sayso",
                "this state was moved to /var/lib/sayso: start the server with `--state /var/lib/sayso`",
            ),
            (
                "postgres://node@a:5432/b",
                "this state was moved to postgres://node@a:5432/b: start the server with `--store postgres://node@a:5432/b`",
            ),
            (
                "postgres://node@/b?host=/run&port=5432 (schema team)",
                "this state was moved to postgres://node@/b?host=/run&port=5432 (schema team): start the server with `--store 'postgres://node@/b?host=/run&port=5432'` and `SAYSO_STORE_SCHEMA=team`",
            ),
        ] {
            assert_eq!(StoreError::moved(place).to_string(), said);
        }
    }
}
