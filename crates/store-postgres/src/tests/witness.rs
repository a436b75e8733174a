//! What holds the places apart, shown by what everybody saw: the journal is held against every turn.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use sayso_core::id::Seq;
use sayso_store::story::sample;
use sayso_store::{Since, Store as _, StoreError};
use sayso_testkit::witness::{CallSeen, Claim, Did, Witness};

use super::place::{asked, now, psql, settings, start};
use crate::{PostgresSettings, PostgresStore};

const NODES: u64 = 3;
const TURNS: u64 = 60;

#[expect(
    clippy::disallowed_methods,
    reason = "who was first is what is held against the journal"
)]
fn instant() -> Instant {
    Instant::now()
}

/// A turn that asks one thing; gives how it looked from outside.
fn turn(store: &PostgresStore, after: &mut Seq, ask: u64, zero: Instant) -> CallSeen {
    let at = || u64::try_from((instant() - zero).as_nanos()).unwrap();
    let began = at();
    // Somebody who thinks for a moment in the middle of a turn is somebody others can come between.
    let decide = move |_: Since| {
        std::thread::yield_now();
        vec![asked(ask)]
    };
    let told = now(store.turn(*after, Box::new(decide)));
    let ended = at();
    let is_told = told.is_ok();
    match told {
        Ok(places) => *after = *places.last().unwrap(),
        Err(StoreError::TryLater { .. } | StoreError::Damaged { .. }) => {}
        Err(error) => panic!("{error}"),
    }
    let id = sample::ask_id(ask).to_string();
    CallSeen {
        began,
        ended: is_told.then_some(ended),
        did: Did::Ask {
            key: id.clone(),
            told: is_told.then_some(id),
        },
    }
}

/// Nodes that take turns as fast as they can, and what can be said against the journal afterwards.
fn raced(settings: &[PostgresSettings]) -> Result<(), Vec<String>> {
    let (zero, calls) = (instant(), Arc::<Mutex<Vec<CallSeen>>>::default());
    let threads: Vec<_> = settings
        .iter()
        .cloned()
        .zip(0..)
        .map(|(settings, node): (_, u64)| {
            let calls = Arc::clone(&calls);
            std::thread::spawn(move || {
                let (store, mut after) = start(&settings);
                for number in 0..TURNS {
                    let call = turn(&store, &mut after, node * 1000 + number, zero);
                    calls.lock().unwrap().push(call);
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    let sql = "SELECT seq || ' ' || ask FROM header WHERE kind = 6 ORDER BY seq";
    let journal = psql(&settings[0], sql);
    let journal = journal.lines().map(|line| {
        let (seq, ask) = line.split_once(' ').unwrap();
        let ask = ask.to_owned();
        let written = Claim::Asked {
            key: ask.clone(),
            ask,
        };
        (seq.parse().unwrap(), written)
    });
    Witness::new(journal).check(&calls.lock().unwrap())
}

/// Nodes each with a lock of its own, which is as good as none.
fn without_lock(one: &PostgresSettings) -> Vec<PostgresSettings> {
    let locks = 1..=i64::try_from(NODES).unwrap();
    let with = |lock| PostgresSettings {
        lock: Some(lock),
        ..one.clone()
    };
    locks.map(with).collect()
}

#[test]
fn with_lock_and_key_the_journal_is_the_order_of_everything() {
    let one = settings();
    let nodes: Vec<_> = (0..NODES).map(|_| one.clone()).collect();
    assert_eq!(raced(&nodes), Ok(()));
}

#[test]
fn without_the_lock_the_key_alone_keeps_the_order() {
    assert_eq!(raced(&without_lock(&settings())), Ok(()));
}

#[test]
fn without_lock_and_key_the_witness_contradicts_itself() {
    let one = settings();
    drop(start(&one));
    psql(&one, "ALTER TABLE header DROP CONSTRAINT header_pkey");
    psql(&one, "ALTER TABLE body DROP CONSTRAINT body_pkey");
    let faults = raced(&without_lock(&one)).unwrap_err();
    assert!(
        faults.iter().any(|fault| fault.contains("stands after")),
        "{faults:?}"
    );
}
