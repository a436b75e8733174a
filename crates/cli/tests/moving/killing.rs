//! The migration killed at every point it passes, both ways, and run again: one end lives or none, and the
//! same command goes on. Only the test build can be killed so.
#![cfg(feature = "faults")]

use std::collections::BTreeSet;
use std::fs;

use sayso_testkit::pg::cluster;

use super::ground::{database, done, serve_on};
use crate::stage::{Ended, Stage, question, text_of};

/// Runs a command that is killed at the first passing of a point.
fn killed_at(stage: &Stage, words: &[&str], point: &str) {
    let mut command = stage.command(words);
    command.env("SAYSO_FAULT_KILL", format!("{point}:1"));
    let ended = Ended::of(command.output().unwrap());
    assert_eq!(ended.code, None, "{point}: {}", ended.said);
}

/// Every point of its own that a migration passes.
fn points(stage: &Stage, words: &[&str]) -> BTreeSet<String> {
    let log = stage.path("points");
    drop(fs::remove_file(&log));
    let mut command = stage.command(words);
    command.env("SAYSO_FAULT_LOG", &log);
    done(&Ended::of(command.output().unwrap()));
    let passed = fs::read_to_string(log).unwrap();
    let own = passed.lines().filter(|name| name.starts_with("migrate_"));
    own.map(str::to_owned).collect()
}

/// Whether the state lives at a place: its lists can be made there.
fn lives(stage: &Stage, place: &[&str]) -> bool {
    let ended = stage.run(&[&["rebuild"], place].concat());
    let why = ["has moved", "is not finished", "there is no journal"];
    let is_refused = why.iter().any(|why| ended.said.contains(why));
    assert!(ended.code == Some(0) || is_refused, "{}", ended.said);
    ended.code == Some(0)
}

#[test]
fn a_migration_killed_anywhere_goes_on_and_never_leaves_two_that_live() {
    let mut stage = Stage::served();
    let open = stage.ask(&question("Open all the way?", &["A", "B"]));
    let closed = stage.ask(&question("Closed?", &["A", "B"]));
    stage.answer(&closed, "A");
    stage.kill();
    let sound = stage.run(&["verify"]).data;
    let mut home = text_of(&stage.state());

    let (_, first) = database(cluster());
    let all = points(&stage, &["migrate", "--to", &first]);
    assert!(all.len() >= 10, "{all:?}");
    // Back into the place that was left.
    let place = format!("sqlite:{home}");
    done(&stage.run(&["migrate", "--store", &first, "--to", &place]));
    for point in all {
        let (_, url) = database(cluster());
        let next = text_of(&stage.path(&point));
        let place = format!("sqlite:{next}");
        let there = ["migrate", "--state", &home, "--to", &url];
        let back = ["migrate", "--store", &url, "--to", &place];
        let ends = [["--state", &home], ["--store", &url], ["--state", &next]];
        for (words, [from, to]) in [(there, [ends[0], ends[1]]), (back, [ends[1], ends[2]])] {
            killed_at(&stage, &words, &point);
            let expected = match point.as_str() {
                "migrate_left" => (false, false),
                "migrate_settled" => (false, true),
                _ => (true, false),
            };
            let lives = (lives(&stage, &from), lives(&stage, &to));
            assert_eq!(lives, expected, "{point} {words:?}");
            done(&stage.run(&words));
            assert_eq!(stage.run(&["verify", to[0], to[1]]).data, sound, "{point}");
        }
        home = next;
    }
    let (_, url) = database(cluster());
    done(&stage.run(&["migrate", "--state", &home, "--to", &url]));
    serve_on(&mut stage, &url);
    assert_eq!(stage.look(&open["id"])["state"], "open");
    stage.answer(&open, "B");
}
