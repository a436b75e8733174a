//! Files that are not what was written: each is refused by name, with what to do about it.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use sayso_core::id::Seq;
use sayso_store::{LEVEL, Store as _, StoreError};

use super::place::{Place, commit, crash_image, fill, now, open, recover, sql, start};
use sayso_store_sql::journal::REMEDY;

fn journal(place: &Place) -> std::path::PathBuf {
    place.path().join("journal.db")
}

fn filled() -> Place {
    let place = Place::new();
    fill(place.path());
    place
}

/// Opens and starts; gives what it says when it refuses.
fn refused(folder: &Path) -> StoreError {
    match open(folder) {
        Err(error) => error,
        Ok(store) => now(store.snapshot(&mut |_| {})).unwrap_err(),
    }
}

fn flip(path: &Path, at: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[at] ^= 0x10;
    fs::write(path, bytes).unwrap();
}

#[test]
fn every_kind_of_damage_is_refused_with_the_remedy() {
    type Harm = fn(&Path);
    let cases: [(&str, Harm, &str); 8] = [
        (
            "empty",
            |path| fs::write(path, b"").unwrap(),
            "the file is empty",
        ),
        (
            "not a database",
            |path| fs::write(path, vec![b'x'; 8192]).unwrap(),
            "the file is not a database",
        ),
        (
            "cut in its first page",
            |path| cut(path, 50),
            "the file is truncated",
        ),
        (
            "cut in half",
            |path| cut(path, fs::metadata(path).unwrap().len() / 2),
            "malformed",
        ),
        (
            "another database",
            replace_by_foreign,
            "the file is a database of another program",
        ),
        ("first page", |path| flip(path, 100), "malformed"),
        (
            "schema",
            |path| sql(path, "DROP TABLE header"),
            "no such table",
        ),
        (
            "end gone",
            |path| {
                sql(
                    path,
                    "DELETE FROM header WHERE seq = 16; DELETE FROM body WHERE seq = 16",
                );
            },
            "it ends at event 15, but event 16 had been written",
        ),
    ];
    for (name, harm, says) in cases {
        let place = filled();
        harm(&journal(&place));
        let harmed = fs::read(journal(&place)).unwrap();
        let error = refused(place.path());
        let StoreError::Damaged { file, detail } = &error else {
            panic!("{name}: {error}")
        };
        assert_eq!(file, "journal.db", "{name}");
        assert!(detail.contains(says), "{name}: {detail}");
        assert!(detail.ends_with(REMEDY), "{name}: {detail}");
        assert_eq!(
            fs::read(journal(&place)).unwrap(),
            harmed,
            "{name}: a damaged file is left as it is"
        );
    }
}

fn cut(path: &Path, length: u64) {
    fs::File::options()
        .write(true)
        .open(path)
        .unwrap()
        .set_len(length)
        .unwrap();
}

fn replace_by_foreign(path: &Path) {
    fs::remove_file(path).unwrap();
    sql(path, "CREATE TABLE header (seq INTEGER PRIMARY KEY)");
}

#[test]
fn a_newer_state_is_refused_untouched() {
    for (harm, found, known) in [
        ("PRAGMA user_version = 99", 99, LEVEL),
        ("UPDATE header SET format = 7 WHERE seq = 16", 7, 1),
    ] {
        let place = filled();
        sql(&journal(&place), harm);
        let before = fs::read(journal(&place)).unwrap();
        let error = refused(place.path());
        let expected = format!(
            "journal.db was written by a newer version of sayso (level {found}, this version reads up to level {known}); upgrade sayso and start it again, nothing was changed"
        );
        assert_eq!(error.to_string(), expected);
        assert_eq!(fs::read(journal(&place)).unwrap(), before);
    }
}

#[test]
fn a_newer_version_in_the_log_is_refused_too() {
    let place = filled();
    let image = {
        let store = start(place.path());
        store.with_writer(|writer| {
            writer
                .connection()
                .unwrap()
                .execute_batch("PRAGMA user_version = 99")
                .unwrap();
        });
        crash_image(place.path())
    };
    let before = fs::read(journal(&image)).unwrap();
    assert!(matches!(
        refused(image.path()),
        StoreError::Newer { found: 99, .. }
    ));
    assert_eq!(fs::read(journal(&image)).unwrap(), before);
    assert!(
        image
            .path()
            .join("journal.db-wal")
            .metadata()
            .unwrap()
            .len()
            > 0
    );
}

#[test]
fn a_missing_journal_is_never_replaced_by_an_empty_one() {
    for left in ["views.db", "key"] {
        let place = filled();
        fs::remove_file(journal(&place)).unwrap();
        for name in ["views.db", "key"].into_iter().filter(|name| *name != left) {
            fs::remove_file(place.path().join(name)).unwrap();
        }
        let error = refused(place.path()).to_string();
        assert_eq!(
            error,
            format!(
                "journal.db is damaged: the journal is missing, but `{left}` next to it exists; \
                 {REMEDY}"
            )
        );
        assert!(!journal(&place).exists());
    }
}

#[test]
fn a_second_server_is_refused_at_once_and_the_next_one_starts_at_once() {
    let place = filled();
    let store = start(place.path());
    let folder = place.path().canonicalize().unwrap();
    let expected = format!(
        "the state in {} is in use by another sayso server; stop it, or start this one with another --state",
        folder.display()
    );
    assert_eq!(open(place.path()).unwrap_err().to_string(), expected);
    drop(store);
    start(place.path());
}

#[test]
fn a_folder_that_others_can_write_to_is_refused() {
    let place = filled();
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let error = open(place.path()).unwrap_err();
    assert!(
        matches!(&error, StoreError::Unusable { detail, .. } if detail.starts_with("other users can write to it")),
        "{error}"
    );
}

#[test]
fn files_are_for_their_owner_alone_and_no_links() {
    let place = Place::new();
    let store = start(place.path());
    commit(&store, 1, vec![super::place::asked(1)]).unwrap();
    assert_eq!(
        fs::metadata(place.path()).unwrap().permissions().mode() & 0o777,
        0o700
    );
    for entry in fs::read_dir(place.path()).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(
            entry.metadata().unwrap().permissions().mode() & 0o777,
            0o600,
            "{:?}",
            entry.file_name()
        );
    }
    drop(store);
    for name in ["journal.db", "key", "lock"] {
        let elsewhere = place.path().join("elsewhere");
        fs::rename(place.path().join(name), &elsewhere).unwrap();
        symlink(&elsewhere, place.path().join(name)).unwrap();
        let error = open(place.path()).unwrap_err();
        assert!(
            matches!(error, StoreError::Unusable { .. }),
            "{name}: {error}"
        );
        fs::rename(&elsewhere, place.path().join(name)).unwrap();
    }
    assert_eq!(recover(&open(place.path()).unwrap()).1.seq, Seq(1));
}

#[test]
fn what_was_committed_outlives_a_crash_and_a_torn_write_after_it() {
    let place = Place::new();
    let store = start(place.path());
    for n in 1..=20 {
        commit(&store, n, vec![super::place::asked(n)]).unwrap();
        let image = crash_image(place.path());
        let log = image.path().join("journal.db-wal");
        let mut bytes = fs::read(&log).unwrap();
        bytes.extend(vec![0x5a; 5000]);
        fs::write(&log, bytes).unwrap();
        let after = open(image.path()).unwrap();
        assert_eq!(recover(&after).1.seq, Seq(n));
    }
}
