//! The store itself: the trait's calls, each handed to the part that does it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sayso_core::id::{AskId, Place, Seq, TokenId};
use sayso_core::outcome::Delivery;
use sayso_core::time::Time;
use sayso_store::{
    AskPage, AskQuery, Compact, Compacted, ConversationPage, ConversationQuery, Durability, Entry,
    EntryPage, EntryQuery, Fate, Head, Later, Recovered, SaidQuery, SaidRow, Stats, StatsQuery,
    Step, Store, StoreError, StoredEvent, Told, Verified,
};
use tokio::runtime::Handle;

use crate::committer::Committer;
use crate::compact;
use crate::fault::{self, JOURNAL, damaged};
use crate::faults::point;
use crate::folder::{Folder, remove_database};
use crate::journal::{self, End, Writer};
use crate::pool::Pool;
use crate::projector::{Projector, Signal};
use crate::reading::Failed;
use crate::seal::Sealer;
use crate::settings::SqliteSettings;
use crate::verify;
use crate::views::{self, Views};

/// Events at the end of the journal whose hashes every start checks, projected or not.
const TAIL_CHECKED: u64 = 256;

/// How often it is looked whether the projections have caught up, and how often at most.
const CAUGHT_UP_EVERY: Duration = Duration::from_millis(5);
const CAUGHT_UP_LOOKS: u32 = 12_000;

/// The embedded store: one folder, one process.
#[derive(Debug)]
pub struct SqliteStore {
    // Both are stopped before the files are closed.
    _projector: Projector,
    committer: Committer,
    inner: Arc<Inner>,
}

/// What the store and its projector share. Readers close before the writer, which tidies up the
/// log; the lock goes last.
#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) journal: Pool,
    pub(crate) views: Views,
    pub(crate) signal: Signal,
    writer: Mutex<Writer>,
    /// Whether the log waits to be moved, readable while a commit is under way.
    long_log: Arc<AtomicBool>,
    /// The end of the journal, readable while a commit is under way.
    end: Mutex<End>,
    recovered: AtomicBool,
    /// Uses of tokens that wait for the next commit.
    uses: Mutex<BTreeMap<TokenId, Time>>,
    durability: Durability,
    pub(crate) sealer: Sealer,
    folder: Folder,
}

impl Inner {
    /// The end of what is known to be durable.
    pub(crate) fn end(&self) -> End {
        *self.end.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the start is over: from then on the projector follows by itself.
    pub(crate) fn is_recovered(&self) -> bool {
        self.recovered.load(Ordering::Acquire)
    }

    /// Writes all of a batch, durably, or nothing of it.
    pub(crate) fn commit(&self, batch: &[Entry]) -> Result<Vec<Fate>, StoreError> {
        let fates = {
            let mut writer = self.writer();
            writer.take_uses(self.uses());
            let fates = writer.commit(batch, &self.sealer)?;
            *self.end.lock().unwrap_or_else(PoisonError::into_inner) = writer.end();
            fates
        };
        self.recovered.store(true, Ordering::Release);
        self.signal.wake();
        Ok(fates)
    }

    /// Takes the uses of tokens that wait.
    fn uses(&self) -> BTreeMap<TokenId, Time> {
        std::mem::take(&mut *self.uses.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn write_uses(&self) -> Result<(), StoreError> {
        let mut writer = self.writer();
        writer.take_uses(self.uses());
        writer.write_uses()
    }

    /// Whether [`Inner::move_log`] has something to do.
    pub(crate) fn has_long_log(&self) -> bool {
        self.long_log.load(Ordering::Relaxed)
    }

    /// Moves a log that has grown long into the file.
    pub(crate) fn move_log(&self) {
        self.writer().move_log();
    }

    /// Waits for the projector, in small steps: it rests between its batches, too.
    fn caught_up(&self, seq: Seq) -> Result<(), StoreError> {
        for _ in 0..CAUGHT_UP_LOOKS {
            if self.views.rows() >= seq {
                return Ok(());
            }
            self.signal.wake();
            std::thread::sleep(CAUGHT_UP_EVERY);
        }
        Err(StoreError::TryLater {
            detail: "the lists are behind the journal; try again in a minute".to_owned(),
        })
    }

    /// Has the projector mend what a reader found broken.
    pub(crate) fn mended<T>(&self, read: Result<T, StoreError>) -> Result<T, StoreError> {
        if read.is_err() && self.views.is_broken() {
            self.signal.wake();
        }
        read
    }

    /// Works on the room in the journal's file, before the next commit.
    pub(crate) fn with_space<T>(
        &self,
        work: impl FnOnce(&rusqlite::Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.writer().with_space(work)
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SqliteStore {
    /// Opens the state in `folder`, or makes one.
    pub fn open(folder: &Path, settings: SqliteSettings) -> Result<Self, StoreError> {
        let folder = Folder::take(folder)?;
        let path = journal::create(folder.path())?;
        let readers = settings.readers;
        let (mut writer, durability) = Writer::open(&path, settings)?;
        compact::at_start(&mut writer)?;
        let journal = Pool::new(&path, readers);
        let views = Views::open(folder.path(), readers, writer.end(), &journal)?;
        let sealer = Sealer::open(folder.path(), writer.sealed())?;
        let inner = Arc::new(Inner {
            journal,
            views,
            signal: Signal::default(),
            end: Mutex::new(writer.end()),
            long_log: writer.long_log(),
            writer: Mutex::new(writer),
            recovered: AtomicBool::new(false),
            uses: Mutex::default(),
            durability,
            sealer,
            folder,
        });
        Ok(Self {
            _projector: Projector::start(Arc::clone(&inner))?,
            committer: Committer::start(Arc::clone(&inner))?,
            inner,
        })
    }

    fn recover_now(&self, take: &mut (dyn FnMut(Recovered) + Send)) -> Result<Head, StoreError> {
        let inner = &self.inner;
        point("recover_begin");
        let end = inner.end();
        // What is yet to be projected is checked on the way.
        check_tail(&inner.journal, end.seq, inner.views.rows())?;
        point("recover_tail");
        inner.views.catch_up(&inner.journal, end)?;
        point("recover_rows");
        let known = inner.views.recover(take)?;
        let used = inner.journal.with(journal::read_used);
        for (token, at) in used.map_err(fault::journal)? {
            take(Recovered::Used(token, at));
        }
        inner.recovered.store(true, Ordering::Release);
        inner.signal.wake();
        point("recover_end");
        Ok(Head {
            seq: end.seq,
            at: end.at,
            epoch: known.epoch,
            last_ask: known.last_ask,
        })
    }

    /// Does what takes a while on another thread, where there is somebody it would hold up.
    fn aside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Inner) -> Result<T, StoreError> + Send + 'static,
    ) -> Later<'static, T> {
        let inner = Arc::clone(&self.inner);
        Box::pin(async move {
            let Ok(runtime) = Handle::try_current() else {
                return work(&inner);
            };
            let done = runtime.spawn_blocking(move || work(&inner)).await;
            done.unwrap_or_else(|error| {
                Err(StoreError::TryLater {
                    detail: format!("a read was given up: {error}"),
                })
            })
        })
    }

    fn rebuild_now(&self) -> Result<Head, StoreError> {
        let head = self.recover_now(&mut |_| {})?;
        while self.inner.views.text() < head.seq {
            self.inner
                .views
                .step_text(&self.inner.journal)
                .map_err(views::ViewError::into_store)?;
        }
        Ok(head)
    }

    /// The writer, for tests that break what is under it.
    #[cfg(test)]
    pub(crate) fn with_writer<T>(&self, work: impl FnOnce(&mut Writer) -> T) -> T {
        work(&mut self.inner.writer())
    }
}

/// Throws the projections away and makes them again from the journal, text and all.
pub fn rebuild(folder: &Path, settings: SqliteSettings) -> Result<Head, StoreError> {
    {
        // Under the lock, so that no running server loses its file.
        let folder = Folder::take(folder)?;
        remove_views(folder.path())?;
    }
    SqliteStore::open(folder, settings)?.rebuild_now()
}

/// Removes the projections; the journal stays.
pub(crate) fn remove_views(folder: &Path) -> Result<(), StoreError> {
    remove_database(&folder.join("views.db"))
}

/// Checks hashes and order of the last events before `end`, as far as they are projected.
fn check_tail(journal: &Pool, end: Seq, projected: Seq) -> Result<(), StoreError> {
    let mut before = Seq(end.0.saturating_sub(TAIL_CHECKED));
    let count = usize::try_from(projected.0.saturating_sub(before.0)).unwrap_or(usize::MAX);
    let missing = |seq| damaged(JOURNAL, format_args!("event {seq} is missing"));
    journal
        .with(|connection| {
            let mut hash = journal::hash_at(connection, before)?.ok_or_else(|| missing(before))?;
            journal::walk(connection, before, count, |row| {
                views::check_chain(&row, before, &hash)?;
                journal::decode(&row, &mut |_| None)?;
                before = row.seq;
                hash = row.header.hash();
                Ok(())
            })
            .map_err(Failed)
        })
        .map_err(|Failed(error)| error)
}

impl Store for SqliteStore {
    fn durability(&self) -> Durability {
        self.inner.durability.clone()
    }

    fn recover<'a>(&'a self, take: &'a mut (dyn FnMut(Recovered) + Send)) -> Later<'a, Head> {
        Box::pin(async move { self.recover_now(take) })
    }

    fn commit<'a>(&'a self, batch: &'a [Entry]) -> Later<'a, Vec<Fate>> {
        Box::pin(self.committer.commit(batch))
    }

    fn used(&self, token: TokenId, at: Time) {
        let uses = self.inner.uses.lock();
        let mut uses = uses.unwrap_or_else(PoisonError::into_inner);
        uses.insert(token, at);
    }

    fn write_used(&self) -> Later<'_, ()> {
        self.aside(Inner::write_uses)
    }

    fn read(&self, place: Place) -> Later<'_, Told> {
        Box::pin(async move { self.inner.read(place) })
    }

    fn find(&self, ask: AskId) -> Later<'_, Option<(Place, Delivery)>> {
        Box::pin(async move { self.inner.mended(self.inner.views.find(ask)) })
    }

    fn steps(&self, place: Place) -> Later<'_, Vec<Step>> {
        self.aside(move |inner| inner.steps(place))
    }

    fn shown<'a>(&'a self, opened: &'a [Seq]) -> Later<'a, Vec<(Seq, TokenId)>> {
        Box::pin(async move { self.inner.mended(self.inner.views.shown(opened)) })
    }

    fn find_key(&self, key: u64) -> Later<'_, Vec<AskId>> {
        Box::pin(async move { self.inner.mended(self.inner.views.find_key(key)) })
    }

    fn events(&self, after: Seq, limit: usize) -> Later<'_, Vec<StoredEvent>> {
        self.aside(move |inner| inner.events(after, limit))
    }

    fn events_at<'a>(&'a self, places: &'a [Seq]) -> Later<'a, Vec<StoredEvent>> {
        Box::pin(async move { self.inner.events_at(places) })
    }

    fn entries(&self, query: EntryQuery) -> Later<'_, EntryPage> {
        self.aside(move |inner| inner.mended(inner.views.entries(query)))
    }

    fn conversations<'a>(&'a self, query: &'a ConversationQuery) -> Later<'a, ConversationPage> {
        let query = query.clone();
        self.aside(move |inner| inner.mended(inner.views.conversations(&query)))
    }

    fn closed<'a>(&'a self, query: &'a AskQuery) -> Later<'a, AskPage> {
        let query = query.clone();
        self.aside(move |inner| inner.mended(inner.views.closed(&query)))
    }

    fn stats<'a>(&'a self, query: &'a StatsQuery) -> Later<'a, Stats> {
        let query = query.clone();
        self.aside(move |inner| inner.mended(inner.views.stats(&query)))
    }

    fn denied<'a>(&'a self, likes: &'a [String]) -> Later<'a, Vec<String>> {
        let likes = likes.to_vec();
        self.aside(move |inner| inner.mended(inner.views.denied(&likes)))
    }

    fn viewed(&self) -> Seq {
        self.inner.views.rows()
    }

    fn caught_up(&self, seq: Seq) -> Later<'_, ()> {
        self.aside(move |inner| inner.caught_up(seq))
    }

    fn said<'a>(&'a self, query: &'a SaidQuery) -> Later<'a, Vec<SaidRow>> {
        let query = query.clone();
        self.aside(move |inner| inner.mended(inner.views.said(&query)))
    }

    fn compact(&self, when: Compact) -> Later<'_, Compacted> {
        self.aside(move |inner| inner.compact(when))
    }

    fn verify(&self) -> Later<'_, Verified> {
        self.aside(|inner| verify::verify_folder(inner.folder.path()))
    }

    fn backup<'a>(&'a self, to: &'a Path) -> Later<'a, ()> {
        let to = to.to_owned();
        self.aside(move |inner| crate::backup::backup(&inner.journal, &to))
    }
}
