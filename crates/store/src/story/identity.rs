//! How a state begins, who is known in it, and what a new epoch does.

use std::sync::Arc;

use sayso_core::ask::MatterKind;
use sayso_core::id::{AgentId, AskId, Seq, TokenId};
use sayso_core::journal::Event;
use sayso_core::outcome::{Delivery, Outcome, OutcomeKind};
use sayso_core::role::Role;
use sayso_core::time::Time;

use super::sample;
use super::stage::{begin, commit, recover, sound};
use crate::{AskPage, AskQuery, Head, Stats, StatsQuery, StatsSplit, Store, append};
use sayso_core::state::{OpenEntry, OwedEntry, SnapshotPart};

/// A new state knows nothing and says so.
pub async fn begins_empty<S: Store>(mut open: impl FnMut() -> S) {
    for _ in 0..2 {
        let store = open();
        let nothing = Head {
            seq: Seq::ZERO,
            at: Time::default(),
            epoch: None,
            last_ask: None,
            now: None,
        };
        assert_eq!(recover(&store).await, (Vec::new(), nothing));
        assert_eq!(append(&store, Vec::new()).await.unwrap(), Vec::new());
        assert_eq!(store.events(Seq::ZERO, 10).await.unwrap(), Vec::new());
        assert_eq!(store.find(sample::ask_id(1)).await.unwrap(), None);
        assert_eq!(store.find_key(1).await.unwrap(), Vec::<AskId>::new());
        assert_eq!(store.viewed(), Seq::ZERO);
        let page = AskPage {
            rows: Vec::new(),
            next: None,
            as_of: Seq::ZERO,
        };
        assert_eq!(
            store
                .closed(&AskQuery {
                    limit: 10,
                    ..AskQuery::default()
                })
                .await
                .unwrap(),
            page
        );
        let stats = StatsQuery {
            agent: None,
            ahead_min: 0,
            from: Time::default(),
            to: Time::MAX,
            by: StatsSplit::Day,
        };
        assert_eq!(
            store.stats(&stats).await.unwrap(),
            Stats {
                rows: Vec::new(),
                as_of: Seq::ZERO
            }
        );
        sound(&store, 0, 0).await;
    }
}

/// Tokens, agents and conversations come back, a revoked token does not, its number stays used.
pub async fn identities_come_back<S: Store>(mut open: impl FnMut() -> S) {
    let tokens = [
        sample::token(1, Role::Agent),
        sample::token(2, Role::Person(sample::person("Zoë"))),
        sample::token(3, Role::Admin),
    ];
    let gone = sample::token(4, Role::Agent);
    let agents = [sample::agent(1), sample::agent(2)];
    let conversations = [sample::conversation(1, 1), sample::conversation(2, 2)];
    let epoch = sample::epoch(1);
    {
        let store = begin(&mut open).await;
        let mut events = vec![Event::EpochBegan(epoch)];
        events.extend(tokens.iter().chain([&gone]).cloned().map(Event::TokenMade));
        events.extend(agents.iter().cloned().map(Event::AgentMet));
        events.extend(conversations.iter().cloned().map(Event::ConversationBegan));
        let seqs = commit(&store, 500, events).await;
        assert_eq!(seqs, (1..=9).map(Seq).collect::<Vec<_>>());
        assert_eq!(
            commit(&store, 600, vec![Event::TokenRevoked(gone.id)]).await,
            [Seq(10)]
        );
    }
    let mut expected: Vec<SnapshotPart> = tokens.into_iter().map(SnapshotPart::Token).collect();
    expected.push(SnapshotPart::LastToken(TokenId(4)));
    expected.extend(agents.into_iter().map(SnapshotPart::Agent));
    expected.extend(conversations.into_iter().map(SnapshotPart::Conversation));
    let head = Head {
        seq: Seq(10),
        at: Time::from_millis(600),
        epoch: Some(epoch),
        last_ask: None,
        now: None,
    };
    for _ in 0..2 {
        let store = open();
        assert_eq!(recover(&store).await, (expected.clone(), head));
        sound(&store, 10, 0).await;
    }
}

/// What was open or owed when a new epoch began is not told again; what came after is.
pub async fn a_new_epoch_voids_what_was_open<S: Store>(mut open: impl FnMut() -> S) {
    let asks: Vec<Arc<_>> = (1..=4)
        .map(|n| Arc::new(sample::ask(n, sample::question("?"))))
        .collect();
    let [lost, owed, withdrawn, alive] = asks.as_slice() else {
        unreachable!()
    };
    let withdrawal = sample::closing(Outcome::Withdrawn { note: None }, 30_000);
    {
        let store = begin(&mut open).await;
        let close = |ask: &Arc<sayso_core::ask::Ask>, opened: Seq, closing| {
            sample::closed(ask.id, opened, closing)
        };
        let mut events = vec![
            Event::EpochBegan(sample::epoch(1)),
            Event::AgentMet(sample::agent(1)),
        ];
        events.extend([lost, owed, withdrawn].map(|ask| Event::Asked(Arc::clone(ask))));
        commit(&store, 10_000, events).await;
        commit(
            &store,
            20_000,
            vec![close(
                owed,
                Seq(4),
                sample::closing(Outcome::Expired, 20_000),
            )],
        )
        .await;
        let after = vec![
            Event::EpochBegan(sample::epoch(2)),
            close(withdrawn, Seq(5), withdrawal),
            Event::Asked(Arc::clone(alive)),
        ];
        assert_eq!(
            commit(&store, 30_000, after).await,
            [Seq(7), Seq(8), Seq(9)]
        );
    }
    let store = open();
    let expected = vec![
        SnapshotPart::Agent(sample::agent(1)),
        SnapshotPart::Open(OpenEntry {
            ask: alive.id,
            opened: Seq(9),
            deadline: None,
            agent: AgentId(1),
            conversation: None,
            matter: MatterKind::Questions,
            keys: [None; 2],
        }),
        SnapshotPart::Owed(OwedEntry {
            ask: withdrawn.id,
            agent: AgentId(1),
            opened: Seq(5),
            closed: Seq(8),
            how: OutcomeKind::Withdrawn,
            late: None,
            delivery: Delivery::Owed,
            closed_at: Time::from_millis(30_000),
        }),
    ];
    let head = Head {
        seq: Seq(9),
        at: Time::from_millis(30_000),
        epoch: Some(sample::epoch(2)),
        last_ask: Some(alive.id),
        now: None,
    };
    assert_eq!(recover(&store).await, (expected, head));
    let place = sample::place(3, None, None);
    assert_eq!(
        store.find(lost.id).await.unwrap(),
        Some((place, Delivery::Owed))
    );
}
