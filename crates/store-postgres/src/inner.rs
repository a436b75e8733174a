//! What the parts of the store share: where the journal is known to end, and what is wrong.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use deadpool_postgres::Pool;
use sayso_core::id::{Seq, TokenId};
use sayso_core::time::Time;
use sayso_store::{Durability, StoreError, Trouble};
use sayso_store_sql::damage::{self, Damages};
use sayso_store_sql::journal::{End, Found, damaged};
use sayso_store_sql::seal::Sealer;
use sayso_store_sql::sql::SqlError;
use tokio::runtime::Handle;
use tokio::sync::watch;

use crate::fault::JOURNAL;
use crate::link::PgTarget;
use crate::projector::ProjectorBell;
use crate::sql::PgSql;

/// Events that the projections may be behind before the owner is told.
const BEHIND_MAX: u64 = 20_000;

/// What the parts share.
#[derive(Debug)]
pub(crate) struct PgInner {
    pub(crate) target: PgTarget,
    pub(crate) node: i32,
    pub(crate) sealer: Sealer,
    pub(crate) durability: Durability,
    pub(crate) pool: Pool,
    pub(crate) runtime: Handle,
    pub(crate) damages: Damages,
    pub(crate) bell: ProjectorBell,
    /// The last place that anybody is known to have written.
    pub(crate) head: watch::Sender<Seq>,
    /// How far the projections are known to have got.
    pub(crate) rows: watch::Sender<Seq>,
    pub(crate) stop: watch::Sender<bool>,
    /// Where the journal ended when it was last read here. It can only grow.
    pub(crate) end: Mutex<End>,
    /// Why nothing is written or read any more.
    pub(crate) refusal: Mutex<Option<String>>,
    /// Why PostgreSQL cannot be reached, while it cannot.
    pub(crate) away: Mutex<Option<String>>,
    pub(crate) uses: Mutex<BTreeMap<TokenId, Time>>,
}

impl PgInner {
    /// Where the journal is known to end.
    pub(crate) fn known(&self) -> End {
        *locked(&self.end)
    }

    /// Takes down where the journal ends, unless more is known already.
    pub(crate) fn saw(&self, end: End) {
        {
            let mut known = locked(&self.end);
            if end.seq > known.seq {
                *known = end;
            }
        }
        self.head.send_if_modified(|head| rise(head, end.seq));
    }

    /// Takes down what this node wrote.
    pub(crate) fn wrote(&self, end: End) {
        self.saw(end);
        self.bell.ring();
    }

    /// Takes down how far the projections have got, whoever made them.
    pub(crate) fn saw_views(&self, seq: Seq) {
        self.rows.send_if_modified(|rows| rise(rows, seq));
    }

    /// The database has not got an event that it had. From now on nothing is believed.
    pub(crate) fn went_back(&self, known: Seq) -> StoreError {
        let what = format!(
            "the database went back: event {known} had been written and is gone or another one. An asynchronous standby may have taken over, or an older copy was put in its place. Stop all nodes; to go on without what is lost, restart them"
        );
        tracing::error!("{what}");
        locked(&self.refusal).get_or_insert_with(|| what.clone());
        damaged(JOURNAL, what)
    }

    /// Refuses once the database went back.
    pub(crate) fn check_refused(&self) -> Result<(), StoreError> {
        match &*locked(&self.refusal) {
            Some(what) => Err(damaged(JOURNAL, what)),
            None => Ok(()),
        }
    }

    /// The uses of tokens that wait.
    pub(crate) fn take_uses(&self) -> BTreeMap<TokenId, Time> {
        std::mem::take(&mut *locked(&self.uses))
    }

    /// Takes back uses that could not be written, unless there are later ones.
    pub(crate) fn give_uses(&self, uses: BTreeMap<TokenId, Time>) {
        let mut waiting = locked(&self.uses);
        for (token, at) in uses {
            waiting.entry(token).or_insert(at);
        }
    }

    /// Takes down what is wrong with a row. Says where the journal ended when it was first noticed.
    pub(crate) fn note(&self, found: &Found) -> Seq {
        let end = self.known().seq;
        self.damages.note(found, end, || {
            let (runtime, pool, found) = (self.runtime.clone(), self.pool.clone(), found.clone());
            self.runtime.spawn_blocking(move || {
                let kept = PgSql::take(&runtime, &pool).map(|sql| {
                    sql.within("", |sql| damage::keep(sql, &found, end))
                        .map_err(|error: SqlError| error.detail)
                });
                if let Ok(Err(error)) = kept {
                    tracing::warn!(error, "that an entry is damaged cannot be noted");
                }
            });
            Ok(())
        })
    }

    /// What to tell the owner.
    pub(crate) fn troubles(&self) -> Vec<Trouble> {
        let refusing = locked(&self.refusal).clone().map(Trouble::Refusing);
        let away = locked(&self.away).clone().map(|why| {
            Trouble::Refusing(format!(
                "PostgreSQL can't be reached: {why}. Asks and answers wait until it can; check that it runs."
            ))
        });
        let (rows, end) = (*self.rows.borrow(), self.known().seq);
        let is_behind = end.0.saturating_sub(rows.0) > BEHIND_MAX;
        let rebuilding = is_behind.then(|| {
            Trouble::Rebuilding(format!(
                "Lists and search are being rebuilt from the journal ({rows} of {end} entries). Asking and answering work."
            ))
        });
        refusing
            .into_iter()
            .chain(away)
            .chain(self.damages.troubles())
            .chain(rebuilding)
            .collect()
    }

    /// Waits for a while. Says whether the store is stopping.
    pub(crate) async fn rest(&self, span: Duration) -> bool {
        let mut stop = self.stop.subscribe();
        let stopped = tokio::time::timeout(span, stop.wait_for(|stop| *stop)).await;
        stopped.is_ok()
    }

    pub(crate) fn is_stopping(&self) -> bool {
        *self.stop.borrow()
    }

    /// Does what waits for the database on a thread that may wait.
    pub(crate) async fn aside<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Arc<Self>, &PgSql) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let inner = Arc::clone(self);
        let done = self.runtime.spawn_blocking(move || {
            let sql = PgSql::take(&inner.runtime, &inner.pool)?;
            work(&inner, &sql)
        });
        done.await.unwrap_or_else(|error| {
            Err(StoreError::TryLater {
                detail: format!("a read was given up: {error}"),
            })
        })
    }
}

fn rise(known: &mut Seq, seq: Seq) -> bool {
    let is_more = seq > *known;
    *known = seq.max(*known);
    is_more
}

/// A lock that is held for a moment, never over an await.
pub(crate) fn locked<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}
