//! Migrations, stopped at every statement, and the states of released versions.

use std::fs;

use rusqlite::Connection;
use sayso_core::id::Seq;
use sayso_store::Store as _;

use super::place::{Place, caught_up, crash_image, fill, now, open, recover, start};
use crate::journal::{MIGRATIONS, migrate, version};

fn statements(step: &str) -> Vec<String> {
    let bare: Vec<&str> = step
        .lines()
        .filter(|line| !line.trim_start().starts_with("--"))
        .collect();
    bare.join("\n")
        .split(';')
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_first_start_killed_at_any_statement_is_finished_by_the_next() {
    let steps = statements(MIGRATIONS[0]);
    assert!(steps.len() >= 4);
    for count in 0..=steps.len() {
        let place = Place::new();
        fs::create_dir(place.path()).unwrap();
        let connection = Connection::open(place.path().join("journal.db.new")).unwrap();
        connection
            .execute_batch("PRAGMA journal_mode = WAL; PRAGMA cache_spill = 1; BEGIN IMMEDIATE")
            .unwrap();
        for statement in &steps[..count] {
            connection.execute_batch(statement).unwrap();
        }
        let image = crash_image(place.path());
        let store = open(image.path()).unwrap();
        assert_eq!(recover(&store).1.seq, Seq::ZERO);
        assert!(!image.path().join("journal.db.new").exists());
    }
}

#[test]
fn a_migration_killed_at_any_statement_is_finished_by_the_next_start() {
    let next = "CREATE TABLE one (x INTEGER) STRICT; ALTER TABLE body ADD COLUMN y INTEGER; UPDATE body SET y = seq; CREATE INDEX two ON one (x);";
    let (steps, both) = (statements(next), [MIGRATIONS[0], next]);
    let place = Place::new();
    fill(place.path());
    for count in 0..=steps.len() {
        let image = {
            let connection = Connection::open(place.path().join("journal.db")).unwrap();
            connection
                .execute_batch("PRAGMA cache_size = 1; BEGIN IMMEDIATE")
                .unwrap();
            for statement in &steps[..count] {
                connection.execute_batch(statement).unwrap();
            }
            crash_image(place.path())
        };
        let connection = Connection::open(image.path().join("journal.db")).unwrap();
        assert_eq!(version(&connection).unwrap(), 1);
        migrate(&connection, &both).unwrap();
        assert_eq!(version(&connection).unwrap(), 2);
        let filled: i64 = connection
            .query_row("SELECT count(*) FROM body WHERE y = seq", [], |row| {
                row.get(0)
            })
            .unwrap();
        assert_eq!(filled, 16);
        // Once is enough.
        migrate(&connection, &both).unwrap();
    }
}

#[test]
fn a_migration_that_fails_changes_nothing() {
    let place = Place::new();
    fill(place.path());
    let connection = Connection::open(place.path().join("journal.db")).unwrap();
    migrate(
        &connection,
        &[
            MIGRATIONS[0],
            "CREATE TABLE one (x INTEGER); SELECT nonsense;",
        ],
    )
    .unwrap_err();
    assert_eq!(version(&connection).unwrap(), 1);
    drop(connection);
    assert_eq!(recover(&open(place.path()).unwrap()).1.seq, Seq(16));
}

/// The folder of the fixtures.
fn fixtures() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// Every released form, with the number of events and of erased ones in its fixture.
const RELEASED: [(u32, u64, u64); 1] = [(1, 19, 2)];

#[test]
fn states_of_every_released_version_open() {
    for (number, events, erased) in RELEASED {
        let place = Place::new();
        start(place.path());
        for (from, to) in [("db", "journal.db"), ("key", "key")] {
            fs::copy(
                fixtures().join(format!("journal-v{number}.{from}")),
                place.path().join(to),
            )
            .unwrap();
        }
        let store = open(place.path()).unwrap();
        let told = recover(&store);
        assert_eq!((told.0, told.1), super::secret::fixture_expected());
        caught_up(&store);
        let verified = now(store.verify()).unwrap();
        assert_eq!(
            (verified.events, verified.erased, verified.faults),
            (events, erased, Vec::new())
        );
        super::secret::fixture_secret_opens(&store);
    }
}
