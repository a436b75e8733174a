//! What a walk over the whole journal finds, and that it disturbs nobody.

use sayso_core::id::{Place as JournalPlace, Seq};
use sayso_core::journal::Event;
use sayso_store::story::sample;
use sayso_store::{Store as _, Verified};

use super::place::{FILLED, Place, closed, commit, fill, now, sql, start};
use crate::verify_folder;

fn clean() -> Verified {
    Verified {
        events: FILLED,
        erased: 0,
        faults: Vec::new(),
    }
}

#[test]
fn a_sound_journal_verifies_with_and_without_a_server() {
    let place = Place::new();
    fill(place.path());
    assert_eq!(verify_folder(place.path()).unwrap(), clean());
    let store = start(place.path());
    assert_eq!(verify_folder(place.path()).unwrap(), clean());
    assert_eq!(now(store.verify()).unwrap(), clean());
    commit(&store, 1, vec![super::place::asked(17)]).unwrap();
    assert_eq!(
        verify_folder(place.path()).unwrap(),
        Verified {
            events: FILLED + 1,
            ..clean()
        }
    );
}

#[test]
fn planted_damage_is_found_and_named() {
    let swap = "UPDATE header SET seq = -seq WHERE seq IN (4, 5); UPDATE header SET seq = 9 + seq WHERE seq < 0;
                UPDATE body SET seq = -seq WHERE seq IN (4, 5); UPDATE body SET seq = 9 + seq WHERE seq < 0;";
    let cases = [
        (
            "UPDATE body SET body = x'7b7d' WHERE seq = 7",
            vec!["the body of event 7 (ask 00000000-0007-7000-8000-000000000007) was changed"],
        ),
        (
            "UPDATE header SET kind = 7 WHERE seq = 11",
            vec![
                "event 11: a journal body cannot be read",
                "event 12 does not follow the one before it",
            ],
        ),
        (
            "DELETE FROM header WHERE seq = 7; DELETE FROM body WHERE seq = 7",
            vec!["events 7 to 7 are missing"],
        ),
        (
            "DELETE FROM body WHERE seq = 7",
            vec!["the body of event 7 is missing, and no event says that it was erased"],
        ),
        (
            "DELETE FROM header WHERE seq = 16",
            vec![
                "there is a body of event 16, but no event",
                "the journal ends at event 15, but event 16 had been written",
            ],
        ),
        (
            swap,
            vec![
                "event 4 does not follow the one before it",
                "event 5 does not follow the one before it",
                "event 6 does not follow the one before it",
                "event 14 is about",
                "event 15 is about",
            ],
        ),
        (
            "UPDATE header SET ask = zeroblob(16) WHERE seq = 3",
            vec![
                "event 4 does not follow",
                "event 13 is about an ask at event 3 that does not exist",
            ],
        ),
    ];
    for (harm, expected) in cases {
        let place = Place::new();
        fill(place.path());
        sql(&place.path().join("journal.db"), harm);
        let faults = verify_folder(place.path()).unwrap().faults;
        assert_eq!(faults.len(), expected.len(), "{harm}: {faults:?}");
        for (fault, expected) in faults.iter().zip(expected) {
            assert!(fault.contains(expected), "{harm}: {fault}");
        }
    }
}

#[test]
fn a_second_close_is_found_even_when_the_first_was_erased() {
    let place = Place::new();
    fill(place.path());
    let store = start(place.path());
    commit(&store, 1, vec![closed(2, 2)]).unwrap();
    assert_eq!(
        now(store.verify()).unwrap().faults,
        ["event 17 closes the ask of event 2 a second time"]
    );
    let erased = JournalPlace {
        opened: Seq(2),
        closed: Some(Seq(12)),
        late: None,
    };
    commit(
        &store,
        1,
        vec![Event::Erased {
            ask: sample::ask_id(2),
            place: erased,
        }],
    )
    .unwrap();
    let verified = now(store.verify()).unwrap();
    assert_eq!(verified.erased, 2);
    assert_eq!(
        verified.faults,
        ["event 12 closes the ask of event 2 a second time"]
    );
}

#[test]
fn a_close_of_nothing_is_found() {
    let place = Place::new();
    fill(place.path());
    let store = start(place.path());
    // An ask that is somebody else's, a row that is no ask, and a place that is yet to come.
    commit(&store, 1, vec![closed(99, 8), closed(1, 1), closed(9, 40)]).unwrap();
    let expected = [(17, 8), (18, 1), (19, 40)].map(|(seq, opened)| {
        format!("event {seq} is about an ask at event {opened} that does not exist")
    });
    assert_eq!(now(store.verify()).unwrap().faults, expected);
}

#[test]
fn a_message_handed_over_twice_or_never_said_is_found() {
    let place = Place::new();
    fill(place.path());
    let store = start(place.path());
    let events = vec![
        sample::message(1, 1, "hello"),
        sample::handed(1, 1, 17),
        sample::handed(1, 1, 17),
        sample::handed(1, 1, 2),
        sample::handed(1, 1, 40),
        sample::returned(1, 1, 17),
        sample::returned(1, 1, 17),
        sample::handed(1, 1, 17),
    ];
    commit(&store, 1, events).unwrap();
    assert_eq!(
        now(store.verify()).unwrap().faults,
        [
            "event 19 delivers the message of event 17 a second time",
            "event 20 is about a message at event 2 that does not exist",
            "event 21 is about a message at event 40 that does not exist",
            "event 23 queues the message of event 17 again, which was not delivered",
        ]
    );
}

#[test]
fn pages_that_are_overwritten_are_found() {
    let place = Place::new();
    fill(place.path());
    let path = place.path().join("journal.db");
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = 4096..8192;
    bytes[middle].fill(0xa5);
    std::fs::write(&path, bytes).unwrap();
    match verify_folder(place.path()) {
        Ok(verified) => assert!(!verified.faults.is_empty()),
        Err(error) => assert!(
            error.to_string().starts_with("journal.db is damaged"),
            "{error}"
        ),
    }
}
