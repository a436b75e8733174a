//! Several nodes on one journal.

use std::collections::BTreeSet;
use std::sync::mpsc;
use std::time::Duration;

use sayso_core::id::Seq;
use sayso_core::time::Time;
use sayso_store::story::sample;
use sayso_store::{Since, Store as _, StoreError};
use sayso_store_sql::life::LifeBegins;

use super::place::{ask, asked, asks, now, psql, settings, start};
use crate::sql::PgSql;
use crate::{PostgresJournal, PostgresSettings, PostgresStore};

const TURNS: u64 = 40;

/// Takes turns until enough of them wrote, and keeps what the node knows of the journal.
fn live(settings: &PostgresSettings, node: u64) -> (Vec<Seq>, u64) {
    let (store, mut after) = start(settings);
    let mut known = now(store.events(Seq::ZERO, 100_000))
        .unwrap()
        .into_iter()
        .map(|event| event.seq)
        .take_while(|seq| *seq <= after)
        .collect::<Vec<_>>();
    let (mut written, mut refused) = (0, 0);
    while written < TURNS {
        let (told, hears) = mpsc::channel();
        let first = node * 1000 + written * 2;
        let decide = move |since: Since| {
            let others: Vec<Seq> = since.others.iter().map(|event| event.seq).collect();
            assert!(since.now.is_some());
            told.send(others).unwrap();
            vec![asked(first), asked(first + 1)]
        };
        match now(store.turn(after, Box::new(decide))) {
            Ok(places) => {
                known.extend(hears.recv().unwrap());
                known.extend(&places);
                after = *places.last().unwrap();
                written += 1;
            }
            Err(StoreError::TryLater { .. }) => refused += 1,
            Err(error) => panic!("{error}"),
        }
    }
    (known, refused)
}

fn together(settings: &[PostgresSettings; 3]) -> u64 {
    let threads: Vec<_> = settings
        .iter()
        .cloned()
        .zip(0..)
        .map(|(settings, node)| std::thread::spawn(move || live(&settings, node)))
        .collect();
    let lives: Vec<_> = threads
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .collect();
    let (store, head) = start(&settings[0]);
    let found = asks(&store);
    assert_eq!(head, Seq(3 * 2 * TURNS));
    assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), found.len());
    for (known, _) in &lives {
        // Each node heard of everything up to its last turn, once and in order.
        let expected: Vec<Seq> = (1..=known.len() as u64).map(Seq).collect();
        assert_eq!(*known, expected);
    }
    // Both events of a turn stand together.
    for pair in found.chunks(2) {
        assert_eq!(pair[0] + 1, pair[1]);
    }
    lives.iter().map(|(_, refused)| refused).sum()
}

#[test]
fn nodes_take_turns_and_every_one_hears_all() {
    let settings = settings();
    let refused = together(&[settings.clone(), settings.clone(), settings]);
    assert_eq!(refused, 0, "the lock keeps them apart");
}

#[test]
fn without_a_lock_the_primary_key_keeps_them_apart() {
    let one = settings();
    let with = |lock| PostgresSettings {
        lock: Some(lock),
        ..one.clone()
    };
    together(&[with(1), with(2), with(3)]);
}

/// A turn of `slow` in the middle of which `quick` takes one.
fn between(slow: &PostgresStore, quick: &PostgresStore) -> [Result<Vec<Seq>, StoreError>; 2] {
    let (go, gone) = mpsc::channel::<()>();
    let (done, ends) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            gone.recv().unwrap();
            done.send(ask(quick, Seq::ZERO, vec![2])).unwrap();
        });
        let (told, heard) = mpsc::channel();
        let decide = move |_: Since| {
            go.send(()).unwrap();
            told.send(ends.recv_timeout(Duration::from_secs(30)).unwrap())
                .unwrap();
            vec![asked(1)]
        };
        let written = now(slow.turn(Seq::ZERO, Box::new(decide)));
        [written, heard.recv().unwrap()]
    })
}

#[test]
fn a_place_is_given_once_even_by_a_lock_that_is_none() {
    let one = settings();
    let other = PostgresSettings {
        lock: Some(1),
        ..one.clone()
    };
    let ((slow, _), (quick, _)) = (start(&one), start(&other));
    let [slow_wrote, quick_wrote] = between(&slow, &quick);
    assert_eq!(quick_wrote.unwrap(), [Seq(1)]);
    assert!(
        matches!(slow_wrote, Err(StoreError::TryLater { .. })),
        "{slow_wrote:?}"
    );
    assert_eq!(asks(&slow), [2]);
    // It goes on after what the other wrote.
    assert_eq!(ask(&slow, Seq::ZERO, vec![3]).unwrap(), [Seq(2)]);
}

#[test]
fn a_node_that_stops_in_its_turn_holds_the_others_up_for_a_moment() {
    let one = settings();
    let ((slow, _), (quick, _)) = (start(&one), start(&one));
    // The second can only write once PostgreSQL has ended the first one's session.
    let [slow_wrote, quick_wrote] = between(&slow, &quick);
    assert_eq!(quick_wrote.unwrap(), [Seq(1)]);
    assert!(
        matches!(slow_wrote, Err(StoreError::TryLater { .. })),
        "{slow_wrote:?}"
    );
    assert_eq!(ask(&slow, Seq::ZERO, vec![3]).unwrap(), [Seq(2)]);
    assert_eq!(asks(&slow), [2, 3]);
}

/// A turn that writes one event, and how many events of others it was told.
fn turn_that_hears(store: &PostgresStore, after: Seq, n: u64) -> Result<(Seq, usize), StoreError> {
    let (told, heard) = mpsc::channel();
    let decide = move |since: Since| {
        told.send(since.others.len()).unwrap();
        vec![asked(n)]
    };
    let places = now(store.turn(after, Box::new(decide)))?;
    Ok((places[0], heard.recv().unwrap()))
}

#[test]
fn a_node_that_fell_behind_by_more_than_a_turn_takes_in_goes_on() {
    let one = settings();
    let ((a, _), (b, _)) = (start(&one), start(&one));
    ask(&a, Seq::ZERO, (1..=100).collect()).unwrap();
    // It knows where the journal ends long before it has read so far.
    assert_eq!(now(b.head()).unwrap(), Seq(100));
    assert_eq!(
        turn_that_hears(&b, Seq::ZERO, 101).unwrap(),
        (Seq(101), 100)
    );
    assert_eq!(turn_that_hears(&a, Seq(100), 102).unwrap(), (Seq(102), 1));
}

#[test]
fn a_node_that_is_behind_by_more_than_it_holds_is_told_without_a_turn() {
    let one = settings();
    let ((a, _), (b, _)) = (start(&one), start(&one));
    for n in (0..3000).step_by(500) {
        ask(&a, Seq(n), (n + 1..=n + 500).collect()).unwrap();
    }
    let refused = turn_that_hears(&b, Seq::ZERO, 3001);
    assert!(
        matches!(refused, Err(StoreError::TryLater { .. })),
        "{refused:?}"
    );
    let heard = now(b.others(Seq::ZERO)).unwrap();
    assert_eq!(heard.len(), 3000);
    assert_eq!(
        turn_that_hears(&b, Seq(3000), 3001).unwrap(),
        (Seq(3001), 0)
    );
}

#[test]
fn others_are_told_whole_turns_and_never_what_a_node_wrote_itself() {
    let one = settings();
    let ((a, _), (b, _)) = (start(&one), start(&one));
    let heard = std::thread::scope(|scope| {
        let waits = scope.spawn(|| now(b.others(Seq::ZERO)).unwrap());
        ask(&a, Seq::ZERO, vec![1, 2, 3]).unwrap();
        waits.join().unwrap()
    });
    let places: Vec<Seq> = heard.iter().map(|event| event.seq).collect();
    assert_eq!(places, [Seq(1), Seq(2), Seq(3)]);
    ask(&b, Seq(3), vec![4]).unwrap();
    // To `b` its own event is none of others; `a` hears of it.
    let mut own = Box::pin(b.others(Seq(3)));
    let waited = now(async { tokio::time::timeout(Duration::from_millis(400), &mut own).await });
    assert!(waited.is_err());
    let heard = now(a.others(Seq(3))).unwrap();
    assert_eq!(heard.len(), 1);
    assert_eq!(now(a.head()).unwrap(), Seq(4));
}

#[test]
fn one_node_at_a_time_walks_over_the_journal() {
    let settings = settings();
    let (a, head) = start(&settings);
    let (b, _) = start(&settings);
    ask(&a, head, vec![1]).unwrap();
    let walks = PgSql::take(&a.inner.runtime, &a.inner.pool).unwrap();
    let lock = settings.seat_lock(crate::verify::JOB);
    walks
        .batch(&format!("SELECT pg_advisory_lock({lock})"))
        .unwrap();
    let mut waits = b.verify();
    let soon = Duration::from_millis(200);
    let early = now(async { tokio::time::timeout(soon, &mut waits).await });
    assert!(early.is_err(), "b walked while a did");
    walks
        .batch(&format!("SELECT pg_advisory_unlock({lock})"))
        .unwrap();
    assert_eq!(now(waits).unwrap().events, 1);
    // What b held is free again.
    assert_eq!(now(a.verify()).unwrap().events, 1);
}

#[test]
fn a_loss_that_one_node_noticed_is_refused_by_all_until_it_is_accepted() {
    let settings = settings();
    let folder = tempfile::tempdir().unwrap();
    let knows = PostgresSettings {
        known: Some(folder.path().join("known")),
        ..settings.clone()
    };
    let (a, head) = start(&knows);
    ask(&a, head, vec![1]).unwrap();
    let lost = ask(&a, Seq(1), vec![2]).unwrap();
    drop(a);
    psql(
        &settings,
        "DELETE FROM body WHERE seq = 2; DELETE FROM header WHERE seq = 2",
    );
    // Whoever never knew it has nothing to miss.
    let (b, head) = start(&settings);
    assert_eq!(ask(&b, head, vec![3]).unwrap(), lost);
    let refusal = |opened: Result<PostgresStore, StoreError>| opened.unwrap_err().to_string();
    let noticed = refusal(PostgresStore::open(knows.clone()));
    assert!(
        noticed.contains("event 2 is missing or different"),
        "{noticed}"
    );
    let refused = ask(&b, Seq(2), vec![4]).unwrap_err().to_string();
    assert_eq!(refused, noticed);
    assert!(!b.inner.pulse.is_fresh());
    drop(b);
    assert_eq!(refusal(PostgresStore::open(settings.clone())), noticed);
    let journal = PostgresJournal::open(settings.clone()).unwrap().unwrap();
    assert_eq!(journal.lost().unwrap().known, Some(Seq(2)));
    let begins = LifeBegins {
        now: Time::from_millis(9),
        epoch: sample::epoch(9),
    };
    journal.accept_loss(begins).unwrap();
    let (c, _) = start(&knows);
    assert!(c.inner.lost().is_none());
}
