//! What is refused: another key, a newer journal, a server that takes no writes, a database that went
//! back, and changes to what is never changed.

use sayso_core::id::Seq;
use sayso_store::{LEVEL, Store as _, StoreError, Trouble};
use sayso_testkit::pg::cluster;

use super::place::{ask, asks, psql, settings, start};
use crate::{PostgresSettings, PostgresStore};

fn refusal(settings: PostgresSettings) -> String {
    PostgresStore::open(settings).unwrap_err().to_string()
}

#[test]
fn a_node_with_another_key_is_refused() {
    let one = settings();
    drop(start(&one));
    let said = refusal(PostgresSettings {
        key: [8; 32],
        ..one.clone()
    });
    assert!(said.contains("is not the key of this journal"), "{said}");
    drop(start(&one));
}

#[test]
fn a_journal_that_is_newer_or_elsewhere_is_refused() {
    let one = settings();
    drop(start(&one));
    psql(&one, &format!("UPDATE meta SET level = {}", LEVEL + 1));
    let newer = PostgresStore::open(one.clone()).unwrap_err();
    assert!(matches!(newer, StoreError::Newer { .. }), "{newer}");
    psql(&one, "UPDATE meta SET level = 1, moved = 'sqlite:there'");
    let moved = refusal(one);
    assert!(moved.contains("sqlite:there"), "{moved}");
}

#[test]
fn a_server_that_takes_no_writes_is_refused() {
    cluster().psql(
        "postgres",
        "CREATE ROLE reader LOGIN; ALTER ROLE reader SET default_transaction_read_only = on",
    );
    let one = settings();
    let said = refusal(PostgresSettings {
        url: one.url.replace("user=node", "user=reader"),
        ..one
    });
    assert!(said.contains("accepts no writes"), "{said}");
}

#[test]
fn a_url_and_a_schema_that_are_none_are_refused() {
    let one = settings();
    let said = refusal(PostgresSettings {
        url: "postgres://a:b:c/d".to_owned(),
        ..one.clone()
    });
    assert!(said.contains("the URL of PostgreSQL"), "{said}");
    let said = refusal(PostgresSettings {
        schema: "drop table".to_owned(),
        ..one
    });
    assert!(said.contains("a valid schema name"), "{said}");
}

#[test]
fn a_database_that_went_back_is_refused() {
    let one = settings();
    let (store, after) = start(&one);
    ask(&store, after, vec![1, 2, 3]).unwrap();
    psql(
        &one,
        "DELETE FROM body WHERE seq = 3; DELETE FROM header WHERE seq = 3",
    );
    for _ in 0..2 {
        let refused = ask(&store, Seq(3), vec![4]).unwrap_err().to_string();
        assert!(
            refused.contains("the database went back in time"),
            "{refused}"
        );
    }
    let troubles = store.troubles();
    assert!(
        matches!(troubles.as_slice(), [Trouble::Refusing(_)]),
        "{troubles:?}"
    );
    drop(store);
    // Another start knows of nothing that is lost.
    let (store, head) = start(&one);
    assert_eq!(head, Seq(2));
    assert_eq!(asks(&store), [1, 2]);
}

#[test]
fn no_node_may_change_a_header() {
    let one = settings();
    drop(start(&one));
    let may = |what: &str| {
        let table = format!("{}.header", one.schema);
        psql(
            &one,
            &format!("SELECT has_table_privilege('node', '{table}', '{what}')"),
        )
    };
    let found = ["INSERT", "SELECT", "UPDATE", "DELETE", "TRUNCATE"].map(may);
    assert_eq!(found, ["t", "t", "f", "f", "f"]);
}
