//! The write-ahead log stays small and is used again, whoever writes.

use super::place::{Place, asked, commit, now};
use crate::{SqliteSettings, SqliteStore};
use sayso_store::Store as _;

/// A log that is never moved would have several times as much after these commits.
const BYTES_MAX: u64 = 1024 * 1024;

fn log_after(commits: u64, entries: u64) -> u64 {
    let place = Place::new();
    let settings = SqliteSettings {
        wal_pages: 16,
        ..SqliteSettings::default()
    };
    let store = SqliteStore::open(place.path(), settings).unwrap();
    now(store.snapshot(&mut |_| ())).unwrap();
    for n in 0..commits {
        let first = 1 + n * entries;
        commit(&store, first, (first..first + entries).map(asked).collect()).unwrap();
    }
    let log = place.path().join("journal.db-wal");
    std::fs::metadata(log).unwrap().len()
}

#[test]
fn the_log_stays_small_for_a_lone_writer() {
    assert!(log_after(800, 1) < BYTES_MAX);
}

#[test]
fn the_log_stays_small_for_a_crowd() {
    assert!(log_after(400, 20) < BYTES_MAX);
}
