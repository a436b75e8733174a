//! What a start needs, from one view of the projections, and up to which place that is complete.

use std::sync::Arc;
use std::time::Duration;

use sayso_core::id::{Seq, TokenId};
use sayso_core::state::SnapshotPart;
use sayso_store::{Head, StoreError};
use sayso_store_sql::journal::{End, JournalRows as _, SqlJournal, last_seq};
use sayso_store_sql::sql::{Sql, moment};
use sayso_store_sql::values;
use sayso_store_sql::views::{self, ViewError};
use tokio::sync::mpsc;

use crate::fault;
use crate::inner::PgInner;
use crate::projector::{self, ProjectorMemory, ViewsLeft};
use crate::sql::PgSql;
use crate::store::ONE_VIEW;

/// Parts that wait to be taken.
const PARTS_MAX: usize = 1024;
/// The rest while another node makes the projections.
const REST: Duration = Duration::from_millis(20);

/// The clock that all nodes share.
const NOW: &str = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8";

/// Tells a snapshot.
pub(crate) async fn tell(
    inner: &Arc<PgInner>,
    take: &mut (dyn FnMut(SnapshotPart) + Send),
) -> Result<Head, StoreError> {
    let (parts, mut told) = mpsc::channel(PARTS_MAX);
    let reading = inner.aside(move |inner, sql| {
        catch_up(inner, sql)?;
        read(inner, sql, &mut |part| {
            // Whoever asked may be gone; the rest is read for nobody.
            let _ = parts.blocking_send(part);
        })
    });
    let taking = async {
        while let Some(part) = told.recv().await {
            take(part);
        }
    };
    futures_util::future::join(reading, taking).await.0
}

/// Brings the rows to where the journal ends now, or waits until another node has.
fn catch_up(inner: &PgInner, sql: &PgSql) -> Result<(), StoreError> {
    let end = last_seq(SqlJournal(sql))?;
    let mut memory = ProjectorMemory::default();
    loop {
        let step = projector::step(inner, sql, &mut memory);
        let (left, progress) = step.map_err(ViewError::into_store)?;
        // Projections of more than the journal has are about to be made again.
        if progress.rows >= end && progress.rows <= last_seq(SqlJournal(sql))? {
            return Ok(());
        }
        if inner.is_stopping() {
            return Err(fault::later("the server is stopping"));
        }
        if left == ViewsLeft::Others {
            std::thread::sleep(REST);
        }
    }
}

/// Reads everything that must be in memory.
pub(crate) fn read(
    inner: &PgInner,
    sql: &PgSql,
    take: &mut (dyn FnMut(SnapshotPart) + Send),
) -> Result<Head, StoreError> {
    let mut now = None;
    let read = sql.within(ONE_VIEW, |sql| {
        let progress = views::progress(sql)?;
        let known = views::recover(sql, take)?;
        (sql as &dyn Sql).rows(
            "SELECT token, at FROM used ORDER BY token",
            values![],
            &mut |row| {
                take(SnapshotPart::Used(TokenId(row.get(0)?), moment(row, 1)?));
                Ok(true)
            },
        )?;
        (sql as &dyn Sql).rows(NOW, values![], &mut |row| {
            now = Some(moment(row, 0)?);
            Ok(true)
        })?;
        let header = SqlJournal(sql).header_at(progress.rows)?;
        let end = header.map_or(End::of(None), |header| End {
            seq: progress.rows,
            writer_seq: header.writer_seq,
            hash: header.hash(),
            at: header.at,
        });
        Ok::<_, ViewError>((end, known))
    });
    let (end, known) = read.map_err(ViewError::into_store)?;
    if end.seq > Seq::ZERO {
        inner.saw(end);
    }
    Ok(Head {
        seq: end.seq,
        at: end.at,
        epoch: known.epoch,
        last_ask: known.last_ask,
        now,
    })
}
