//! The table is made from figures that were made up: every row, every mark.

use std::time::Duration;

use super::super::closed::{ClosedFigures, Size};
use super::super::disk::Syncs;
use super::super::hook::HookFigures;
use super::super::idle::IdleFigures;
use super::super::machine::Machine;
use super::super::open::OpenFigures;
use super::super::page::{PageFigures, PastFigures};
use super::super::pairs::{Load, PairFigures, Run};
use super::super::reads::Reads;
use super::super::report;
use super::super::rules::RuleFigures;
use super::*;

fn run(p50_us: f64, per_second: f64, server_us: f64, projector_us: Option<f64>) -> Run {
    Run {
        p50_us,
        p95_us: p50_us * 1.2,
        p99_us: p50_us * 1.5,
        per_second,
        server_us,
        projector_us,
        generator_us: 10.0,
        busy_cores: 1.9,
        threads_us: vec![("worker".to_owned(), server_us)],
    }
}

/// Figures of a full run.
pub(in super::super) fn sample() -> Figures {
    let load = |pairs, relay: (f64, f64), sayso: (f64, f64)| Load {
        pairs,
        relay: vec![run(relay.0, relay.1, 10.0, None)],
        sayso: vec![run(sayso.0, sayso.1, 30.0, Some(5.0))],
        before: vec![run(sayso.0 * 2.0, sayso.1, 60.0, Some(5.0))],
        redis: vec![run(1000.0, 25_000.0, 20.0, None); usize::from(pairs == 64)],
        restate: vec![600.0; usize::from(pairs == 64)],
        ..Load::new(pairs)
    };
    let reads = |us: f64| Reads {
        page_us: us,
        later_page_us: us,
        by_id_us: us,
        rare_us: us,
        seldom_us: us,
        everyday_us: us,
    };
    Figures {
        machine: Machine {
            cores: 2,
            processor: "a processor".to_owned(),
            kernel: "6.1".to_owned(),
            disk: "ext4".to_owned(),
        },
        quick: false,
        runs: 1,
        pairs: Some(PairFigures {
            syncs: vec![Syncs {
                p50_us: 100.0,
                p99_us: 150.0,
            }],
            loads: vec![
                load(1, (100.0, 9000.0), (420.0, 2300.0)),
                load(64, (900.0, 70_000.0), (2000.0, 30_000.0)),
                load(1000, (20_000.0, 45_000.0), (30_000.0, 30_000.0)),
            ],
        }),
        idle: Some(IdleFigures {
            sockets: 8000,
            feed_bytes: 5000.0,
            agent_bytes: 9000.0,
        }),
        open: Some(OpenFigures {
            asks: 1_000_000,
            empty_bytes: 10 << 20,
            filled_bytes: 90 << 20,
            restarted_bytes: 80 << 20,
            ready: vec![Duration::from_millis(900)],
        }),
        open_before: None,
        closed: Some(ClosedFigures {
            at: [(10_000, 100.0), (100_000, 150.0), (1_000_000, 210.0)]
                .map(|(asks, us)| Size {
                    asks,
                    as_left: reads(us),
                    started: reads(100.0),
                })
                .to_vec(),
            past: Some(PastFigures {
                nodes: 1200.0,
                frame_p95_ms: 17.0,
                page_p50_ms: 30.0,
                page_p95_ms: 60.0,
                search_p50_ms: 240.0,
                search_p95_ms: 280.0,
            }),
        }),
        rules: Some(RuleFigures {
            rules: 10_000,
            one_us: 150.0,
            all_us: 190.0,
        }),
        strain: None,
        hook: Some(HookFigures {
            whole_us: 14_000.0,
            ask_us: 1_000.0,
        }),
        nodes: None,
        page: Some(PageFigures {
            asks: 100,
            p50_ms: 20.0,
            p95_ms: 40.0,
            open_rows: 1000.0,
            open_frame_p50_ms: 16.7,
            open_frame_p95_ms: 16.9,
        }),
    }
}

#[test]
fn every_row_is_judged() {
    let marks: Vec<(String, Mark)> = rows(&sample())
        .into_iter()
        .map(|row| (row.what, row.mark))
        .collect();
    let expected = [
        ("1 pair / (relay + 2 fdatasync)", Mark::Must),
        ("1 pair, p99 / p50", Mark::Goal),
        ("server CPU per round trip / relay, 64 pairs", Mark::Goal),
        ("server CPU per round trip / relay, 1000 pairs", Mark::Goal),
        ("cores kept busy, 64 pairs", Mark::Goal),
        ("cores kept busy, 1000 pairs", Mark::Goal),
        (
            "64 pairs / Redis streams, fsync always, throughput",
            Mark::Must,
        ),
        ("64 pairs / Restate throughput", Mark::Goal),
        ("idle socket", Mark::Short),
        ("1,000,000 open asks", Mark::Goal),
        ("ready after kill, 1,000,000 open", Mark::Must),
        ("list page, 10,000 -> 1,000,000", Mark::Short),
        ("later page, 10,000 -> 1,000,000", Mark::Short),
        ("ask by id, 10,000 -> 1,000,000", Mark::Short),
        ("search, rare word, 10,000 -> 1,000,000", Mark::Must),
        ("search, seldom word, 10,000 -> 1,000,000", Mark::Must),
        ("search, everyday word, 10,000 -> 1,000,000", Mark::Must),
        ("list page, 10,000 -> 1,000,000, just started", Mark::Goal),
        ("later page, 10,000 -> 1,000,000, just started", Mark::Goal),
        ("ask by id, 10,000 -> 1,000,000, just started", Mark::Goal),
        (
            "search, rare word, 10,000 -> 1,000,000, just started",
            Mark::Goal,
        ),
        (
            "search, seldom word, 10,000 -> 1,000,000, just started",
            Mark::Goal,
        ),
        (
            "search, everyday word, 10,000 -> 1,000,000, just started",
            Mark::Goal,
        ),
        ("history of 1,000,000, next page, p95", Mark::Must),
        ("history of 1,000,000, search, p95", Mark::Goal),
        ("a ruling, 10,000 rules more", Mark::Goal),
        ("a hook of Claude Code, answered at once", Mark::Must),
        ("an ask on screen, p95", Mark::Must),
        ("1,000 open asks scroll, frame p95", Mark::Goal),
    ];
    // An idle agent socket of 8.8 KiB is meant to fall short.
    assert_eq!(marks, expected.map(|(what, mark)| (what.to_owned(), mark)));
}

#[test]
fn what_falls_short_is_printed() {
    let figures = sample();
    let text = print(&figures, &rows(&figures));
    assert!(text.contains("idle socket"), "{text}");
    assert_eq!(text.matches("SHORT").count(), 4, "{text}");
    assert!(
        text.ends_with("4 of 29 rows fall short of what they must be."),
        "{text}"
    );
    assert!(!text.contains("QUICK"));
}

#[test]
fn a_quick_run_says_so_and_does_not_judge_other_sizes() {
    let figures = Figures {
        quick: true,
        ..sample()
    };
    let made = rows(&figures);
    let unjudged: Vec<&str> = made
        .iter()
        .filter(|row| row.mark == Mark::Unjudged)
        .map(|row| row.what.as_str())
        .collect();
    let seldom = "search, seldom word, 10,000 -> 1,000,000";
    let started = format!("{seldom}, just started");
    assert_eq!(
        unjudged,
        [
            "1,000,000 open asks",
            "ready after kill, 1,000,000 open",
            seldom,
            &started
        ]
    );
    assert!(print(&figures, &made).contains("QUICK"));
}

#[test]
fn a_goal_without_a_must_cannot_fall_short() {
    let goal = |value| judge(value, Side::AtMost, f64::INFINITY, 2.0);
    assert_eq!((goal(2.0), goal(2.1)), (Mark::Goal, Mark::NotYet));
}

#[test]
fn a_measure_that_was_left_out_has_no_row() {
    let figures = Figures {
        pairs: None,
        open: None,
        open_before: None,
        closed: None,
        rules: None,
        hook: None,
        page: None,
        nodes: None,
        ..sample()
    };
    let whats: Vec<String> = rows(&figures).into_iter().map(|row| row.what).collect();
    assert_eq!(whats, ["idle socket"]);
}

#[test]
fn the_report_is_json_with_every_row() {
    let figures = sample();
    let made = rows(&figures);
    let read: serde_json::Value = serde_json::from_str(&report::json(&figures, &made)).unwrap();
    assert_eq!(read["rows"].as_array().map(Vec::len), Some(made.len()));
    assert_eq!(read["rows"][2]["before"], 6.5);
    assert_eq!(read["rows"][9]["before"], serde_json::Value::Null);
    assert_eq!(read["pairs"]["loads"][2]["sayso"][0]["projector_us"], 5.0);
}
