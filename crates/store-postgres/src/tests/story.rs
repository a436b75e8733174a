//! The story every store must pass, told to this one.

use sayso_core::id::Seq;
use sayso_store::{Store as _, story};

use super::place::{ask, now, psql, settings, start};
use crate::{PostgresStore, rebuild};

#[test]
fn the_story_is_told() {
    now(story::all(|| {
        let settings = settings();
        move || PostgresStore::open(settings.clone()).unwrap()
    }));
}

#[test]
fn projections_that_are_made_again_are_the_same() {
    let settings = settings();
    let tables = ["progress", "asks", "asks_text", "entries"];
    let dump = || {
        tables.map(|table| {
            psql(
                &settings,
                &format!("SELECT string_agg(t::text, '|' ORDER BY t::text) FROM {table} t"),
            )
        })
    };
    let before = {
        let (store, head) = start(&settings);
        let places = ask(&store, head, (1..=300).collect()).unwrap();
        now(store.caught_up(*places.last().unwrap())).unwrap();
        drop(store);
        // Whatever text was behind is made now.
        rebuild(settings.clone()).unwrap();
        dump()
    };
    let head = rebuild(settings.clone()).unwrap();
    assert_eq!(head.seq, Seq(300));
    assert_eq!(dump(), before);
}
