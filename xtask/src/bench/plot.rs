//! The figures as bars, in an SVG that is white on every page it is put on.

use std::fmt::Write;

use super::figures::Figures;
use super::open::mib;
use super::pairs::{Load, PairFigures, Run, middle};
use super::reads::Reads;
use super::tally::thousands;

const OURS: &str = "#1f6f8b";
const FLOOR: &str = "#b3b3b3";
const BOUND: &str = "#d9a441";

const WIDTH: f64 = 960.0;
const COLUMNS: usize = 2;
const PANEL: f64 = WIDTH / COLUMNS as f64;
const LEFT: f64 = 150.0;
const BAR: f64 = 20.0;
const GAP: f64 = 8.0;
const TITLE: f64 = 34.0;
const HEAD: f64 = 56.0;

struct Bar {
    name: String,
    value: f64,
    colour: &'static str,
}

/// Bars of one unit, drawn to one scale.
struct Panel {
    title: String,
    unit: &'static str,
    bars: Vec<Bar>,
}

fn bar(name: impl Into<String>, value: f64, colour: &'static str) -> Bar {
    Bar {
        name: name.into(),
        value,
        colour,
    }
}

fn panel(title: String, unit: &'static str, bars: Vec<Bar>) -> Panel {
    Panel { title, unit, bars }
}

pub(super) fn svg(figures: &Figures) -> String {
    let panels = panels(figures);
    let tall = |row: &[Panel]| {
        TITLE
            + row
                .iter()
                .map(|panel| panel.bars.len())
                .max()
                .unwrap_or_default() as f64
                * (BAR + GAP)
            + 2.0 * GAP
    };
    let height = HEAD + panels.chunks(COLUMNS).map(tall).sum::<f64>();
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" font-family=\"system-ui, sans-serif\" font-size=\"13\" fill=\"#1b1b1b\">\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    let size = if figures.quick {
        "quick run: sizes cut down"
    } else {
        "full run"
    };
    text(
        &mut out,
        16.0,
        24.0,
        "start",
        "font-size=\"17\" font-weight=\"600\"",
        "sayso beside its floor",
    );
    let about = format!(
        "{size}; {} cores, {}, Linux {}; blue: sayso, grey: floor, ochre: what it must stay within",
        figures.machine.cores, figures.machine.disk, figures.machine.kernel
    );
    text(&mut out, 16.0, 44.0, "start", "fill=\"#555555\"", &about);
    let mut top = HEAD;
    for row in panels.chunks(COLUMNS) {
        for (column, panel) in row.iter().enumerate() {
            draw(&mut out, column as f64 * PANEL, top, panel);
        }
        top += tall(row);
    }
    out.push_str("</svg>\n");
    out
}

fn panels(figures: &Figures) -> Vec<Panel> {
    let mut panels = figures.pairs.as_ref().map(pair_panels).unwrap_or_default();
    if let Some(idle) = &figures.idle {
        let bars = vec![
            bar("feed", idle.feed_bytes / 1024.0, OURS),
            bar("agent", idle.agent_bytes / 1024.0, OURS),
            bar("must", 8.0, BOUND),
        ];
        panels.push(panel(
            format!("Memory per socket, {} idle", thousands(idle.sockets as u64)),
            "KiB",
            bars,
        ));
    }
    if let Some(open) = &figures.open {
        let bound = |value| (!figures.quick).then(|| bar("must", value, BOUND));
        let asks = thousands(open.asks);
        let mut bars = vec![
            bar("filled", mib(open.filled_bytes), OURS),
            bar("restarted", mib(open.restarted_bytes), OURS),
        ];
        bars.extend(bound(150.0));
        panels.push(panel(format!("Memory with {asks} open asks"), "MiB", bars));
        let mut bars = vec![bar("sayso", open.ready_s(), OURS)];
        bars.extend(bound(2.0));
        panels.push(panel(
            format!("From kill -9 to ready, {asks} open"),
            "s",
            bars,
        ));
    }
    if let Some(closed) = &figures.closed {
        let over = |title: &str, what: fn(&Reads) -> f64| {
            let bars = closed.at.iter().flat_map(|size| {
                let asks = thousands(size.asks);
                let started = bar(format!("{asks}, started"), what(&size.started), OURS);
                [bar(asks, what(&size.as_left), OURS), started]
            });
            panel(title.to_owned(), "us", bars.collect())
        };
        panels.push(over("A page, by closed asks", |reads| reads.page_us));
        panels.push(over("One ask by id, by closed asks", |reads| {
            reads.by_id_us
        }));
        panels.push(over("Search, rare word", |reads| reads.rare_us));
        panels.push(over("Search, everyday word", |reads| reads.everyday_us));
    }
    panels
}

fn pair_panels(pairs: &PairFigures) -> Vec<Panel> {
    let mut panels = Vec::new();
    for load in &pairs.loads {
        let (relay, ours) = (
            middle(&load.relay, |run| run.p50_us),
            middle(&load.sayso, |run| run.p50_us),
        );
        let mut bars = vec![bar("relay", relay, FLOOR)];
        if load.pairs == 1 {
            bars.push(bar(
                "relay + 2 fdatasync",
                relay + 2.0 * pairs.sync_us(),
                FLOOR,
            ));
        }
        bars.push(bar("sayso", ours, OURS));
        panels.push(panel(
            format!("Round trip at {} pairs, p50", load.pairs),
            "us",
            bars,
        ));
        panels.push(panel(
            format!("Round trips a second at {} pairs", load.pairs),
            "",
            both(load, |run| run.per_second),
        ));
    }
    for load in pairs.loads.iter().filter(|load| load.pairs > 1) {
        panels.push(panel(
            format!("Server CPU per round trip at {} pairs", load.pairs),
            "us",
            both(load, |run| run.server_us),
        ));
    }
    panels
}

fn both(load: &Load, what: fn(&Run) -> f64) -> Vec<Bar> {
    vec![
        bar("relay", middle(&load.relay, what), FLOOR),
        bar("sayso", middle(&load.sayso, what), OURS),
    ]
}

fn draw(out: &mut String, left: f64, top: f64, panel: &Panel) {
    text(
        out,
        left + 16.0,
        top + 18.0,
        "start",
        "font-weight=\"600\"",
        &panel.title,
    );
    let most = panel
        .bars
        .iter()
        .map(|bar| bar.value)
        .fold(f64::MIN_POSITIVE, f64::max);
    let room = PANEL - LEFT - 110.0;
    for (at, bar) in panel.bars.iter().enumerate() {
        let y = top + TITLE + at as f64 * (BAR + GAP);
        let length = (bar.value / most * room).max(1.0);
        text(out, left + LEFT - 8.0, y + 15.0, "end", "", &bar.name);
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "<rect x=\"{}\" y=\"{y}\" width=\"{length:.1}\" height=\"{BAR}\" fill=\"{}\"/>",
            left + LEFT,
            bar.colour
        );
        let value = if bar.value >= 1000.0 {
            thousands(bar.value.round() as u64)
        } else {
            format!(
                "{:.1$}",
                bar.value,
                usize::from(bar.value < 100.0) + usize::from(bar.value < 10.0)
            )
        };
        text(
            out,
            left + LEFT + length + 6.0,
            y + 15.0,
            "start",
            "",
            format!("{value} {}", panel.unit).trim_end(),
        );
    }
}

fn text(out: &mut String, x: f64, y: f64, anchor: &str, style: &str, words: &str) {
    let words = words
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" {style}>{words}</text>"
    );
}

#[cfg(test)]
mod tests {
    use super::super::table::tests::sample;
    use super::*;

    #[test]
    fn every_measure_has_its_panels() {
        let whole = sample();
        let titles: Vec<String> = panels(&whole)
            .into_iter()
            .map(|panel| panel.title)
            .collect();
        assert_eq!(titles.len(), 15);
        let picture = svg(&whole);
        assert!(titles.iter().all(|title| picture.contains(title)));
        assert_eq!(
            picture.matches("<rect").count(),
            1 + panels(&whole)
                .iter()
                .map(|panel| panel.bars.len())
                .sum::<usize>()
        );
        assert_eq!(
            picture.matches("<text").count(),
            picture.matches("</text>").count()
        );
    }
}
