//! Outcomes on their way: owed, sent, confirmed, and each only once news.

use std::sync::Arc;

use sayso_core::ask::Ask;
use sayso_core::id::{AskId, Seq, TokenId};
use sayso_core::journal::{DeliveryMark, Event, ShownMark};
use sayso_core::limits;
use sayso_core::outcome::{Closing, Delivery, OutcomeKind};
use sayso_core::state::op::{Confirm, Marks};
use sayso_core::state::{ClosedEntry, Op, OpReply, OwedEntry, Refusal, SnapshotPart, State};
use sayso_core::time::Time;

use super::scene::{Scene, ann, answer, question, replies};

/// The asker says that it has an outcome.
pub(crate) fn confirm(ask: AskId) -> Op {
    confirmed(vec![Confirm {
        ask,
        looked: None,
        by: None,
    }])
}

fn confirmed(confirmed: Vec<Confirm>) -> Op {
    Op::Mark(Marks {
        confirmed,
        ..Marks::default()
    })
}

pub(crate) fn mark(scene: &Scene, ask: AskId, opened: Seq, delivery: Delivery) -> DeliveryMark {
    DeliveryMark {
        ask,
        opened,
        delivery,
        at: scene.now(),
    }
}

pub(crate) fn sent(mark: &DeliveryMark) -> Op {
    Op::Mark(Marks {
        sent: vec![*mark],
        ..Marks::default()
    })
}

fn told(reply: OpReply) -> Vec<Result<(), Refusal>> {
    match reply {
        OpReply::Confirmed(told) => told,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_outcome_is_owed_until_it_is_confirmed() {
    let mut scene = Scene::new();
    let ask = scene.ask(question());
    let sent_mark = mark(&scene, ask.id, Seq(3), Delivery::Sent);
    assert!(scene.act(sent(&sent_mark)).0.is_empty(), "it is open");
    scene.close(answer(&ask, replies()));
    let owed = OwedEntry {
        ask: ask.id,
        agent: ask.agent,
        opened: Seq(3),
        closed: Seq(4),
        how: OutcomeKind::Answered,
        late: None,
        delivery: Delivery::Owed,
        closed_at: scene.now(),
    };
    let of: Vec<_> = scene.state.delivery.of(ask.agent).copied().collect();
    assert_eq!(of, [owed]);
    assert_eq!(scene.state.delivery.get(ask.id), Some(&owed));
    assert_eq!(
        (scene.state.delivery.len(), scene.state.delivery.is_empty()),
        (1, false)
    );
    let (events, _) = scene.act(sent(&sent_mark));
    assert_eq!(events, [Event::Delivered(vec![sent_mark])]);
    assert_eq!(
        scene.state.delivery.get(ask.id).unwrap().delivery,
        Delivery::Sent
    );
    assert!(scene.act(sent(&sent_mark)).0.is_empty(), "it is no news");
    let (events, reply) = scene.act(confirm(ask.id));
    let confirmed = mark(&scene, ask.id, Seq(3), Delivery::Confirmed);
    assert_eq!(events, [Event::Delivered(vec![confirmed])]);
    assert_eq!(told(reply), [Ok(())]);
    assert!(scene.state.delivery.is_empty());
    assert_eq!(scene.state.delivery.of(ask.agent).count(), 0);
    let (events, reply) = scene.act(confirm(ask.id));
    assert!(events.is_empty(), "it is no news: {events:?}");
    assert_eq!(told(reply), [Ok(())]);
    assert!(
        scene.act(sent(&sent_mark)).0.is_empty(),
        "nor that it was sent"
    );
}

#[test]
fn each_confirmation_is_told_for_itself() {
    let mut scene = Scene::new();
    let (first, open, last) = (
        scene.ask(question()),
        scene.ask(question()),
        scene.ask(question()),
    );
    // The later one is confirmed first; the event tells them in the order in which they were asked.
    scene.close(answer(&first, replies()));
    scene.close(answer(&last, replies()));
    let of = |ask, by| Confirm {
        ask,
        looked: None,
        by,
    };
    let nobody = AskId::from_bytes([9; 16]);
    let good = Some(TokenId(1));
    let (events, reply) = scene.act(confirmed(vec![
        of(last.id, good),
        of(open.id, None),
        of(nobody, None),
        of(first.id, Some(TokenId(7))),
        of(first.id, None),
    ]));
    let expected = [
        Ok(()),
        Err(Refusal::StillOpen),
        Err(Refusal::NotFound),
        Err(Refusal::Revoked),
        Ok(()),
    ];
    assert_eq!(told(reply), expected);
    let [Event::Delivered(marks)] = &events[..] else {
        panic!("{events:?}");
    };
    let asks: Vec<_> = marks.iter().map(|mark| mark.ask).collect();
    assert_eq!(asks, [first.id, last.id]);
}

#[test]
fn what_was_looked_up_may_be_confirmed() {
    let scene = Scene::new();
    let ask = AskId::from_bytes([4; 16]);
    let looked = |delivery| {
        confirmed(vec![Confirm {
            ask,
            looked: Some(ClosedEntry {
                opened: Seq(1),
                closed: Seq(2),
                late: None,
                how: OutcomeKind::Answered,
                delivery,
            }),
            by: None,
        }])
    };
    let plan = scene.decide(looked(Delivery::Sent)).unwrap();
    let expected = mark(&scene, ask, Seq(1), Delivery::Confirmed);
    assert_eq!(plan.events, [Event::Delivered(vec![expected])]);
    let plan = scene.decide(looked(Delivery::Confirmed)).unwrap();
    assert!(plan.events.is_empty());
}

#[test]
fn what_was_on_screen_is_written_as_it_comes() {
    let mut scene = Scene::new();
    let shown = ShownMark {
        ask: AskId::from_bytes([4; 16]),
        opened: Seq(1),
        device: TokenId(1),
        at: Time::from_millis(5),
    };
    let (events, _) = scene.act(Op::Mark(Marks {
        shown: vec![shown],
        ..Marks::default()
    }));
    assert_eq!(events, [Event::Shown(vec![shown])]);
    assert!(scene.act(Op::Mark(Marks::default())).0.is_empty());
}

#[test]
fn an_agent_is_owed_no_more_than_the_newest() {
    let mut scene = Scene::new();
    let ask = scene.ask(question());
    let mut state = State::default();
    let entry = |number: u64, agent| OwedEntry {
        ask: AskId::from_bytes(u128::from(number).to_be_bytes()),
        agent,
        opened: Seq(number),
        closed: Seq(number),
        how: OutcomeKind::Answered,
        late: None,
        delivery: Delivery::Owed,
        closed_at: ask.asked_at,
    };
    let other = sayso_core::id::AgentId(9);
    state.load(SnapshotPart::Owed(entry(1_000_000, other)));
    let max = limits::OWED_PER_AGENT_MAX as u64;
    for number in 1..=max {
        state.load(SnapshotPart::Owed(entry(number, ask.agent)));
    }
    assert_eq!(state.delivery.len(), limits::OWED_PER_AGENT_MAX + 1);
    state.load(SnapshotPart::Owed(entry(max + 1, ask.agent)));
    assert_eq!(state.delivery.len(), limits::OWED_PER_AGENT_MAX + 1);
    assert_eq!(state.delivery.get(entry(1, ask.agent).ask), None);
    assert!(state.delivery.get(entry(2, ask.agent).ask).is_some());
    assert_eq!(state.delivery.of(other).count(), 1);
    let oldest = state.delivery.of(ask.agent).next();
    assert_eq!(oldest, Some(&entry(2, ask.agent)));
    // A batch lets go of the oldest as well, and of the next one after that.
    let mut batch = state.batch();
    for number in [2, 3] {
        let asked = Arc::new(Ask {
            id: AskId::from_bytes(u128::from(max + number).to_be_bytes()),
            ..Ask::clone(&ask)
        });
        let closing = Arc::new(Closing {
            outcome: replies(),
            by: ann(),
            at: ask.asked_at,
        });
        let id = asked.id;
        batch.apply(Seq(2 * max + number), &Event::Asked(asked));
        let closed = Event::closed(id, Seq(2 * max + number), closing);
        batch.apply(Seq(3 * max + number), &closed);
        assert!(batch.delivery.get(entry(number, ask.agent).ask).is_none());
        assert!(
            batch
                .delivery
                .get(entry(number + 1, ask.agent).ask)
                .is_some()
        );
    }
}
