//! Levels, and a journal of each one with every kind of event and every value in it.
//!
//! Each fixture stays readable by every later build. The newest one is written again with
//! `UPDATE_FIXTURE=1 cargo test -p sayso-store-sqlite fixture` until its level is released.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::Connection;
use sayso_core::entry::{NoteStatus, TurnEnd};
use sayso_core::id::{Place as JournalPlace, RuleId, Seq, TokenId, TokenName};
use sayso_core::journal::{DeliveryMark, Event};
use sayso_core::outcome::{Delivery, Outcome};
use sayso_core::policy::Maker;
use sayso_core::role::{Role, Token};
use sayso_core::time::Time;
use sayso_store::story::sample;
use sayso_store::{Kind, LEVEL, LEVELS, Store as _, StoreError, StoredEvent, needed, record};

use super::place::{Place, asked, commit, now, open, sql, start};
use crate::SqliteStore;

/// Bodies longer than this add nothing to a fixture but bytes.
const BODY_BYTES_MAX: usize = 8 * 1024;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// Events that are put at the next places, in order.
struct Script(Vec<Event>);

impl Script {
    fn next(&self) -> u64 {
        self.0.len() as u64 + 1
    }

    fn put(&mut self, event: Event) -> u64 {
        self.0.push(event);
        self.0.len() as u64
    }
}

/// Every kind of event with every value.
pub(super) fn every_event() -> Vec<Event> {
    let mut script = Script(vec![Event::EpochBegan(sample::epoch(1))]);
    identities(&mut script);
    for rule in sample::every_rule() {
        script.put(Event::RuleMade(rule));
    }
    for by in [
        Maker::Admin(TokenName::new("root").unwrap()),
        Maker::Person {
            person: sample::person("Zoë"),
            device: TokenName::new("phone").unwrap(),
        },
    ] {
        script.put(Event::RuleRevoked {
            rule: RuleId(2),
            by,
        });
    }
    asks(&mut script);
    conversations(&mut script);
    script.0
}

fn identities(script: &mut Script) {
    for (id, role) in [
        (1, Role::Agent),
        (2, Role::Person(sample::person("Zoë"))),
        (3, Role::Admin),
    ] {
        script.put(Event::TokenMade(sample::token(id, role)));
    }
    script.put(Event::TokenMade(Token {
        with: Some(TokenId(2)),
        ..sample::token(4, Role::Admin)
    }));
    script.put(Event::TokenRevoked(TokenId(3)));
    script.put(Event::AgentMet(sample::agent(1)));
    script.put(Event::ConversationBegan(sample::conversation(1, 1)));
}

fn asks(script: &mut Script) {
    let short = |event: &Event| {
        let mut body = Vec::new();
        record::write(event, &mut body).unwrap();
        body.len() <= BODY_BYTES_MAX
    };
    let every = sample::asks(1).into_iter().map(Arc::new);
    let every: Vec<_> = every.map(Event::Asked).filter(short).collect();
    let first = script.next();
    let closings = sample::closings();
    let more = (100..).map(asked).take(closings.len());
    for event in every.into_iter().chain(more) {
        script.put(event);
    }
    for (closing, opened) in closings.into_iter().zip(first..) {
        let ask = script.0[usize::try_from(opened).unwrap() - 1]
            .ask()
            .unwrap();
        let opened = Seq(opened);
        let closing = Arc::new(closing);
        script.put(Event::Closed {
            ask,
            opened,
            closing,
        });
    }
    let opened = script.put(asked(200));
    let (ask, opened) = (sample::ask_id(200), Seq(opened));
    let closing = sample::closing(Outcome::Expired, 20_000);
    let closed = script.put(Event::Closed {
        ask,
        opened,
        closing,
    });
    let late = sample::late(sample::replies(), 30_000);
    let late = script.put(Event::AnsweredLate { ask, opened, late });
    let marks =
        [Delivery::Owed, Delivery::Sent, Delivery::Confirmed].map(|delivery| DeliveryMark {
            ask,
            opened,
            delivery,
            at: Time::from_millis(31_000),
        });
    script.put(Event::Delivered(marks.to_vec()));
    script.put(Event::Shown(vec![sample::shown(200, 2, 31_000)]));
    let (closed, late) = (Some(Seq(closed)), Some(Seq(late)));
    let place = JournalPlace {
        opened,
        closed,
        late,
    };
    script.put(Event::Erased { ask, place });
    let opened = script.put(Event::Asked(Arc::new(sample::ask(201, sample::form()))));
    let secret = Outcome::Answered(sample::fields(&[Some("a secret")]));
    script.put(Event::Closed {
        ask: sample::ask_id(201),
        opened: Seq(opened),
        closing: sample::closing(secret, 20_000),
    });
}

fn conversations(script: &mut Script) {
    let opened = script.put(sample::message(300, 1, "handed over"));
    script.put(sample::handed(300, 1, opened));
    script.put(sample::returned(300, 1, opened));
    script.put(sample::handed(300, 1, opened));
    let opened = script.put(sample::message(301, 1, "removed"));
    script.put(sample::removed(301, 1, opened));
    script.put(sample::message(302, 1, "waiting"));
    script.put(sample::said(303, 1, "said"));
    let erased = script.put(sample::said(310, 1, "erased"));
    script.put(sample::cleared(1, &[erased]));
    let statuses = [NoteStatus::Running, NoteStatus::Done, NoteStatus::Failed];
    for (n, status) in (304..).zip(statuses.map(Some).into_iter().chain([None])) {
        script.put(sample::noted(n, 1, status));
    }
    for end in [
        TurnEnd::Done,
        TurnEnd::Failed,
        TurnEnd::Lost,
        TurnEnd::Stopped,
    ] {
        script.put(sample::turn_ended(1, end));
    }
}

/// Writes the state that is kept for the newest level.
fn write(folder: &Path) {
    let store = start(folder);
    commit(&store, 40_000, every_event()).unwrap();
}

fn events(store: &SqliteStore) -> Vec<StoredEvent> {
    now(store.events(Seq::ZERO, 10_000)).unwrap()
}

/// A copy of a fixture that may be changed.
fn copy_of(name: &str) -> Place {
    let place = Place::new();
    drop(start(place.path()));
    for file in ["views.db", "journal.db-wal", "journal.db-shm"] {
        let _ = fs::remove_file(place.path().join(file));
    }
    for (from, to) in [("db", "journal.db"), ("key", "key")] {
        let from = fixtures().join(format!("{name}.{from}"));
        fs::copy(from, place.path().join(to)).unwrap();
    }
    place
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "a switch for whoever adds a kind or a value"
)]
fn the_newest_fixture_has_every_kind_and_value() {
    let name = format!("journal-level-{LEVEL}");
    let fresh = Place::new();
    write(fresh.path());
    if std::env::var_os("UPDATE_FIXTURE").is_some() {
        for (from, to) in [("journal.db", "db"), ("key", "key")] {
            let to = fixtures().join(format!("{name}.{to}"));
            fs::copy(fresh.path().join(from), to).unwrap();
        }
    }
    let place = copy_of(&name);
    let store = start(place.path());
    let found = events(&store);
    assert_eq!(
        found,
        events(&start(fresh.path())),
        "the fixture lacks something that is written now; write it again with UPDATE_FIXTURE=1"
    );
    let connection = Connection::open(place.path().join("journal.db")).unwrap();
    let kinds: BTreeSet<u16> = connection
        .prepare("SELECT DISTINCT kind FROM header")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(kinds, Kind::ALL.map(Kind::number).into());
}

#[test]
fn every_fixture_opens_and_is_whole() {
    let mut seen = 0;
    for entry in fs::read_dir(fixtures()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "db") {
            continue;
        }
        let place = copy_of(path.file_stem().unwrap().to_str().unwrap());
        let store = start(place.path());
        let verified = now(store.verify()).unwrap();
        assert_eq!(verified.faults, Vec::<String>::new(), "{}", path.display());
        let bodies = events(&store).iter().filter(|e| e.event.is_some()).count();
        assert_eq!(bodies as u64, verified.events - verified.erased);
        seen += 1;
    }
    assert!(seen >= 2, "the fixtures are missing");
}

#[test]
fn a_journal_says_the_level_it_needs_and_no_higher() {
    let mut highest = 1;
    let place = Place::new();
    let store = start(place.path());
    for event in every_event() {
        highest = highest.max(needed(&event));
        commit(&store, 1, vec![event]).unwrap();
        let level: u32 = store.with_writer(|writer| {
            let connection = writer.connection().unwrap();
            connection
                .query_row("PRAGMA user_version", [], |row| row.get(0))
                .unwrap()
        });
        assert_eq!(level, highest);
    }
    assert!(highest <= LEVEL);
    assert_eq!(LEVELS[LEVELS.len() - 1].number, LEVEL);
}

#[test]
fn a_newer_journal_names_the_version_that_wrote_it() {
    let place = Place::new();
    write(place.path());
    let raised = format!(
        "PRAGMA user_version = {}; INSERT OR REPLACE INTO about VALUES ('version', CAST('9.8.7' AS BLOB))",
        LEVEL + 1
    );
    sql(&place.path().join("journal.db"), &raised);
    let error = open(place.path()).unwrap_err();
    assert!(matches!(&error, StoreError::Newer { by: Some(by), .. } if by == "9.8.7"));
    assert_eq!(
        error.to_string(),
        format!(
            "journal.db was written by a newer version of sayso (9.8.7, level {}, this version reads up to level {LEVEL}); upgrade sayso and start it again, nothing was changed",
            LEVEL + 1
        )
    );
}
