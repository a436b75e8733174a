//! The store itself: the trait's calls, each handed to the part that does it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sayso_core::id::{AskId, ConversationId, Place, Seq, TokenId};
use sayso_core::outcome::Delivery;
use sayso_core::state::SnapshotPart;
use sayso_core::time::Time;
use sayso_store::{
    AskPage, AskQuery, Compact, Compacted, ConversationPage, ConversationQuery, Decide, Durability,
    EntryPage, EntryQuery, Head, JournalEntry, Later, Neighbours, SaidQuery, SaidRow, Stats,
    StatsQuery, Step, Store, StoreError, StoredAsk, StoredEvent, Trouble, Verified,
};
use sayso_store_sql::damage::{self, Damages};
use sayso_store_sql::journal::SqlJournal;
use sayso_store_sql::seal::Sealer;
use sayso_store_sql::views::{self, ViewError};
use tokio::runtime::Handle;

use crate::committer::Committer;
use crate::compact;
use crate::disk;
use crate::fault;
use crate::faults::point;
use crate::folder::{StateFolder, remove_database};
use crate::journal::{self, End, Found, Log, Writer};
use crate::keeper::Keeper;
use crate::key::Unopened;
use crate::moving;
use crate::pool::Pool;
use crate::projector::{Projector, Signal};
use crate::reading::Failed;
use crate::settings::SqliteSettings;
use crate::sql::SqliteSql;
use crate::verify;
use crate::views::Views;
use crate::watch::Watch;

/// Events at the end of the journal whose hashes every start checks, projected or not.
const TAIL_CHECKED: u64 = 256;

/// How often it is looked whether the projections have caught up, and how often at most.
const CAUGHT_UP_EVERY: Duration = Duration::from_millis(5);
const CAUGHT_UP_LOOKS: u32 = 12_000;

/// The embedded store: one folder, one process.
#[derive(Debug)]
pub struct SqliteStore {
    // All are stopped before the files are closed.
    _keeper: Keeper,
    _projector: Projector,
    committer: Committer,
    pub(crate) inner: Arc<StoreInner>,
}

/// What the store and its projector share. Readers close before the writer, which tidies up the
/// log; the lock goes last.
#[derive(Debug)]
pub(crate) struct StoreInner {
    pub(crate) journal: Pool,
    pub(crate) views: Views,
    pub(crate) signal: Signal,
    writer: Mutex<Writer>,
    /// What is known of the log, readable while a commit is under way.
    log: Arc<Log>,
    watch: Watch,
    path: PathBuf,
    /// The end of the journal, readable while a commit is under way.
    end: Mutex<End>,
    recovered: AtomicBool,
    /// Uses of tokens that wait for the next commit.
    uses: Mutex<BTreeMap<TokenId, Time>>,
    pub(crate) damages: Damages,
    durability: Durability,
    pub(crate) sealer: Sealer,
    folder: StateFolder,
}

impl StoreInner {
    /// The end of what is known to be durable.
    pub(crate) fn end(&self) -> End {
        *self.end.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the start is over: from then on the projector follows by itself.
    pub(crate) fn is_recovered(&self) -> bool {
        self.recovered.load(Ordering::Acquire)
    }

    /// Writes all of a batch, durably, or nothing of it.
    pub(crate) fn commit(&self, batch: &[JournalEntry]) -> Result<Vec<Seq>, StoreError> {
        let places = {
            let mut writer = self.writer();
            self.watch.check()?;
            let is_reopened = !writer.is_open();
            writer.take_uses(self.uses());
            let committed = writer.commit(batch, &self.sealer);
            if is_reopened || committed.is_err() {
                self.watch.again_if_same(self.folder.path(), &self.path);
            }
            let places = committed?;
            *self.end.lock().unwrap_or_else(PoisonError::into_inner) = writer.end();
            places
        };
        let erased = batch.iter().filter_map(|entry| entry.event.erases());
        for erases in erased {
            self.damages.forget(erases.places());
        }
        self.recovered.store(true, Ordering::Release);
        self.signal.wake();
        Ok(places)
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
        self.log.is_long.load(Ordering::Relaxed)
    }

    /// Looks whether the files are still there, and takes erased text out of the log.
    pub(crate) fn look_after(&self) {
        let waits = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        if self.watch.look_now().is_none()
            && (waits(&self.log.has_erased) || waits(&self.log.shrinks_later))
        {
            self.writer().empty_log();
        }
        if self.is_recovered() && self.views.is_lost() {
            self.signal.wake();
        }
    }

    fn troubles(&self) -> Vec<Trouble> {
        let gone = self.watch.found().map(Trouble::Refusing);
        let lists = self
            .views
            .rebuilding(self.end().seq)
            .map(Trouble::Rebuilding);
        let erasing = self.log.has_erased.load(Ordering::Relaxed).then(|| {
            Trouble::Erasing("Erased text is still in the journal's log, because another program is reading journal.db. Close that program; sayso removes the text as soon as it can.".to_owned())
        });
        gone.into_iter()
            .chain(self.damages.troubles())
            .chain(lists)
            .chain(erasing)
            .collect()
    }

    /// Moves a log that has grown long into the file.
    pub(crate) fn move_log(&self) {
        self.writer().move_log();
    }

    /// Waits for the projector, in small steps: it rests between its batches, too.
    pub(crate) fn caught_up(&self, seq: Seq) -> Result<(), StoreError> {
        for _ in 0..CAUGHT_UP_LOOKS {
            if self.views.rows() >= seq {
                return Ok(());
            }
            self.signal.wake();
            if !self.signal.rest(CAUGHT_UP_EVERY) {
                return Err(StoreError::TryLater {
                    detail: "the server is stopping".to_owned(),
                });
            }
        }
        Err(StoreError::TryLater {
            detail: "the lists are behind the journal; retry in a minute".to_owned(),
        })
    }

    /// The file of the journal.
    pub(crate) fn journal_path(&self) -> &Path {
        &self.path
    }

    /// Says whether the file is to shrink once nobody reads it.
    pub(crate) fn shrinks_later(&self, later: bool) {
        self.log.shrinks_later.store(later, Ordering::Relaxed);
    }

    /// Works on the room in the journal's file, before the next commit.
    pub(crate) fn with_space<T>(
        &self,
        work: impl FnOnce(&rusqlite::Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.writer().with_space(work)
    }

    /// Takes down what is wrong with a row of the journal. Says where the journal ended when it was
    /// first noticed.
    pub(crate) fn note(&self, found: &Found) -> Seq {
        let end = self.end().seq;
        self.damages.note(found, end, || {
            self.writer().aside(|connection| {
                let journal = SqliteSql(connection);
                let kept = damage::keep(&journal, found, end);
                kept.map_err(|error| SqlJournal(&journal).error(&error))
            })
        })
    }

    /// Checks hashes and order of the last events, as far as they are projected.
    fn check_tail(&self, end: End) -> Result<(), StoreError> {
        let before = Seq(end.seq.0.saturating_sub(TAIL_CHECKED));
        let projected = self.views.rows().0.saturating_sub(before.0);
        let count = usize::try_from(projected).unwrap_or(usize::MAX);
        let found = self
            .journal
            .with(|connection| {
                journal::found_after(connection, before, count, end.into()).map_err(Failed)
            })
            .map_err(|Failed(error)| error)?;
        for row in found.iter().filter(|row| row.fault.is_some()) {
            self.note(row);
        }
        Ok(())
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SqliteStore {
    /// Opens the state in `folder`, or makes one.
    pub fn open(folder: &Path, settings: SqliteSettings) -> Result<Self, StoreError> {
        let folder = StateFolder::take(folder)?;
        disk::check_room(folder.path())?;
        let path = journal::create(folder.path())?;
        let readers = settings.readers;
        let unopened = if settings.forget_secrets {
            Unopened::GiveUp
        } else {
            Unopened::Refuse
        };
        let (mut writer, durability) = Writer::open(&path, settings)?;
        writer.aside(moving::check_lives_here)?;
        compact::at_start(&mut writer)?;
        let journal = Pool::new(&path, readers);
        let views = Views::open(folder.path(), readers, writer.end(), &journal)?;
        if let Some(hash) = views.hash_at(writer.end().seq) {
            writer.correct_end(hash);
        }
        let damages = writer.load_damages()?;
        let sealer = writer.unseal_with(folder.path(), unopened)?.0;
        let watch = Watch::begin(folder.path(), &path);
        let inner = Arc::new(StoreInner {
            journal,
            views,
            signal: Signal::default(),
            end: Mutex::new(writer.end()),
            log: writer.log(),
            watch,
            path,
            writer: Mutex::new(writer),
            recovered: AtomicBool::new(false),
            uses: Mutex::default(),
            damages,
            durability: disk::judged(folder.path(), durability),
            sealer,
            folder,
        });
        Ok(Self {
            _keeper: Keeper::start(Arc::clone(&inner))?,
            _projector: Projector::start(Arc::clone(&inner))?,
            committer: Committer::start(Arc::clone(&inner))?,
            inner,
        })
    }

    fn snapshot_now(
        &self,
        take: &mut (dyn FnMut(SnapshotPart) + Send),
    ) -> Result<Head, StoreError> {
        let inner = &self.inner;
        point("recover_begin");
        let end = inner.end();
        // What is yet to be projected is checked on the way.
        inner.check_tail(end)?;
        point("recover_tail");
        inner
            .views
            .catch_up(&inner.journal, end, &|found| inner.note(found))?;
        point("recover_rows");
        let known = inner.views.recover(take)?;
        let used = inner.journal.with(journal::read_used);
        for (token, at) in used.map_err(fault::journal)? {
            take(SnapshotPart::Used(token, at));
        }
        inner.recovered.store(true, Ordering::Release);
        inner.signal.wake();
        point("recover_end");
        Ok(Head {
            seq: end.seq,
            at: end.at,
            epoch: known.epoch,
            last_ask: known.last_ask,
            now: None,
        })
    }

    /// Does what takes a while on another thread, where there is somebody it would hold up.
    fn aside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&StoreInner) -> Result<T, StoreError> + Send + 'static,
    ) -> Later<'static, T> {
        let inner = Arc::clone(&self.inner);
        Box::pin(async move {
            let Ok(runtime) = Handle::try_current() else {
                return work(&inner);
            };
            let done = runtime.spawn_blocking(move || work(&inner)).await;
            done.unwrap_or_else(|error| {
                Err(StoreError::TryLater {
                    detail: format!("a read was aborted: {error}"),
                })
            })
        })
    }

    fn rebuild_now(&self) -> Result<Head, StoreError> {
        let head = self.snapshot_now(&mut |_| {})?;
        while self.inner.views.text() < head.seq {
            self.inner
                .views
                .step_text(&self.inner.journal)
                .map_err(ViewError::into_store)?;
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
        let folder = StateFolder::take(folder)?;
        remove_views(folder.path())?;
    }
    SqliteStore::open(folder, settings)?.rebuild_now()
}

/// Removes the projections; the journal stays.
pub(crate) fn remove_views(folder: &Path) -> Result<(), StoreError> {
    remove_database(&folder.join("views.db"))
}

impl Store for SqliteStore {
    fn neighbours(&self) -> Option<Arc<dyn Neighbours>> {
        None
    }

    fn durability(&self) -> Durability {
        self.inner.durability.clone()
    }

    fn snapshot<'a>(&'a self, take: &'a mut (dyn FnMut(SnapshotPart) + Send)) -> Later<'a, Head> {
        Box::pin(async move { self.snapshot_now(take) })
    }

    fn turn(&self, after: Seq, decide: Decide) -> Later<'_, Vec<Seq>> {
        Box::pin(self.committer.turn(after, decide))
    }

    fn others(&self, _after: Seq) -> Later<'_, Vec<StoredEvent>> {
        // The lock on the folder keeps everybody else out.
        Box::pin(std::future::pending())
    }

    fn head(&self) -> Later<'_, Seq> {
        Box::pin(async move { Ok(self.inner.end().seq) })
    }

    fn used(&self, token: TokenId, at: Time) {
        let uses = self.inner.uses.lock();
        let mut uses = uses.unwrap_or_else(PoisonError::into_inner);
        uses.insert(token, at);
    }

    fn write_used(&self) -> Later<'_, ()> {
        self.aside(StoreInner::write_uses)
    }

    fn read(&self, place: Place) -> Later<'_, StoredAsk> {
        Box::pin(async move { self.inner.read(place) })
    }

    fn find(&self, ask: AskId) -> Later<'_, Option<(Place, Delivery)>> {
        Box::pin(async move { self.inner.look(|view| views::find(view, ask)) })
    }

    fn steps(&self, place: Place) -> Later<'_, Vec<Step>> {
        self.aside(move |inner| inner.steps(place))
    }

    fn shown<'a>(&'a self, opened: &'a [Seq]) -> Later<'a, Vec<(Seq, TokenId)>> {
        Box::pin(async move { self.inner.look(|view| views::shown(view, opened)) })
    }

    fn find_key(&self, key: u64) -> Later<'_, Vec<AskId>> {
        Box::pin(async move { self.inner.look(|view| views::find_key(view, key)) })
    }

    fn events(&self, after: Seq, limit: usize) -> Later<'_, Vec<StoredEvent>> {
        self.aside(move |inner| inner.events(after, limit))
    }

    fn events_at<'a>(&'a self, places: &'a [Seq]) -> Later<'a, Vec<StoredEvent>> {
        Box::pin(async move { self.inner.events_at(places) })
    }

    fn entries(&self, query: EntryQuery) -> Later<'_, EntryPage> {
        self.aside(move |inner| inner.view(|view| views::entries(view, query)))
    }

    fn conversations<'a>(&'a self, query: &'a ConversationQuery) -> Later<'a, ConversationPage> {
        let query = query.clone();
        self.aside(move |inner| inner.view(|view| views::conversations(view, &query)))
    }

    fn closed<'a>(&'a self, query: &'a AskQuery) -> Later<'a, AskPage> {
        let query = query.clone();
        self.aside(move |inner| inner.view(|view| views::closed(view, &query)))
    }

    fn stats<'a>(&'a self, query: &'a StatsQuery) -> Later<'a, Stats> {
        let query = query.clone();
        self.aside(move |inner| inner.view(|view| views::stats(view, &query)))
    }

    fn denied<'a>(&'a self, likes: &'a [String]) -> Later<'a, Vec<String>> {
        let likes = likes.to_vec();
        self.aside(move |inner| inner.look(|view| views::denied(view, &likes)))
    }

    fn troubles(&self) -> Vec<Trouble> {
        self.inner.troubles()
    }

    fn viewed(&self) -> Seq {
        self.inner.views.rows()
    }

    fn caught_up(&self, seq: Seq) -> Later<'_, ()> {
        self.aside(move |inner| inner.caught_up(seq))
    }

    fn said<'a>(&'a self, query: &'a SaidQuery) -> Later<'a, Vec<SaidRow>> {
        let query = query.clone();
        self.aside(move |inner| inner.look(|view| views::said(view, &query)))
    }

    fn empty_conversations(&self) -> Later<'_, Vec<ConversationId>> {
        self.aside(|inner| inner.look(views::empty_conversations))
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
