//! The projector: a thread that follows the journal and keeps the projections up. Of several nodes one
//! at a time does; the others look how far it got.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::time::Duration;

use sayso_store::{Header, StoreError};
use sayso_store_sql::journal::{End, FoundEvents as _, JournalRows as _, SqlJournal, last_row};
use sayso_store_sql::sql::{Sql, SqlResult};
use sayso_store_sql::values;
use sayso_store_sql::views::{self, OpenWords, Progress, ProjectorPace, ViewError, ViewStep};

use crate::fault;
use crate::inner::PgInner;
use crate::sql::PgSql;

/// How often it is looked how far others have got.
const LOOK: Duration = Duration::from_millis(250);
/// The rest after a failure.
const REST_AFTER_FAILURE: Duration = Duration::from_millis(500);

/// Every table of the projections but their progress.
const CLEARED: [&str; 11] = [
    "epoch",
    "tokens",
    "rules",
    "agents",
    "conversations",
    "entries",
    "queued",
    "asks",
    "shown",
    "denied",
    "asks_text",
];

/// How the projector is woken. One word waits at most.
#[derive(Debug)]
pub(crate) struct ProjectorBell(SyncSender<()>);

impl ProjectorBell {
    pub(crate) fn new() -> (Self, Receiver<()>) {
        let (bell, rung) = mpsc::sync_channel(1);
        (Self(bell), rung)
    }

    pub(crate) fn ring(&self) {
        // A word that waits already says the same.
        let _ = self.0.try_send(());
    }
}

/// What is left to do after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ViewsLeft {
    /// There is more.
    More,
    /// Another node is at it.
    Others,
    /// It is up to the journal.
    Nothing,
}

/// What a projector remembers between its steps.
#[derive(Debug, Default)]
pub(crate) struct ProjectorMemory {
    open: OpenWords,
    progress: Progress,
}

/// Follows the journal until the store stops.
pub(crate) fn follow(inner: &Arc<PgInner>, rung: &Receiver<()>) {
    let (mut memory, mut pace) = (ProjectorMemory::default(), ProjectorPace::default());
    while !inner.is_stopping() {
        let (end, before) = (*inner.head.borrow(), memory.progress.rows);
        let left = PgSql::take(&inner.runtime, &inner.pool)
            .map_err(ViewError::from)
            .and_then(|sql| step(inner, &sql, &mut memory));
        let (rest, is_idle) = match left {
            Ok((left, now)) => (
                pace.rest(end, before, now.rows, left == ViewsLeft::More),
                left == ViewsLeft::Nothing,
            ),
            Err(error) => {
                let error = error.into_store();
                tracing::warn!(%error, "lists and search fall behind");
                (REST_AFTER_FAILURE, false)
            }
        };
        inner.runtime.block_on(inner.rest(rest));
        if is_idle {
            // Nobody can ring any more once the store is gone.
            let _ = rung.recv_timeout(LOOK);
        }
    }
}

/// Takes the next events in, with their text where that is not behind.
pub(crate) fn step(
    inner: &PgInner,
    sql: &PgSql,
    memory: &mut ProjectorMemory,
) -> Result<(ViewsLeft, Progress), ViewError> {
    let done = sql.within("", |sql| {
        let ours = "SELECT seq FROM progress WHERE stage = 'rows' FOR UPDATE SKIP LOCKED";
        let is_ours = (sql as &dyn Sql)
            .first(ours, values![], |_| Ok(()))?
            .is_some();
        let before = views::progress(sql)?;
        if !is_ours {
            return Ok((ViewsLeft::Others, before));
        }
        if before != memory.progress {
            memory.open = OpenWords::default();
        }
        let end = End::of(last_row(SqlJournal(sql))?.as_ref());
        if !fits(sql, &before, end)? {
            tracing::warn!("lists and search belong to another journal; rebuilding them");
            return Ok((ViewsLeft::More, make_again(inner, sql, memory)?));
        }
        let after = take_in(inner, sql, memory, before, end)?;
        Ok::<_, ViewError>(match after {
            Some(after) => (ViewsLeft::More, after),
            None => (ViewsLeft::Nothing, before),
        })
    })?;
    memory.progress = done.1;
    inner.saw_views(done.1.rows);
    Ok(done)
}

/// Takes the next events in, if there are any.
fn take_in(
    inner: &PgInner,
    sql: &PgSql,
    memory: &mut ProjectorMemory,
    before: Progress,
    end: End,
) -> Result<Option<Progress>, ViewError> {
    let mut step = ViewStep {
        views: sql,
        journal: sql,
        open: &mut memory.open,
    };
    if before.rows < end.seq {
        let rows = step.rows(before, end.into(), &|found| inner.note(found), true);
        rows.map(Some)
    } else if before.text < before.rows {
        step.text(before).map(Some)
    } else {
        Ok(None)
    }
}

/// Throws the projections away and makes them again, within the transaction under way. Until it ends,
/// everybody reads those of before: who looked for a key in half of a table would open a second ask.
pub(crate) fn make_again(
    inner: &PgInner,
    sql: &PgSql,
    memory: &mut ProjectorMemory,
) -> Result<Progress, ViewError> {
    clear(sql)?;
    memory.open = OpenWords::default();
    let mut progress = Progress::default();
    loop {
        if inner.is_stopping() {
            return Err(fault::later("the server is stopping").into());
        }
        let end = End::of(last_row(SqlJournal(sql))?.as_ref());
        match take_in(inner, sql, memory, progress, end)? {
            Some(after) => progress = after,
            None => return Ok(progress),
        }
    }
}

/// Whether the journal has the row up to which the projections were made. A header that was changed since
/// counts as what it was: projections that are made again would not fit any better.
pub(crate) fn fits(sql: &PgSql, progress: &Progress, end: End) -> Result<bool, StoreError> {
    if progress.rows.0 == 0 {
        return Ok(true);
    }
    if progress.rows > end.seq {
        return Ok(false);
    }
    let is_there = |header: &Header| header.hash() == progress.hash;
    match SqlJournal(sql).header_at(progress.rows) {
        Ok(Some(header)) if is_there(&header) => return Ok(true),
        Ok(_) | Err(StoreError::Damaged { .. }) => {}
        Err(error) => return Err(error),
    }
    let found = sql.found_at(progress.rows, end.into())?;
    Ok(found.header.as_ref().is_none_or(is_there))
}

/// Throws the projections away. Rows are deleted and tables not emptied, because that would wait for
/// readers, and readers of several tables for it.
fn clear(sql: &PgSql) -> SqlResult<()> {
    for table in CLEARED {
        sql.batch(&format!("DELETE FROM {table}"))?;
    }
    sql.batch("UPDATE progress SET seq = 0, hash = NULL")
}
