//! A journal for one test, and what tests do with it.

use std::future::Future;
use std::sync::Arc;

use sayso_core::id::Seq;
use sayso_core::journal::Event;
use sayso_core::time::Time;
use sayso_store::story::sample;
use sayso_store::{Head, JournalEntry, Store as _, StoreError, Verified};
use sayso_testkit::pg::cluster;

use crate::{PostgresSettings, PostgresStore};

/// The key of all tests.
pub(super) const KEY: [u8; 32] = [7; 32];

/// Settings of a journal that no other test has.
pub(super) fn settings() -> PostgresSettings {
    PostgresSettings {
        schema: cluster().schema(),
        ..PostgresSettings::new(cluster().url(), KEY)
    }
}

/// Waits for something on this thread.
pub(super) fn now<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(future)
}

/// Opens a journal and starts on it.
pub(super) fn start(settings: &PostgresSettings) -> (PostgresStore, Seq) {
    let store = PostgresStore::open(settings.clone()).unwrap();
    let head: Head = now(store.snapshot(&mut |_| {})).unwrap();
    (store, head.seq)
}

/// The `n`th ask.
pub(super) fn asked(n: u64) -> JournalEntry {
    JournalEntry {
        event: Event::Asked(Arc::new(sample::ask(n, sample::question("?")))),
        at: Time::from_millis(5),
    }
}

/// A turn in which these asks are asked.
pub(super) fn ask(
    store: &PostgresStore,
    after: Seq,
    asks: Vec<u64>,
) -> Result<Vec<Seq>, StoreError> {
    now(store.turn(
        after,
        Box::new(move |_| asks.into_iter().map(asked).collect()),
    ))
}

/// Which asks are in the journal, in order; it is whole.
pub(super) fn asks(store: &PostgresStore) -> Vec<u64> {
    let events = now(store.events(Seq::ZERO, 100_000)).unwrap();
    for (event, seq) in events.iter().zip(1..) {
        assert_eq!(event.seq, Seq(seq));
    }
    let verified = now(store.verify()).unwrap();
    let expected = Verified {
        events: events.len() as u64,
        erased: 0,
        faults: Vec::new(),
    };
    assert_eq!(verified, expected);
    let number = |event: &sayso_store::StoredEvent| {
        (0..=u64::MAX)
            .find(|n| event.ask == Some(sample::ask_id(*n)))
            .unwrap()
    };
    events.iter().map(number).collect()
}

/// What the owner of the database is told.
pub(super) fn psql(settings: &PostgresSettings, sql: &str) -> String {
    let path = format!(
        "SET search_path = {}, {}",
        settings.schema,
        settings.views_schema()
    );
    cluster().psql("sayso", &format!("{path}; {sql}"))
}
