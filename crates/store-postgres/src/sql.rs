//! PostgreSQL as shared code sees it: statements are run on a thread that may wait.
//!
//! What gives nothing back is held until something is read or the transaction ends, and goes to the
//! server in one go; a failure of any of it fails the transaction.

use std::cell::{Cell, RefCell};
use std::error::Error;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::Poll;

use bytes::{BufMut as _, BytesMut};
use deadpool_postgres::{Object, Pool};
use futures_util::{FutureExt as _, StreamExt as _};
use sayso_core::id::Seq;
use sayso_store::StoreError;
use sayso_store_sql::journal::{Found, FoundEvents, SqlJournal, Tail, found_after, found_at};
use sayso_store_sql::sql::{Sql, SqlError, SqlResult, SqlRow, SqlValue, TakeRow, TextSql};
use tokio::runtime::Handle;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Row, Statement};

use crate::fault::{self, JOURNAL};
use crate::words::TEXT;

/// Statements that are held before they are sent.
const HELD_MAX: usize = 128;
/// Rows that are taken at one time.
const ROWS: usize = 256;

/// A connection for one piece of work.
pub(crate) struct PgSql {
    runtime: Handle,
    client: Object,
    held: RefCell<Vec<(Statement, Vec<PgValue>)>>,
    /// Whether a transaction may be under way.
    is_begun: Cell<bool>,
}

impl Drop for PgSql {
    fn drop(&mut self) {
        if self.is_begun.get() {
            // Whoever takes the connection next finds it outside of a transaction. What is sent first is
            // done first, so that nobody has to wait for it.
            drop(self.client.batch_execute("ROLLBACK").now_or_never());
        }
    }
}

impl PgSql {
    /// Takes a connection. Only for threads that may wait.
    pub(crate) fn take(runtime: &Handle, pool: &Pool) -> Result<Self, StoreError> {
        Ok(Self {
            runtime: runtime.clone(),
            client: runtime.block_on(pooled(pool))?,
            held: RefCell::default(),
            is_begun: Cell::new(false),
        })
    }

    /// Begins a transaction, with these words behind `BEGIN`.
    pub(crate) fn begin(&self, how: &str) -> SqlResult<()> {
        self.is_begun.set(true);
        self.batch(&format!("BEGIN {how}"))
            .inspect_err(|_| self.roll_back())
    }

    /// Ends a transaction well, if everything in it went well.
    pub(crate) fn commit(&self) -> SqlResult<()> {
        match self.flush() {
            Ok(()) => {
                self.batch("COMMIT").inspect_err(|_| self.roll_back())?;
                self.is_begun.set(false);
                Ok(())
            }
            Err(error) => {
                self.roll_back();
                Err(error)
            }
        }
    }

    /// Ends a transaction as if it had never begun.
    pub(crate) fn roll_back(&self) {
        self.held.borrow_mut().clear();
        match self.batch("ROLLBACK") {
            Ok(()) => self.is_begun.set(false),
            Err(error) => tracing::debug!(%error, "a transaction ends with its connection"),
        }
    }

    /// Runs work in a transaction of its own.
    pub(crate) fn within<T, E: From<SqlError>>(
        &self,
        how: &str,
        work: impl FnOnce(&Self) -> Result<T, E>,
    ) -> Result<T, E> {
        self.begin(how)?;
        match work(self) {
            Ok(done) => {
                self.commit()?;
                Ok(done)
            }
            Err(error) => {
                self.roll_back();
                Err(error)
            }
        }
    }

    /// Runs statements without values, at once.
    pub(crate) fn batch(&self, sql: &str) -> SqlResult<()> {
        let done = self.runtime.block_on(self.client.batch_execute(sql));
        done.map_err(|error| fault::sql(&error))
    }

    /// Copies rows into a table, each with a value for every one of these columns.
    pub(crate) fn copy_in(
        &self,
        sql: &str,
        types: &[Type],
        rows: impl Iterator<Item = Vec<PgValue>>,
    ) -> SqlResult<()> {
        let copied = self.runtime.block_on(async {
            let sink = self.client.copy_in(sql).await?;
            let mut writer = pin!(BinaryCopyInWriter::new(sink, types));
            for row in rows {
                writer.as_mut().write_raw(&row).await?;
            }
            writer.finish().await
        });
        copied.map(|_| ()).map_err(|error| fault::sql(&error))
    }

    /// The connection itself, for whoever waits on the runtime.
    pub(crate) fn client(&self) -> &Object {
        &self.client
    }

    fn statement(&self, sql: &str) -> SqlResult<Statement> {
        let sql = translated(sql);
        let prepared = self.runtime.block_on(self.client.prepare_cached(&sql));
        prepared.map_err(|error| fault::sql(&error))
    }

    /// Sends what is held.
    pub(crate) fn flush(&self) -> SqlResult<()> {
        let held = self.held.take();
        if held.is_empty() {
            return Ok(());
        }
        let sent = held
            .iter()
            .map(|(statement, values)| {
                let sent = self.client.execute_raw(statement, values);
                Box::pin(sent)
                    as Pin<Box<dyn Future<Output = Result<u64, tokio_postgres::Error>> + Send>>
            })
            .collect();
        let done = self.runtime.block_on(in_order(sent));
        done.into_iter()
            .try_for_each(|done| done.map(|_| ()).map_err(|error| fault::sql(&error)))
    }
}

/// A connection of the pool.
pub(crate) async fn pooled(pool: &Pool) -> Result<Object, StoreError> {
    pool.get().await.map_err(|error| match error {
        deadpool_postgres::PoolError::Backend(error) => fault::journal(error),
        other => fault::later(format_args!("PostgreSQL cannot be reached: {other}")),
    })
}

/// Waits for all of these, which begin in their order, whatever happens to each.
pub(crate) async fn in_order<T>(
    mut futures: Vec<Pin<Box<dyn Future<Output = T> + Send + '_>>>,
) -> Vec<T> {
    let mut done: Vec<Option<T>> = futures.iter().map(|_| None).collect();
    poll_fn(|context| {
        for (future, done) in futures.iter_mut().zip(&mut done) {
            if done.is_none()
                && let Poll::Ready(value) = future.as_mut().poll(context)
            {
                *done = Some(value);
            }
        }
        if done.iter().all(Option::is_some) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
    done.into_iter().flatten().collect()
}

/// A statement in PostgreSQL's words: other placeholders, and no hints about indexes.
fn translated(sql: &str) -> String {
    let mut out = sql.replace('?', "$");
    while let Some(start) = out.find("INDEXED BY ") {
        let end = out.get(start..).and_then(|rest| {
            let name = rest.match_indices(|c: char| c.is_whitespace()).nth(2)?.0;
            Some(start + name)
        });
        let end = end.unwrap_or(out.len());
        out.replace_range(start..end, "");
    }
    out
}

impl Sql for PgSql {
    fn run(&self, sql: &str, values: &[SqlValue<'_>]) -> SqlResult<()> {
        let statement = self.statement(sql)?;
        let values = values.iter().copied().map(PgValue::from).collect();
        let mut held = self.held.borrow_mut();
        held.push((statement, values));
        if held.len() < HELD_MAX {
            return Ok(());
        }
        drop(held);
        self.flush()
    }

    fn rows(&self, sql: &str, values: &[SqlValue<'_>], take: TakeRow<'_>) -> SqlResult<()> {
        self.flush()?;
        let statement = self.statement(sql)?;
        let values: Vec<PgValue> = values.iter().copied().map(PgValue::from).collect();
        let found = self.client.query_raw(&statement, &values);
        let found = self.runtime.block_on(found);
        let rows = found.map_err(|error| fault::sql(&error))?;
        let mut rows = pin!(rows.ready_chunks(ROWS));
        // Rows are taken outside of the runtime, so that whoever takes them may wait, too.
        while let Some(some) = self.runtime.block_on(rows.next()) {
            for row in some {
                if !take(&PgRow(&row.map_err(|error| fault::sql(&error))?))? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn text(&self) -> TextSql {
        TEXT
    }

    fn journal(&self) -> &'static str {
        JOURNAL
    }
}

impl FoundEvents for PgSql {
    fn found_after(&self, after: Seq, limit: usize, tail: Tail) -> Result<Vec<Found>, StoreError> {
        found_after(&SqlJournal(self), after, limit, tail)
    }

    fn found_at(&self, seq: Seq, tail: Tail) -> Result<Found, StoreError> {
        found_at(&SqlJournal(self), seq, tail, &mut |_| None)
    }
}

/// A value for PostgreSQL.
#[derive(Debug)]
pub(crate) enum PgValue {
    Null,
    Int(i64),
    Text(String),
    Bytes(Vec<u8>),
}

impl From<SqlValue<'_>> for PgValue {
    fn from(value: SqlValue<'_>) -> Self {
        match value {
            SqlValue::Null => Self::Null,
            SqlValue::Int(number) => Self::Int(number),
            SqlValue::Text(text) => Self::Text(text.to_owned()),
            SqlValue::Bytes(bytes) => Self::Bytes(bytes.to_vec()),
        }
    }
}

impl ToSql for PgValue {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Null => return Ok(IsNull::Yes),
            Self::Int(number) => match *ty {
                Type::INT2 => out.put_i16(i16::try_from(*number)?),
                Type::INT4 => out.put_i32(i32::try_from(*number)?),
                Type::INT8 => out.put_i64(*number),
                _ => return Err(format!("a number where {ty} is wanted").into()),
            },
            // Text is kept as bytes, which may have zeros, and an id of an ask is its bytes.
            Self::Text(text) => out.put_slice(text.as_bytes()),
            Self::Bytes(bytes) => out.put_slice(bytes),
        }
        Ok(IsNull::No)
    }

    fn accepts(ty: &Type) -> bool {
        [
            Type::INT2,
            Type::INT4,
            Type::INT8,
            Type::TEXT,
            Type::BYTEA,
            Type::UUID,
        ]
        .contains(ty)
    }

    to_sql_checked!();
}

/// The bytes of a value, whatever it is.
struct Raw<'a>(&'a [u8]);

impl<'a> FromSql<'a> for Raw<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(raw))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// A row of PostgreSQL.
pub(crate) struct PgRow<'a>(pub(crate) &'a Row);

impl SqlRow for PgRow<'_> {
    fn value(&self, at: usize) -> SqlResult<SqlValue<'_>> {
        let found = self.0.try_get::<_, Option<Raw<'_>>>(at);
        let Some(Raw(bytes)) = found.map_err(|error| fault::sql(&error))? else {
            return Ok(SqlValue::Null);
        };
        let ty = self.0.columns().get(at).map(tokio_postgres::Column::type_);
        let wrong = || SqlError::damaged(format_args!("column {at} has {} bytes", bytes.len()));
        Ok(match ty {
            Some(&Type::BOOL | &Type::INT2 | &Type::INT4 | &Type::INT8) => {
                SqlValue::Int(number(bytes).ok_or_else(wrong)?)
            }
            Some(&Type::TEXT | &Type::VARCHAR) => {
                SqlValue::Text(std::str::from_utf8(bytes).map_err(SqlError::damaged)?)
            }
            _ => SqlValue::Bytes(bytes),
        })
    }
}

/// A number as PostgreSQL sends it, of any length.
fn number(bytes: &[u8]) -> Option<i64> {
    if let Ok(bytes) = bytes.try_into() {
        return Some(i64::from_be_bytes(bytes));
    }
    if let Ok(bytes) = bytes.try_into() {
        return Some(i32::from_be_bytes(bytes).into());
    }
    if let Ok(bytes) = bytes.try_into() {
        return Some(i16::from_be_bytes(bytes).into());
    }
    bytes.try_into().ok().map(|[one]: [u8; 1]| one.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_put_into_other_words() {
        assert_eq!(
            translated("SELECT a FROM asks INDEXED BY asks_open\n WHERE a = ?1"),
            "SELECT a FROM asks \n WHERE a = $1"
        );
    }
}
