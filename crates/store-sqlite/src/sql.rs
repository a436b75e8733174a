//! SQLite as shared code sees it.

use std::borrow::{Borrow, Cow};

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, Row, ToSql};
use sayso_store_sql::sql::{
    Sql, SqlError, SqlFault, SqlResult, SqlRow, SqlValue, TakeRow, TextSql,
};

use crate::fault::{self, JOURNAL};

/// A connection to a file of ours, of one's own or of somebody else.
pub(crate) struct SqliteSql<C>(pub(crate) C);

/// A value for SQLite.
struct Bound<'a>(SqlValue<'a>);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            SqlValue::Null => ValueRef::Null,
            SqlValue::Int(number) => ValueRef::Integer(number),
            SqlValue::Text(text) => ValueRef::Text(text.as_bytes()),
            SqlValue::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

/// A row of SQLite.
struct SqliteRow<'a>(&'a Row<'a>);

impl SqlRow for SqliteRow<'_> {
    fn value(&self, at: usize) -> SqlResult<SqlValue<'_>> {
        Ok(match self.0.get_ref(at).map_err(error)? {
            ValueRef::Null => SqlValue::Null,
            ValueRef::Integer(number) => SqlValue::Int(number),
            ValueRef::Text(text) => {
                SqlValue::Text(std::str::from_utf8(text).map_err(SqlError::damaged)?)
            }
            ValueRef::Blob(bytes) => SqlValue::Bytes(bytes),
            ValueRef::Real(number) => return Err(SqlError::damaged(number)),
        })
    }
}

impl<C: Borrow<Connection>> Sql for SqliteSql<C> {
    fn run(&self, sql: &str, values: &[SqlValue<'_>]) -> SqlResult<()> {
        let values = rusqlite::params_from_iter(values.iter().copied().map(Bound));
        self.0
            .borrow()
            .prepare_cached(sql)
            .and_then(|mut statement| statement.execute(values))
            .map(|_| ())
            .map_err(error)
    }

    fn rows(&self, sql: &str, values: &[SqlValue<'_>], take: TakeRow<'_>) -> SqlResult<()> {
        let values = rusqlite::params_from_iter(values.iter().copied().map(Bound));
        let mut statement = self.0.borrow().prepare_cached(sql).map_err(error)?;
        let mut rows = statement.query(values).map_err(error)?;
        while let Some(row) = rows.next().map_err(error)? {
            if !take(&SqliteRow(row))? {
                break;
            }
        }
        Ok(())
    }

    fn text(&self) -> TextSql {
        TextSql {
            keep: "INSERT OR REPLACE INTO asks_text (rowid, words) VALUES (?1, ?2)",
            there: "SELECT rowid FROM asks_text WHERE rowid = ?1",
            remove: "DELETE FROM asks_text WHERE rowid = ?1",
            found: "asks_text t CROSS JOIN asks a ON a.opened = t.rowid WHERE asks_text MATCH ?1 AND t.rowid < ?2",
            kept: |words| Cow::Borrowed(words),
            wanted: |words| Some(quoted(words)),
        }
    }

    fn journal(&self) -> &'static str {
        JOURNAL
    }
}

/// What a person typed, each word quoted, so that nothing in it is a command to the index.
fn quoted(words: &[&str]) -> String {
    let quoted = words
        .iter()
        .map(|word| format!("\"{}\"", word.replace('"', "\"\"")));
    quoted.collect::<Vec<_>>().join(" ")
}

/// What SQLite said.
#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` calls")]
pub(crate) fn error(error: rusqlite::Error) -> SqlError {
    let fault = if fault::is_damage(&error) {
        SqlFault::Damaged
    } else if fault::is_beyond_use(&error) {
        SqlFault::Unusable
    } else {
        SqlFault::Passing
    };
    SqlError {
        fault,
        detail: error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_types_is_never_a_command() {
        assert_eq!(
            quoted(&["a", "OR", "\"b\"", "c*", "words:x", "NEAR(d"]),
            r#""a" "OR" """b""" "c*" "words:x" "NEAR(d""#
        );
    }
}
