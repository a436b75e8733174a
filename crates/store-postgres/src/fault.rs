//! What PostgreSQL says, turned into what a caller can do about it.

use sayso_store::StoreError;
use sayso_store_sql::journal;
use sayso_store_sql::sql::{SqlError, SqlFault};
use tokio_postgres::error::{Error, SqlState};

/// The name of the journal, as errors give it.
pub(crate) const JOURNAL: &str = "the journal in PostgreSQL";

/// The error with what the server said, which its own text leaves out.
pub(crate) fn told(error: &Error) -> String {
    match error.as_db_error() {
        Some(said) => format!("{} ({})", said.message(), said.code().code()),
        None => match std::error::Error::source(error) {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        },
    }
}

/// Another try may work.
pub(crate) fn later(what: impl std::fmt::Display) -> StoreError {
    StoreError::TryLater {
        detail: what.to_string(),
    }
}

/// What PostgreSQL said while the journal was used.
#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` calls")]
pub(crate) fn journal(error: Error) -> StoreError {
    let error = sql(&error);
    match error.fault {
        SqlFault::Damaged => journal::damaged(JOURNAL, error),
        SqlFault::Unusable => unusable(
            "PostgreSQL denied an operation",
            format_args!(
                "{error}. Give the user in store.url the same rights as the user that created \
                 the schema"
            ),
        ),
        SqlFault::Passing => later(format_args!("PostgreSQL: {error}")),
    }
}

/// What PostgreSQL said, as shared code takes it.
pub(crate) fn sql(error: &Error) -> SqlError {
    let damage = [
        SqlState::DATA_CORRUPTED,
        SqlState::INDEX_CORRUPTED,
        SqlState::UNDEFINED_TABLE,
        SqlState::UNDEFINED_COLUMN,
    ];
    let is_damage = error.code().is_some_and(|code| damage.contains(code));
    SqlError {
        fault: if is_damage {
            SqlFault::Damaged
        } else if error.code() == Some(&SqlState::INSUFFICIENT_PRIVILEGE) {
            SqlFault::Unusable
        } else {
            SqlFault::Passing
        },
        detail: told(error),
    }
}

/// The server cannot be used, and waiting would not change that.
pub(crate) fn unusable(what: impl Into<String>, detail: impl std::fmt::Display) -> StoreError {
    StoreError::Unusable {
        what: what.into(),
        detail: detail.to_string(),
    }
}
