//! What must go: secrets once their asker has them, and texts that somebody erased.

use std::sync::Arc;

use sayso_core::answer::Answer;
use sayso_core::id::Seq;
use sayso_core::journal::{DeliveryMark, Event};
use sayso_core::outcome::{Closing, Delivery, Late, Outcome};
use sayso_core::time::Time;

use super::sample;
use super::stage::{begin, caught_up, commit, commit_one, recover, sound, stored, whole};
use crate::{AskQuery, Store, StoredAsk};

fn answered(answer: Answer) -> Arc<Closing> {
    sample::closing(Outcome::Answered(answer), 20_000)
}

/// A secret is there for its asker after any number of starts, and gone once it is confirmed.
pub async fn secrets_last_until_confirmed<S: Store>(mut open: impl FnMut() -> S) {
    let secrets = [Some("hunter2"), None, Some(""), Some(sample::ODD)];
    let (given, gone) = (sample::fields(&secrets), sample::fields(&[None; 4]));
    let asks: Vec<_> = (1..=2)
        .map(|n| Arc::new(sample::ask(n, sample::form())))
        .collect();
    let place = |opened: u64| sample::place(opened, Some(opened + 2), None);
    let whole = |at: usize, answer: &Answer| {
        whole(asks.get(at).unwrap(), Some(answered(answer.clone())), None)
    };
    {
        let store = begin(&mut open).await;
        commit(
            &store,
            10_000,
            asks.iter()
                .map(|ask| Event::Asked(Arc::clone(ask)))
                .collect(),
        )
        .await;
        let closings = (1..)
            .zip(&asks)
            .map(|(opened, ask)| sample::closed(ask.id, Seq(opened), answered(given.clone())));
        assert_eq!(
            commit(&store, 20_000, closings.collect()).await,
            [Seq(3), Seq(4)]
        );
        assert_eq!(store.read(place(1)).await.unwrap(), whole(0, &given));
    }
    for (delivery, first) in [(Delivery::Sent, &given), (Delivery::Confirmed, &gone)] {
        {
            let store = begin(&mut open).await;
            assert_eq!(store.read(place(1)).await.unwrap(), whole(0, &given));
            assert_eq!(store.read(place(2)).await.unwrap(), whole(1, &given));
            let mark = DeliveryMark {
                ask: sample::ask_id(1),
                opened: Seq(1),
                delivery,
                at: Time::from_millis(30_000),
            };
            commit_one(&store, 30_000, Event::Delivered(vec![mark])).await;
            assert_eq!(store.read(place(1)).await.unwrap(), whole(0, first));
        }
        let store = begin(&mut open).await;
        assert_eq!(store.read(place(1)).await.unwrap(), whole(0, first));
        assert_eq!(store.read(place(2)).await.unwrap(), whole(1, &given));
    }
    let store = open();
    let head = recover(&store).await.1.seq;
    // The stream of events never carries a secret, and none can be searched for.
    let closed = store.events(Seq(3), 1).await.unwrap();
    let expected = sample::closed(sample::ask_id(2), Seq(2), answered(gone));
    assert_eq!(
        closed,
        [stored(Seq(4), Time::from_millis(20_000), expected)]
    );
    caught_up(&store, head).await;
    let query = AskQuery {
        search: Some("hunter2".to_owned()),
        limit: 5,
        ..AskQuery::default()
    };
    assert_eq!(store.closed(&query).await.unwrap().rows, Vec::new());
    sound(&store, 6, 0).await;
}

/// An erased ask has no text any more, anywhere; that it was there remains and still verifies.
pub async fn an_erased_ask_leaves_its_place<S: Store>(mut open: impl FnMut() -> S) {
    let ask = Arc::new(sample::ask(1, sample::question("erasable")));
    let other = Arc::new(sample::ask(2, sample::question("erasable too")));
    let late: Arc<Late> = sample::late(sample::replies(), 30_000);
    let place = sample::place(1, Some(3), Some(4));
    let close = |ask: &Arc<sayso_core::ask::Ask>, opened| {
        sample::closed(
            ask.id,
            Seq(opened),
            sample::closing(Outcome::Expired, 20_000),
        )
    };
    {
        let store = begin(&mut open).await;
        commit(
            &store,
            10_000,
            vec![
                Event::Asked(Arc::clone(&ask)),
                Event::Asked(Arc::clone(&other)),
            ],
        )
        .await;
        commit_one(&store, 20_000, close(&ask, 1)).await;
        commit_one(&store, 30_000, sample::answered_late(ask.id, Seq(1), late)).await;
        commit_one(&store, 30_000, close(&other, 2)).await;
        caught_up(&store, Seq(5)).await;
        let query = AskQuery {
            search: Some("erasable".to_owned()),
            limit: 5,
            ..AskQuery::default()
        };
        assert_eq!(store.closed(&query).await.unwrap().rows.len(), 2);
        assert_eq!(
            commit_one(&store, 40_000, Event::Erased { ask: ask.id, place }).await,
            Seq(6)
        );
        assert_eq!(store.read(place).await.unwrap(), StoredAsk::Erased);
    }
    let store = begin(&mut open).await;
    caught_up(&store, Seq(6)).await;
    assert_eq!(store.read(place).await.unwrap(), StoredAsk::Erased);
    assert_eq!(
        store.find(ask.id).await.unwrap().map(|(place, _)| place),
        Some(place)
    );
    for search in [None, Some("erasable".to_owned())] {
        let page = store
            .closed(&AskQuery {
                search,
                limit: 5,
                ..AskQuery::default()
            })
            .await
            .unwrap();
        assert_eq!(
            page.rows.iter().map(|row| row.ask).collect::<Vec<_>>(),
            [other.id]
        );
    }
    let left: Vec<bool> = store
        .events(Seq::ZERO, 10)
        .await
        .unwrap()
        .iter()
        .map(|event| event.event.is_some())
        .collect();
    assert_eq!(left, [false, true, false, false, true, true]);
    sound(&store, 6, 3).await;
}
