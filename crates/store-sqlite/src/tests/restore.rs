//! Backups made under load, and what a restore leaves of the state before.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use sayso_core::id::{Place as JournalPlace, RuleId, Seq, TokenId};
use sayso_core::journal::Event;
use sayso_core::outcome::{Closer, Outcome};
use sayso_core::policy::{AppliesTo, Says, Subject};
use sayso_core::role::Role;
use sayso_core::state::SnapshotPart;
use sayso_core::time::Time;
use sayso_store::story::sample;
use sayso_store::{Store as _, StoreError, StoredAsk};

use super::place::{FILLED, Place, asked, commit, crash_image, fill, now, open, recover, start};
use crate::{restore, verify_file, verify_folder};
use sayso_store_sql::life::{LifeBegins, Restored, Revoke};

const NOW: Time = Time::from_millis(50_000);

/// Restores a backup as this epoch.
fn put_back(place: &Place, backup: &Path, epoch: u8) -> Result<Restored, StoreError> {
    restore(
        place.path(),
        backup,
        Revoke::default(),
        LifeBegins {
            now: NOW,
            epoch: sample::epoch(epoch),
        },
    )
}

#[test]
fn a_backup_under_load_is_a_whole_moment_of_the_journal() {
    let place = Place::new();
    fill(place.path());
    let store = start(place.path());
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for n in FILLED + 1.. {
                commit(&store, n, vec![asked(n)]).unwrap();
                if stop.load(Ordering::Relaxed) {
                    return;
                }
            }
        });
        for number in 0..5 {
            let to = place.path().join(format!("backup-{number}"));
            let before = store.viewed().0;
            now(store.backup(&to)).unwrap();
            let verified = verify_file(&to).unwrap();
            assert!(
                verified.faults.is_empty() && verified.events >= before,
                "{verified:?}"
            );
            assert_eq!(
                fs::metadata(&to).unwrap().permissions().mode() & 0o777,
                0o600
            );
        }
        stop.store(true, Ordering::Relaxed);
    });
    let left: Vec<_> = fs::read_dir(place.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert!(
        left.iter()
            .all(|name| !name.to_string_lossy().contains("partial")),
        "{left:?}"
    );
}

#[test]
fn a_backup_never_overwrites() {
    let place = Place::new();
    fill(place.path());
    let store = start(place.path());
    let to = place.path().join("backup");
    fs::write(&to, b"mine").unwrap();
    let error = now(store.backup(&to)).unwrap_err();
    assert!(
        matches!(&error, StoreError::Unusable { what, .. } if what.starts_with("cannot write the backup")),
        "{error}"
    );
    assert_eq!(fs::read(&to).unwrap(), b"mine");
    let nowhere = place.path().join("no such folder").join("backup");
    assert!(matches!(
        now(store.backup(&nowhere)),
        Err(StoreError::Unusable { .. })
    ));
}

#[test]
fn a_restore_begins_a_new_epoch_and_voids_what_was_open() {
    let place = Place::new();
    let backup = Place::new();
    {
        let store = start(place.path());
        commit(
            &store,
            1,
            vec![
                Event::EpochBegan(sample::epoch(1)),
                Event::TokenMade(sample::token(1, Role::Agent)),
            ],
        )
        .unwrap();
        commit(
            &store,
            2,
            vec![asked(3), asked(4), super::place::closed(3, 3)],
        )
        .unwrap();
        now(store.backup(backup.path())).unwrap();
        // After the backup: the open ask is answered, another is asked. A restore forgets both.
        commit(&store, 3, vec![super::place::closed(4, 4), asked(7)]).unwrap();
    }
    let old = fs::read(place.path().join("journal.db")).unwrap();
    let aside = place
        .path()
        .canonicalize()
        .unwrap()
        .join("journal.db.before-restore");
    let restored = put_back(&place, backup.path(), 9).unwrap();
    assert_eq!(
        restored,
        Restored {
            events: 5,
            void: 1,
            taken_back: 0,
            unsure: None,
            tokens: vec!["token 1 ü".to_owned()],
            rules: Vec::new(),
            before: Some(aside.display().to_string())
        }
    );
    assert_eq!(fs::read(&aside).unwrap(), old);

    let store = open(place.path()).unwrap();
    let (told, head) = recover(&store);
    assert_eq!(
        (head.seq, head.at, head.epoch),
        (Seq(7), NOW, Some(sample::epoch(9)))
    );
    assert_eq!(
        told[..2],
        [
            SnapshotPart::Token(sample::token(1, Role::Agent)),
            SnapshotPart::LastToken(sayso_core::id::TokenId(1))
        ]
    );
    let left: Vec<_> = told
        .iter()
        .filter_map(|item| match item {
            SnapshotPart::Open(_) => Some("open"),
            SnapshotPart::Owed(owed) => Some(if owed.ask == sample::ask_id(4) {
                "void ask"
            } else {
                "old outcome"
            }),
            _ => None,
        })
        .collect();
    assert_eq!(left, ["void ask"]);
    let at = JournalPlace {
        opened: Seq(4),
        closed: Some(Seq(7)),
        late: None,
    };
    let StoredAsk::Whole {
        closing: Some(closing),
        ..
    } = now(store.read(at)).unwrap()
    else {
        panic!()
    };
    let note = Some("The server was restored from a backup; this ask is void.".to_owned());
    assert_eq!(
        (&closing.outcome, &closing.by, closing.at),
        (&Outcome::Withdrawn { note }, &Closer::Clock, NOW)
    );
    assert!(now(store.verify()).unwrap().faults.is_empty());
    commit(&store, 60_000, vec![asked(8)]).unwrap();
    drop(store);

    // A second restore keeps what the first put aside.
    let again = put_back(&place, backup.path(), 10).unwrap();
    assert_eq!(
        Path::new(&again.before.unwrap()).file_name().unwrap(),
        "journal.db.before-restore.2"
    );
    assert_eq!(fs::read(&aside).unwrap(), old);
}

#[test]
fn a_restore_over_a_crashed_state_takes_its_log_out_of_the_way() {
    let place = Place::new();
    let backup = Place::new();
    fill(place.path());
    let image = {
        let store = start(place.path());
        now(store.backup(backup.path())).unwrap();
        commit(&store, 1, vec![asked(17), asked(18)]).unwrap();
        crash_image(place.path())
    };
    assert!(
        image
            .path()
            .join("journal.db-wal")
            .metadata()
            .unwrap()
            .len()
            > 0
    );
    let restored = put_back(&image, backup.path(), 2).unwrap();
    assert_eq!((restored.events, restored.void), (FILLED, 5));
    assert!(recover(&open(image.path()).unwrap()).1.seq == Seq(FILLED + 6));
    // What only the crashed state knew can still be read.
    let aside = PathBuf::from(restored.before.unwrap());
    assert_eq!(verify_file(&aside).unwrap().events, FILLED + 2);
}

#[test]
fn a_journal_that_nobody_closed_is_restored_with_its_log() {
    let place = Place::new();
    let backup = Place::new();
    fill(place.path());
    let image = {
        let store = start(place.path());
        now(store.backup(backup.path())).unwrap();
        commit(&store, 1, vec![asked(17), asked(18)]).unwrap();
        crash_image(place.path())
    };
    let first = put_back(&image, backup.path(), 2).unwrap();
    // Taken back: what was put aside comes back, with what only its log has.
    let aside = PathBuf::from(first.before.unwrap());
    let second = put_back(&image, &aside, 3).unwrap();
    assert_eq!((second.events, second.void), (FILLED + 2, 7));
    let verified = verify_folder(image.path()).unwrap();
    assert_eq!((verified.events, verified.faults), (FILLED + 10, vec![]));
}

#[test]
fn what_was_taken_back_since_the_backup_stays_so() {
    let place = Place::new();
    let backup = Place::new();
    let rule = |id| {
        let says = Says::Deny(Subject::Words(vec!["rm".to_owned()]));
        sample::rule(id, says, AppliesTo::default())
    };
    let by = rule(1).by.clone();
    {
        let store = start(place.path());
        let made = [1, 2, 3].map(|n| Event::TokenMade(sample::token(n, Role::Agent)));
        let rules = [1, 2].map(|n| Event::RuleMade(rule(n)));
        let began = Event::EpochBegan(sample::epoch(1));
        commit(&store, 1, [vec![began], made.into(), rules.into()].concat()).unwrap();
        now(store.backup(backup.path())).unwrap();
        let back = vec![
            Event::TokenRevoked(TokenId(2)),
            Event::RuleRevoked {
                rule: RuleId(1),
                by,
            },
        ];
        commit(&store, 2, back).unwrap();
    }
    let restored = put_back(&place, backup.path(), 9).unwrap();
    assert_eq!((restored.taken_back, restored.unsure), (2, None));
    let good: Vec<String> = recover(&open(place.path()).unwrap())
        .0
        .iter()
        .filter_map(|item| match item {
            SnapshotPart::Token(token) => Some(token.id.to_string()),
            SnapshotPart::Rule(entry) => Some(entry.rule.id.to_string()),
            _ => None,
        })
        .collect();
    assert_eq!(good, ["tk_1", "tk_3", "ru_2"]);
}

#[test]
fn a_restore_into_a_lost_state_brings_it_back() {
    let place = Place::new();
    let backup = Place::new();
    fill(place.path());
    now(start(place.path()).backup(backup.path())).unwrap();
    fs::write(place.path().join("journal.db"), b"garbage").unwrap();
    assert!(matches!(
        open(place.path()),
        Err(StoreError::Damaged { .. })
    ));
    put_back(&place, backup.path(), 2).unwrap();
    start(place.path());
    fs::remove_file(place.path().join("journal.db")).unwrap();
    assert!(matches!(
        open(place.path()),
        Err(StoreError::Damaged { .. })
    ));
    assert_eq!(put_back(&place, backup.path(), 3).unwrap().before, None);
    start(place.path());
}

#[test]
fn a_restore_that_cannot_be_trusted_changes_nothing() {
    let place = Place::new();
    let backup = Place::new();
    fill(place.path());
    {
        let store = start(place.path());
        now(store.backup(backup.path())).unwrap();
        assert!(matches!(
            put_back(&place, backup.path(), 2),
            Err(StoreError::InUse { .. })
        ));
    }
    let files = |folder: &std::path::Path| {
        let mut files: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().path())
            .map(|p| (p.clone(), fs::read(p).unwrap()))
            .collect();
        files.sort();
        files
    };
    let before = files(place.path());
    super::place::sql(
        backup.path(),
        "UPDATE body SET body = x'7b7d' WHERE seq = 3",
    );
    let error = put_back(&place, backup.path(), 2).unwrap_err();
    let expected = format!(
        "{} is damaged: the body of event 3 (ask 00000000-0003-7000-8000-000000000003) was \
         changed; nothing was changed. Use another backup",
        backup.path().display()
    );
    assert_eq!(error.to_string(), expected);
    fs::write(
        backup.path(),
        b"not a backup at all, though long enough to be read",
    )
    .unwrap();
    assert!(matches!(
        put_back(&place, backup.path(), 2),
        Err(StoreError::Damaged { .. })
    ));
    fs::remove_file(backup.path()).unwrap();
    assert!(matches!(
        put_back(&place, backup.path(), 2),
        Err(StoreError::Unusable { .. })
    ));
    assert_eq!(files(place.path()), before);
}

#[test]
fn a_restore_says_what_may_be_valid_again_and_revokes_it_when_told_to() {
    let (place, backup) = (Place::new(), Place::new());
    let allow = sample::every_rule();
    {
        let store = start(place.path());
        let mut events = vec![
            Event::TokenMade(sample::token(1, Role::Agent)),
            Event::TokenMade(sample::token(2, Role::Admin)),
        ];
        events.extend(allow.iter().cloned().map(Event::RuleMade));
        commit(&store, 1, events).unwrap();
        now(store.backup(backup.path())).unwrap();
        commit(&store, 2, vec![Event::TokenRevoked(TokenId(1))]).unwrap();
    }
    let names: Vec<String> = [1, 2]
        .map(|n| sample::token(n, Role::Agent).name.to_string())
        .into();
    // Beside the journal that went on, what was revoked since is known.
    let again = put_back(&place, backup.path(), 2);
    let again = again.unwrap();
    assert_eq!((again.taken_back, again.unsure), (1, None));
    assert_eq!(again.tokens, names[1..]);
    // In an empty folder it is not.
    let empty = Place::new();
    let alone = put_back(&empty, backup.path(), 2);
    let alone = alone.unwrap();
    assert!(alone.unsure.unwrap().contains("no journal here"));
    assert_eq!(alone.tokens, names);
    assert_eq!(
        alone.rules.len(),
        allow.len() - 1,
        "all but the one that denies"
    );
    // And so it is beside another journal.
    let other = Place::new();
    commit(&start(other.path()), 1, (1..=9).map(asked).collect()).unwrap();
    let beside = put_back(&other, backup.path(), 2);
    assert!(beside.unwrap().unsure.unwrap().contains("doesn't continue"));
    let everything = Revoke {
        tokens: true,
        rules: true,
    };
    let fresh = Place::new();
    let safe = restore(
        fresh.path(),
        backup.path(),
        everything,
        LifeBegins {
            now: NOW,
            epoch: sample::epoch(2),
        },
    )
    .unwrap();
    assert_eq!((safe.tokens, safe.rules), (Vec::new(), Vec::new()));
    let told = recover(&open(fresh.path()).unwrap()).0;
    let good = |one: &SnapshotPart| matches!(one, SnapshotPart::Token(_));
    assert!(!told.iter().any(good));
    let rules: Vec<u32> = told
        .iter()
        .filter_map(|one| match one {
            SnapshotPart::Rule(entry) => Some(entry.rule.id.0),
            _ => None,
        })
        .collect();
    assert_eq!(rules, [2]);
}
