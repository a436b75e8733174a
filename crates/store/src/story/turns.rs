//! Turns: each is written whole after the one before, at places that are given once.

use std::sync::{Arc, Mutex};

use sayso_core::id::Seq;
use sayso_core::journal::Event;
use sayso_core::time::Time;

use super::sample;
use super::stage::{begin, commit, sound};
use crate::{JournalEntry, Since, Store};

fn asked(n: u64) -> JournalEntry {
    JournalEntry {
        event: Event::Asked(Arc::new(sample::ask(n, sample::question("?")))),
        at: Time::from_millis(5),
    }
}

/// What is decided in a turn is written after what was there, and the head moves with it and never
/// goes back, after a new start either.
pub async fn turns_follow_each_other<S: Store>(mut open: impl FnMut() -> S) {
    let mut head = Seq::ZERO;
    for life in 0..3 {
        let store = begin(&mut open).await;
        for turn in 0..3 {
            assert_eq!(store.head().await.unwrap(), head);
            let first = head.0 + 1;
            let told: Arc<Mutex<Option<usize>>> = Arc::default();
            let others = Arc::clone(&told);
            let decide = move |since: Since| {
                *others.lock().unwrap() = Some(since.others.len());
                (first..=first + turn).map(asked).collect()
            };
            let seqs = store.turn(head, Box::new(decide)).await.unwrap();
            let expected: Vec<Seq> = (first..=first + turn).map(Seq).collect();
            assert_eq!(seqs, expected, "life {life}, turn {turn}");
            // Nobody else wrote.
            assert_eq!(*told.lock().unwrap(), Some(0));
            head = Seq(first + turn);
        }
        assert_eq!(store.head().await.unwrap(), head);
    }
    let store = begin(&mut open).await;
    let events = store.events(Seq::ZERO, 1000).await.unwrap();
    let places: Vec<Seq> = events.iter().map(|event| event.seq).collect();
    assert_eq!(places, (1..=head.0).map(Seq).collect::<Vec<_>>());
    sound(&store, head.0, 0).await;
}

/// A turn in which nothing is decided writes nothing.
pub async fn a_dropped_turn_leaves_nothing<S: Store>(mut open: impl FnMut() -> S) {
    let store = begin(&mut open).await;
    commit(&store, 5, vec![asked(1).event]).await;
    let seqs = store.turn(Seq(1), Box::new(|_| Vec::new())).await.unwrap();
    assert_eq!(seqs, []);
    // A turn that is never waited for is one that was never taken, or one that was taken whole.
    drop(store.turn(Seq(1), Box::new(|_| vec![asked(2), asked(3)])));
    let head = store.head().await.unwrap();
    assert!(head == Seq(1) || head == Seq(3), "{head}");
    sound(&store, head.0, 0).await;
}

/// Whoever does not know how the journal ends decides nothing.
pub async fn a_turn_after_another_place_is_refused<S: Store>(mut open: impl FnMut() -> S) {
    let store = begin(&mut open).await;
    commit(&store, 5, vec![asked(1).event, asked(2).event]).await;
    let ahead = store.turn(Seq(3), Box::new(|_| vec![asked(3)])).await;
    assert!(ahead.is_err(), "nobody has written that far");
    assert_eq!(store.head().await.unwrap(), Seq(2));
    sound(&store, 2, 0).await;
}
