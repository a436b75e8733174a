//! However the journal is cut into batches, the projections are the same.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use sayso_core::id::Seq;
use sayso_core::journal::{DeliveryMark, Event};
use sayso_core::outcome::{Delivery, Outcome};
use sayso_core::time::Time;
use sayso_store::Header;
use sayso_store::story::sample;

use super::fixture::every_event;
use super::place::{Place, asked, closed, commit, open, start};
use super::views::{Table, dump};
use crate::SqliteStore;
use crate::journal::{End, header_at};
use crate::reading::Failed;

/// How the journal is taken in.
#[derive(Debug, Clone, Copy)]
enum Cut {
    /// One event in each batch.
    Single,
    /// All of them in one.
    Whole,
    /// The rows of all of them, and then the text.
    RowsFirst,
}

/// The journal as it was when it ended at a place.
fn end_at(store: &SqliteStore, seq: u64) -> End {
    let read = |journal: &Connection| header_at(journal, Seq(seq)).map_err(Failed);
    let header = store.inner.journal.with(read).unwrap().unwrap();
    End {
        seq: Seq(seq),
        hash: Header::hash(&header),
        ..store.inner.end()
    }
}

/// Every table and every word, made anew.
fn projected(folder: &Path, cut: Cut) -> (Vec<Table>, Vec<(String, i64, i64)>) {
    fs::remove_file(folder.join("views.db")).unwrap();
    // It is not started, so nobody else projects.
    let store = open(folder).unwrap();
    let (views, end) = (&store.inner.views, store.inner.end().seq.0);
    let step = |seq: u64, with_text| {
        let end = end_at(&store, seq);
        views.step_rows(&store.inner.journal, end, &|_| Seq(seq), with_text)
    };
    match cut {
        Cut::Single => {
            for seq in 1..=end {
                assert!(!step(seq, true).unwrap());
                assert_eq!((views.rows(), views.text()), (Seq(seq), Seq(seq)));
            }
        }
        Cut::Whole => assert!(!step(end, true).unwrap()),
        Cut::RowsFirst => assert!(!step(end, false).unwrap()),
    }
    while views.step_text(&store.inner.journal).unwrap() {}
    assert_eq!((views.rows(), views.text()), (Seq(end), Seq(end)));
    drop(store);
    (dump(folder), words(folder))
}

/// Every word with its ask and its place there.
fn words(folder: &Path) -> Vec<(String, i64, i64)> {
    let connection = Connection::open(folder.join("views.db")).unwrap();
    connection
        .execute_batch("CREATE VIRTUAL TABLE temp.found USING fts5vocab(main, asks_text, instance)")
        .unwrap();
    let mut statement = connection
        .prepare("SELECT term, doc, offset FROM temp.found ORDER BY doc, offset, term")
        .unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    rows.unwrap().map(Result::unwrap).collect()
}

fn same_however_it_is_cut(folder: &Path) -> Vec<(String, i64, i64)> {
    let whole = projected(folder, Cut::Whole);
    for cut in [Cut::Single, Cut::RowsFirst] {
        let other = projected(folder, cut);
        for (one, other) in whole.0.iter().zip(&other.0) {
            assert_eq!(one, other, "{cut:?}");
        }
        assert_eq!(whole.1, other.1, "{cut:?}");
    }
    whole.1
}

#[test]
fn every_kind_of_event_is_projected_the_same_however_the_journal_is_cut() {
    let place = Place::new();
    commit(&start(place.path()), 40_000, every_event()).unwrap();
    assert!(!same_however_it_is_cut(place.path()).is_empty());
}

#[test]
fn an_ask_that_opens_and_ends_in_one_batch_is_projected_as_in_several() {
    let place = Place::new();
    let mark = |n: u64, delivery, at| DeliveryMark {
        ask: sample::ask_id(n),
        opened: Seq(n),
        delivery,
        at: Time::from_millis(at),
    };
    let withdrawn = |n: u64| Event::Closed {
        ask: sample::ask_id(n),
        opened: Seq(n),
        closing: sample::closing(Outcome::Withdrawn { note: None }, 30_000),
    };
    let late = Event::AnsweredLate {
        ask: sample::ask_id(7),
        opened: Seq(7),
        late: sample::late(sample::replies(), 26_000),
    };
    let mut events = vec![Event::AgentMet(sample::agent(1))];
    events.extend((2..=9).map(asked));
    events.extend([
        // Out of order, and twice: the first close counts.
        closed(5, 5),
        closed(2, 2),
        withdrawn(2),
        Event::Delivered(vec![
            // Too early, backwards, twice, and for one that is not closed.
            mark(3, Delivery::Sent, 1),
            mark(2, Delivery::Sent, 2),
            mark(2, Delivery::Sent, 3),
            mark(5, Delivery::Confirmed, 4),
            mark(5, Delivery::Sent, 5),
            mark(2, Delivery::Owed, 6),
        ]),
        closed(3, 3),
        Event::Shown(vec![sample::shown(3, 2, 7), sample::shown(3, 2, 8)]),
        Event::Delivered(vec![mark(2, Delivery::Confirmed, 9)]),
        withdrawn(7),
        late,
        Event::EpochBegan(sample::epoch(2)),
        closed(4, 4),
        Event::Delivered(vec![mark(4, Delivery::Sent, 10)]),
    ]);
    commit(&start(place.path()), 40_000, events).unwrap();
    let words = same_however_it_is_cut(place.path());
    let found: std::collections::BTreeSet<i64> = words.iter().map(|(_, ask, _)| *ask).collect();
    assert_eq!(found, [2, 3, 4, 5, 7].into());
}
