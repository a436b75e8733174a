//! The life of an ask, and everything that can be written about one read back as it was.

use std::sync::Arc;

use sayso_core::ask::MatterKind;
use sayso_core::entry::{NoteStatus, TurnEnd};
use sayso_core::id::{AgentId, AskKey, ConversationId, Seq, TokenId, WireId};
use sayso_core::journal::{DeliveryMark, Event};
use sayso_core::outcome::{Delivery, Outcome, OutcomeKind};
use sayso_core::role::Role;
use sayso_core::time::Time;

use super::sample;
use super::stage::{begin, caught_up, commit, commit_one, recover, sound, stored, whole};
use crate::{Store, StoredEvent};
use sayso_core::state::{OpenEntry, OwedEntry, SnapshotPart, ask_keys};

/// Asked, lapsed, answered late, sent, confirmed: after each step a start is told just that.
#[expect(clippy::too_many_lines, reason = "one life, told in one go")]
pub async fn an_ask_lives<S: Store>(mut open: impl FnMut() -> S) {
    let agent = sample::agent(1);
    let mut ask = sample::ask(7, sample::form());
    ask.conversation = Some(ConversationId(1));
    ask.deadline = Some(Time::from_millis(20_000));
    ask.key = Some(AskKey::new("k").unwrap());
    ask.wire_id = Some(WireId::new("w").unwrap());
    let ask = Arc::new(ask);
    let known = vec![
        SnapshotPart::Agent(agent.clone()),
        SnapshotPart::Conversation(sample::conversation(1, 1)),
    ];
    let with = |item: Option<SnapshotPart>| known.iter().cloned().chain(item).collect::<Vec<_>>();
    let mut place = sample::place(3, None, None);
    {
        let store = begin(&mut open).await;
        let events = vec![
            Event::AgentMet(agent.clone()),
            Event::ConversationBegan(sample::conversation(1, 1)),
            Event::Asked(Arc::clone(&ask)),
        ];
        assert_eq!(
            commit(&store, 10_007, events).await,
            [Seq(1), Seq(2), Seq(3)]
        );
        let whole = whole(&ask, None, None);
        assert_eq!(store.read(place).await.unwrap(), whole);
    }
    let open_entry = OpenEntry {
        ask: ask.id,
        opened: Seq(3),
        deadline: ask.deadline,
        agent: AgentId(1),
        conversation: Some(ConversationId(1)),
        matter: MatterKind::Form,
        keys: ask_keys(&agent, &ask),
    };
    assert!(open_entry.keys.iter().all(Option::is_some));
    let closing = sample::closing(Outcome::Expired, 20_001);
    {
        let store = open();
        let (told, head) = recover(&store).await;
        assert_eq!(
            (told, head.last_ask),
            (with(Some(SnapshotPart::Open(open_entry))), Some(ask.id))
        );
        let closed = sample::closed(ask.id, Seq(3), Arc::clone(&closing));
        place.closed = Some(commit_one(&store, 20_001, closed).await);
        let whole = whole(&ask, Some(Arc::clone(&closing)), None);
        assert_eq!(store.read(place).await.unwrap(), whole);
    }
    let mut owed = OwedEntry {
        ask: ask.id,
        agent: AgentId(1),
        opened: Seq(3),
        closed: Seq(4),
        how: OutcomeKind::Expired,
        late: None,
        delivery: Delivery::Owed,
        closed_at: Time::from_millis(20_001),
    };
    let late = sample::late(sample::fields(&[]), 30_000);
    {
        let store = open();
        assert_eq!(
            recover(&store).await.0,
            with(Some(SnapshotPart::Owed(owed)))
        );
        place.late = Some(
            commit_one(
                &store,
                30_000,
                sample::answered_late(ask.id, Seq(3), Arc::clone(&late)),
            )
            .await,
        );
    }
    owed.late = Some(Seq(5));
    let whole = whole(&ask, Some(closing), Some(late));
    for (delivery, after) in [
        (Delivery::Sent, Some(Delivery::Sent)),
        (Delivery::Confirmed, None),
    ] {
        {
            let store = open();
            assert_eq!(
                recover(&store).await.0,
                with(Some(SnapshotPart::Owed(owed)))
            );
            assert_eq!(store.read(place).await.unwrap(), whole);
            let mark = DeliveryMark {
                ask: ask.id,
                opened: Seq(3),
                delivery,
                at: Time::from_millis(31_000),
            };
            commit_one(&store, 31_000, Event::Delivered(vec![mark])).await;
        }
        owed.delivery = after.unwrap_or(owed.delivery);
    }
    let store = open();
    assert_eq!(recover(&store).await.0, known);
    caught_up(&store, Seq(7)).await;
    assert_eq!(
        store.find(ask.id).await.unwrap(),
        Some((place, Delivery::Confirmed))
    );
    assert_eq!(store.read(place).await.unwrap(), whole);
    sound(&store, 7, 0).await;
}

/// Every event there can be, without secrets and in the order in which it could happen.
fn every_event() -> Vec<Event> {
    let mut events = vec![
        Event::EpochBegan(sample::epoch(1)),
        Event::TokenMade(sample::token(1, Role::Agent)),
        Event::TokenMade(sample::token(2, Role::Person(sample::person(sample::ODD)))),
        Event::TokenMade(sample::token(u32::MAX, Role::Admin)),
        Event::TokenRevoked(TokenId(2)),
        Event::AgentMet(sample::agent(1)),
        Event::ConversationBegan(sample::conversation(1, 1)),
    ];
    let first = events.len() as u64 + 1;
    let asks = sample::asks(first);
    events.extend(asks.iter().cloned().map(|ask| Event::Asked(Arc::new(ask))));
    // The n-th ask has the id of the place at which it stands.
    let closings = sample::closings();
    for (opened, closing) in (first..).zip(&closings) {
        events.push(sample::closed(
            sample::ask_id(opened),
            Seq(opened),
            Arc::new(closing.clone()),
        ));
    }
    let ask = sample::ask_id(first);
    let late = sample::late(sample::replies(), 80_000);
    events.push(sample::answered_late(ask, Seq(first), late));
    let marks = Delivery::ALL.map(|delivery| DeliveryMark {
        ask,
        opened: Seq(first),
        delivery,
        at: Time::MAX,
    });
    events.push(Event::Delivered(marks.to_vec()));
    events.push(Event::Delivered(Vec::new()));
    events.push(Event::Shown(vec![sample::shown(first, 1, 7)]));
    events.push(Event::Shown(Vec::new()));
    events.push(sample::message(1, 1, sample::ODD));
    events.push(sample::handed(1, 1, events.len() as u64));
    events.push(sample::message(9, 1, sample::ODD));
    events.push(sample::removed(9, 1, events.len() as u64));
    events.push(sample::cleared(1, &[]));
    events.push(sample::said(2, 1, sample::ODD));
    events.push(sample::noted(3, 1, None));
    events.extend(NoteStatus::ALL.map(|status| sample::noted(4, 1, Some(status))));
    let ends = [
        TurnEnd::Done,
        TurnEnd::Failed,
        TurnEnd::Lost,
        TurnEnd::Stopped,
    ];
    events.extend(ends.map(|end| sample::turn_ended(1, end)));
    events
}

/// Everything reads back equal to what was written, whatever letters and lengths it has.
pub async fn every_record_reads_back<S: Store>(mut open: impl FnMut() -> S) {
    let events = every_event();
    {
        let store = begin(&mut open).await;
        commit(&store, 5000, events.clone()).await;
    }
    let expected: Vec<StoredEvent> = (1..)
        .zip(events)
        .map(|(seq, event)| stored(Seq(seq), Time::from_millis(5000), event))
        .collect();
    for _ in 0..2 {
        let store = begin(&mut open).await;
        assert_eq!(store.events(Seq::ZERO, 1000).await.unwrap(), expected);
        caught_up(&store, Seq(expected.len() as u64)).await;
        sound(&store, expected.len() as u64, 0).await;
    }
}

/// Events come in the order of their commits, and a reader who pages misses and repeats none.
pub async fn events_come_in_order_and_in_pages<S: Store>(mut open: impl FnMut() -> S) {
    const EVENTS: u64 = 57;
    let mut expected = Vec::new();
    for batch in [1, 7, 20, EVENTS - 28] {
        // Every batch is written by another life of the store.
        let store = begin(&mut open).await;
        let from = expected.len() as u64 + 1;
        let events: Vec<Event> = (from..from + batch)
            .map(|n| Event::Asked(Arc::new(sample::ask(n, sample::question("?")))))
            .collect();
        let seqs = commit(&store, from, events.clone()).await;
        assert_eq!(seqs, (from..from + batch).map(Seq).collect::<Vec<_>>());
        let at = Time::from_millis(from);
        expected.extend(
            seqs.into_iter()
                .zip(events)
                .map(|(seq, event)| stored(seq, at, event)),
        );
    }
    let store = begin(&mut open).await;
    for page in [1, 5, 56, 57, 58] {
        let mut read = Vec::new();
        loop {
            let after = read
                .last()
                .map_or(Seq::ZERO, |event: &StoredEvent| event.seq);
            let events = store.events(after, page).await.unwrap();
            assert!(events.len() <= page);
            if events.is_empty() {
                break;
            }
            read.extend(events);
        }
        assert_eq!(read, expected);
    }
    assert_eq!(store.events(Seq(EVENTS), 10).await.unwrap(), Vec::new());
    assert_eq!(store.events(Seq(EVENTS + 5), 10).await.unwrap(), Vec::new());
}
