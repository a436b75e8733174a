//! What the parts of the store share: where the journal is known to end, and what is wrong.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use deadpool_postgres::Pool;
use sayso_core::id::{Seq, TokenId};
use sayso_core::time::Time;
use sayso_store::{Durability, LEVEL, Later, NodeId, StoreError, Trouble};
use sayso_store_sql::damage::{self, Damages};
use sayso_store_sql::journal::{End, Found, damaged};
use sayso_store_sql::seal::Sealer;
use sayso_store_sql::sql::SqlError;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio_postgres::Client;

use crate::fault::{self, JOURNAL};
use crate::journal;
use crate::known::{self, KnownFile};
use crate::neighbours::{Bus, Pulse};
use crate::projector::ProjectorBell;
use crate::setup;
use crate::sql::PgSql;
use crate::target::PgTarget;

/// Events that the projections may be behind before the owner is told.
const BEHIND_MAX: u64 = 20_000;

/// What the parts share.
#[derive(Debug)]
pub(crate) struct PgInner {
    pub(crate) target: PgTarget,
    pub(crate) node: NodeId,
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
    /// The last places in a row that this node wrote itself.
    pub(crate) own: Mutex<OwnPlaces>,
    /// Why nothing is written or read any more.
    pub(crate) refusal: Mutex<Option<NodeRefusal>>,
    /// Why PostgreSQL cannot be reached, while it cannot.
    pub(crate) away: Mutex<Option<String>>,
    pub(crate) uses: Mutex<BTreeMap<TokenId, Time>>,
    pub(crate) pulse: Pulse,
    pub(crate) bus: Bus,
    pub(crate) known_file: KnownFile,
    /// Why this node must stop.
    pub(crate) ended: watch::Sender<Option<String>>,
}

/// Places in a row that this node wrote itself: nothing of others is between them.
#[derive(Debug, Default)]
pub(crate) struct OwnPlaces {
    /// The place before the first of them.
    before: Seq,
    end: Seq,
}

impl OwnPlaces {
    fn add(&mut self, first: Seq, end: Seq) {
        let before = Seq(first.0.saturating_sub(1));
        if before != self.end {
            self.before = before;
        }
        self.end = end;
    }

    /// The last place after this one behind which something of others may be.
    pub(crate) fn past(&self, after: Seq) -> Seq {
        if (self.before..self.end).contains(&after) {
            self.end
        } else {
            after
        }
    }
}

/// Why nothing is written or read any more.
#[derive(Debug, Clone)]
pub(crate) enum NodeRefusal {
    /// The database has not got an event that it had.
    WentBack(Seq),
    /// The state lives at this place now.
    Moved(String),
    /// A backup was restored, or a loss was accepted.
    OtherLife,
    /// A newer version wrote something of this level.
    Newer(u32),
}

impl NodeRefusal {
    fn error(&self) -> StoreError {
        match self {
            Self::WentBack(seq) => damaged(JOURNAL, known::went_back(*seq)),
            Self::Moved(place) => setup::moved(place),
            Self::OtherLife => fault::unusable(
                "the state was restored from a backup, or continues after a loss",
                "the data of this node may be out of date. Restart it",
            ),
            Self::Newer(found) => setup::newer(*found),
        }
    }
}

impl PgInner {
    /// Where the journal is known to end.
    pub(crate) fn known(&self) -> End {
        *locked(&self.end)
    }

    /// Takes down where the journal ends, unless more is known already.
    pub(crate) fn saw(&self, end: End) {
        self.ends(end);
        self.head.send_if_modified(|head| rise(head, end.seq));
    }

    /// Takes down what this node wrote, from the first place to the last. Who waits for what others write is
    /// not woken.
    pub(crate) fn wrote(&self, first: Seq, end: End) {
        locked(&self.own).add(first, end.seq);
        self.ends(end);
        self.head.send_if_modified(|head| {
            rise(head, end.seq);
            false
        });
        self.bell.ring();
    }

    fn ends(&self, end: End) {
        let mut known = locked(&self.end);
        if end.seq > known.seq {
            *known = end;
        }
    }

    /// Takes down how far the projections have got, whoever made them.
    pub(crate) fn saw_views(&self, seq: Seq) {
        self.rows.send_if_modified(|rows| rise(rows, seq));
    }

    /// The database has not got an event that it had. From now on nothing is believed.
    pub(crate) fn went_back(&self, known: Seq) -> StoreError {
        let refusal = NodeRefusal::WentBack(known);
        let error = refusal.error();
        tracing::error!("{error}");
        locked(&self.refusal).get_or_insert(refusal);
        self.pulse.refuse();
        error
    }

    /// Another node knew an event that the database has not got.
    pub(crate) fn check_lost(&self, lost: Option<Seq>) -> Result<(), StoreError> {
        match lost {
            Some(_) if self.lost().is_some() => self.check_refused(),
            Some(seq) => Err(self.went_back(seq)),
            None => Ok(()),
        }
    }

    /// The event that the database has not got, if that is known.
    pub(crate) fn lost(&self) -> Option<Seq> {
        match &*locked(&self.refusal) {
            Some(NodeRefusal::WentBack(seq)) => Some(*seq),
            Some(NodeRefusal::Moved(_) | NodeRefusal::OtherLife | NodeRefusal::Newer(_)) | None => {
                None
            }
        }
    }

    /// Refuses once the state lives elsewhere, has another life, or is for newer versions only: this node
    /// must stop.
    pub(crate) fn check_life(
        &self,
        moved: Option<String>,
        life: &str,
        level: u32,
    ) -> Result<(), StoreError> {
        let refusal = match moved {
            Some(place) => NodeRefusal::Moved(place),
            None if life != self.known_file.life => NodeRefusal::OtherLife,
            None if level > LEVEL => NodeRefusal::Newer(level),
            None => return Ok(()),
        };
        let error = refusal.error();
        *locked(&self.refusal) = Some(refusal);
        self.pulse.refuse();
        self.ended.send_replace(Some(error.to_string()));
        Err(error)
    }

    /// Takes down where the journal ends, once it is certain that it goes on after what is known.
    pub(crate) async fn goes_on(&self, client: &Client, end: End) -> Result<(), StoreError> {
        let known = self.known();
        if end.seq > known.seq && known.seq > Seq::ZERO {
            let there = journal::hash_at(client, known.seq).await?;
            if there != Some(known.hash) {
                return Err(self.went_back(known.seq));
            }
        }
        self.saw(end);
        Ok(())
    }

    /// Refuses a database that has not got what is known here.
    pub(crate) async fn check_known(&self, client: &Client) -> Result<(), StoreError> {
        let known = self.known();
        if known.seq == Seq::ZERO {
            return Ok(());
        }
        if journal::hash_at(client, known.seq).await? != Some(known.hash) {
            return Err(self.went_back(known.seq));
        }
        Ok(())
    }

    /// Refuses once the database went back or the state moved.
    pub(crate) fn check_refused(&self) -> Result<(), StoreError> {
        match &*locked(&self.refusal) {
            Some(refusal) => Err(refusal.error()),
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
                    tracing::warn!(error, "could not record that an entry is damaged");
                }
            });
            Ok(())
        })
    }

    /// What to tell the owner.
    pub(crate) fn troubles(&self) -> Vec<Trouble> {
        let refusing = locked(&self.refusal)
            .as_ref()
            .map(|refusal| Trouble::Refusing(refusal.error().to_string()));
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

    /// Does something on the store's own runtime, where its connections live.
    pub(crate) fn on<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, StoreError>> + Send + 'static,
    ) -> Later<'static, T> {
        let mut done = Aborted(self.runtime.spawn(work));
        Box::pin(async move {
            (&mut done.0).await.unwrap_or_else(|error| {
                Err(fault::later(format_args!("a read was aborted: {error}")))
            })
        })
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
                detail: format!("a read was aborted: {error}"),
            })
        })
    }
}

/// Work that ends when nobody waits for it any more.
struct Aborted<T>(tokio::task::JoinHandle<T>);

impl<T> Drop for Aborted<T> {
    fn drop(&mut self) {
        self.0.abort();
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
