//! Space that erasing freed comes back, in place, whoever made the file.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use sayso_core::id::Seq;
use sayso_core::journal::Event;
use sayso_store::story::sample;
use sayso_store::{Compact, Store as _};

use super::files::wait_for;
use super::place::{Place, caught_up, commit, now, open, recover, start};
use crate::{SqliteSettings, SqliteStore, compact, verify_folder};

const SAID: u64 = 200;

/// The size of the journal, and which file it is.
fn journal(folder: &Path) -> (u64, u64) {
    let about = fs::metadata(folder.join("journal.db")).unwrap();
    (about.len(), about.ino())
}

/// A journal with long words in it, of which all but a few are erased.
fn emptied(store: &SqliteStore, left: u64) {
    let text = "words ".repeat(5_000);
    let began = vec![
        Event::EpochBegan(sample::epoch(1)),
        Event::AgentMet(sample::agent(1)),
        Event::ConversationBegan(sample::conversation(1, 1)),
    ];
    commit(store, 1, began).unwrap();
    for n in 0..SAID {
        commit(store, 2, vec![sample::said(n, 1, &text)]).unwrap();
    }
    let places: Vec<u64> = (4..4 + SAID - left).collect();
    commit(store, 3, vec![sample::cleared(1, &places)]).unwrap();
    caught_up(store);
}

fn is_sound(folder: &Path, erased: u64) {
    let verified = verify_folder(folder).unwrap();
    assert_eq!((verified.erased, verified.faults), (erased, Vec::new()));
}

#[test]
fn space_comes_back_while_commits_go_on() {
    let place = Place::new();
    let store = start(place.path());
    emptied(&store, 1);
    let before = journal(place.path());
    let done = now(store.compact(Compact::All)).unwrap();
    let after = journal(place.path());
    assert_eq!(before.1, after.1, "it is the same file");
    assert!(after.0 * 10 < before.0, "{before:?} {after:?}");
    assert!(done.after < done.before, "{done:?}");
    assert_eq!(done.stuck, 0);
    is_sound(place.path(), SAID - 1);
    commit(&store, 4, vec![sample::said(900, 1, "more")]).unwrap();
    assert_eq!(now(store.compact(Compact::All)).unwrap().stuck, 0);
    drop(store);
    let store = open(place.path()).unwrap();
    recover(&store);
    is_sound(place.path(), SAID - 1);
}

#[test]
fn a_reader_holds_the_space_back_which_is_said_and_tried_again() {
    let place = Place::new();
    let store = start(place.path());
    emptied(&store, 1);
    let before = journal(place.path());
    let other = rusqlite::Connection::open(place.path().join("journal.db")).unwrap();
    other.execute_batch("BEGIN").unwrap();
    other
        .query_row("SELECT count(*) FROM header", [], |_| Ok(()))
        .unwrap();
    let done = now(store.compact(Compact::All)).unwrap();
    assert_eq!(journal(place.path()).0, before.0, "it cannot shrink yet");
    assert!(done.after >= before.0, "{done:?}");
    assert!(done.held > before.0 / 2, "{done:?}");
    drop(other);
    // Nobody asks again.
    wait_for("the file to shrink", || {
        journal(place.path()).0 * 10 <= before.0
    });
    assert_eq!(now(store.compact(Compact::All)).unwrap().held, 0);
    is_sound(place.path(), SAID - 1);
}

#[test]
fn by_itself_it_happens_only_when_a_third_is_free() {
    let place = Place::new();
    let store = start(place.path());
    emptied(&store, SAID * 3 / 4);
    let before = journal(place.path());
    now(store.compact(Compact::WhenWorthIt)).unwrap();
    assert_eq!(journal(place.path()).0, before.0);
    let places: Vec<u64> = (4 + SAID / 4..4 + SAID / 2).collect();
    commit(&store, 4, vec![sample::cleared(1, &places)]).unwrap();
    now(store.compact(Compact::WhenWorthIt)).unwrap();
    assert!(journal(place.path()).0 < before.0 * 2 / 3);
}

/// Makes a journal as versions before this one did.
fn made_by_an_older_version(folder: &Path) {
    let connection = rusqlite::Connection::open(folder.join("journal.db")).unwrap();
    connection
        .execute_batch("PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = NONE; VACUUM; PRAGMA journal_mode = WAL;")
        .unwrap();
}

#[test]
fn a_journal_of_an_older_version_gives_space_back_at_a_start_or_offline() {
    for offline in [false, true] {
        let place = Place::new();
        drop(start(place.path()));
        made_by_an_older_version(place.path());
        let store = open(place.path()).unwrap();
        recover(&store);
        emptied(&store, 1);
        let before = journal(place.path());
        let done = now(store.compact(Compact::All)).unwrap();
        assert!(done.stuck > before.0 / 2, "{done:?}");
        drop(store);
        if offline {
            let done = compact(place.path(), SqliteSettings::default()).unwrap();
            assert!(done.after < done.before / 2, "{done:?}");
        } else {
            drop(open(place.path()).unwrap());
        }
        let after = journal(place.path());
        assert_eq!(before.1, after.1, "it is the same file");
        assert!(after.0 * 10 < before.0, "{before:?} {after:?}");
        is_sound(place.path(), SAID - 1);
        // From now on it happens while it is in use.
        let store = open(place.path()).unwrap();
        let (_, head) = recover(&store);
        assert_eq!(head.seq, Seq(SAID + 4));
        assert_eq!(now(store.compact(Compact::All)).unwrap().stuck, 0);
    }
}
