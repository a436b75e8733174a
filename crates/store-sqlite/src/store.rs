//! The store itself: the trait's calls, each handed to the part that does it.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sayso_core::id::{AskId, Place, Seq, TokenId};
use sayso_core::journal::Event;
use sayso_core::limits::FEED_REPLAY_MAX;
use sayso_core::outcome::Delivery;
use sayso_store::{
    AskPage, AskQuery, ConversationPage, ConversationQuery, Durability, Entry, EntryPage,
    EntryQuery, Fate, Head, Later, Recovered, Stats, StatsQuery, Step, StepKind, Store, StoreError,
    StoredEvent, Told, Verified,
};

use crate::fault::{self, JOURNAL, damaged};
use crate::faults::point;
use crate::folder::{Folder, remove_database};
use crate::journal::{self, End, Writer, number};
use crate::pool::Pool;
use crate::projector::{Projector, Signal};
use crate::seal::{Gap, Sealer};
use crate::settings::SqliteSettings;
use crate::verify;
use crate::views::{self, Views};

/// Events at the end of the journal whose hashes every start checks, projected or not.
const TAIL_CHECKED: u64 = 256;

/// The embedded store: one folder, one process.
#[derive(Debug)]
pub struct SqliteStore {
    // Stopped before the files are closed.
    _projector: Projector,
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
    /// The end of the journal, readable while a commit is under way.
    end: Mutex<End>,
    recovered: AtomicBool,
    durability: Durability,
    sealer: Sealer,
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
        let (writer, durability) = Writer::open(&path, settings)?;
        let journal = Pool::new(&path, readers);
        let views = Views::open(folder.path(), readers, writer.end(), &journal)?;
        let sealer = Sealer::open(folder.path(), writer.sealed())?;
        let inner = Arc::new(Inner {
            journal,
            views,
            signal: Signal::default(),
            end: Mutex::new(writer.end()),
            writer: Mutex::new(writer),
            recovered: AtomicBool::new(false),
            durability,
            sealer,
            folder,
        });
        Ok(Self {
            _projector: Projector::start(Arc::clone(&inner))?,
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
        let known = inner.views.recover(end.at, take)?;
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

    fn commit_now(&self, batch: &[Entry]) -> Result<Vec<Fate>, StoreError> {
        let inner = &self.inner;
        let fates = {
            let mut writer = inner.writer();
            let fates = writer.commit(batch, &inner.sealer)?;
            *inner.end.lock().unwrap_or_else(PoisonError::into_inner) = writer.end();
            fates
        };
        inner.recovered.store(true, Ordering::Release);
        inner.signal.wake();
        Ok(fates)
    }

    fn read_now(&self, place: Place) -> Result<Told, StoreError> {
        let inner = &self.inner;
        inner
            .journal
            .with(|connection| {
                // One view: a body erased between two reads must not look half there.
                let view = connection.unchecked_transaction().map_err(Failed::from)?;
                let event = |seq: Seq| -> Result<Option<Event>, StoreError> {
                    let row = journal::row_at(&view, seq)?
                        .ok_or_else(|| damaged(JOURNAL, format_args!("event {seq} is missing")))?;
                    journal::decode(&row, &mut |gap| {
                        unseal(
                            &view,
                            &inner.sealer,
                            Gap {
                                opened: place.opened,
                                seq,
                                number: gap,
                            },
                        )
                    })
                };
                let not_ours = |seq: Seq| {
                    damaged(
                        JOURNAL,
                        format_args!("event {seq} is of another kind than it was written as"),
                    )
                };
                let ask = match event(place.opened)? {
                    Some(Event::Asked(ask)) => ask,
                    Some(_) => return Err(not_ours(place.opened).into()),
                    None => return Ok(Told::Erased),
                };
                let closing = match place.closed.map(|seq| (seq, event(seq))) {
                    None => None,
                    Some((_, Ok(Some(Event::Closed { closing, .. })))) => Some(closing),
                    Some((seq, Ok(Some(_)))) => return Err(not_ours(seq).into()),
                    Some((_, Ok(None))) => return Ok(Told::Erased),
                    Some((_, Err(error))) => return Err(error.into()),
                };
                let late = match place.late.map(|seq| (seq, event(seq))) {
                    None => None,
                    Some((_, Ok(Some(Event::AnsweredLate { late, .. })))) => Some(late),
                    Some((seq, Ok(Some(_)))) => return Err(not_ours(seq).into()),
                    Some((_, Ok(None))) => return Ok(Told::Erased),
                    Some((_, Err(error))) => return Err(error.into()),
                };
                Ok::<_, Failed>(Told::Whole { ask, closing, late })
            })
            .map_err(|Failed(error)| error)
    }

    fn events_now(&self, after: Seq, limit: usize) -> Result<Vec<StoredEvent>, StoreError> {
        let inner = &self.inner;
        // Nothing is shown before its commit is known to be durable.
        let left = usize::try_from(inner.end().seq.0.saturating_sub(after.0)).unwrap_or(usize::MAX);
        let limit = limit
            .min(left)
            .min(usize::try_from(FEED_REPLAY_MAX).unwrap_or(usize::MAX));
        let mut events = Vec::new();
        inner
            .journal
            .with(|connection| {
                journal::walk(connection, after, limit, |row| {
                    let event = journal::decode(&row, &mut |_| None)?;
                    events.push(StoredEvent {
                        seq: row.seq,
                        at: row.header.at,
                        event,
                    });
                    Ok(())
                })
                .map_err(Failed)
            })
            .map_err(|Failed(error)| error)?;
        Ok(events)
    }

    fn events_at_now(&self, places: &[Seq]) -> Result<Vec<StoredEvent>, StoreError> {
        let inner = &self.inner;
        let end = inner.end().seq;
        inner
            .journal
            .with(|connection| {
                let view = connection.unchecked_transaction().map_err(Failed::from)?;
                let mut events = Vec::with_capacity(places.len());
                for seq in places.iter().filter(|seq| **seq <= end) {
                    let Some(row) = journal::row_at(&view, *seq)? else {
                        continue;
                    };
                    events.push(StoredEvent {
                        seq: row.seq,
                        at: row.header.at,
                        event: journal::decode(&row, &mut |_| None)?,
                    });
                }
                Ok::<_, Failed>(events)
            })
            .map_err(|Failed(error)| error)
    }

    fn steps_now(&self, place: Place) -> Result<Vec<Step>, StoreError> {
        let [sent, confirmed] = self.mended(self.inner.views.news(place.opened))?;
        let shown = self.mended(self.inner.views.shown_on(place.opened))?;
        let mut told = vec![(StepKind::Asked, Some(place.opened), None)];
        told.extend(shown.into_iter().map(|row| {
            let (person, device) = (row.person, row.device);
            let what = StepKind::Shown { person, device };
            (what, Some(row.seq), Some((row.seq, row.at)))
        }));
        told.extend([
            (StepKind::Closed, place.closed, None),
            (StepKind::AnsweredLate, place.late, None),
            (StepKind::Sent, sent.map(|(seq, _)| seq), sent),
            (
                StepKind::Confirmed,
                confirmed.map(|(seq, _)| seq),
                confirmed,
            ),
        ]);
        let mut steps = Vec::new();
        self.inner
            .journal
            .with(|connection| {
                for (what, seq, news) in told {
                    let Some(seq) = seq else { continue };
                    let Some(row) = journal::row_at(connection, seq)? else {
                        continue;
                    };
                    steps.push(Step {
                        what,
                        // Several outcomes share one entry about their news, each with its own moment.
                        at: news.map_or(row.header.at, |(_, at)| at),
                        seq,
                        hash: row.header.hash(),
                    });
                }
                Ok(())
            })
            .map_err(|Failed(error)| error)?;
        Ok(steps)
    }

    /// Has the projector mend what a reader found broken.
    fn mended<T>(&self, read: Result<T, StoreError>) -> Result<T, StoreError> {
        if read.is_err() && self.inner.views.is_broken() {
            self.inner.signal.wake();
        }
        read
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

/// An error of either side, while a reader is borrowed.
struct Failed(StoreError);

impl From<rusqlite::Error> for Failed {
    fn from(error: rusqlite::Error) -> Self {
        Self(fault::journal(error))
    }
}

impl From<StoreError> for Failed {
    fn from(error: StoreError) -> Self {
        Self(error)
    }
}

fn unseal(
    view: &rusqlite::Connection,
    sealer: &Sealer,
    gap: Gap,
) -> Option<sayso_core::text::Secret> {
    let bytes: Vec<u8> = view
        .prepare_cached("SELECT bytes FROM sealed WHERE opened = ?1 AND seq = ?2 AND gap = ?3")
        .and_then(|mut statement| {
            statement.query_row(
                (
                    number(gap.opened.0),
                    number(gap.seq.0),
                    number(gap.number as u64),
                ),
                |row| row.get(0),
            )
        })
        .ok()?;
    let secret = sealer.open_sealed(gap, &bytes);
    if secret.is_none() {
        tracing::error!(
            event = gap.seq.0,
            "a sealed secret does not open with this key file"
        );
    }
    secret
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
        Box::pin(async move { self.commit_now(batch) })
    }

    fn read(&self, place: Place) -> Later<'_, Told> {
        Box::pin(async move { self.read_now(place) })
    }

    fn find(&self, ask: AskId) -> Later<'_, Option<(Place, Delivery)>> {
        Box::pin(async move { self.mended(self.inner.views.find(ask)) })
    }

    fn steps(&self, place: Place) -> Later<'_, Vec<Step>> {
        Box::pin(async move { self.steps_now(place) })
    }

    fn shown<'a>(&'a self, opened: &'a [Seq]) -> Later<'a, Vec<(Seq, TokenId)>> {
        Box::pin(async move { self.mended(self.inner.views.shown(opened)) })
    }

    fn find_key(&self, key: u64) -> Later<'_, Vec<AskId>> {
        Box::pin(async move { self.mended(self.inner.views.find_key(key)) })
    }

    fn events(&self, after: Seq, limit: usize) -> Later<'_, Vec<StoredEvent>> {
        Box::pin(async move { self.events_now(after, limit) })
    }

    fn events_at<'a>(&'a self, places: &'a [Seq]) -> Later<'a, Vec<StoredEvent>> {
        Box::pin(async move { self.events_at_now(places) })
    }

    fn entries(&self, query: EntryQuery) -> Later<'_, EntryPage> {
        Box::pin(async move { self.mended(self.inner.views.entries(query)) })
    }

    fn conversations<'a>(&'a self, query: &'a ConversationQuery) -> Later<'a, ConversationPage> {
        Box::pin(async move { self.mended(self.inner.views.conversations(query)) })
    }

    fn closed<'a>(&'a self, query: &'a AskQuery) -> Later<'a, AskPage> {
        Box::pin(async move { self.mended(self.inner.views.closed(query)) })
    }

    fn stats<'a>(&'a self, query: &'a StatsQuery) -> Later<'a, Stats> {
        Box::pin(async move { self.mended(self.inner.views.stats(query)) })
    }

    fn denied<'a>(&'a self, likes: &'a [String]) -> Later<'a, Vec<String>> {
        Box::pin(async move { self.mended(self.inner.views.denied(likes)) })
    }

    fn viewed(&self) -> Seq {
        self.inner.views.rows()
    }

    fn verify(&self) -> Later<'_, Verified> {
        Box::pin(async move { verify::verify_folder(self.inner.folder.path()) })
    }

    fn backup<'a>(&'a self, to: &'a Path) -> Later<'a, ()> {
        Box::pin(async move { crate::backup::backup(&self.inner.journal, to) })
    }
}
