//! A connection to an SQL database, as far as shared code needs one: statements in, rows out.
//!
//! Placeholders are `?1`, `?2`, ..., integers have 64 bits, and nobody waits asynchronously.

use sayso_core::id::{AskId, Seq};
use sayso_core::time::Time;

/// A value on its way into a statement or out of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SqlValue<'a> {
    /// Nothing.
    Null,
    /// A number, or whether something is so.
    Int(i64),
    /// Text.
    Text(&'a str),
    /// Bytes.
    Bytes(&'a [u8]),
}

/// How bad an error of the database is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SqlFault {
    /// What is stored is not what was written.
    Damaged,
    /// It cannot be used, and neither waiting nor room would change that.
    Unusable,
    /// Another try may work.
    Passing,
}

/// What the database said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlError {
    /// How bad it is.
    pub fault: SqlFault,
    /// In its own words.
    pub detail: String,
}

impl std::fmt::Display for SqlError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.detail)
    }
}

impl SqlError {
    /// A stored value is not what was written.
    pub fn damaged(detail: impl std::fmt::Display) -> Self {
        Self {
            fault: SqlFault::Damaged,
            detail: detail.to_string(),
        }
    }

    /// Whether projections in which this happened have to be made again.
    pub fn is_beyond_use(&self) -> bool {
        match self.fault {
            SqlFault::Damaged | SqlFault::Unusable => true,
            SqlFault::Passing => false,
        }
    }
}

/// What a statement came to.
pub type SqlResult<T> = Result<T, SqlError>;

/// How text is kept and found, which every database does in its own way.
#[derive(Debug, Clone, Copy)]
pub struct TextSql {
    /// Keeps the words `?2` of the ask opened at `?1`.
    pub keep: &'static str,
    /// Finds the ask opened at `?1`.
    pub there: &'static str,
    /// Takes the words of the ask opened at `?1` away.
    pub remove: &'static str,
    /// What stands behind `FROM` to find the asks `a` with the words `?1` that were opened before `?2`.
    pub found: &'static str,
    /// The words of an ask as they are kept.
    pub kept: fn(&str) -> std::borrow::Cow<'_, str>,
    /// The words somebody typed as they are searched for, or nothing when no ask can have them.
    pub wanted: fn(&[&str]) -> Option<String>,
}

/// A row of an answer.
pub trait SqlRow {
    /// The value in a column.
    fn value(&self, at: usize) -> SqlResult<SqlValue<'_>>;
}

impl dyn SqlRow + '_ {
    /// The value in a column, as what it is.
    pub fn get<T: FromSqlValue>(&self, at: usize) -> SqlResult<T> {
        let value = self.value(at)?;
        T::from_value(value)
            .ok_or_else(|| SqlError::damaged(format_args!("column {at} cannot be {value:?}")))
    }
}

/// A type that a column can have.
pub trait FromSqlValue: Sized {
    /// Reads it, or nothing when it is something else.
    fn from_value(value: SqlValue<'_>) -> Option<Self>;
}

impl FromSqlValue for i64 {
    fn from_value(value: SqlValue<'_>) -> Option<Self> {
        match value {
            SqlValue::Int(number) => Some(number),
            SqlValue::Null | SqlValue::Text(_) | SqlValue::Bytes(_) => None,
        }
    }
}

macro_rules! narrow {
    ($($type:ty),*) => {$(
        impl FromSqlValue for $type {
            fn from_value(value: SqlValue<'_>) -> Option<Self> {
                i64::from_value(value).and_then(|number| number.try_into().ok())
            }
        }
    )*};
}
narrow!(u16, u32, u64);

impl FromSqlValue for bool {
    fn from_value(value: SqlValue<'_>) -> Option<Self> {
        i64::from_value(value).map(|number| number != 0)
    }
}

impl FromSqlValue for Vec<u8> {
    fn from_value(value: SqlValue<'_>) -> Option<Self> {
        match value {
            SqlValue::Bytes(bytes) => Some(bytes.to_vec()),
            SqlValue::Null | SqlValue::Int(_) | SqlValue::Text(_) => None,
        }
    }
}

impl<const N: usize> FromSqlValue for [u8; N] {
    fn from_value(value: SqlValue<'_>) -> Option<Self> {
        match value {
            SqlValue::Bytes(bytes) => bytes.try_into().ok(),
            SqlValue::Null | SqlValue::Int(_) | SqlValue::Text(_) => None,
        }
    }
}

impl FromSqlValue for String {
    fn from_value(value: SqlValue<'_>) -> Option<Self> {
        match value {
            SqlValue::Text(text) => Some(text.to_owned()),
            // PostgreSQL has no text with a zero in it, so that text is kept as bytes there.
            SqlValue::Bytes(bytes) => std::str::from_utf8(bytes).ok().map(str::to_owned),
            SqlValue::Null | SqlValue::Int(_) => None,
        }
    }
}

impl<T: FromSqlValue> FromSqlValue for Option<T> {
    fn from_value(value: SqlValue<'_>) -> Option<Self> {
        match value {
            SqlValue::Null => Some(None),
            value => T::from_value(value).map(Some),
        }
    }
}

impl From<i64> for SqlValue<'_> {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<u32> for SqlValue<'_> {
    fn from(number: u32) -> Self {
        Self::Int(number.into())
    }
}

impl From<u16> for SqlValue<'_> {
    fn from(number: u16) -> Self {
        Self::Int(number.into())
    }
}

impl From<bool> for SqlValue<'_> {
    fn from(is_so: bool) -> Self {
        Self::Int(is_so.into())
    }
}

impl<'a> From<&'a str> for SqlValue<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&'a [u8]> for SqlValue<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Bytes(bytes)
    }
}

impl<'a, T: Into<SqlValue<'a>>> From<Option<T>> for SqlValue<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// A list of values for the placeholders of a statement.
#[macro_export]
macro_rules! values {
    ($($value:expr),* $(,)?) => {
        &[$($crate::sql::SqlValue::from($value)),*] as &[$crate::sql::SqlValue<'_>]
    };
}

/// Takes a row of an answer; says whether it wants more.
pub type TakeRow<'a> = &'a mut dyn FnMut(&dyn SqlRow) -> SqlResult<bool>;

/// A connection, mostly inside a transaction that its owner began.
pub trait Sql {
    /// Runs a statement that gives nothing back. An error may come with a later call, at the latest
    /// with the end of the transaction.
    fn run(&self, sql: &str, values: &[SqlValue<'_>]) -> SqlResult<()>;

    /// Runs a statement and tells its rows until they end or are not wanted any more.
    fn rows(&self, sql: &str, values: &[SqlValue<'_>], take: TakeRow<'_>) -> SqlResult<()>;

    /// How text is kept and found here.
    fn text(&self) -> TextSql;

    /// The name of the journal, as errors give it.
    fn journal(&self) -> &'static str;
}

impl dyn Sql + '_ {
    /// Reads every row.
    pub fn all<T>(
        &self,
        sql: &str,
        values: &[SqlValue<'_>],
        mut read: impl FnMut(&dyn SqlRow) -> SqlResult<T>,
    ) -> SqlResult<Vec<T>> {
        let mut found = Vec::new();
        self.rows(sql, values, &mut |row| {
            found.push(read(row)?);
            Ok(true)
        })?;
        Ok(found)
    }

    /// Reads the first row, if there is one.
    pub fn first<T>(
        &self,
        sql: &str,
        values: &[SqlValue<'_>],
        mut read: impl FnMut(&dyn SqlRow) -> SqlResult<T>,
    ) -> SqlResult<Option<T>> {
        let mut found = None;
        self.rows(sql, values, &mut |row| {
            found = Some(read(row)?);
            Ok(false)
        })?;
        Ok(found)
    }
}

/// A number as databases take it. Places and times stay far below what would not fit.
pub fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// A place in a row.
pub fn seq(row: &dyn SqlRow, at: usize) -> SqlResult<Seq> {
    row.get(at).map(Seq)
}

/// A place in a row, if there is one.
pub fn maybe_seq(row: &dyn SqlRow, at: usize) -> SqlResult<Option<Seq>> {
    Ok(row.get::<Option<u64>>(at)?.map(Seq))
}

/// A moment in a row.
pub fn moment(row: &dyn SqlRow, at: usize) -> SqlResult<Time> {
    row.get(at).map(Time::from_millis)
}

/// A moment in a row, if there is one.
pub fn maybe_moment(row: &dyn SqlRow, at: usize) -> SqlResult<Option<Time>> {
    Ok(row.get::<Option<u64>>(at)?.map(Time::from_millis))
}

/// The id of an ask in a row.
pub fn ask_id(row: &dyn SqlRow, at: usize) -> SqlResult<AskId> {
    row.get(at).map(AskId::from_bytes)
}
