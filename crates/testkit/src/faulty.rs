//! A store that refuses commits when a test says so, and is the real one otherwise.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use sayso_core::id::{AskId, ConversationId, Place, Seq, TokenId};
use sayso_core::outcome::Delivery;
use sayso_core::state::SnapshotPart;
use sayso_core::time::Time;
use sayso_hub::Clock as _;
use sayso_store::{
    AskPage, AskQuery, Compact, Compacted, ConversationPage, ConversationQuery, Decide, Durability,
    EntryPage, EntryQuery, Head, Later, Neighbours, SaidQuery, SaidRow, Since, Stats, StatsQuery,
    Step, Store, StoreError, StoredAsk, StoredEvent, Trouble, Verified,
};
use tokio::sync::{Notify, watch};

use crate::clock::HandClock;

/// A store that can be told to refuse.
#[derive(Debug)]
pub struct FaultyStore {
    real: Mutex<Option<Arc<dyn Store>>>,
    durability: Durability,
    neighbours: Option<Arc<dyn Neighbours>>,
    full: AtomicBool,
    broken: AtomicBool,
    /// Reads that are still refused.
    unread: AtomicUsize,
    /// Whether what others write is not heard of.
    deaf: watch::Sender<bool>,
    /// Rings when the real store is taken away.
    gone: Notify,
    /// What stands in for the clock of the database.
    time: Option<Arc<HandClock>>,
}

impl FaultyStore {
    /// Wraps a store.
    pub fn new(real: Arc<dyn Store>) -> Self {
        let (durability, neighbours) = (real.durability(), real.neighbours());
        Self {
            real: Mutex::new(Some(real)),
            durability,
            neighbours,
            full: AtomicBool::new(false),
            broken: AtomicBool::new(false),
            unread: AtomicUsize::new(0),
            deaf: watch::Sender::new(false),
            gone: Notify::new(),
            time: None,
        }
    }

    /// The same over a database whose clock a test moves.
    #[must_use]
    pub fn at_time_of(self, clock: Arc<HandClock>) -> Self {
        Self {
            time: Some(clock),
            ..self
        }
    }

    /// What time the database has, if a test says so.
    fn time(&self) -> Option<Time> {
        self.time.as_ref().map(|clock| clock.wall())
    }

    /// Refuses commits from now on, or takes them again.
    pub fn fill_disk(&self, full: bool) {
        self.full.store(full, Ordering::SeqCst);
    }

    /// Hears nothing of what others write from now on, or hears of it again.
    pub fn be_deaf(&self, deaf: bool) {
        self.deaf.send_replace(deaf);
    }

    /// Panics in the next commit, as a bug would.
    pub fn break_down(&self) {
        self.broken.store(true, Ordering::SeqCst);
    }

    /// Refuses to read so many events and asks, as a connection that was cut would.
    pub fn refuse_reads(&self, count: usize) {
        self.unread.store(count, Ordering::SeqCst);
    }

    /// How many more are refused.
    pub fn reads_refused(&self) -> usize {
        self.unread.load(Ordering::SeqCst)
    }

    fn read_once(&self) -> Result<Arc<dyn Store>, StoreError> {
        let counted = (self.unread).fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
            left.checked_sub(1)
        });
        if counted.is_ok() {
            return Err(StoreError::TryLater {
                detail: "the connection was cut".to_owned(),
            });
        }
        self.real()
    }

    /// Takes the real store away, as a crash would, and waits until nothing uses it any more.
    pub async fn unplug(&self) {
        let real = self.real.lock().expect("no test panics in here").take();
        let gone = real.as_ref().map(Arc::downgrade);
        drop(real);
        self.gone.notify_waiters();
        while gone.as_ref().is_some_and(|store| store.strong_count() > 0) {
            tokio::task::yield_now().await;
        }
    }

    fn real(&self) -> Result<Arc<dyn Store>, StoreError> {
        let real = self.real.lock().expect("no test panics in here").clone();
        real.ok_or_else(|| StoreError::TryLater {
            detail: "the store is gone".to_owned(),
        })
    }
}

impl Store for FaultyStore {
    fn neighbours(&self) -> Option<Arc<dyn Neighbours>> {
        self.neighbours.clone()
    }

    fn durability(&self) -> Durability {
        self.durability.clone()
    }

    fn snapshot<'a>(&'a self, take: &'a mut (dyn FnMut(SnapshotPart) + Send)) -> Later<'a, Head> {
        Box::pin(async move {
            let head = self.real()?.snapshot(take).await?;
            let now = self.time().or(head.now);
            Ok(Head { now, ..head })
        })
    }

    fn turn(&self, after: Seq, decide: Decide) -> Later<'_, Vec<Seq>> {
        assert!(
            !self.broken.swap(false, Ordering::SeqCst),
            "the store breaks down as it was told"
        );
        if self.full.load(Ordering::SeqCst) {
            return Box::pin(async {
                // A disk is found to be full once something is decided.
                drop(decide(Since::default()));
                Err(StoreError::TryLater {
                    detail: "no space left on device".to_owned(),
                })
            });
        }
        let time = self.time();
        let decide = move |since: Since| {
            let now = time.or(since.now);
            decide(Since { now, ..since })
        };
        Box::pin(async move { self.real()?.turn(after, Box::new(decide)).await })
    }

    fn others(&self, after: Seq) -> Later<'_, Vec<StoredEvent>> {
        Box::pin(async move {
            let gone = self.gone.notified();
            let real = self.real()?;
            let mut deaf = self.deaf.subscribe();
            let others = async {
                let others = real.others(after).await;
                // The sender lives as long as this does.
                drop(deaf.wait_for(|deaf| !deaf).await);
                // What was read before has its text; what is read now may not.
                drop(others?);
                real.events(after, usize::from(u8::MAX)).await
            };
            tokio::select! {
                others = others => others,
                // Whoever waits for others must not keep the store from going.
                () = gone => Err(StoreError::TryLater {
                    detail: "the store is gone".to_owned(),
                }),
            }
        })
    }

    fn head(&self) -> Later<'_, Seq> {
        Box::pin(async move { self.real()?.head().await })
    }

    fn used(&self, token: TokenId, at: Time) {
        if let Ok(real) = self.real() {
            real.used(token, at);
        }
    }

    fn write_used(&self) -> Later<'_, ()> {
        Box::pin(async move { self.real()?.write_used().await })
    }

    fn read(&self, place: Place) -> Later<'_, StoredAsk> {
        Box::pin(async move { self.read_once()?.read(place).await })
    }

    fn find(&self, ask: AskId) -> Later<'_, Option<(Place, Delivery)>> {
        Box::pin(async move { self.real()?.find(ask).await })
    }

    fn shown<'a>(&'a self, opened: &'a [Seq]) -> Later<'a, Vec<(Seq, TokenId)>> {
        Box::pin(async move { self.real()?.shown(opened).await })
    }

    fn find_key(&self, key: u64) -> Later<'_, Vec<AskId>> {
        Box::pin(async move { self.real()?.find_key(key).await })
    }

    fn events(&self, after: Seq, limit: usize) -> Later<'_, Vec<StoredEvent>> {
        Box::pin(async move { self.real()?.events(after, limit).await })
    }

    fn events_at<'a>(&'a self, places: &'a [Seq]) -> Later<'a, Vec<StoredEvent>> {
        Box::pin(async move { self.read_once()?.events_at(places).await })
    }

    fn entries(&self, query: EntryQuery) -> Later<'_, EntryPage> {
        Box::pin(async move { self.real()?.entries(query).await })
    }

    fn conversations<'a>(&'a self, query: &'a ConversationQuery) -> Later<'a, ConversationPage> {
        Box::pin(async move { self.real()?.conversations(query).await })
    }

    fn closed<'a>(&'a self, query: &'a AskQuery) -> Later<'a, AskPage> {
        Box::pin(async move { self.real()?.closed(query).await })
    }

    fn steps(&self, place: Place) -> Later<'_, Vec<Step>> {
        Box::pin(async move { self.real()?.steps(place).await })
    }

    fn stats<'a>(&'a self, query: &'a StatsQuery) -> Later<'a, Stats> {
        Box::pin(async move { self.real()?.stats(query).await })
    }

    fn denied<'a>(&'a self, likes: &'a [String]) -> Later<'a, Vec<String>> {
        Box::pin(async move { self.real()?.denied(likes).await })
    }

    fn troubles(&self) -> Vec<Trouble> {
        self.real()
            .map_or_else(|_| Vec::new(), |real| real.troubles())
    }

    fn viewed(&self) -> Seq {
        self.real().map_or(Seq::ZERO, |real| real.viewed())
    }

    fn caught_up(&self, seq: Seq) -> Later<'_, ()> {
        Box::pin(async move { self.real()?.caught_up(seq).await })
    }

    fn said<'a>(&'a self, query: &'a SaidQuery) -> Later<'a, Vec<SaidRow>> {
        Box::pin(async move { self.real()?.said(query).await })
    }

    fn empty_conversations(&self) -> Later<'_, Vec<ConversationId>> {
        Box::pin(async move { self.real()?.empty_conversations().await })
    }

    fn compact(&self, when: Compact) -> Later<'_, Compacted> {
        Box::pin(async move { self.real()?.compact(when).await })
    }

    fn verify(&self) -> Later<'_, Verified> {
        Box::pin(async move { self.real()?.verify().await })
    }

    fn backup<'a>(&'a self, to: &'a Path) -> Later<'a, ()> {
        Box::pin(async move { self.real()?.backup(to).await })
    }
}
