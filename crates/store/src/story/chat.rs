//! Conversations: what stands in one, what waits for its agent, and whose turn runs.

use std::sync::Arc;

use sayso_core::entry::{MessageState, TurnEnd};
use sayso_core::id::{AgentId, ConversationId, Seq};
use sayso_core::journal::Event;
use sayso_core::outcome::Outcome;
use sayso_core::time::Time;

use super::sample;
use super::stage::{begin, caught_up, commit, recover, sound};
use crate::{
    ConversationQuery, ConversationRow, EntryFrom, EntryPage, EntryQuery, EntryRow, EntryWhat,
    Store, StoredEvent,
};
use sayso_core::state::{QueuedEntry, SnapshotPart};

fn asked(n: u64, conversation: u32) -> Event {
    let mut ask = sample::ask(n, sample::question("?"));
    ask.conversation = Some(ConversationId(conversation));
    Event::Asked(Arc::new(ask))
}

fn begun() -> Vec<Event> {
    vec![
        Event::AgentMet(sample::agent(1)),
        Event::AgentMet(sample::agent(2)),
        Event::ConversationBegan(sample::conversation(1, 1)),
        Event::ConversationBegan(sample::conversation(2, 2)),
    ]
}

async fn page(store: &impl Store, from: EntryFrom, limit: usize) -> EntryPage {
    let query = EntryQuery {
        conversation: ConversationId(1),
        from,
        limit,
    };
    store.entries(query).await.unwrap()
}

/// Everything in a conversation comes in the journal's order, from either end, page by page.
pub async fn a_conversation_is_read_from_both_ends<S: Store>(mut open: impl FnMut() -> S) {
    let mut events = begun();
    events.extend([
        sample::message(1, 1, "do it"),
        sample::message(2, 2, "elsewhere"),
        sample::handed(1, 1, 5),
        sample::noted(3, 1, None),
        asked(10, 1),
        sample::message(4, 1, "and this"),
        sample::closed(
            sample::ask_id(10),
            Seq(9),
            sample::closing(Outcome::Expired, 20_000),
        ),
        sample::said(5, 1, "done"),
        sample::turn_ended(1, TurnEnd::Done),
        asked(11, 1),
    ]);
    let last = events.len() as u64;
    {
        let store = begin(&mut open).await;
        commit(&store, 10_000, events.clone()).await;
    }
    let mut rows = vec![
        (5, EntryWhat::Message(MessageState::Sent)),
        (8, EntryWhat::Note),
        (9, EntryWhat::Ask(sample::ask_id(10))),
        (10, EntryWhat::Message(MessageState::Queued)),
        (12, EntryWhat::Said),
        (13, EntryWhat::TurnEnded),
        (14, EntryWhat::Ask(sample::ask_id(11))),
    ]
    .into_iter()
    .map(|(seq, what)| EntryRow {
        seq: Seq(seq),
        what,
    })
    .collect::<Vec<_>>();
    let store = begin(&mut open).await;
    caught_up(&store, Seq(last)).await;
    for limit in [1, 3, 6, 7, 8] {
        let mut forward = Vec::new();
        loop {
            let after = forward.last().map_or(Seq::ZERO, |row: &EntryRow| row.seq);
            let found = page(&store, EntryFrom::After(after), limit).await;
            assert!(found.rows.len() <= limit && found.as_of == Seq(last));
            forward.extend(found.rows);
            if !found.more {
                break;
            }
        }
        assert_eq!(forward, rows);
        let mut backward = Vec::new();
        loop {
            let before = backward.first().map_or(Seq::MAX, |row: &EntryRow| row.seq);
            let found = page(&store, EntryFrom::Before(before), limit).await;
            backward.splice(0..0, found.rows);
            if !found.more {
                break;
            }
        }
        assert_eq!(backward, rows);
    }
    // The words are in the journal; what is not there is left out.
    let words = store.events_at(&[Seq(12), Seq(5), Seq(99)]).await.unwrap();
    let expected = [12, 5].map(|seq: u64| StoredEvent {
        unreadable: false,
        seq: Seq(seq),
        at: Time::from_millis(10_000),
        ask: None,
        event: events.get(usize::try_from(seq).unwrap() - 1).cloned(),
    });
    assert_eq!(words, expected);
    // An erased ask is no longer part of it.
    let place = sample::place(9, Some(11), None);
    let erased = Event::Erased {
        ask: sample::ask_id(10),
        place,
    };
    commit(&store, 20_000, vec![erased]).await;
    caught_up(&store, Seq(last + 1)).await;
    rows.retain(|row| row.seq != Seq(9));
    assert_eq!(
        page(&store, EntryFrom::After(Seq::ZERO), 50).await.rows,
        rows
    );
    sound(&store, last + 1, 2).await;
}

/// A start is told what waits, in order, and which turns run; another epoch begins with neither.
pub async fn what_waits_and_runs_comes_back<S: Store>(mut open: impl FnMut() -> S) {
    let waiting = |told: Vec<SnapshotPart>| -> Vec<SnapshotPart> {
        let chat = |item: &SnapshotPart| {
            matches!(item, SnapshotPart::Queued(_) | SnapshotPart::Running(_))
        };
        told.into_iter().filter(chat).collect()
    };
    let queued = |n: u64, conversation: u32, seq: u64| {
        SnapshotPart::Queued(QueuedEntry {
            message: sample::message_id(n),
            conversation: ConversationId(conversation),
            seq: Seq(seq),
        })
    };
    let running = |conversation| SnapshotPart::Running(ConversationId(conversation));
    let mut before = begun();
    before.extend([
        sample::message(1, 1, "one"),
        sample::message(2, 2, "two"),
        sample::message(3, 1, "three"),
    ]);
    let steps = [
        (
            before,
            vec![queued(1, 1, 5), queued(2, 2, 6), queued(3, 1, 7)],
        ),
        (
            vec![sample::handed(1, 1, 5)],
            vec![queued(2, 2, 6), queued(3, 1, 7), running(1)],
        ),
        // Its link went before it had it: it waits where it was.
        (
            vec![sample::returned(1, 1, 5)],
            vec![queued(1, 1, 5), queued(2, 2, 6), queued(3, 1, 7)],
        ),
        (
            vec![sample::handed(1, 1, 5)],
            vec![queued(2, 2, 6), queued(3, 1, 7), running(1)],
        ),
        (
            vec![
                sample::turn_ended(1, TurnEnd::Lost),
                sample::said(4, 2, "hello"),
            ],
            vec![queued(2, 2, 6), queued(3, 1, 7), running(2)],
        ),
        (
            vec![sample::handed(2, 2, 6), sample::handed(3, 1, 7)],
            vec![running(1), running(2)],
        ),
        (
            vec![
                sample::message(5, 1, "lost"),
                Event::EpochBegan(sample::epoch(2)),
            ],
            Vec::new(),
        ),
        // What was removed neither waits nor stands anywhere.
        (
            vec![
                sample::message(7, 1, "kept"),
                sample::message(8, 1, "not this"),
                sample::removed(8, 1, 18),
            ],
            vec![queued(7, 1, 17)],
        ),
        (vec![sample::handed(7, 1, 17)], vec![running(1)]),
        (vec![sample::turn_ended(1, TurnEnd::Done)], Vec::new()),
        // What a tool did may be told after the turn it belonged to: it begins none.
        (vec![sample::noted(6, 1, None)], Vec::new()),
    ];
    let mut events = 0;
    for (step, expected) in steps {
        events += step.len() as u64;
        {
            let store = begin(&mut open).await;
            commit(&store, 10_000, step).await;
        }
        let store = open();
        assert_eq!(waiting(recover(&store).await.0), expected);
        sound(&store, events, 0).await;
    }
}

/// Conversations are listed by what happened in them last, all of them or those of one agent.
pub async fn conversations_are_listed_by_their_latest_entry<S: Store>(mut open: impl FnMut() -> S) {
    let store = begin(&mut open).await;
    let mut events = begun();
    events.push(Event::ConversationBegan(sample::conversation(3, 1)));
    commit(&store, 1_000, events).await;
    commit(&store, 2_000, vec![sample::message(1, 1, "hello")]).await;
    commit(&store, 3_000, vec![sample::handed(1, 1, 6)]).await;
    caught_up(&store, Seq(7)).await;
    let row = |conversation, last, at| ConversationRow {
        conversation: ConversationId(conversation),
        last: Seq(last),
        at: Time::from_millis(at),
    };
    let all = [row(1, 6, 2_000), row(3, 5, 1_000), row(2, 4, 1_000)];
    for limit in [1, 2, 3, 9] {
        let mut found = Vec::new();
        let mut query = ConversationQuery {
            limit,
            ..ConversationQuery::default()
        };
        loop {
            let page = store.conversations(&query).await.unwrap();
            query.before = page.rows.last().map(|row| row.last);
            found.extend(page.rows);
            if !page.more {
                break;
            }
        }
        assert_eq!(found, all);
    }
    let of_first = ConversationQuery {
        agent: Some(AgentId(1)),
        limit: 9,
        ..ConversationQuery::default()
    };
    let page = store.conversations(&of_first).await.unwrap();
    assert_eq!(page.rows, [row(1, 6, 2_000), row(3, 5, 1_000)]);
    assert_eq!((page.more, page.as_of), (false, Seq(7)));
    // With the latest entry removed, the one before it is the latest again.
    commit(&store, 4_000, vec![sample::message(2, 1, "not this")]).await;
    commit(&store, 5_000, vec![sample::removed(2, 1, 8)]).await;
    caught_up(&store, Seq(9)).await;
    let page = store.conversations(&of_first).await.unwrap();
    assert_eq!(page.rows, [row(1, 6, 2_000), row(3, 5, 1_000)]);
}
