//! What SQLite and the system say, turned into what a caller can do about it.

use std::path::Path;

use rusqlite::{Error, ErrorCode};
use sayso_store::StoreError;
pub(crate) use sayso_store_sql::journal::damaged;

/// The name of the journal's file, as errors give it.
pub(crate) const JOURNAL: &str = "journal.db";

/// A file or folder cannot be used.
pub(crate) fn unusable(what: &str, path: &Path, detail: impl std::fmt::Display) -> StoreError {
    StoreError::Unusable {
        what: format!("{what} {}", path.display()),
        detail: detail.to_string(),
    }
}

/// Whether an error means that the file is not what was written.
pub(crate) fn is_damage(error: &Error) -> bool {
    match error {
        Error::SqliteFailure(failure, message) => {
            matches!(
                failure.code,
                ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase
            ) || message
                .as_deref()
                .is_some_and(|message| message.starts_with("no such "))
        }
        Error::SqlInputError { msg, .. } => msg.starts_with("no such "),
        // Our own statements give other types only over a foreign schema.
        Error::FromSqlConversionFailure(..)
        | Error::IntegralValueOutOfRange(..)
        | Error::InvalidColumnType(..)
        | Error::InvalidColumnIndex(_)
        | Error::InvalidColumnName(_)
        | Error::Utf8Error(..) => true,
        _ => false,
    }
}

/// Whether a file that can be made again should be: it is damaged, or cannot be used for a reason that
/// neither waiting nor room on the disk would take away.
pub(crate) fn is_beyond_use(error: &Error) -> bool {
    if is_damage(error) {
        return true;
    }
    let Error::SqliteFailure(failure, _) = error else {
        return false;
    };
    match failure.code {
        ErrorCode::CannotOpen | ErrorCode::ReadOnly => true,
        // A file that ends too early; an index without room is not that.
        ErrorCode::SystemIoFailure => {
            failure.extended_code == rusqlite::ffi::SQLITE_IOERR_SHORT_READ
        }
        _ => false,
    }
}

/// What SQLite said about `file`.
pub(crate) fn sqlite(file: &str, error: &Error) -> StoreError {
    if is_damage(error) {
        return damaged(file, error);
    }
    StoreError::TryLater {
        detail: format!("{file}: {error}"),
    }
}

/// What SQLite said about the journal.
#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` calls")]
pub(crate) fn journal(error: Error) -> StoreError {
    sqlite(JOURNAL, &error)
}
