//! Walking over the whole journal, one node at a time: all at once they would be in the way of turns.

use std::sync::Arc;
use std::time::Duration;

use sayso_core::id::Seq;
use sayso_store::{StoreError, Verified};
use sayso_store_sql::sql::{Sql, SqlResult};
use sayso_store_sql::values;
use sayso_store_sql::verify::walk;

use crate::fault;
use crate::inner::PgInner;
use crate::sql::PgSql;
use crate::store::viewed;

/// How often a node looks whether another one is done.
const LOOK: Duration = Duration::from_secs(1);
/// The job whose lock a node holds while it walks.
pub(crate) const JOB: &str = "verify";

/// Walks over the whole journal once no other node does.
pub(crate) async fn verify(inner: Arc<PgInner>) -> Result<Verified, StoreError> {
    loop {
        let known = inner.known().seq;
        let verified = inner.aside(move |inner, sql| {
            let lock = inner.target.settings.seat_lock(JOB);
            alone(sql, lock, |sql| walked(sql, known))
        });
        if let Some(verified) = verified.await? {
            return Ok(verified);
        }
        if inner.rest(LOOK).await {
            return Err(fault::later("the server is stopping"));
        }
    }
}

/// Does something while nobody else does it; nothing if somebody does.
fn alone<T>(
    sql: &PgSql,
    lock: i64,
    work: impl FnOnce(&PgSql) -> Result<T, StoreError>,
) -> Result<Option<T>, StoreError> {
    if !said(sql, "SELECT pg_try_advisory_lock(?1)", lock).map_err(viewed)? {
        return Ok(None);
    }
    let done = work(sql);
    // The connection goes back to the pool, and would keep the lock.
    let freed = said(sql, "SELECT pg_advisory_unlock(?1)", lock);
    let done = done?;
    freed.map_err(viewed)?;
    Ok(Some(done))
}

fn said(sql: &dyn Sql, words: &str, lock: i64) -> SqlResult<bool> {
    let said = sql.first(words, values![lock], |row| row.get(0))?;
    Ok(said == Some(true))
}

/// Without a transaction, which would keep PostgreSQL from cleaning up for as long as this takes.
fn walked(sql: &PgSql, known: Seq) -> Result<Verified, StoreError> {
    let mut walked = walk(sql, Vec::new())?;
    if walked.last < known {
        walked.verified.faults.push(format!(
            "the journal ends at event {}, but event {known} had been written",
            walked.last
        ));
    }
    Ok(walked.verified)
}
