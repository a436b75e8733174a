//! The migration killed at every point it passes, both ways, and run again: one end lives or none, and the
//! same command goes on. Only the test build can be killed so.
//!
//! `cargo xtask nodes migrate` does the same with a journal of a million events.
#![cfg(feature = "faults")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use sayso_core::text::hex;
use sayso_core::time::Time;
use sayso_store_postgres::{PostgresJournal, PostgresSettings};
use sayso_store_sql::journal::{End, SqlJournal, last_row};
use sayso_store_sql::sql::Sql;
use sayso_store_sql::transfer::JournalTarget as _;
use sayso_store_sqlite::{MovingFolder, read_key};
use sayso_testkit::fill_past;
use sayso_testkit::pg::cluster;
use serde_json::{Value, json};

use super::ground::{database, done, serve_on};
use crate::raw::Call;
use crate::stage::{Ended, Stage, begin, question, text_of, waited};

/// So many asks of so much text are more than one piece of the copy.
const LONG_ASKS: usize = 14;
const LONG_TEXT: usize = 250_000;
/// The piece that the copy is killed after, so that some of it is there.
const PIECE: &str = "migrate_piece";
/// The longest that a million events take, each way.
const EACH_WAY_MAX: Duration = Duration::from_secs(60);

/// How many events were asked for.
#[expect(
    clippy::disallowed_methods,
    reason = "this is how a long run is asked for"
)]
fn asked_for() -> Option<u64> {
    let text = std::env::var("SAYSO_MIGRATE_EVENTS").ok()?;
    Some(text.parse().unwrap())
}

/// Runs a command that is killed at the first passing of a point.
fn killed_at(stage: &Stage, words: &[&str], point: &str) {
    let mut command = stage.command(words);
    command.env("SAYSO_FAULT_KILL", format!("{point}:1"));
    let ended = Ended::of(command.output().unwrap());
    assert_eq!(ended.code, None, "{point}: {}", ended.said);
}

/// Runs a command to its end, and counts the points of its own that a migration passes.
fn points(stage: &Stage, words: &[&str]) -> BTreeMap<String, usize> {
    let log = stage.path("points");
    drop(fs::remove_file(&log));
    let mut command = stage.command(words);
    command.env("SAYSO_FAULT_LOG", &log);
    done(&Ended::of(command.output().unwrap()));
    let passed = fs::read_to_string(log).unwrap();
    let mut points = BTreeMap::new();
    for name in passed.lines().filter(|name| name.starts_with("migrate_")) {
        *points.entry(name.to_owned()).or_default() += 1;
    }
    points
}

/// Whether the state lives at a place: its lists can be made there.
fn lives(stage: &Stage, place: &[&str]) -> bool {
    let ended = stage.run(&[&["rebuild"], place].concat());
    let why = ["was moved", "is not finished", "there is no journal"];
    let is_refused = why.iter().any(|why| ended.said.contains(why));
    assert!(ended.code == Some(0) || is_refused, "{}", ended.said);
    ended.code == Some(0)
}

/// The last place of a journal, and its hash.
fn head(sql: &dyn Sql) -> (u64, String) {
    let end = End::of(last_row(SqlJournal(sql)).unwrap().as_ref());
    (end.seq.0, hex(&end.hash))
}

fn head_of_folder(folder: &Path) -> (u64, String) {
    head(MovingFolder::leaving(folder).unwrap().sql())
}

fn head_of_database(url: &str, state: &Path) -> (u64, String) {
    let key = read_key(&state.join("key")).unwrap().unwrap();
    let journal = PostgresJournal::open(PostgresSettings::new(url, key)).unwrap();
    head(journal.unwrap().sql())
}

/// The open asks, without what is of the moment.
fn open_asks(stage: &Stage) -> Vec<(Value, Value)> {
    let listed = stage.by("person", Call::get("/v1/asks")).with(200);
    let asks = listed["asks"].as_array().unwrap().iter();
    asks.map(|ask| (ask["id"].clone(), ask["digest"].clone()))
        .collect()
}

/// Texts that fill more than one piece of the copy. Nobody wants to answer them.
fn write_long_texts(stage: &Stage) {
    let text = "x".repeat(LONG_TEXT);
    let questions = [(); 3].map(|()| json!({"text": text, "pick": "text"}));
    for number in 0..LONG_ASKS {
        let asked = stage.ask(&json!({"matter": "questions", "questions": questions,
            "title": format!("Long {number}")}));
        let target = format!("/v1/asks/{}/dismiss", asked["id"].as_str().unwrap());
        let dismissed = Call::post(target).json(&json!({"digest": asked["digest"]}));
        stage.by("person", dismissed).with(200);
    }
}

/// How large a journal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Size {
    /// A few events in one piece.
    Small,
    /// A few events in several pieces.
    Long,
    /// So many events.
    Events(u64),
}

/// A state with something of everything.
fn filled(size: Size) -> Stage {
    let mut stage = Stage::empty();
    if let Size::Events(events) = size {
        // An ask and its end are two events.
        let until = Time::from_millis(1_700_000_000_000);
        let folder = stage.state();
        let filled = fill_past(&folder, events / 2, until);
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(filled).unwrap();
    }
    stage.serve();
    if size == Size::Long {
        write_long_texts(&stage);
    }
    let closed = stage.ask(&question("Closed?", &["A", "B"]));
    stage.answer(&closed, "A");
    stage
}

#[test]
fn a_migration_killed_anywhere_goes_on_and_never_leaves_two_that_live() {
    kill_at(asked_for().map_or(Size::Small, Size::Events), |_| true);
}

#[test]
fn half_a_copy_is_gone_on_with() {
    // A journal of many events has many pieces anyway.
    if asked_for().is_none() {
        kill_at(Size::Long, |point| point == PIECE);
    }
}

/// Moves a state there and back, killed at these points both ways.
#[expect(
    clippy::print_stderr,
    reason = "how long it took is what a long run is for"
)]
fn kill_at(size: Size, is_tried: impl Fn(&str) -> bool) {
    let mut stage = filled(size);
    let open = stage.ask(&question("Open all the way?", &["A", "B"]));
    stage.ask(&question("And this one?", &["A", "B"]));
    let before = open_asks(&stage);
    assert_eq!(before.len(), 2);
    stage.kill();
    let sound = stage.run(&["verify"]).data;
    assert!(sound.starts_with("sound: "), "{sound}");
    let first_home = stage.state();
    let mut home = text_of(&first_home);
    let end = head_of_folder(&first_home);
    if let Size::Events(events) = size {
        assert!(end.0 >= events, "{end:?}");
    }

    let (_, first) = database(cluster());
    let begun = begin();
    let all = points(&stage, &["migrate", "--to", &first]);
    let there = waited(begun);
    assert!(all.len() >= 10, "{all:?}");
    let pieces = all[PIECE];
    assert!(size == Size::Small || pieces >= 2, "one piece: {all:?}");
    // Back into the place that was left.
    let place = format!("sqlite:{home}");
    let begun = begin();
    done(&stage.run(&["migrate", "--store", &first, "--to", &place]));
    let back = waited(begun);
    eprintln!("{} events: {there:?} there, {back:?} back", end.0);
    if matches!(size, Size::Events(_)) {
        assert!(there <= EACH_WAY_MAX && back <= EACH_WAY_MAX);
    }
    assert_eq!(head_of_folder(&first_home), end);
    for point in all.keys().filter(|point| is_tried(point)) {
        let (name, url) = database(cluster());
        let next = text_of(&stage.path(point));
        let place = format!("sqlite:{next}");
        let there = ["migrate", "--state", &home, "--to", &url];
        let back = ["migrate", "--store", &url, "--to", &place];
        let ends = [["--state", &home], ["--store", &url], ["--state", &next]];
        for (words, [from, to]) in [(there, [ends[0], ends[1]]), (back, [ends[1], ends[2]])] {
            killed_at(&stage, &words, point);
            let expected = match point.as_str() {
                "migrate_left" => (false, false),
                "migrate_settled" => (false, true),
                _ => (true, false),
            };
            // Making the lists of a million asks takes minutes and shows nothing more.
            if !matches!(size, Size::Events(_)) {
                let lives = (lives(&stage, &from), lives(&stage, &to));
                assert_eq!(lives, expected, "{point} {words:?}");
            }
            let resumed = points(&stage, &words);
            // What an earlier copy brought is not copied once more.
            let left = match point.as_str() {
                PIECE => pieces - 1,
                _ if is_copied(point) => 0,
                _ => pieces,
            };
            let copied = resumed.get(PIECE).copied().unwrap_or_default();
            assert_eq!(copied, left, "{point} {words:?}");
            assert_eq!(stage.run(&["verify", to[0], to[1]]).data, sound, "{point}");
        }
        assert_eq!(head_of_database(&url, Path::new(&next)), end, "{point}");
        assert_eq!(head_of_folder(Path::new(&next)), end, "{point}");
        // A million events for each point would fill a disk.
        cluster().psql("postgres", &format!("DROP DATABASE {name} WITH (FORCE)"));
        if home != text_of(&first_home) {
            fs::remove_dir_all(&home).unwrap();
        }
        home = next;
    }
    let (_, url) = database(cluster());
    done(&stage.run(&["migrate", "--state", &home, "--to", &url]));
    serve_on(&mut stage, &url);
    assert_eq!(open_asks(&stage), before);
    stage.answer(&open, "B");
}

/// Whether all rows are at the other end when a migration passes this point.
fn is_copied(point: &str) -> bool {
    [
        "migrate_rows",
        "migrate_beside",
        "migrate_parts",
        "migrate_compared",
        "migrate_left",
        "migrate_settled",
    ]
    .contains(&point)
}
