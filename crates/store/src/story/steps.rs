//! What the journal says about one ask, step by step.

use std::sync::Arc;

use sayso_core::id::{Place, Seq, TokenId};
use sayso_core::journal::{DeliveryMark, Event};
use sayso_core::outcome::{Delivery, Outcome};
use sayso_core::role::Role;
use sayso_core::time::Time;

use super::sample;
use super::stage::{begin, caught_up, commit};
use crate::{Step, StepKind, Store};

/// Every step has its moment, its place and a hash of its own, after a new start, too.
pub async fn an_ask_has_its_steps<S: Store>(mut open: impl FnMut() -> S) {
    let ask = sample::ask(1, sample::question("?"));
    let id = ask.id;
    let place = sample::place(1, Some(2), Some(3));
    let mark = |delivery, at| DeliveryMark {
        ask: id,
        opened: Seq(1),
        delivery,
        at: Time::from_millis(at),
    };
    {
        let store = begin(&mut open).await;
        commit(&store, 10, vec![Event::Asked(Arc::new(ask))]).await;
        let closing = sample::closing(Outcome::Expired, 20);
        let closed = sample::closed(id, Seq(1), closing);
        let late = sample::answered_late(id, Seq(1), sample::late(sample::replies(), 30));
        commit(&store, 20, vec![closed]).await;
        commit(&store, 30, vec![late]).await;
        let sent = vec![mark(Delivery::Sent, 33), mark(Delivery::Owed, 34)];
        commit(&store, 40, vec![Event::Delivered(sent)]).await;
        // A second word about the same news changes nothing.
        let again = vec![mark(Delivery::Sent, 44), mark(Delivery::Confirmed, 45)];
        commit(&store, 50, vec![Event::Delivered(again)]).await;
        caught_up(&store, Seq(5)).await;
    }
    let store = begin(&mut open).await;
    let steps = store.steps(place).await.unwrap();
    let told: Vec<_> = steps
        .iter()
        .map(|step| (step.what.clone(), step.at.as_millis(), step.seq.0))
        .collect();
    assert_eq!(
        told,
        [
            (StepKind::Asked, 10, 1),
            (StepKind::Closed, 20, 2),
            (StepKind::AnsweredLate, 30, 3),
            (StepKind::Sent, 33, 4),
            (StepKind::Confirmed, 45, 5),
        ]
    );
    let hashes: std::collections::HashSet<_> = steps.iter().map(|step| step.hash).collect();
    assert_eq!(hashes.len(), 5);
    let open_ask = Place {
        closed: None,
        late: None,
        ..place
    };
    let nothing: Vec<Step> = store
        .steps(Place {
            opened: Seq(99),
            ..open_ask
        })
        .await
        .unwrap();
    assert_eq!(nothing, []);
}

/// Devices that had an ask on screen are told with it, each once and by its name, until the ask is
/// erased.
pub async fn an_ask_was_shown<S: Store>(mut open: impl FnMut() -> S) {
    let person = |n: u32, name: &str| {
        let role = Role::Person(sample::person(name));
        Event::TokenMade(sample::token(n, role))
    };
    let ask = |n: u64| Event::Asked(Arc::new(sample::ask(n, sample::question("?"))));
    let place = |n: u64| sample::place(n, None, None);
    let gone = Event::Erased {
        ask: sample::ask_id(2),
        place: place(2),
    };
    {
        let store = begin(&mut open).await;
        commit(&store, 10, vec![ask(1), ask(2)]).await;
        commit(&store, 10, vec![person(1, "Ann"), person(2, "Bob")]).await;
        let first = vec![
            sample::shown(1, 2, 20),
            sample::shown(2, 1, 21),
            sample::shown(1, 1, 15),
        ];
        commit(&store, 30, vec![Event::Shown(first)]).await;
        // A second word of the same device changes nothing, and one about nothing is nothing.
        let again = vec![sample::shown(1, 1, 40), sample::shown(99, 1, 40)];
        commit(&store, 40, vec![Event::Shown(again)]).await;
        // A token that is taken back had a name.
        commit(&store, 50, vec![Event::TokenRevoked(TokenId(2)), gone]).await;
        let after = vec![sample::shown(2, 2, 60)];
        commit(&store, 60, vec![Event::Shown(after)]).await;
        caught_up(&store, Seq(9)).await;
    }
    let store = begin(&mut open).await;
    let steps = store.steps(place(1)).await.unwrap();
    let on = |n: u32, name: &str| StepKind::Shown {
        person: sample::person(name),
        device: sample::token(n, Role::Agent).name,
    };
    let told: Vec<_> = steps
        .into_iter()
        .map(|step| (step.what, step.at.as_millis(), step.seq.0))
        .collect();
    assert_eq!(
        told,
        [
            (StepKind::Asked, 10, 1),
            (on(1, "Ann"), 15, 5),
            (on(2, "Bob"), 20, 5),
        ]
    );
    let places = [Seq(1), Seq(2), Seq(99)];
    let mut found = store.shown(&places).await.unwrap();
    found.sort_by_key(|(_, token)| token.0);
    assert_eq!(found, [(Seq(1), TokenId(1)), (Seq(1), TokenId(2))]);
}
