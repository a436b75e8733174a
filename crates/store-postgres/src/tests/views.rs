//! Projections that are made again, moved, and dropped, beside nodes that read them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sayso_core::id::Seq;
use sayso_core::time::Time;
use sayso_store::story::sample;
use sayso_store::{Compact, Store as _};
use sayso_store_sql::journal::{End, SqlJournal, last_row};
use sayso_store_sql::life::{LifeBegins, Revoke};
use sayso_store_sql::transfer::JournalTarget as _;
use sayso_store_sql::views::Progress;
use sayso_testkit::pg::cluster;

use super::place::{ask, asks, now, psql, settings, start};
use crate::projector::fits;
use crate::sql::PgSql;
use crate::{PostgresJournal, PostgresSettings, rebuild, restore};

#[test]
fn who_reads_while_projections_are_made_again_misses_nothing() {
    let one = settings();
    let (store, after) = start(&one);
    // More than one batch.
    let places = ask(&store, after, (1..=4500).collect()).unwrap();
    now(store.caught_up(*places.last().unwrap())).unwrap();
    let is_made = Arc::<AtomicBool>::default();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            rebuild(one.clone()).unwrap();
            is_made.store(true, Ordering::SeqCst);
        });
        while !is_made.load(Ordering::SeqCst) {
            for n in [1, 4500] {
                let found = now(store.find(sample::ask_id(n))).unwrap();
                assert!(found.is_some(), "ask {n} is missed");
            }
        }
    });
}

#[test]
fn a_header_that_was_changed_does_not_have_projections_made_again() {
    let one = settings();
    let (store, after) = start(&one);
    ask(&store, after, vec![1, 2, 3]).unwrap();
    now(store.caught_up(Seq(3))).unwrap();
    let inner = Arc::clone(&store.inner);
    let fits_at = move |rows: u64, hash: [u8; 32]| {
        let inner = Arc::clone(&inner);
        std::thread::spawn(move || {
            let sql = PgSql::take(&inner.runtime, &inner.pool).unwrap();
            let end = End::of(last_row(SqlJournal(&sql)).unwrap().as_ref());
            let progress = Progress {
                rows: Seq(rows),
                hash,
                ..Progress::default()
            };
            fits(&sql, &progress, end).unwrap()
        })
        .join()
        .unwrap()
    };
    let hash = psql(&one, "SELECT encode(prev, 'hex') FROM header WHERE seq = 3");
    let mut second = [0; 32];
    for (byte, at) in second.iter_mut().zip((0..).step_by(2)) {
        *byte = u8::from_str_radix(&hash[at..at + 2], 16).unwrap();
    }
    assert!(fits_at(2, second));
    assert!(!fits_at(2, [1; 32]), "they are of another journal");
    assert!(!fits_at(4, second), "the journal is shorter");
    psql(&one, "UPDATE header SET at = at # 1 WHERE seq = 2");
    assert!(fits_at(2, second));
}

#[test]
fn a_backup_is_restored_into_a_schema_with_the_longest_name() {
    let from = settings();
    let (store, after) = start(&from);
    ask(&store, after, vec![1, 2]).unwrap();
    drop(store);
    let backup = PostgresJournal::open(from).unwrap().unwrap();
    let long = PostgresSettings {
        schema: format!("{:x<40}", cluster().schema()),
        ..settings()
    };
    let begins = LifeBegins {
        now: Time::from_millis(9),
        epoch: sample::epoch(9),
    };
    for before in [None, Some("_before_restore"), Some("_before_restore_2")] {
        let put = restore(
            long.clone(),
            (backup.sql(), 1),
            Revoke::default(),
            begins,
            &mut |_| {},
        );
        let kept = before.map(|before| format!("the schema {}{before}", long.schema));
        assert_eq!(put.unwrap().before, kept);
    }
    let (store, _) = start(&long);
    assert!(now(store.find(sample::ask_id(1))).unwrap().is_some());
}

#[test]
fn projections_of_older_versions_go_with_the_last_node_that_uses_them() {
    let one = settings();
    drop(start(&one));
    let old = one.views_schema_of(3);
    let make = format!("CREATE SCHEMA {old} AUTHORIZATION node; CREATE TABLE {old}.asks (a int)");
    psql(&one, &make);
    // Another build of the same version, which has its projections in another form.
    psql(
        &one,
        "INSERT INTO node (name, place, version, level)
         SELECT 'old', '', regexp_replace(version, 'views.[0-9]+$', 'views.3'), 1 FROM node LIMIT 1",
    );
    let is_there = || {
        let sql = format!("SELECT count(*) FROM pg_namespace WHERE nspname = '{old}'");
        psql(&one, &sql) == "1"
    };
    let (store, after) = start(&one);
    now(store.compact(Compact::WhenWorthIt)).unwrap();
    assert!(is_there(), "an older node reads them");
    psql(
        &one,
        "UPDATE node SET seen_at = to_timestamp(0) WHERE name = 'old'",
    );
    psql(&one, &format!("ALTER TABLE {old}.asks OWNER TO node"));
    now(store.compact(Compact::WhenWorthIt)).unwrap();
    assert!(!is_there());
    ask(&store, after, vec![1]).unwrap();
    assert_eq!(asks(&store), [1]);
    // The next start does it, too.
    psql(&one, &make);
    drop(store);
    drop(start(&one));
    assert!(!is_there());
}
