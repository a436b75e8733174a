//! Connections that are cut at any byte: what was acknowledged is there, what was refused is not.

use std::sync::Arc;
use std::time::Duration;

use sayso_core::id::Seq;
use sayso_store::{Since, Store as _, StoreError};
use sayso_testkit::PgProxy;
use sayso_testkit::pg::cluster;

use super::place::{ask, asked, asks, now, psql, settings, start};
use crate::PostgresSettings;

/// Cuts that are tried in each direction.
const CUTS: i64 = 24;

#[test]
fn a_commit_whose_connection_is_cut_is_settled_by_reading() {
    let direct = settings();
    let proxy = PgProxy::to(cluster());
    let cut = PostgresSettings {
        url: proxy.url(),
        ..direct.clone()
    };
    let (store, mut after) = start(&cut);
    let (mut acknowledged, mut refused) = (Vec::new(), Vec::new());
    for n in 0..2 * CUTS {
        // A turn sends some 900 bytes in two goes, and hears some 400.
        if n % 2 == 0 {
            proxy.cut_after(n / 2 * 40);
        } else {
            proxy.cut_reply_after(n / 2 * 16);
        }
        let ask_number = u64::try_from(n).unwrap() + 1;
        match ask(&store, after, vec![ask_number]) {
            Ok(places) => {
                after = *places.last().unwrap();
                acknowledged.push(ask_number);
            }
            Err(StoreError::TryLater { .. }) => refused.push(ask_number),
            Err(error) => panic!("{error}"),
        }
        proxy.open();
    }
    drop(store);
    let (store, _) = start(&direct);
    assert!(!acknowledged.is_empty() && !refused.is_empty());
    assert_eq!(asks(&store), acknowledged, "refused: {refused:?}");
}

#[test]
fn nobody_is_told_how_a_commit_ended_while_the_database_is_away() {
    let direct = settings();
    let proxy = Arc::new(PgProxy::to(cluster()));
    let cut = PostgresSettings {
        url: proxy.url(),
        ..direct.clone()
    };
    let (store, after) = start(&cut);
    let places = ask(&store, after, vec![1]).unwrap();
    let inside = Arc::clone(&proxy);
    let decide = move |_: Since| {
        // From here on nothing comes through, neither the write nor its reply.
        inside.close();
        vec![asked(2)]
    };
    std::thread::scope(|scope| {
        let turn = scope.spawn(|| now(store.turn(places[0], Box::new(decide))));
        std::thread::sleep(Duration::from_millis(300));
        assert!(!turn.is_finished());
        proxy.open();
        let written = turn.join().unwrap();
        assert!(
            matches!(written, Err(StoreError::TryLater { .. })),
            "{written:?}"
        );
    });
    assert_eq!(ask(&store, places[0], vec![3]).unwrap(), [Seq(2)]);
    assert_eq!(asks(&store), [1, 3]);
}

#[test]
fn a_commit_whose_word_is_lost_is_found_in_the_journal() {
    let direct = settings();
    let proxy = Arc::new(PgProxy::to(cluster()));
    let cut = PostgresSettings {
        url: proxy.url(),
        ..direct.clone()
    };
    let (store, after) = start(&cut);
    let (watcher, _) = start(&direct);
    let inside = Arc::clone(&proxy);
    let decide = move |_: Since| {
        inside.silence();
        vec![asked(1), asked(2)]
    };
    std::thread::scope(|scope| {
        let turn = scope.spawn(|| now(store.turn(after, Box::new(decide))));
        assert_eq!(now(watcher.others(after)).unwrap().len(), 2);
        // It is committed, and only the server knows.
        assert!(!turn.is_finished());
        proxy.close();
        proxy.open();
        assert_eq!(turn.join().unwrap().unwrap(), [Seq(1), Seq(2)]);
    });
    assert_eq!(ask(&store, Seq(2), vec![3]).unwrap(), [Seq(3)]);
    assert_eq!(asks(&watcher), [1, 2, 3]);
}

#[test]
fn a_commit_with_a_warning_is_told_once_it_is_certain() {
    let one = settings();
    let (store, after) = start(&one);
    psql(
        &one,
        "CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS
             $$ BEGIN RAISE WARNING 'canceling wait for synchronous replication'; RETURN NULL; END $$;
         CREATE CONSTRAINT TRIGGER warns AFTER INSERT ON header DEFERRABLE INITIALLY DEFERRED
             FOR EACH ROW EXECUTE FUNCTION warn()",
    );
    // The warning comes with the commit, and the barrier is a write to the row of this node.
    let seen = || psql(&one, "SELECT max(seen_at) FROM node");
    ask(&store, after, vec![]).unwrap();
    let before = seen();
    assert_eq!(ask(&store, after, vec![1]).unwrap(), [Seq(1)]);
    assert_ne!(seen(), before, "nobody was told before a barrier");
    assert_eq!(asks(&store), [1]);
}
