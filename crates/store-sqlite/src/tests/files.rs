//! Files that go away or change hands while they are used, and a disk with no room.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::Connection;
use sayso_core::id::{Place as JournalPlace, Seq};
use sayso_core::journal::Event;
use sayso_store::story::sample;
use sayso_store::{Store as _, StoreError, Trouble};

use super::place::{Place, asked, closed, commit, start};
use crate::SqliteStore;

const WORDS: &str = "wolkenkuckucksheim";

pub(super) fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..30_000 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("{what} does not happen");
}

fn refuses(store: &SqliteStore) -> Option<String> {
    store
        .troubles()
        .into_iter()
        .find_map(|trouble| match trouble {
            Trouble::Refusing(why) => Some(why),
            _ => None,
        })
}

#[test]
fn nothing_is_acknowledged_once_a_file_is_gone_or_another() {
    type Harm = fn(&Path);
    let cases: [(&str, Harm, &str); 6] = [
        (
            "journal.db",
            |folder| fs::remove_file(folder.join("journal.db")).unwrap(),
            "deleted",
        ),
        (
            "journal.db",
            |folder| {
                fs::copy(folder.join("journal.db"), folder.join("copy")).unwrap();
                fs::rename(folder.join("copy"), folder.join("journal.db")).unwrap();
            },
            "replaced",
        ),
        (
            "journal.db-wal",
            |folder| fs::remove_file(folder.join("journal.db-wal")).unwrap(),
            "deleted",
        ),
        (
            "journal.db-shm",
            |folder| fs::remove_file(folder.join("journal.db-shm")).unwrap(),
            "deleted",
        ),
        (
            "",
            |folder| fs::rename(folder, folder.with_extension("moved")).unwrap(),
            "moved",
        ),
        (
            "",
            |folder| {
                fs::rename(folder, folder.with_extension("moved")).unwrap();
                fs::create_dir(folder).unwrap();
            },
            "replaced",
        ),
    ];
    for (name, harm, says) in cases {
        let place = Place::new();
        let store = start(place.path());
        commit(&store, 1, vec![asked(1)]).unwrap();
        assert_eq!(refuses(&store), None);
        harm(place.path());
        // Without any commit it is noticed too.
        wait_for("the loss is noticed", || refuses(&store).is_some());
        let why = refuses(&store).unwrap();
        assert!(
            why.contains(name) && why.contains(says) && why.contains("sayso restore"),
            "{why}"
        );
        let refused = commit(&store, 2, vec![asked(2)]).unwrap_err();
        assert!(
            matches!(refused, StoreError::TryLater { .. }),
            "{name}: {refused}"
        );
        drop(store);
        let _ = fs::remove_dir_all(place.path().with_extension("moved"));
    }
}

#[test]
fn a_file_that_comes_back_is_used_again() {
    let place = Place::new();
    let store = start(place.path());
    commit(&store, 1, vec![asked(1)]).unwrap();
    let (here, away) = (place.path().join("journal.db"), place.path().join("away"));
    fs::rename(&here, &away).unwrap();
    wait_for("the loss is noticed", || refuses(&store).is_some());
    fs::rename(&away, &here).unwrap();
    wait_for("it is found again", || refuses(&store).is_none());
    commit(&store, 2, vec![asked(2)]).unwrap();
}

fn files_with(folder: &Path, text: &str) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().filter_map(|entry| {
        let entry = entry.unwrap();
        let name = entry.file_name().to_string_lossy().into_owned();
        let bytes = fs::read(entry.path()).unwrap();
        let has = bytes
            .windows(text.len())
            .any(|window| window == text.as_bytes());
        (has && name.starts_with("journal")).then_some(name)
    });
    names.collect()
}

#[test]
fn erased_text_leaves_the_log_as_soon_as_no_other_program_reads_it() {
    let place = Place::new();
    let store = start(place.path());
    let ask = sample::ask(1, sample::question(WORDS));
    let id = ask.id;
    commit(&store, 1, vec![Event::Asked(Arc::new(ask)), closed(1, 1)]).unwrap();
    // Another program holds a view of the journal.
    let other = Connection::open(place.path().join("journal.db")).unwrap();
    other
        .execute_batch("BEGIN; SELECT count(*) FROM header;")
        .unwrap();
    let _: i64 = other
        .query_row("SELECT count(*) FROM header", [], |row| row.get(0))
        .unwrap();
    let erased = JournalPlace {
        opened: Seq(1),
        closed: Some(Seq(2)),
        late: None,
    };
    let begun = fs::metadata(place.path().join("journal.db-wal"))
        .unwrap()
        .len();
    commit(
        &store,
        2,
        vec![Event::Erased {
            ask: id,
            place: erased,
        }],
    )
    .unwrap();
    assert!(begun > 0 && !files_with(place.path(), WORDS).is_empty());
    let erasing = |store: &SqliteStore| {
        store.troubles().iter().any(
            |trouble| matches!(trouble, Trouble::Erasing(why) if why.contains("another program")),
        )
    };
    assert!(erasing(&store));
    // Nobody waits for the other program.
    commit(&store, 3, vec![asked(2)]).unwrap();
    other.execute_batch("COMMIT").unwrap();
    wait_for("the text is gone", || !erasing(&store));
    assert_eq!(files_with(place.path(), WORDS), Vec::<String>::new());
}

#[test]
fn a_start_takes_erased_text_out_of_the_log_of_a_crash() {
    let place = Place::new();
    let store = start(place.path());
    let ask = sample::ask(1, sample::question(WORDS));
    let id = ask.id;
    commit(&store, 1, vec![Event::Asked(Arc::new(ask)), closed(1, 1)]).unwrap();
    let other = Connection::open(place.path().join("journal.db")).unwrap();
    other.execute_batch("BEGIN").unwrap();
    let _: i64 = other
        .query_row("SELECT count(*) FROM header", [], |row| row.get(0))
        .unwrap();
    let erased = JournalPlace {
        opened: Seq(1),
        closed: Some(Seq(2)),
        late: None,
    };
    commit(
        &store,
        2,
        vec![Event::Erased {
            ask: id,
            place: erased,
        }],
    )
    .unwrap();
    let image = super::place::crash_image(place.path());
    assert!(!files_with(image.path(), WORDS).is_empty());
    let _again = start(image.path());
    assert_eq!(files_with(image.path(), WORDS), Vec::<String>::new());
}

#[test]
fn room_for_the_index_of_the_log_is_reserved_ahead() {
    let place = Place::new();
    let store = start(place.path());
    commit(&store, 1, vec![asked(1)]).unwrap();
    for name in ["journal.db-shm", "views.db-shm"] {
        let about = fs::metadata(place.path().join(name)).unwrap();
        assert!(about.len() >= 64 * 1024, "{name}: {}", about.len());
        assert!(about.blocks() * 512 >= about.len(), "{name} has holes");
    }
    // A reader that stays makes the log grow beyond what one part of the index covers.
    let other = Connection::open(place.path().join("journal.db")).unwrap();
    other.execute_batch("BEGIN").unwrap();
    let _: i64 = other
        .query_row("SELECT count(*) FROM header", [], |row| row.get(0))
        .unwrap();
    let index = place.path().join("journal.db-shm");
    let mut n = 2;
    while fs::metadata(place.path().join("journal.db-wal"))
        .unwrap()
        .len()
        < 5000 * 4096
    {
        commit(&store, n, (n..n + 500).map(asked).collect()).unwrap();
        n += 500;
    }
    let about = fs::metadata(&index).unwrap();
    assert!(about.len() >= 3 * 32 * 1024 && about.blocks() * 512 >= about.len());
}
