//! A disk that is full, and then is not.

use sayso_core::id::Seq;
use sayso_store::{Durability, Store as _, StoreError};

use super::place::{Place, asked, caught_up, commit, now, open, recover, start};
use crate::{SqliteSettings, SqliteStore};

#[test]
fn commits_are_worth_something() {
    let place = Place::new();
    let store = open(place.path()).unwrap();
    assert_eq!(store.durability(), Durability::PowerLossSafe);
    assert_eq!(store.durability().to_string(), "power-loss-safe");
}

#[test]
fn a_full_disk_refuses_and_recovers_without_a_start() {
    let place = Place::new();
    let store = start(place.path());
    store.with_writer(|writer| {
        let connection = writer.connection().unwrap();
        connection
            .query_row("PRAGMA max_page_count = 30", [], |_| Ok(()))
            .unwrap();
    });
    let mut kept = 0;
    let error = loop {
        match commit(&store, kept, vec![asked(2 * kept + 1), asked(2 * kept + 2)]) {
            Ok(_) => kept += 1,
            Err(error) => break error,
        }
        assert!(kept < 10_000);
    };
    assert!(
        matches!(&error, StoreError::TryLater { detail } if detail.contains("full")),
        "{error}"
    );
    assert!(kept > 10);
    // What is there stays readable, and nothing of the refused batch is.
    let events = now(store.events(Seq::ZERO, 10_000)).unwrap();
    assert_eq!(events.last().unwrap().seq, Seq(2 * kept));
    caught_up(&store);
    // The limit went with the connection: there is room again.
    let fates = commit(&store, kept, vec![asked(2 * kept + 1)]).unwrap();
    assert_eq!(fates, [Seq(2 * kept + 1)]);
    assert_eq!(now(store.verify()).unwrap().faults, Vec::<String>::new());
    drop(store);
    assert_eq!(
        recover(&open(place.path()).unwrap()).1.seq,
        Seq(2 * kept + 1)
    );
}

#[test]
fn a_disk_that_stays_full_goes_on_refusing() {
    let place = Place::new();
    let settings = SqliteSettings {
        pages_max: Some(20),
        ..SqliteSettings::default()
    };
    let store = SqliteStore::open(place.path(), settings).unwrap();
    recover(&store);
    let kept = (1..10_000)
        .take_while(|n| commit(&store, *n, vec![asked(*n)]).is_ok())
        .count() as u64;
    for _ in 0..3 {
        assert!(matches!(
            commit(&store, 1, vec![asked(kept + 1)]),
            Err(StoreError::TryLater { .. })
        ));
    }
    assert_eq!(now(store.verify()).unwrap().events, kept);
}

#[test]
fn rows_of_a_commit_that_failed_are_taken_back() {
    let place = Place::new();
    let store = start(place.path());
    commit(&store, 1, vec![asked(1)]).unwrap();
    // The log holds rows that the caller was told are not there, as after a failed sync.
    store.with_writer(|writer| {
        let connection = writer.connection().unwrap();
        connection
            .execute_batch("INSERT INTO header SELECT 2, format, writer, 2, prev, kind, ask, at, body_hash FROM header; INSERT INTO body SELECT 2, body FROM body;")
            .unwrap();
        writer.give_up();
    });
    assert_eq!(commit(&store, 2, vec![asked(2)]).unwrap(), [Seq(2)]);
    assert_eq!(now(store.verify()).unwrap().faults, Vec::<String>::new());
}
