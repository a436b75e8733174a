//! What connections are given back as, what they set, and what they do not believe.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sayso_core::id::{Seq, TokenId};
use sayso_store::{SharedFile, Store as _, StoreError, Trouble};
use sayso_testkit::PgProxy;
use sayso_testkit::pg::cluster;

use super::place::{ask, asks, now, psql, settings, start};
use crate::{PostgresJournal, PostgresSettings, PostgresStore};

const LOOK: Duration = Duration::from_millis(5);
const LOOKS_MAX: u32 = 6000;

fn until(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..LOOKS_MAX {
        if is_so() {
            return;
        }
        std::thread::sleep(LOOK);
    }
    panic!("{what}");
}

fn file(id: &str, bytes: usize) -> SharedFile {
    SharedFile {
        id: id.to_owned(),
        owner: TokenId(1),
        about: "{}".to_owned(),
        content: vec![7; bytes],
    }
}

/// Has every write to a table bring a warning, as a server does that was told not to wait for its standby.
fn warn_at(settings: &PostgresSettings, table: &str) {
    psql(
        settings,
        &format!(
            "CREATE FUNCTION {0}.warn() RETURNS trigger LANGUAGE plpgsql AS
                 $$ BEGIN RAISE WARNING 'canceling wait for synchronous replication'; RETURN NEW; END $$;
             CREATE TRIGGER warns BEFORE UPDATE ON {table} FOR EACH ROW EXECUTE FUNCTION {0}.warn()",
            settings.schema
        ),
    );
}

/// Settings of a node whose connections can be told from others.
fn named() -> PostgresSettings {
    let one = settings();
    PostgresSettings {
        url: format!("{}&application_name={}", one.url, one.schema),
        ..one
    }
}

fn cut_all(settings: &PostgresSettings) {
    let name = &settings.schema;
    psql(
        settings,
        &format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '{name}'"
        ),
    );
}

#[test]
fn a_file_that_is_given_up_midway_leaves_its_connection_as_it_was() {
    let one = PostgresSettings {
        // One for reading, beside that of the projector.
        readers: 1,
        ..settings()
    };
    let (store, _) = start(&one);
    let (others, asked) = (store.neighbours().unwrap(), Arc::<AtomicBool>::default());
    for n in 0..8 {
        let told = Arc::clone(&asked);
        told.store(false, Ordering::SeqCst);
        let room = move |_| {
            told.store(true, Ordering::SeqCst);
            Some(Vec::new())
        };
        let keeping = others
            .files()
            .keep(file(&n.to_string(), 3_000_000), Box::new(room));
        // The upload is dropped wherever it is then.
        let wait = Duration::from_millis(n * 7);
        let kept = now(async { tokio::time::timeout(wait, keeping).await });
        if kept.is_ok() {
            break;
        }
    }
    let held = "SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid)
                WHERE l.locktype = 'advisory' AND l.objid = ({0} & 4294967295)::oid::int8";
    let lock = one.seat_lock("files");
    let held = held.replace("{0}", &format!("({lock})"));
    until("nobody holds the lock", || psql(&one, &held) == "0");
    for n in 10..16 {
        // Each connection of the pool is in no transaction: what is kept, others see at once.
        let id = n.to_string();
        let kept = others
            .files()
            .keep(file(&id, 10), Box::new(|_| Some(Vec::new())));
        assert!(now(kept).unwrap());
        let seen = psql(
            &one,
            &format!("SELECT count(*) FROM file WHERE id = '{id}'"),
        );
        assert_eq!(seen, "1");
    }
}

#[test]
fn a_connection_with_a_barrier_that_brings_a_warning_is_not_believed() {
    let one = named();
    let (store, after) = start(&one);
    ask(&store, after, vec![1]).unwrap();
    warn_at(&one, "node");
    cut_all(&one);
    until("nothing is read", || now(store.head()).is_err());
    assert!(now(store.head()).is_err());
    let refused = ask(&store, Seq(1), vec![2]);
    assert!(
        matches!(refused, Err(StoreError::TryLater { .. })),
        "{refused:?}"
    );
    psql(&one, "DROP TRIGGER warns ON node");
    until("it is read again", || now(store.head()).is_ok());
    ask(&store, Seq(1), vec![3]).unwrap();
    assert_eq!(asks(&store), [1, 3]);
}

#[test]
fn a_journal_leaves_for_certain_or_not_at_all() {
    let one = settings();
    drop(start(&one));
    warn_at(&one, "meta");
    let journal = PostgresJournal::leaving(one.clone()).unwrap();
    let left = journal.leave("sqlite:there");
    assert!(matches!(left, Err(StoreError::TryLater { .. })), "{left:?}");
    psql(&one, "DROP TRIGGER warns ON meta");
    journal.leave("sqlite:there").unwrap();
    assert_eq!(journal.moved().unwrap().as_deref(), Some("sqlite:there"));
}

#[test]
fn a_quiet_node_notices_that_its_database_went_back() {
    let one = named();
    let (store, after) = start(&one);
    ask(&store, after, vec![1, 2, 3]).unwrap();
    psql(
        &one,
        "DELETE FROM body WHERE seq = 3; DELETE FROM header WHERE seq = 3",
    );
    until("it is noticed", || {
        let troubles = store.troubles();
        troubles.iter().any(|trouble| {
            matches!(trouble, Trouble::Refusing(why) if why.contains("the database went back"))
        })
    });
    assert!(matches!(now(store.head()), Err(StoreError::Damaged { .. })));
}

#[test]
fn a_node_whose_connections_were_cut_notices_another_event_at_its_place() {
    let one = named();
    let (store, after) = start(&one);
    ask(&store, after, vec![1, 2]).unwrap();
    // Another history, which is already longer when the node is back.
    psql(
        &one,
        "UPDATE header SET at = at + 1 WHERE seq = 2;
         INSERT INTO header SELECT 3, format, writer, 3, body_hash, kind, NULL, at, body_hash, node, 3
             FROM header WHERE seq = 2",
    );
    cut_all(&one);
    until("it is noticed", || {
        matches!(now(store.head()), Err(StoreError::Damaged { .. }))
    });
}

#[test]
fn a_node_of_which_nothing_is_heard_keeps_no_seat() {
    let one = settings();
    let proxy = PgProxy::to(cluster());
    let cut = PostgresSettings {
        url: proxy.url(),
        node: "a".to_owned(),
        ..one.clone()
    };
    let (a, b) = (start(&cut).0, start(&one).0);
    let (here, there) = (a.neighbours().unwrap(), b.neighbours().unwrap());
    until("it has the seat", || here.seat("courier"));
    assert!(!there.seat("courier"));
    // Nothing comes through any more, and nobody is told.
    proxy.hold();
    until("the other has the seat", || there.seat("courier"));
}

#[test]
fn what_others_set_for_a_database_does_not_change_turns() {
    let url = cluster().database("strict");
    cluster().psql(
        "postgres",
        "ALTER DATABASE strict SET default_transaction_isolation = 'repeatable read'",
    );
    let one = PostgresSettings { url, ..settings() };
    let (a, b) = (start(&one).0, start(&one).0);
    let (go, gone) = std::sync::mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let other = &b;
        let waits = scope.spawn(move || {
            gone.recv().unwrap();
            ask(other, Seq::ZERO, vec![2])
        });
        let decide = move |_: sayso_store::Since| {
            go.send(()).unwrap();
            // Until the other one waits for its turn, having begun its transaction.
            until("the other one waits", || {
                cluster().psql(
                    "strict",
                    "SELECT count(*) > 0 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted",
                ) == "t"
            });
            vec![super::place::asked(1)]
        };
        assert_eq!(now(a.turn(Seq::ZERO, Box::new(decide))).unwrap(), [Seq(1)]);
        assert_eq!(waits.join().unwrap().unwrap(), [Seq(2)]);
    });
    assert_eq!(asks(&a), [1, 2]);
}

#[test]
fn a_database_that_cannot_hold_every_text_is_refused() {
    cluster().psql(
        "postgres",
        "CREATE DATABASE latin OWNER node ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0",
    );
    let one = settings();
    let url = one.url.replace("dbname=sayso", "dbname=latin");
    let refused = PostgresStore::open(PostgresSettings { url, ..one });
    let refused = refused.unwrap_err().to_string();
    assert!(
        refused.contains("LATIN1") && refused.contains("UTF8"),
        "{refused}"
    );
}

#[test]
fn what_a_node_left_behind_is_removed_by_the_next() {
    let one = settings();
    let (store, _) = start(&one);
    let here = "INSERT INTO here SELECT node, 1, 1, 0, ''::bytea FROM node UNION ALL SELECT 999, 1, 1, 0, ''::bytea";
    psql(&one, here);
    // The row of one that lives stays.
    let (other, _) = start(&PostgresSettings {
        node: "b".to_owned(),
        ..one.clone()
    });
    assert_eq!(psql(&one, "SELECT count(*) FROM here"), "1");
    drop((store, other));
    drop(start(&one));
    assert_eq!(psql(&one, "SELECT count(*) FROM here"), "0");
}
