//! A folder for one test, gone when the test is over, and what tests do in it.

use std::future::Future;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use rusqlite::Connection;
use sayso_core::id::Seq;
use sayso_core::journal::Event;
use sayso_core::outcome::Outcome;
use sayso_core::state::SnapshotPart;
use sayso_core::time::Time;
use sayso_store::story::sample;
use sayso_store::{AskQuery, Head, JournalEntry, Store as _, StoreError};

use crate::{SqliteSettings, SqliteStore};

/// An empty folder of our own.
#[derive(Debug)]
pub(super) struct Place(PathBuf);

impl Place {
    pub(super) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "sayso-store-{}-{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        );
        let path = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // A test may have put a file, such as a backup, where a folder could be.
        let _ = std::fs::remove_dir_all(&self.0);
        let _ = crate::folder::remove_database(&self.0);
    }
}

/// Runs a future that never waits for anything but the disk.
pub(super) fn now<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
}

/// Opens the state in a folder.
pub(super) fn open(folder: &Path) -> Result<SqliteStore, StoreError> {
    SqliteStore::open(folder, SqliteSettings::default())
}

/// Opens the state in a folder and starts it.
pub(super) fn start(folder: &Path) -> SqliteStore {
    let store = open(folder).unwrap();
    recover(&store);
    store
}

/// What a start is told.
pub(super) fn recover(store: &SqliteStore) -> (Vec<SnapshotPart>, Head) {
    let mut told = Vec::new();
    let head = now(store.snapshot(&mut |item| told.push(item))).unwrap();
    (told, head)
}

/// Commits events at the moment `at`.
pub(super) fn commit(
    store: &SqliteStore,
    at: u64,
    events: Vec<Event>,
) -> Result<Vec<Seq>, StoreError> {
    let batch: Vec<JournalEntry> = events
        .into_iter()
        .map(|event| JournalEntry {
            event,
            at: Time::from_millis(at),
        })
        .collect();
    now(sayso_store::append(store, batch))
}

/// An ask with one question.
pub(super) fn asked(n: u64) -> Event {
    Event::Asked(Arc::new(sample::ask(
        n,
        sample::question(&format!("question number {n}")),
    )))
}

/// The end of the ask with this number, opened here.
pub(super) fn closed(n: u64, opened: u64) -> Event {
    let outcome = Outcome::Answered(sample::replies());
    Event::Closed {
        ask: sample::ask_id(n),
        opened: Seq(opened),
        closing: sample::closing(outcome, 20_000 + n),
    }
}

/// A state with an agent at event 1, asks 2 to 11 and ends for the first five of them.
pub(super) fn fill(folder: &Path) {
    let store = start(folder);
    commit(&store, 1, vec![Event::AgentMet(sample::agent(1))]).unwrap();
    commit(&store, 10_000, (2..=11).map(asked).collect()).unwrap();
    commit(&store, 20_000, (2..=6).map(|n| closed(n, n)).collect()).unwrap();
    caught_up(&store);
}

/// How many events `fill` writes.
pub(super) const FILLED: u64 = 16;

/// Waits until the projections have everything, text and all.
pub(super) fn caught_up(store: &SqliteStore) {
    let end = now(store.events(Seq::ZERO, 10_000))
        .unwrap()
        .last()
        .map_or(Seq::ZERO, |event| event.seq);
    let query = AskQuery {
        search: Some("x".to_owned()),
        limit: 1,
        ..AskQuery::default()
    };
    for _ in 0..20_000 {
        if store.viewed() >= end && now(store.closed(&query)).unwrap().as_of >= end {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("the projections do not reach {end}");
}

/// Runs SQL on a file that nobody has open.
pub(super) fn sql(path: &Path, sql: &str) {
    Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

/// Copies every file of a folder as it lies there now, as a crash would leave it.
pub(super) fn crash_image(from: &Path) -> Place {
    let place = Place::new();
    std::fs::DirBuilder::new()
        .mode(0o700)
        .create(place.path())
        .unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        // The shared memory does not outlive a crash of the machine.
        if !entry.file_name().to_string_lossy().ends_with("-shm") {
            std::fs::copy(entry.path(), place.path().join(entry.file_name())).unwrap();
        }
    }
    place
}
