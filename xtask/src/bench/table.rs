//! The table of ratios, each beside what it must be and what it should be. A row that falls
//! short says so.

use super::figures::Figures;
use super::nodes;
use super::open::{OpenFigures, mib};
use super::page::{page_rows, past_rows};
use super::pairs::middle;
use super::ratios::{self, projector};
use super::reads::Reads;
use super::strain;
use super::tally::{median, spread, thousands};

/// On which side of a bound a figure should lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    AtMost,
    AtLeast,
}

/// How a row stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Goal,
    Must,
    /// There is no must, and the goal is not reached.
    NotYet,
    Short,
    /// Measured at another size than the bounds are for.
    Unjudged,
}

impl Mark {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Goal => "goal",
            Self::Must => "must",
            Self::NotYet => "not yet",
            Self::Short => "SHORT",
            Self::Unjudged => "not judged",
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct BenchRow {
    pub(super) what: String,
    pub(super) value: f64,
    pub(super) unit: &'static str,
    pub(super) side: Side,
    pub(super) must: f64,
    pub(super) goal: f64,
    pub(super) mark: Mark,
    /// What the figure was made of.
    pub(super) of: String,
    /// The same of the build that this one is compared with.
    pub(super) before: Option<f64>,
}

impl BenchRow {
    pub(super) fn new(
        what: impl Into<String>,
        value: f64,
        unit: &'static str,
        side: Side,
        [must, goal]: [f64; 2],
        of: String,
    ) -> Self {
        Self {
            what: what.into(),
            value,
            unit,
            side,
            must,
            goal,
            mark: judge(value, side, must, goal),
            of,
            before: None,
        }
    }

    pub(super) fn after(mut self, before: Option<f64>) -> Self {
        self.before = before;
        self
    }

    /// Takes the judgement back when the size is not the one the bounds are for.
    fn only_if(mut self, same_size: bool) -> Self {
        if !same_size {
            self.mark = Mark::Unjudged;
        }
        self
    }
}

fn judge(value: f64, side: Side, must: f64, goal: f64) -> Mark {
    let holds = |bound: f64| match side {
        Side::AtMost => value <= bound,
        Side::AtLeast => value >= bound,
    };
    if holds(goal) {
        Mark::Goal
    } else if must.is_infinite() {
        Mark::NotYet
    } else if holds(must) {
        Mark::Must
    } else {
        Mark::Short
    }
}

pub(super) fn rows(figures: &Figures) -> Vec<BenchRow> {
    let mut rows = figures
        .pairs
        .as_ref()
        .map(|pairs| ratios::rows(pairs, figures.machine.cores))
        .unwrap_or_default();
    let full = !figures.quick;
    if let Some(idle) = &figures.idle {
        let (feed, agent) = (idle.feed_bytes / 1024.0, idle.agent_bytes / 1024.0);
        let of = format!(
            "{} sockets: feed {feed:.1} KiB, agent {agent:.1} KiB",
            thousands(idle.sockets as u64)
        );
        rows.push(BenchRow::new(
            "idle socket",
            feed.max(agent),
            "KiB",
            Side::AtMost,
            [8.0, 5.0],
            of,
        ));
    }
    rows.extend(open_rows(figures));
    if let Some(closed) = &figures.closed
        && let (Some(few), Some(many)) = (closed.at.first(), closed.at.last())
    {
        let from_to = format!("{} -> {}", thousands(few.asks), thousands(many.asks));
        rows.extend(read_rows(&few.as_left, &many.as_left, &from_to, full));
        let from_to = format!("{from_to}, just started");
        rows.extend(read_rows(&few.started, &many.started, &from_to, full));
        rows.extend(
            closed
                .past
                .iter()
                .flat_map(|past| past_rows(past, many.asks)),
        );
    }
    if let Some(rules) = &figures.rules {
        rows.push(BenchRow::new(
            format!("a ruling, {} rules more", thousands(rules.rules as u64)),
            rules.cost_us(),
            "us",
            Side::AtMost,
            [100.0, 50.0],
            format!("a whole call {:.0} -> {:.0} us", rules.one_us, rules.all_us),
        ));
    }
    if let Some(hook) = &figures.hook {
        rows.push(BenchRow::new(
            "a hook of Claude Code, answered at once".to_owned(),
            hook.cost_ms(),
            "ms",
            Side::AtMost,
            [15.0, 10.0],
            format!(
                "a whole run {:.1} ms, the ask alone {:.1} ms",
                hook.whole_us / 1000.0,
                hook.ask_us / 1000.0
            ),
        ));
    }
    rows.extend(figures.strain.iter().flat_map(strain::rows));
    rows.extend(figures.page.iter().flat_map(page_rows));
    rows.extend(figures.nodes.iter().flat_map(nodes::rows));
    rows
}

fn open_rows(figures: &Figures) -> Vec<BenchRow> {
    let Some(open) = &figures.open else {
        return Vec::new();
    };
    let full = !figures.quick;
    let (asks, before) = (thousands(open.asks), figures.open_before.as_ref());
    let most = mib(open.filled_bytes.max(open.restarted_bytes));
    let of = format!(
        "empty {:.0}, filled {:.0}, restarted {:.0} MiB",
        mib(open.empty_bytes),
        mib(open.filled_bytes),
        mib(open.restarted_bytes)
    );
    let memory = BenchRow::new(
        format!("{asks} open asks"),
        most,
        "MiB",
        Side::AtMost,
        [117.0, 100.0],
        of,
    )
    .after(before.map(|open| mib(open.filled_bytes.max(open.restarted_bytes))))
    .only_if(full);
    let (fast, slow) = spread(open.ready.iter().map(std::time::Duration::as_secs_f64));
    let of = format!(
        "kill -9 to the first page, {} times: {fast:.2} to {slow:.2} s, files in the page cache",
        open.ready.len()
    );
    let ready = BenchRow::new(
        format!("ready after kill, {asks} open"),
        open.ready_s(),
        "s",
        Side::AtMost,
        [1.0, 0.5],
        of,
    )
    .after(before.map(OpenFigures::ready_s))
    .only_if(full);
    vec![memory, ready]
}

fn read_rows(few: &Reads, many: &Reads, from_to: &str, full: bool) -> Vec<BenchRow> {
    let row = |what: &str, few: f64, many: f64, bounds| {
        let of = format!("{few:.0} -> {many:.0} us");
        BenchRow::new(
            format!("{what}, {from_to}"),
            many / few,
            "x",
            Side::AtMost,
            bounds,
            of,
        )
    };
    let (read, search) = ([2.0, 1.5], [4.0, 2.0]);
    vec![
        row("list page", few.page_us, many.page_us, read),
        row("later page", few.later_page_us, many.later_page_us, read),
        row("ask by id", few.by_id_us, many.by_id_us, read),
        row("search, rare word", few.rare_us, many.rare_us, search),
        // The small sizes of a quick run hold too few of these to fill the page.
        row("search, seldom word", few.seldom_us, many.seldom_us, search).only_if(full),
        row(
            "search, everyday word",
            few.everyday_us,
            many.everyday_us,
            search,
        ),
    ]
}

/// The figures behind the ratios and the ratios themselves, as plain text.
pub(super) fn print(figures: &Figures, rows: &[BenchRow]) -> String {
    let mut text = String::new();
    let machine = &figures.machine;
    let mut line = |words: String| {
        text.push_str(words.trim_end());
        text.push('\n');
    };
    line(format!(
        "Measured on {} cores ({}), Linux {}, {}. The ratios carry over to other machines, the figures do not.",
        machine.cores, machine.processor, machine.kernel, machine.disk
    ));
    if figures.quick {
        line("QUICK: 2 short runs instead of 5, a twentieth of the asks and a quarter of the sockets: for a first look only.".to_owned());
    }
    if let Some(pairs) = &figures.pairs {
        line(String::new());
        line(format!(
            "Median of {} interleaved runs. fdatasync of 368 bytes: p50 {:.0} us, p99 {:.0} us.",
            figures.runs,
            pairs.sync_us(),
            median(pairs.syncs.iter().map(|syncs| syncs.p99_us))
        ));
        line(format!(
            "{:<7} {:>5} {:>9} {:>9} {:>10} {:>10} {:>12} {:>12}",
            "",
            "pairs",
            "p50 us",
            "p99 us",
            "a second",
            "server us",
            "projector us",
            "generator us"
        ));
        for load in &pairs.loads {
            let all = [
                ("relay", &load.relay),
                ("before", &load.before),
                ("sayso", &load.sayso),
                ("foreign", &load.foreign),
                ("redis", &load.redis),
            ];
            for (name, runs) in all.into_iter().filter(|(_, runs)| !runs.is_empty()) {
                let apart = projector(runs);
                line(format!(
                    "{name:<7} {:>5} {:>9.0} {:>9.0} {:>10.0} {:>10.1} {:>12} {:>12.1}",
                    load.pairs,
                    middle(runs, |run| run.p50_us),
                    middle(runs, |run| run.p99_us),
                    middle(runs, |run| run.per_second),
                    middle(runs, |run| run.server_us),
                    apart.map_or_else(|| "-".to_owned(), |us| format!("{us:.1}")),
                    middle(runs, |run| run.generator_us),
                ));
            }
        }
    }
    line(String::new());
    let width = rows
        .iter()
        .map(|row| row.what.len())
        .max()
        .unwrap_or_default();
    line(format!(
        "{:<width$} {:>10} {:>10} {:>10} {:>10}  {:<10} {}",
        "", "before", "measured", "must", "goal", "reaches", "made of"
    ));
    for row in rows {
        let bound = |bound: f64| {
            let sign = match row.side {
                Side::AtMost => "<=",
                Side::AtLeast => ">=",
            };
            if bound.is_finite() {
                format!("{sign} {bound}")
            } else {
                "-".to_owned()
            }
        };
        let written = |value: f64| format!("{value:.2} {}", row.unit);
        line(format!(
            "{:<width$} {:>10} {:>10} {:>10} {:>10}  {:<10} {}",
            row.what,
            row.before.map_or_else(|| "-".to_owned(), written),
            written(row.value),
            bound(row.must),
            bound(row.goal),
            row.mark.word(),
            row.of
        ));
    }
    let short = rows.iter().filter(|row| row.mark == Mark::Short).count();
    line(String::new());
    line(format!(
        "{short} of {} rows fall short of what they must be.",
        rows.len()
    ));
    text.trim_end().to_owned()
}

#[cfg(test)]
#[path = "table_tests.rs"]
pub(super) mod tests;
