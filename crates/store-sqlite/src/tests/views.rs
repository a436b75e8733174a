//! The projections' file: deleted, garbage, old or of another journal, it is made again, equal.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use rusqlite::Connection;
use rusqlite::types::Value;
use sayso_core::id::{Place as JournalPlace, Seq};
use sayso_core::journal::{DeliveryMark, Event};
use sayso_core::outcome::{Delivery, Outcome};
use sayso_core::role::Role;
use sayso_core::state::SnapshotPart;
use sayso_core::time::Time;
use sayso_store::story::sample;
use sayso_store::{AskQuery, Store as _, StoreError, Trouble};

use super::place::{Place, asked, caught_up, closed, commit, fill, now, open, recover, start};
use crate::{SqliteSettings, rebuild};

/// The name of a table and its rows.
pub(super) type Table = (String, Vec<Vec<Value>>);

pub(super) fn dump(folder: &Path) -> Vec<Table> {
    let connection = Connection::open(folder.join("views.db")).unwrap();
    [
        "progress",
        "epoch",
        "tokens",
        "agents",
        "conversations",
        "entries",
        "queued",
        "asks",
        "shown",
        "rules",
        "denied",
    ]
    .map(|table| {
        let mut statement = connection
            .prepare(&format!("SELECT * FROM {table}"))
            .unwrap();
        let columns = statement.column_count();
        let rows = statement
            .query_map([], |row| (0..columns).map(|at| row.get(at)).collect())
            .unwrap();
        (table.to_owned(), rows.map(Result::unwrap).collect())
    })
    .to_vec()
}

/// A state in which everything has happened that projections know of.
fn lived(folder: &Path) {
    fill(folder);
    let store = start(folder);
    let mark = |n: u64, delivery| DeliveryMark {
        ask: sample::ask_id(n),
        opened: Seq(n),
        delivery,
        at: Time::from_millis(5),
    };
    let erased = JournalPlace {
        opened: Seq(4),
        closed: Some(Seq(14)),
        late: None,
    };
    let lapsed = Event::Closed {
        ask: sample::ask_id(7),
        opened: Seq(7),
        closing: sample::closing(Outcome::Expired, 25_000),
    };
    let events = vec![
        Event::TokenMade(sample::token(1, Role::Person(sample::person("Zoë")))),
        Event::TokenRevoked(sayso_core::id::TokenId(1)),
        Event::ConversationBegan(sample::conversation(1, 1)),
        Event::Delivered(vec![
            mark(2, Delivery::Sent),
            mark(3, Delivery::Confirmed),
            mark(2, Delivery::Owed),
        ]),
        Event::Shown(vec![sample::shown(3, 1, 5), sample::shown(4, 2, 5)]),
        lapsed,
        Event::AnsweredLate {
            ask: sample::ask_id(7),
            opened: Seq(7),
            late: sample::late(sample::replies(), 26_000),
        },
        Event::Erased {
            ask: sample::ask_id(4),
            place: erased,
        },
        Event::Delivered(vec![mark(4, Delivery::Sent)]),
        Event::Shown(vec![sample::shown(2, 1, 6), sample::shown(4, 1, 6)]),
        Event::EpochBegan(sample::epoch(2)),
        closed(8, 8),
    ];
    commit(&store, 30_000, events).unwrap();
    commit(
        &store,
        30_000,
        sample::asks(27)
            .into_iter()
            .map(|ask| Event::Asked(Arc::new(ask)))
            .collect(),
    )
    .unwrap();
    let end = now(store.events(Seq::ZERO, 1000)).unwrap().len() as u64;
    let mut ask = sample::ask(90, sample::question("?"));
    ask.conversation = Some(sayso_core::id::ConversationId(1));
    let gone = JournalPlace {
        opened: Seq(end + 5),
        closed: None,
        late: None,
    };
    let chat = vec![
        sample::message(1, 1, "waits"),
        sample::message(2, 1, "goes"),
        sample::handed(2, 1, end + 2),
        sample::noted(3, 1, None),
        Event::Asked(Arc::new(ask)),
        Event::Erased {
            ask: sample::ask_id(90),
            place: gone,
        },
        sample::message(5, 1, "not this"),
        sample::removed(5, 1, end + 7),
        sample::said(6, 1, "words that are erased"),
        sample::cleared(1, &[end + 9]),
    ];
    commit(&store, 40_000, chat).unwrap();
    caught_up(&store);
}

fn without_purge(mut tables: Vec<Table>) -> Vec<Table> {
    // Whether old words are yet to be cleaned away is a matter of time, not of the journal.
    tables[0]
        .1
        .retain(|row| row[0] != Value::Text("purge".to_owned()));
    tables
}

/// What is done to the file.
type Harm = fn(&Path);

#[test]
fn whatever_becomes_of_the_file_it_is_made_again_equal() {
    let place = Place::new();
    lived(place.path());
    let path = place.path().join("views.db");
    let told = recover(&open(place.path()).unwrap());
    let before = without_purge(dump(place.path()));
    let harms: [Harm; 6] = [
        |path| fs::remove_file(path).unwrap(),
        |path| fs::write(path, vec![0x55; 50_000]).unwrap(),
        |path| fs::write(path, b"").unwrap(),
        |path| super::place::sql(path, "PRAGMA user_version = 77"),
        |path| {
            super::place::sql(
                path,
                "UPDATE progress SET hash = zeroblob(32) WHERE stage = 'rows'",
            );
        },
        |path| {
            // The first page, which says what the file is, stays; the tables behind it do not.
            let mut bytes = fs::read(path).unwrap();
            bytes[4096..].fill(0xee);
            fs::write(path, bytes).unwrap();
        },
    ];
    for (number, harm) in harms.into_iter().enumerate() {
        harm(&path);
        let store = open(place.path()).unwrap();
        assert_eq!(recover(&store), told, "{number}");
        caught_up(&store);
        drop(store);
        assert_eq!(without_purge(dump(place.path())), before, "{number}");
    }
    let head = rebuild(place.path(), SqliteSettings::default()).unwrap();
    assert_eq!(head, told.1);
    assert_eq!(without_purge(dump(place.path())), before);
}

#[test]
fn damage_met_while_running_is_mended_in_the_background() {
    let place = Place::new();
    fill(place.path());
    let store = start(place.path());
    caught_up(&store);
    let expected = now(store.closed(&AskQuery {
        limit: 50,
        ..AskQuery::default()
    }))
    .unwrap();
    super::place::sql(
        &place.path().join("views.db"),
        "DROP TABLE tokens; DROP INDEX asks_closed;",
    );
    assert!(
        now(store.closed(&AskQuery {
            limit: 50,
            ..AskQuery::default()
        }))
        .is_err()
    );
    let query = AskQuery {
        limit: 50,
        ..AskQuery::default()
    };
    for _ in 0..20_000 {
        match now(store.closed(&query)) {
            Ok(page) if page.as_of == Seq(16) => return assert_eq!(page, expected),
            Ok(_) | Err(_) => std::thread::sleep(std::time::Duration::from_millis(1)),
        }
    }
    panic!("the projections do not come back");
}

#[test]
fn a_large_journal_is_projected_whole_before_it_is_indexed() {
    const ASKS: u64 = 21_000;
    let place = Place::new();
    {
        let store = start(place.path());
        commit(&store, 1, vec![Event::AgentMet(sample::agent(1))]).unwrap();
        for first in (2..ASKS).step_by(1000) {
            commit(&store, 10_000, (first..first + 1000).map(asked).collect()).unwrap();
        }
        commit(&store, 20_000, (2..1002).map(|n| closed(n, n)).collect()).unwrap();
    }
    fs::remove_file(place.path().join("views.db")).unwrap();
    let store = open(place.path()).unwrap();
    let (told, head) = recover(&store);
    let open = told
        .iter()
        .filter(|item| matches!(item, SnapshotPart::Open(_)))
        .count();
    let owed = told
        .iter()
        .filter(|item| matches!(item, SnapshotPart::Owed(_)))
        .count();
    assert_eq!((head.seq, open, owed), (Seq(22_001), 20_000, 1000));
    let page = now(store.closed(&AskQuery {
        limit: 200,
        ..AskQuery::default()
    }))
    .unwrap();
    assert_eq!(
        (page.rows.len(), page.rows[0].ask, page.as_of),
        (200, sample::ask_id(1001), Seq(22_001))
    );

    // Readers who come while it is made again at run time are told so, and do not begin it anew.
    super::place::sql(&place.path().join("views.db"), "DROP INDEX asks_closed");
    let query = AskQuery {
        limit: 200,
        ..AskQuery::default()
    };
    let mut refused = 0;
    let mended = loop {
        match now(store.closed(&query)) {
            Ok(page) => break page,
            Err(StoreError::TryLater { .. }) => refused += 1,
            Err(error) => panic!("{error}"),
        }
        assert!(refused < 60_000, "the projections do not come back");
        std::thread::sleep(std::time::Duration::from_millis(1));
    };
    assert!(refused > 0);
    assert_eq!(mended, page);
}

#[test]
fn lists_whose_file_is_harmed_while_it_is_used_are_rebuilt_by_themselves() {
    type Harm = fn(&std::path::Path);
    let harms: [(&str, Harm); 3] = [
        ("deleted", |path| std::fs::remove_file(path).unwrap()),
        ("cut off", |path| {
            let file = std::fs::File::options().write(true).open(path).unwrap();
            file.set_len(4096).unwrap();
        }),
        ("overwritten", |path| {
            let length = std::fs::metadata(path).unwrap().len();
            std::fs::write(path, vec![0x5a; usize::try_from(length).unwrap()]).unwrap();
        }),
    ];
    for (name, harm) in harms {
        let place = Place::new();
        fill(place.path());
        let store = start(place.path());
        caught_up(&store);
        harm(&place.path().join("views.db"));
        let query = AskQuery {
            search: Some("question".to_owned()),
            limit: 100,
            ..AskQuery::default()
        };
        let mut told = false;
        let found = (0..10_000).any(|_| {
            let rebuilding = |trouble: &Trouble| matches!(trouble, Trouble::Rebuilding(_));
            told |= store.troubles().iter().any(rebuilding);
            std::thread::sleep(std::time::Duration::from_millis(1));
            // A process that starts now sees the new file.
            let whole = now(store.closed(&query)).is_ok_and(|page| page.rows.len() == 5);
            whole && store.troubles().is_empty() && crate::views::seen_by(place.path()).is_some()
        });
        assert!(
            found,
            "{name}: {:?} {:?}",
            store.troubles(),
            now(store.closed(&query))
        );
        assert!(
            told || name == "overwritten" || name == "cut off",
            "{name}: nobody was told"
        );
        commit(&store, 99, vec![asked(99)]).unwrap();
    }
}

/// Nobody brings the lists further once the store is gone, so nobody may wait for that.
#[test]
fn whoever_waits_for_the_lists_is_let_go_when_the_store_closes() {
    let place = Place::new();
    let store = start(place.path());
    let inner = Arc::clone(&store.inner);
    let waiter = std::thread::spawn(move || inner.caught_up(Seq(1_000_000)));
    drop(store);
    assert!(matches!(
        waiter.join().unwrap(),
        Err(StoreError::TryLater { .. })
    ));
}
