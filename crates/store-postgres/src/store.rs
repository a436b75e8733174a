//! The store itself: the trait's calls, each handed to the part that does it.

use std::path::Path;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use sayso_core::id::{AskId, ConversationId, Place, Seq, TokenId};
use sayso_core::limits::FEED_REPLAY_MAX;
use sayso_core::outcome::Delivery;
use sayso_core::state::SnapshotPart;
use sayso_core::time::Time;
use sayso_store::{
    AskPage, AskQuery, Compact, Compacted, ConversationPage, ConversationQuery, Decide, Durability,
    EntryPage, EntryQuery, Head, Later, Neighbours, SaidQuery, SaidRow, Stats, StatsQuery, Step,
    Store, StoreError, StoredAsk, StoredEvent, Trouble, Verified,
};
use sayso_store_sql::journal::{What, put_together, step, step_places, stored};
use sayso_store_sql::sql::{Sql, SqlError, SqlResult};
use sayso_store_sql::views::{self, ViewError};
use tokio::sync::oneshot;
use tokio_postgres::types::ToSql;

use crate::batch;
use crate::compact::compact;
use crate::fault::{self, JOURNAL};
use crate::inner::{PgInner, locked};
use crate::journal;
use crate::listener::listen;
use crate::neighbours::{PgNeighbours, beat, speak};
use crate::open::{OpenedJournal, open};
use crate::others;
use crate::projector;
use crate::settings::PostgresSettings;
use crate::snapshot;
use crate::sql::pooled;
use crate::threads::{self, TurnJob};
use crate::upkeep;
use crate::verify::verify;

/// Events read at one time.
const PIECE: usize = 500;
/// How often it is asked where the journal ends while connections come and go.
const HEADS_MAX: usize = 5;
/// How long somebody waits for the projections.
const CAUGHT_UP: Duration = Duration::from_secs(60);
/// One view of everything, whatever is written meanwhile.
pub(crate) const ONE_VIEW: &str = "ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// The store of many nodes.
#[derive(Debug)]
pub struct PostgresStore {
    pub(crate) inner: Arc<PgInner>,
    /// Absent only while this is dropped.
    jobs: Option<tokio::sync::mpsc::Sender<TurnJob>>,
    /// In the order in which they end.
    threads: Vec<JoinHandle<()>>,
}

impl PostgresStore {
    /// Opens the journal at a URL, or makes one. Waits on this thread.
    pub fn open(settings: PostgresSettings) -> Result<Self, StoreError> {
        let (told, hears) = mpsc::channel();
        let tell = move |opened| told.send(opened).is_ok();
        let driver = Self::drive(settings, tell, std::future::pending())?;
        let opened = hears.recv().map_err(|_| unopened())??;
        Self::started(driver, opened)
    }

    /// The same without waiting on this thread; it ends at once when nobody waits for it any more.
    pub async fn open_aside(settings: PostgresSettings) -> Result<Self, StoreError> {
        let (told, hears) = oneshot::channel();
        let (waiting, given_up) = oneshot::channel::<()>();
        let tell = move |opened| told.send(opened).is_ok();
        let driver = Self::drive(settings, tell, async { drop(given_up.await) })?;
        let opened = hears.await.map_err(|_| unopened())??;
        drop(waiting);
        Self::started(driver, opened)
    }

    /// Starts the thread that opens the journal, tells of it, and then drives the connections. The runtime
    /// lives and ends on it, so that a store can be opened from anywhere.
    fn drive(
        settings: PostgresSettings,
        tell: impl FnOnce(Result<OpenedJournal, StoreError>) -> bool + Send + 'static,
        given_up: impl Future<Output = ()> + Send + 'static,
    ) -> Result<JoinHandle<()>, StoreError> {
        threads::start("postgres", move || {
            let begun = threads::runtime().and_then(|runtime| {
                let handle = runtime.handle().clone();
                let opened = runtime.block_on(async {
                    tokio::select! {
                        opened = open(settings, handle) => opened,
                        () = given_up => Err(unopened()),
                    }
                })?;
                runtime.spawn(listen(Arc::clone(&opened.inner)));
                runtime.spawn(speak(Arc::clone(&opened.inner)));
                let life = runtime.spawn(beat(Arc::clone(&opened.inner)));
                Ok((runtime, opened, life))
            });
            match begun {
                // Who opened it may be gone; then it is not driven.
                Ok((runtime, opened, life)) => {
                    if tell(Ok(opened)) {
                        threads::drive(runtime, life);
                    }
                }
                // Whether anybody is left to hear it changes nothing.
                Err(error) => {
                    tell(Err(error));
                }
            }
        })
    }

    /// A store whose journal is open.
    fn started(driver: JoinHandle<()>, opened: OpenedJournal) -> Result<Self, StoreError> {
        let inner = opened.inner;
        let mut store = Self {
            inner: Arc::clone(&inner),
            jobs: None,
            threads: vec![driver],
        };
        let (jobs, turns) = threads::take_turns(&inner, opened.level)?;
        store.jobs = Some(jobs);
        store.threads.insert(0, turns);
        let rung = opened.rung;
        let projector = threads::start("projector", move || projector::follow(&inner, &rung))?;
        store.threads.insert(1, projector);
        Ok(store)
    }

    /// Reads from the projections with one statement.
    fn look<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn Sql) -> SqlResult<T> + Send + 'static,
    ) -> Later<'_, T> {
        Box::pin(self.inner.aside(move |_, sql| work(sql).map_err(viewed)))
    }

    /// Reads from one view of the projections.
    fn view<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn Sql) -> SqlResult<T> + Send + 'static,
    ) -> Later<'_, T> {
        Box::pin(
            self.inner
                .aside(move |_, sql| sql.within(ONE_VIEW, |sql| work(sql)).map_err(viewed)),
        )
    }

    async fn turn_now(&self, after: Seq, decide: Decide) -> Result<Vec<Seq>, StoreError> {
        let gone = || fault::later("the writer thread has ended. Restart the server");
        let (reply, word) = oneshot::channel();
        let jobs = self.jobs.as_ref().ok_or_else(gone)?;
        let job = TurnJob {
            after,
            decide,
            reply,
        };
        jobs.send(job).await.map_err(|_| gone())?;
        word.await.unwrap_or_else(|_| Err(gone()))
    }
}

impl Drop for PostgresStore {
    fn drop(&mut self) {
        self.jobs = None;
        self.inner.stop.send_replace(true);
        self.inner.bell.ring();
        for thread in self.threads.drain(..) {
            // A panic in it has been printed.
            let _ = thread.join();
        }
        self.inner.known_file.keep_now(self.inner.known());
    }
}

fn unopened() -> StoreError {
    fault::later("the thread that opens PostgreSQL has ended")
}

/// What somebody is told whose read of the projections failed.
pub(crate) fn viewed(error: SqlError) -> StoreError {
    ViewError::Views(error).into_store()
}

impl Store for PostgresStore {
    fn neighbours(&self) -> Option<Arc<dyn Neighbours>> {
        Some(Arc::new(PgNeighbours::of(&self.inner)))
    }

    fn durability(&self) -> Durability {
        self.inner.durability.clone()
    }

    fn snapshot<'a>(&'a self, take: &'a mut (dyn FnMut(SnapshotPart) + Send)) -> Later<'a, Head> {
        Box::pin(snapshot::tell(&self.inner, take))
    }

    fn turn(&self, after: Seq, decide: Decide) -> Later<'_, Vec<Seq>> {
        Box::pin(self.turn_now(after, decide))
    }

    fn others(&self, after: Seq) -> Later<'_, Vec<StoredEvent>> {
        self.inner.on(others::wait(Arc::clone(&self.inner), after))
    }

    fn head(&self) -> Later<'_, Seq> {
        let inner = Arc::clone(&self.inner);
        self.inner.on(async move {
            inner.check_refused()?;
            for _ in 0..HEADS_MAX {
                let renewed = inner.target.renewed();
                let client = pooled(&inner.pool).await?;
                // Before the answer: what this node writes meanwhile may be newer.
                let known = inner.known();
                let end = journal::end(&client).await?;
                if inner.target.renewed() != renewed {
                    // The answer may be that of a server that is no longer the primary.
                    continue;
                }
                if end.seq < known.seq {
                    inner.target.renew();
                    continue;
                }
                inner.goes_on(&client, end).await?;
                return Ok(end.seq);
            }
            Err(fault::later(
                "the connection to PostgreSQL was lost, or leads to a database with fewer events \
                 than this node knows",
            ))
        })
    }

    fn used(&self, token: TokenId, at: Time) {
        locked(&self.inner.uses).insert(token, at);
    }

    fn write_used(&self) -> Later<'_, ()> {
        let inner = Arc::clone(&self.inner);
        self.inner.on(async move {
            let uses = inner.take_uses();
            let Some((which, values)) = batch::used(&uses) else {
                return Ok(());
            };
            let client = pooled(&inner.pool).await?;
            let statement = client.prepare_cached(which.text()).await;
            let values = values.iter().map(|value| &**value as _);
            let written = match statement {
                Ok(statement) => {
                    client
                        .execute_raw::<_, &(dyn ToSql + Sync), _>(&statement, values)
                        .await
                }
                Err(error) => Err(error),
            };
            written.map(|_| ()).map_err(|error| {
                inner.give_uses(uses);
                fault::journal(error)
            })
        })
    }

    fn read(&self, place: Place) -> Later<'_, StoredAsk> {
        let inner = Arc::clone(&self.inner);
        self.inner.on(async move {
            let rows = journal::ask(&inner.pool, place, &inner.sealer).await?;
            for found in [Some(&rows.asked), rows.closed.as_ref(), rows.late.as_ref()]
                .into_iter()
                .flatten()
            {
                inner.note(found);
            }
            // Of what can be read whole the projections are not asked.
            let is_lost = !matches!(rows.asked.what, What::Event(_));
            let remains = if is_lost {
                let opened = place.opened;
                inner
                    .aside(move |_, sql| views::remains(sql, opened).map_err(viewed))
                    .await?
            } else {
                None
            };
            put_together(JOURNAL, place, rows, |_| Ok(remains))
        })
    }

    fn find(&self, ask: AskId) -> Later<'_, Option<(Place, Delivery)>> {
        self.look(move |view| views::find(view, ask))
    }

    fn steps(&self, place: Place) -> Later<'_, Vec<Step>> {
        let inner = Arc::clone(&self.inner);
        self.inner.on(async move {
            let opened = place.opened;
            let (news, shown) = inner
                .aside(move |_, sql| {
                    let news = views::news(sql, opened).map_err(viewed)?;
                    Ok((news, views::shown_on(sql, opened).map_err(viewed)?))
                })
                .await?;
            let told = step_places(place, news, shown);
            let places: Vec<Seq> = told.iter().map(|(_, seq, _)| *seq).collect();
            let found = journal::at(&inner.pool, &places).await?;
            let there = |seq| found.iter().find(|found| found.seq == seq);
            Ok(told
                .into_iter()
                .filter_map(|told| there(told.1).and_then(|found| step(told, found)))
                .collect())
        })
    }

    fn shown<'a>(&'a self, opened: &'a [Seq]) -> Later<'a, Vec<(Seq, TokenId)>> {
        let opened = opened.to_vec();
        self.look(move |view| views::shown(view, &opened))
    }

    fn find_key(&self, key: u64) -> Later<'_, Vec<AskId>> {
        self.look(move |view| views::find_key(view, key))
    }

    fn events(&self, after: Seq, limit: usize) -> Later<'_, Vec<StoredEvent>> {
        let inner = Arc::clone(&self.inner);
        self.inner.on(async move {
            let limit = limit.min(usize::try_from(FEED_REPLAY_MAX).unwrap_or(usize::MAX));
            let (mut events, mut cursor) = (Vec::new(), after);
            while events.len() < limit {
                let piece = (limit - events.len()).min(PIECE);
                let found = journal::after(&inner.pool, cursor, piece).await?;
                let Some(last) = found.last() else { break };
                cursor = last.seq;
                events.extend(found.into_iter().map(|found| {
                    inner.note(&found);
                    stored(found)
                }));
            }
            Ok(events)
        })
    }

    fn events_at<'a>(&'a self, places: &'a [Seq]) -> Later<'a, Vec<StoredEvent>> {
        let (inner, places) = (Arc::clone(&self.inner), places.to_vec());
        self.inner.on(async move {
            let found = journal::at(&inner.pool, &places).await?;
            let told = found.into_iter().map(|found| {
                inner.note(&found);
                stored(found)
            });
            Ok(told.collect())
        })
    }

    fn entries(&self, query: EntryQuery) -> Later<'_, EntryPage> {
        self.view(move |view| views::entries(view, query))
    }

    fn conversations<'a>(&'a self, query: &'a ConversationQuery) -> Later<'a, ConversationPage> {
        let query = query.clone();
        self.view(move |view| views::conversations(view, &query))
    }

    fn closed<'a>(&'a self, query: &'a AskQuery) -> Later<'a, AskPage> {
        let query = query.clone();
        self.view(move |view| views::closed(view, &query))
    }

    fn stats<'a>(&'a self, query: &'a StatsQuery) -> Later<'a, Stats> {
        let query = query.clone();
        self.view(move |view| views::stats(view, &query))
    }

    fn denied<'a>(&'a self, likes: &'a [String]) -> Later<'a, Vec<String>> {
        let likes = likes.to_vec();
        self.look(move |view| views::denied(view, &likes))
    }

    fn viewed(&self) -> Seq {
        *self.inner.rows.borrow()
    }

    fn troubles(&self) -> Vec<Trouble> {
        self.inner.troubles()
    }

    fn caught_up(&self, seq: Seq) -> Later<'_, ()> {
        let inner = Arc::clone(&self.inner);
        self.inner.on(async move {
            let mut rows = inner.rows.subscribe();
            inner.bell.ring();
            let there = tokio::time::timeout(CAUGHT_UP, rows.wait_for(|rows| *rows >= seq)).await;
            match there {
                Ok(Ok(_)) => Ok(()),
                Ok(Err(_)) => Err(fault::later("the server is stopping")),
                Err(_) => Err(fault::later(
                    "the lists are behind the journal; retry in a minute",
                )),
            }
        })
    }

    fn verify(&self) -> Later<'_, Verified> {
        self.inner.on(verify(Arc::clone(&self.inner)))
    }

    fn said<'a>(&'a self, query: &'a SaidQuery) -> Later<'a, Vec<SaidRow>> {
        let query = query.clone();
        self.look(move |view| views::said(view, &query))
    }

    fn empty_conversations(&self) -> Later<'_, Vec<ConversationId>> {
        self.look(|view| views::empty_conversations(view))
    }

    fn compact(&self, when: Compact) -> Later<'_, Compacted> {
        Box::pin(
            self.inner
                .aside(move |inner, sql| compact(sql, &inner.target.settings, when)),
        )
    }

    fn backup<'a>(&'a self, to: &'a Path) -> Later<'a, ()> {
        let to = to.to_owned();
        let new_backup = self.inner.target.settings.new_backup;
        Box::pin(
            self.inner
                .aside(move |_, sql| upkeep::write_backup(sql, new_backup, &to)),
        )
    }
}
