//! Damage is kept to the entry it hit: everything else works, and whatever a lost entry may have taken
//! away stays taken away.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use sayso_core::id::{AskId, Place as JournalPlace, RuleId, Seq, TokenId};
use sayso_core::journal::Event;
use sayso_core::outcome::{Closer, Closing, Outcome};
use sayso_core::policy::{AppliesTo, Folder, Says, Subject};
use sayso_core::role::Role;
use sayso_core::state::SnapshotPart;
use sayso_store::story::sample;
use sayso_store::{Store as _, StoredAsk, Trouble};

use super::place::{FILLED, Place, asked, caught_up, commit, fill, now, recover, sql, start};
use crate::{SqliteStore, verify_folder};

/// The ask that is hit in these tests; it is open.
const HIT: u64 = 9;

fn filled() -> Place {
    let place = Place::new();
    fill(place.path());
    place
}

fn journal(place: &Place) -> std::path::PathBuf {
    place.path().join("journal.db")
}

fn at(opened: u64, closed: Option<u64>) -> JournalPlace {
    JournalPlace {
        opened: Seq(opened),
        closed: closed.map(Seq),
        late: None,
    }
}

fn ask_at(store: &SqliteStore, place: JournalPlace) -> (AskId, bool, Option<Arc<Closing>>) {
    match now(store.read(place)).unwrap() {
        StoredAsk::Whole { ask, closing, .. } => (ask.id, ask.is_unreadable(), closing),
        StoredAsk::Erased => panic!("erased"),
    }
}

fn open_asks(told: &[SnapshotPart]) -> Vec<AskId> {
    let open = told.iter().filter_map(|one| match one {
        SnapshotPart::Open(entry) => Some(entry.ask),
        _ => None,
    });
    open.collect()
}

/// Flips one bit of a text in the file.
fn flip_text(path: &Path, text: &[u8]) {
    let mut bytes = fs::read(path).unwrap();
    let found = bytes.windows(text.len()).position(|window| window == text);
    bytes[found.unwrap() + text.len() - 3] ^= 0x10;
    fs::write(path, bytes).unwrap();
}

/// Changes that hit one open ask: what was done, and whether its text is lost by it.
fn harms() -> Vec<(String, bool)> {
    vec![
        (
            format!(
                "UPDATE body SET body = CAST(replace(CAST(body AS TEXT), 'number {HIT}', 'number 8') AS BLOB) WHERE seq = {HIT}"
            ),
            true,
        ),
        (format!("DELETE FROM body WHERE seq = {HIT}"), true),
        (
            format!("UPDATE body SET body = x'' WHERE seq = {HIT}"),
            true,
        ),
        (
            format!("UPDATE header SET at = at + 1 WHERE seq = {HIT} AND at % 2 = 0"),
            false,
        ),
        (
            format!("UPDATE header SET kind = 7 WHERE seq = {HIT}"),
            false,
        ),
        (
            format!("UPDATE header SET format = 0 WHERE seq = {HIT}"),
            false,
        ),
        (
            format!(
                "UPDATE header SET writer_seq = writer_seq + 16 - 2 * (writer_seq & 16) WHERE seq = {HIT}"
            ),
            false,
        ),
        (
            format!("UPDATE header SET prev = zeroblob(32) WHERE seq = {HIT}"),
            false,
        ),
        (
            format!("UPDATE header SET body_hash = zeroblob(32) WHERE seq = {HIT}"),
            true,
        ),
        (
            format!("UPDATE header SET ask = zeroblob(16) WHERE seq = {HIT}"),
            true,
        ),
        (
            format!("UPDATE header SET prev = x'00' WHERE seq = {HIT}"),
            true,
        ),
        (format!("DELETE FROM header WHERE seq = {HIT}"), true),
    ]
}

#[test]
fn one_damaged_open_ask_leaves_every_other_alone_and_can_be_closed_and_erased() {
    for (harm, is_lost) in harms() {
        let place = filled();
        sql(&journal(&place), &harm);
        let store = start(place.path());
        let (told, head) = recover(&store);
        assert_eq!(head.seq, Seq(FILLED), "{harm}");
        let expected: Vec<AskId> = (7..=11).map(sample::ask_id).collect();
        assert_eq!(open_asks(&told), expected, "{harm}");
        for n in 7..=11 {
            let (id, unreadable, _) = ask_at(&store, at(n, None));
            assert_eq!(id, sample::ask_id(n), "{harm}");
            assert_eq!(unreadable, is_lost && n == HIT, "{harm}: {n}");
        }
        let events = now(store.events(Seq::ZERO, 100)).unwrap();
        assert_eq!(events.len() as u64, FILLED, "{harm}");
        assert_eq!(
            now(store.closed(&sayso_store::AskQuery {
                limit: 100,
                ..Default::default()
            }))
            .unwrap()
            .rows
            .len(),
            5
        );
        if is_lost && !harm.starts_with("DELETE FROM body") {
            assert!(
                store
                    .troubles()
                    .iter()
                    .any(|trouble| matches!(trouble, Trouble::Unreadable { seq: Seq(HIT), .. })),
                "{harm}: {:?}",
                store.troubles()
            );
        }
        let verified = verify_folder(place.path()).unwrap();
        assert!(
            verified
                .faults
                .iter()
                .any(|fault| fault.contains('9') || fault.contains("10")),
            "{harm}: {:?}",
            verified.faults
        );
        close_and_erase(&store, &harm);
        // And so it stays after another start.
        drop(store);
        let (told, _) = recover(&start(place.path()));
        assert!(!open_asks(&told).contains(&sample::ask_id(HIT)), "{harm}");
        assert_eq!(open_asks(&told).len(), 4, "{harm}");
    }
}

fn close_and_erase(store: &SqliteStore, harm: &str) {
    let ask = sample::ask_id(HIT);
    let dismissed = Outcome::Dismissed {
        note: None,
        stop: false,
    };
    commit(
        store,
        30_000,
        vec![Event::Closed {
            ask,
            opened: Seq(HIT),
            closing: sample::closing(dismissed.clone(), 30_000),
        }],
    )
    .unwrap();
    let closed = at(HIT, Some(FILLED + 1));
    let (_, _, closing) = ask_at_or_erased(store, closed, harm);
    if let Some(closing) = closing {
        assert_eq!(closing.outcome, dismissed, "{harm}");
    }
    commit(store, 31_000, vec![Event::Erased { ask, place: closed }]).unwrap();
    assert_eq!(
        now(store.read(closed)).unwrap(),
        StoredAsk::Erased,
        "{harm}"
    );
    let about = |trouble: &Trouble| matches!(trouble, Trouble::Unreadable { seq: Seq(HIT), .. });
    if harm.starts_with("UPDATE body") {
        assert!(!store.troubles().iter().any(about), "{harm}");
    }
}

fn ask_at_or_erased(
    store: &SqliteStore,
    place: JournalPlace,
    harm: &str,
) -> (AskId, bool, Option<Arc<Closing>>) {
    if harm.starts_with("DELETE FROM body") {
        return (sample::ask_id(HIT), true, None);
    }
    ask_at(store, place)
}

#[test]
fn erasing_a_damaged_ask_makes_the_journal_sound_again() {
    let place = filled();
    flip_text(
        &journal(&place),
        format!("question number {HIT}").as_bytes(),
    );
    let store = start(place.path());
    let faults = now(store.verify()).unwrap().faults;
    assert_eq!(
        faults,
        [format!(
            "the body of event {HIT} (ask {}) was changed",
            sample::ask_id(HIT)
        )]
    );
    close_and_erase(&store, "flipped");
    assert_eq!(now(store.verify()).unwrap().faults, Vec::<String>::new());
    drop(store);
    assert_eq!(start(place.path()).troubles(), []);
}

#[test]
fn a_rebuild_works_around_damage() {
    for (harm, _) in harms() {
        let place = filled();
        sql(&journal(&place), &harm);
        fs::remove_file(place.path().join("views.db")).unwrap();
        let head = crate::rebuild(place.path(), crate::SqliteSettings::default()).unwrap();
        assert_eq!(head.seq, Seq(FILLED), "{harm}");
        let store = start(place.path());
        let open = open_asks(&recover(&store).0);
        for n in [7, 8, 10, 11] {
            assert!(open.contains(&sample::ask_id(n)), "{harm}: {n}");
            assert!(!ask_at(&store, at(n, None)).1);
        }
        caught_up(&store);
    }
}

#[test]
fn an_outcome_that_cannot_be_read_is_told_as_lost_and_the_ask_stays_closed() {
    // Event 12 closes ask 2.
    let harms = [
        "UPDATE body SET body = CAST(body || ' ' AS BLOB) WHERE seq = 12",
        "UPDATE header SET at = at + 7, writer_seq = writer_seq + 5 WHERE seq = 12",
        "UPDATE header SET body_hash = zeroblob(32) WHERE seq = 12",
    ];
    let all = harms.iter().flat_map(|harm| [(harm, false), (harm, true)]);
    for (harm, is_rebuilt) in all {
        let place = filled();
        sql(&journal(&place), harm);
        if is_rebuilt {
            fs::remove_file(place.path().join("views.db")).unwrap();
        }
        let store = start(place.path());
        let open = open_asks(&recover(&store).0);
        assert!(!open.contains(&sample::ask_id(2)), "{harm}, {is_rebuilt}");
        let (id, unreadable, closing) = ask_at(&store, at(2, Some(12)));
        assert_eq!((id, unreadable), (sample::ask_id(2), false));
        let closing = closing.unwrap();
        assert!(
            matches!(&closing.outcome, Outcome::Withdrawn { note: Some(note) } if note.contains("can't be read"))
        );
        assert_eq!(closing.by, Closer::Clock);
    }
}

/// A state whose tokens and rules are in the events 2 to 7.
fn with_rules(place: &Place) -> SqliteStore {
    let store = start(place.path());
    let allow = |id| {
        let says = Says::Allow(Subject::Preset {
            name: "ls".to_owned(),
            revision: 1,
            folder: Folder::Anywhere,
            tool: None,
        });
        Event::RuleMade(sample::rule(id, says, AppliesTo::default()))
    };
    let deny = Says::Deny(Subject::Words(vec!["rm".to_owned()]));
    let events = vec![
        Event::EpochBegan(sample::epoch(1)),
        Event::TokenMade(sample::token(1, Role::Agent)),
        Event::TokenMade(sample::token(2, Role::Admin)),
        Event::TokenRevoked(TokenId(1)),
        Event::RuleMade(sample::rule(2, deny, AppliesTo::default())),
        allow(3),
        Event::RuleRevoked {
            rule: RuleId(3),
            by: sample::rule(
                1,
                Says::Deny(Subject::Words(Vec::new())),
                AppliesTo::default(),
            )
            .by
            .clone(),
        },
        allow(5),
    ];
    commit(&store, 1, events).unwrap();
    caught_up(&store);
    store
}

fn tokens_and_rules(told: &[SnapshotPart]) -> (Vec<u32>, Vec<u32>) {
    let mut tokens = Vec::new();
    let mut rules = Vec::new();
    for one in told {
        match one {
            SnapshotPart::Token(token) => tokens.push(token.id.0),
            SnapshotPart::Rule(entry) => rules.push(entry.rule.id.0),
            _ => {}
        }
    }
    (tokens, rules)
}

#[test]
fn what_a_lost_entry_may_have_revoked_stays_revoked() {
    // Which event is lost, and which tokens and rules are good after a rebuild.
    let cases: [(u64, &[u32], &[u32]); 6] = [
        (2, &[2], &[2, 5]),
        (4, &[], &[2, 5]),
        (5, &[2], &[]),
        (6, &[2], &[2]),
        (7, &[2], &[2, 5]),
        (8, &[2], &[2]),
    ];
    for (lost, tokens, rules) in cases {
        let place = Place::new();
        drop(with_rules(&place));
        sql(
            &journal(&place),
            &format!("UPDATE body SET body = CAST(body || ' ' AS BLOB) WHERE seq = {lost}"),
        );
        // While the projections are there, they know.
        let told = recover(&start(place.path())).0;
        assert_eq!(
            tokens_and_rules(&told),
            (vec![2], vec![2, 5]),
            "event {lost}"
        );
        fs::remove_file(place.path().join("views.db")).unwrap();
        let told = recover(&start(place.path())).0;
        assert_eq!(
            tokens_and_rules(&told),
            (tokens.to_vec(), rules.to_vec()),
            "event {lost}"
        );
        // No other token is ever given the id of one that was lost.
        assert!(told.contains(&SnapshotPart::LastToken(TokenId(2))));
    }
}

#[test]
fn rules_made_after_the_damage_was_noticed_count() {
    let place = Place::new();
    drop(with_rules(&place));
    sql(
        &journal(&place),
        "UPDATE body SET body = CAST(body || ' ' AS BLOB) WHERE seq = 5",
    );
    for round in 0..3 {
        fs::remove_file(place.path().join("views.db")).unwrap();
        let store = start(place.path());
        let expected: Vec<u32> = (0..round).map(|n| 10 + n).collect();
        assert_eq!(tokens_and_rules(&recover(&store).0).1, expected);
        let says = Says::Allow(Subject::Preset {
            name: "ls".to_owned(),
            revision: 1,
            folder: Folder::Anywhere,
            tool: None,
        });
        commit(
            &store,
            9,
            vec![Event::RuleMade(sample::rule(
                10 + round,
                says,
                AppliesTo::default(),
            ))],
        )
        .unwrap();
        caught_up(&store);
    }
}

#[test]
fn a_lost_identity_keeps_its_number() {
    let place = Place::new();
    {
        let store = start(place.path());
        let mut events = vec![Event::TokenMade(sample::token(1, Role::Agent))];
        events.extend((1..=3).map(|n| Event::AgentMet(sample::agent(n))));
        events.extend((1..=3).map(|n| Event::ConversationBegan(sample::conversation(n, 1))));
        commit(&store, 1, events).unwrap();
    }
    sql(
        &journal(&place),
        "UPDATE body SET body = x'00' WHERE seq IN (3, 6)",
    );
    fs::remove_file(place.path().join("views.db")).unwrap();
    let told = recover(&start(place.path())).0;
    let agents: Vec<u32> = told
        .iter()
        .filter_map(|one| match one {
            SnapshotPart::Agent(agent) => Some(agent.id.0),
            _ => None,
        })
        .collect();
    let conversations: Vec<u32> = told
        .iter()
        .filter_map(|one| match one {
            SnapshotPart::Conversation(conversation) => Some(conversation.id.0),
            _ => None,
        })
        .collect();
    assert_eq!((agents, conversations), (vec![1, 2, 3], vec![1, 2, 3]));
}

#[test]
fn a_page_that_sqlite_cannot_read_takes_only_its_own_rows_along() {
    let place = Place::new();
    {
        let store = start(place.path());
        commit(&store, 1, vec![Event::AgentMet(sample::agent(1))]).unwrap();
        for n in 2..=200 {
            commit(&store, 10_000, vec![asked(n)]).unwrap();
        }
        caught_up(&store);
    }
    // The second to last page with bodies: its head says nonsense now.
    let mut bytes = fs::read(journal(&place)).unwrap();
    let text = b"question number 120";
    let at_text = bytes
        .windows(text.len())
        .position(|window| window == text)
        .unwrap();
    let page = at_text / 4096 * 4096;
    bytes[page] = 0x77;
    fs::write(journal(&place), bytes).unwrap();
    let store = start(place.path());
    assert_eq!(open_asks(&recover(&store).0).len(), 199);
    let unreadable: Vec<u64> = (2..=200)
        .filter(|n| ask_at(&store, at(*n, None)).1)
        .collect();
    assert!(
        unreadable.contains(&120) && unreadable.len() < 60,
        "{unreadable:?}"
    );
    assert_eq!(now(store.events(Seq::ZERO, 1000)).unwrap().len(), 200);
    assert_eq!(store.troubles().len(), unreadable.len());
    let verified = verify_folder(place.path()).unwrap();
    assert!(
        verified
            .faults
            .iter()
            .any(|fault| fault.contains("event 120")),
        "{:?}",
        verified.faults
    );
}
