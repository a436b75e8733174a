//! The rows about round trips: what one costs beside the relay, the disk and peers that are as durable.

use super::pairs::{Load, PairFigures, Run, middle};
use super::table::{BenchRow, Side};
use super::tally::{median, spread};

/// Which runs of a load a row is made of.
type Runs = fn(&Load) -> &[Run];

pub(super) fn rows(pairs: &PairFigures, cores: usize) -> Vec<BenchRow> {
    let before = rows_of(pairs, cores, |load| &load.before);
    let mut before = before.into_iter().map(|row| row.value);
    let has_before = pairs.loads.iter().any(|load| !load.before.is_empty());
    rows_of(pairs, cores, |load| &load.sayso)
        .into_iter()
        .map(|row| {
            let before = before.next().filter(|_| has_before);
            row.after(before)
        })
        .chain(pairs.loads.iter().filter_map(foreign_row))
        .collect()
}

fn rows_of(pairs: &PairFigures, cores: usize, runs: Runs) -> Vec<BenchRow> {
    let mut rows = Vec::new();
    if let Some(load) = pairs.load(1) {
        rows.extend(lone_rows(load, pairs.sync_us(), runs(load)));
    }
    for (count, bounds) in [(64, [5.0, 3.5]), (1000, [5.2, 3.5])] {
        if let Some(load) = pairs.load(count) {
            rows.push(cost_row(load, bounds, runs(load)));
        }
    }
    for count in [64, 1000] {
        if let Some(load) = pairs.load(count) {
            let busy = middle(runs(load), |run| run.busy_cores);
            rows.push(BenchRow::new(
                format!("cores kept busy, {count} pairs"),
                busy / cores as f64,
                "",
                Side::AtLeast,
                [0.9, 0.9],
                format!("{busy:.2} of {cores} cores, server and generator"),
            ));
        }
    }
    for load in &pairs.loads {
        rows.extend(peer_rows(load, runs(load)));
    }
    rows
}

fn lone_rows(load: &Load, sync: f64, runs: &[Run]) -> [BenchRow; 2] {
    let relay = middle(&load.relay, |run| run.p50_us);
    let (p50, p99) = (
        middle(runs, |run| run.p50_us),
        middle(runs, |run| run.p99_us),
    );
    [
        BenchRow::new(
            "1 pair / (relay + 2 fdatasync)",
            p50 / (relay + 2.0 * sync),
            "x",
            Side::AtMost,
            [1.6, 1.3],
            format!("{p50:.0} us / ({relay:.0} + 2 x {sync:.0} us)"),
        ),
        BenchRow::new(
            "1 pair, p99 / p50",
            p99 / p50,
            "x",
            Side::AtMost,
            [2.5, 2.0],
            format!("{p99:.0} / {p50:.0} us"),
        ),
    ]
}

/// Processor time of the server for one round trip, with the projections it leaves to do.
fn cost_row(load: &Load, bounds: [f64; 2], runs: &[Run]) -> BenchRow {
    let whole = |run: &Run| run.server_us + run.projector_us.unwrap_or_default();
    let relay = middle(&load.relay, whole);
    let (low, high) = spread(
        runs.iter()
            .zip(&load.relay)
            .map(|(ours, relay)| whole(ours) / whole(relay)),
    );
    let of = format!(
        "({:.1} + {:.1} us of projections) / {relay:.1} us; rounds {low:.2} to {high:.2}",
        middle(runs, |run| run.server_us),
        projector(runs).unwrap_or_default()
    );
    BenchRow::new(
        format!("server CPU per round trip / relay, {} pairs", load.pairs),
        middle(runs, whole) / relay,
        "x",
        Side::AtMost,
        bounds,
        of,
    )
}

fn peer_rows(load: &Load, runs: &[Run]) -> Vec<BenchRow> {
    let ours = middle(runs, |run| run.per_second);
    let row = |name: &str, peer: f64, bounds| {
        BenchRow::new(
            format!("{} pairs / {name} throughput", load.pairs),
            ours / peer,
            "x",
            Side::AtLeast,
            bounds,
            format!("{ours:.0} / {peer:.0} a second"),
        )
    };
    let redis = (!load.redis.is_empty()).then(|| middle(&load.redis, |run| run.per_second));
    let restate = (!load.restate.is_empty()).then(|| median(load.restate.iter().copied()));
    let redis = redis.map(|peer| row("Redis streams, fsync always,", peer, [1.1, 1.5]));
    let restate = restate.map(|peer| row("Restate", peer, [30.0, 40.0]));
    redis.into_iter().chain(restate).collect()
}

/// What a round trip in foreign languages costs, beside one in our own.
fn foreign_row(load: &Load) -> Option<BenchRow> {
    if load.foreign.is_empty() {
        return None;
    }
    // One pair waits for the disk; a thousand share it, and what counts is how many get through.
    let cost = |run: &Run| {
        if load.pairs == 1 {
            run.p50_us
        } else {
            1e6 / run.per_second
        }
    };
    let (foreign, own) = (middle(&load.foreign, cost), middle(&load.sayso, cost));
    let cpu = |runs: &[Run]| middle(runs, |run| run.server_us);
    let of = format!(
        "{foreign:.0} / {own:.0} us, nebo agent and chat front end; server CPU {:.1} / {:.1} us",
        cpu(&load.foreign),
        cpu(&load.sayso)
    );
    let word = if load.pairs == 1 { "pair" } else { "pairs" };
    Some(BenchRow::new(
        format!("{} {word}, foreign / own language", load.pairs),
        foreign / own,
        "x",
        Side::AtMost,
        [1.25, 1.1],
        of,
    ))
}

/// What the projector takes for one round trip.
pub(super) fn projector(runs: &[Run]) -> Option<f64> {
    let known: Vec<f64> = runs.iter().filter_map(|run| run.projector_us).collect();
    (!known.is_empty()).then(|| median(known))
}
