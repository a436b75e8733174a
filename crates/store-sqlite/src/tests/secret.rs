//! Secrets and erased texts: in no file, at no time they should not be.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::Connection;
use sayso_core::ask::MatterKind;
use sayso_core::id::{AgentId, Place as JournalPlace, Seq, TokenId};
use sayso_core::journal::{DeliveryMark, Event};
use sayso_core::outcome::{Delivery, Outcome, OutcomeKind};
use sayso_core::role::Role;
use sayso_core::state::{OpenEntry, OwedEntry, SnapshotPart};
use sayso_core::time::Time;
use sayso_store::story::sample;
use sayso_store::{Head, Store as _, StoredAsk};

use super::place::{Place, asked, caught_up, closed, commit, now, open, recover, start};
use crate::SqliteStore;

const CANARY: &str = "canary-wolkenkuckucksheim";

fn files_with(folder: &Path, text: &[u8]) -> Vec<String> {
    let found = fs::read_dir(folder).unwrap().filter_map(|entry| {
        let entry = entry.unwrap();
        let bytes = fs::read(entry.path()).unwrap();
        bytes
            .windows(text.len())
            .any(|window| window == text)
            .then(|| entry.file_name().to_string_lossy().into_owned())
    });
    found.collect()
}

fn secret_form(n: u64, opened: u64) -> [Event; 2] {
    let ask = sample::ask(n, sample::form());
    let outcome = Outcome::Answered(sample::fields(&[Some(CANARY)]));
    let closed = Event::Closed {
        ask: ask.id,
        opened: Seq(opened),
        closing: sample::closing(outcome, 20_000),
    };
    [Event::Asked(Arc::new(ask)), closed]
}

fn confirmed(n: u64, opened: u64) -> Event {
    let mark = DeliveryMark {
        ask: sample::ask_id(n),
        opened: Seq(opened),
        delivery: Delivery::Confirmed,
        at: Time::from_millis(30_000),
    };
    Event::Delivered(vec![mark])
}

fn sealed_rows(folder: &Path) -> i64 {
    let connection = Connection::open(folder.join("journal.db")).unwrap();
    connection
        .query_row("SELECT count(*) FROM sealed", [], |row| row.get(0))
        .unwrap()
}

#[test]
fn a_secret_is_in_no_file_and_gone_once_confirmed() {
    let place = Place::new();
    let store = start(place.path());
    commit(&store, 1, secret_form(1, 1).into()).unwrap();
    caught_up(&store);
    assert_eq!(
        (
            files_with(place.path(), CANARY.as_bytes()),
            sealed_rows(place.path())
        ),
        (vec![], 1)
    );
    drop(store);
    assert_eq!(
        files_with(place.path(), CANARY.as_bytes()),
        Vec::<String>::new()
    );
    let store = start(place.path());
    commit(&store, 2, vec![confirmed(1, 1)]).unwrap();
    assert_eq!(sealed_rows(place.path()), 0);
}

fn outcome_of(store: &SqliteStore) -> Outcome {
    let at = JournalPlace {
        opened: Seq(1),
        closed: Some(Seq(2)),
        late: None,
    };
    match now(store.read(at)).unwrap() {
        StoredAsk::Whole {
            closing: Some(closing),
            ..
        } => closing.outcome.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_start_without_the_right_key_is_refused_until_the_secrets_are_given_up() {
    type Harm = fn(&Path);
    let cases: [(Harm, &str); 3] = [
        (|key| fs::remove_file(key).unwrap(), "is missing"),
        (
            |key| fs::write(key, [7; 32]).unwrap(),
            "is not the key of this journal",
        ),
        (
            |key| fs::write(key, b"short").unwrap(),
            "it has 5 bytes instead of 32",
        ),
    ];
    for with_check in [true, false] {
        for (harm, says) in cases {
            let place = Place::new();
            commit(&start(place.path()), 1, secret_form(1, 1).into()).unwrap();
            if !with_check {
                // As a version before wrote it.
                let forget = "DELETE FROM about WHERE name = 'key_check'";
                super::place::sql(&place.path().join("journal.db"), forget);
            }
            let key = place.path().join("key");
            let right = fs::read(&key).unwrap();
            harm(&key);
            let harmed = fs::read(&key).ok();
            let error = open(place.path()).unwrap_err().to_string();
            assert!(
                error.contains(says) && error.contains("--forget-secrets"),
                "{error}"
            );
            assert_eq!(fs::read(&key).ok(), harmed, "nothing was changed");
            assert!(crate::key_trouble(place.path()).unwrap().contains(says));
            // The right key back, and all is well.
            fs::write(&key, &right).unwrap();
            assert_eq!(crate::key_trouble(place.path()), None);
            let store = start(place.path());
            assert_eq!(
                outcome_of(&store),
                Outcome::Answered(sample::fields(&[Some(CANARY)]))
            );
            drop(store);
            harm(&key);
            let settings = crate::SqliteSettings {
                forget_secrets: true,
                ..crate::SqliteSettings::default()
            };
            let store = SqliteStore::open(place.path(), settings).unwrap();
            recover(&store);
            let lost = outcome_of(&store);
            assert!(
                matches!(&lost, Outcome::Withdrawn { note: Some(note) } if note.contains("the secret in the answer is lost")),
                "{lost:?}"
            );
            drop(store);
            // From then on it starts as ever, and what was given up stays told.
            let store = start(place.path());
            assert_eq!(outcome_of(&store), lost);
            commit(&store, 1, vec![confirmed(1, 1)]).unwrap();
            assert_eq!(
                outcome_of(&store),
                Outcome::Answered(sample::fields(&[None]))
            );
        }
    }
}

#[test]
fn a_new_key_is_made_where_no_secret_waits() {
    let place = Place::new();
    let store = start(place.path());
    commit(&store, 1, secret_form(1, 1).into()).unwrap();
    commit(&store, 1, vec![confirmed(1, 1)]).unwrap();
    drop(store);
    for _ in 0..2 {
        fs::remove_file(place.path().join("key")).unwrap();
        let store = start(place.path());
        assert_eq!(crate::key_trouble(place.path()), None);
        drop(store);
    }
}

#[test]
fn files_that_others_can_read_are_made_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    drop(start(place.path()));
    let key = place.path().join("key");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
    drop(start(place.path()));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&key), mode(place.path())), (0o600, 0o700));
}

#[test]
fn a_sealed_secret_cannot_be_moved_to_another_ask() {
    let place = Place::new();
    let store = start(place.path());
    commit(&store, 1, secret_form(1, 1).into()).unwrap();
    commit(&store, 1, secret_form(2, 3).into()).unwrap();
    super::place::sql(
        &place.path().join("journal.db"),
        "UPDATE sealed SET bytes = (SELECT bytes FROM sealed WHERE opened = 1)",
    );
    let read = |opened| {
        let at = JournalPlace {
            opened: Seq(opened),
            closed: Some(Seq(opened + 1)),
            late: None,
        };
        match now(store.read(at)).unwrap() {
            StoredAsk::Whole {
                closing: Some(closing),
                ..
            } => closing.outcome.clone(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(read(1), Outcome::Answered(sample::fields(&[Some(CANARY)])));
    let moved = read(3);
    assert!(
        matches!(&moved, Outcome::Withdrawn { note: Some(note) } if note.contains("the secret in the answer is lost")),
        "{moved:?}"
    );
}

#[test]
fn an_erased_text_is_in_no_file() {
    let place = Place::new();
    let store = start(place.path());
    let ask = sample::ask(1, sample::question("wolkenkuckucksheim"));
    let id = ask.id;
    commit(
        &store,
        1,
        vec![
            Event::Asked(Arc::new(ask)),
            closed(1, 1),
            asked(2),
            closed(2, 3),
        ],
    )
    .unwrap();
    caught_up(&store);
    assert!(!files_with(place.path(), b"wolkenkuckucksheim").is_empty());
    let at = JournalPlace {
        opened: Seq(1),
        closed: Some(Seq(2)),
        late: None,
    };
    commit(&store, 2, vec![Event::Erased { ask: id, place: at }]).unwrap();
    caught_up(&store);
    // The index is cleaned a little at a time, after the text has caught up.
    let clean = (0..20_000).any(|_| {
        std::thread::sleep(Duration::from_millis(1));
        files_with(place.path(), b"wolkenkuckucksheim").is_empty()
    });
    assert!(
        clean,
        "still in {:?}",
        files_with(place.path(), b"wolkenkuckucksheim")
    );
}

/// Writes the state that is kept for every released form.
pub(super) fn fixture(folder: &Path) {
    let store = start(folder);
    let tokens = [
        sample::token(1, Role::Agent),
        sample::token(2, Role::Person(sample::person("Zoë"))),
        sample::token(3, Role::Admin),
    ];
    let mut events = vec![Event::EpochBegan(sample::epoch(1))];
    events.extend(tokens.map(Event::TokenMade));
    events.push(Event::TokenRevoked(TokenId(3)));
    events.push(Event::AgentMet(sample::agent(1)));
    events.push(Event::ConversationBegan(sample::conversation(1, 1)));
    commit(&store, 10_000, events).unwrap();
    // An open ask, an approval that was answered and confirmed, a form that is owed, a late one.
    let approval = sample::ask(9, sample::approval("Bash", "{\"command\":\"ls\"}"));
    commit(
        &store,
        10_000,
        vec![asked(8), Event::Asked(Arc::new(approval))],
    )
    .unwrap();
    let allow = Outcome::Answered(sample::allow());
    let allowed = Event::Closed {
        ask: sample::ask_id(9),
        opened: Seq(9),
        closing: sample::closing(allow, 20_000),
    };
    commit(&store, 20_000, vec![allowed, confirmed(9, 9)]).unwrap();
    commit(&store, 20_000, secret_form(12, 12).into()).unwrap();
    let lapsed = Event::Closed {
        ask: sample::ask_id(14),
        opened: Seq(14),
        closing: sample::closing(Outcome::Expired, 20_000),
    };
    let late = Event::AnsweredLate {
        ask: sample::ask_id(14),
        opened: Seq(14),
        late: sample::late(sample::replies(), 30_000),
    };
    commit(&store, 30_000, vec![asked(14), lapsed, late]).unwrap();
    // And one that was erased.
    let place = JournalPlace {
        opened: Seq(17),
        closed: Some(Seq(18)),
        late: None,
    };
    commit(&store, 30_000, vec![asked(17), closed(17, 17)]).unwrap();
    commit(
        &store,
        30_000,
        vec![Event::Erased {
            ask: sample::ask_id(17),
            place,
        }],
    )
    .unwrap();
}

/// What a start over that state is told.
pub(super) fn fixture_expected() -> (Vec<SnapshotPart>, Head) {
    let owed = |n: u64, how, late| OwedEntry {
        ask: sample::ask_id(n),
        agent: AgentId(1),
        opened: Seq(n),
        closed: Seq(n + 1),
        how,
        late,
        delivery: Delivery::Owed,
        closed_at: Time::from_millis(20_000),
    };
    let told = vec![
        SnapshotPart::Token(sample::token(1, Role::Agent)),
        SnapshotPart::Token(sample::token(2, Role::Person(sample::person("Zoë")))),
        SnapshotPart::LastToken(TokenId(3)),
        SnapshotPart::Agent(sample::agent(1)),
        SnapshotPart::Conversation(sample::conversation(1, 1)),
        SnapshotPart::Open(OpenEntry {
            ask: sample::ask_id(8),
            opened: Seq(8),
            deadline: None,
            agent: AgentId(1),
            conversation: None,
            matter: MatterKind::Questions,
            keys: [None; 2],
        }),
        SnapshotPart::Owed(owed(12, OutcomeKind::Answered, None)),
        SnapshotPart::Owed(owed(14, OutcomeKind::Expired, Some(Seq(16)))),
    ];
    let head = Head {
        seq: Seq(19),
        at: Time::from_millis(30_000),
        epoch: Some(sample::epoch(1)),
        last_ask: Some(sample::ask_id(17)),
        now: None,
    };
    (told, head)
}

/// The one secret of that state opens.
pub(super) fn fixture_secret_opens(store: &SqliteStore) {
    let at = JournalPlace {
        opened: Seq(12),
        closed: Some(Seq(13)),
        late: None,
    };
    let StoredAsk::Whole {
        closing: Some(closing),
        ..
    } = now(store.read(at)).unwrap()
    else {
        panic!()
    };
    assert_eq!(
        closing.outcome,
        Outcome::Answered(sample::fields(&[Some(CANARY)]))
    );
}

#[test]
fn the_fixture_is_what_it_is_said_to_be() {
    let place = Place::new();
    fixture(place.path());
    let store = open(place.path()).unwrap();
    assert_eq!(recover(&store), fixture_expected());
    fixture_secret_opens(&store);
}
