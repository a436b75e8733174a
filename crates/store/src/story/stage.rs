//! What the chapters share: committing, starting again, and waiting for the projections.

use std::sync::Arc;
use std::time::Duration;

use sayso_core::ask::Ask;
use sayso_core::id::Seq;
use sayso_core::journal::Event;
use sayso_core::outcome::{Closing, Late};
use sayso_core::state::SnapshotPart;
use sayso_core::time::Time;

use crate::{AskQuery, Head, JournalEntry, Store, StoredAsk, StoredEvent, Verified, append};

/// How often a chapter looks whether the projections have caught up.
const LOOKS_MAX: u32 = 20_000;

/// Opens the state and starts from it.
pub(super) async fn begin<S: Store>(open: &mut impl FnMut() -> S) -> S {
    let store = open();
    recover(&store).await;
    store
}

/// Commits events at the moment `at` and says where each went.
pub(super) async fn commit(store: &impl Store, at: u64, events: Vec<Event>) -> Vec<Seq> {
    let batch: Vec<JournalEntry> = events
        .into_iter()
        .map(|event| JournalEntry {
            event,
            at: Time::from_millis(at),
        })
        .collect();
    append(store, batch).await.unwrap()
}

/// Commits one event.
pub(super) async fn commit_one(store: &impl Store, at: u64, event: Event) -> Seq {
    let seqs = commit(store, at, vec![event]).await;
    assert_eq!(seqs.len(), 1);
    seqs.into_iter().next().unwrap()
}

/// What a start is told, apart from the time.
pub(super) async fn recover(store: &impl Store) -> (Vec<SnapshotPart>, Head) {
    let mut told = Vec::new();
    let head = store.snapshot(&mut |item| told.push(item)).await.unwrap();
    (told, Head { now: None, ..head })
}

/// An ask as it is read, with all that is known of it.
pub(super) fn whole(
    ask: &Arc<Ask>,
    closing: Option<Arc<Closing>>,
    late: Option<Arc<Late>>,
) -> StoredAsk {
    StoredAsk::Whole {
        ask: Arc::clone(ask),
        closing,
        late,
    }
}

/// An event as it is read.
pub(super) fn stored(seq: Seq, at: Time, event: Event) -> StoredEvent {
    StoredEvent {
        unreadable: false,
        seq,
        at,
        ask: event.ask(),
        event: Some(event),
    }
}

/// Waits until lists and search have seen everything up to `head`.
pub(super) async fn caught_up(store: &impl Store, head: Seq) {
    let any = AskQuery {
        search: Some("anything".to_owned()),
        limit: 1,
        ..AskQuery::default()
    };
    for _ in 0..LOOKS_MAX {
        if store.viewed() >= head && store.closed(&any).await.unwrap().as_of >= head {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    unreachable!("the projections do not reach {head}");
}

/// Asserts that the whole journal is sound.
pub(super) async fn sound(store: &impl Store, events: u64, erased: u64) {
    assert_eq!(
        store.verify().await.unwrap(),
        Verified {
            events,
            erased,
            faults: Vec::new()
        }
    );
}
