//! The page in a real browser: how long an ask takes from an agent to the eye (sent, committed, told,
//! painted), and how long lists move.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;

use super::plan::Sizes;
use super::process::Process;
use super::scratch::Scratch;
use super::server::BenchServer;
use super::table::{BenchRow, Side};
use super::tally::thousands;
use crate::root::root;

const LIMIT: Duration = Duration::from_secs(180);
const CHROMIUM: &str = "/usr/bin/chromium";

#[derive(Debug, Clone, Copy)]
pub(super) struct PageFigures {
    pub(super) asks: u64,
    pub(super) p50_ms: f64,
    pub(super) p95_ms: f64,
    /// Frames while an inbox of a thousand open asks is scrolled.
    pub(super) open_rows: f64,
    pub(super) open_frame_p50_ms: f64,
    pub(super) open_frame_p95_ms: f64,
}

/// The history of the page, over as many asks as there are.
#[derive(Debug, Clone, Copy)]
pub(super) struct PastFigures {
    /// Nodes of the document after scrolling far.
    pub(super) nodes: f64,
    pub(super) frame_p95_ms: f64,
    /// From a jump to the end of what is known to the next page, read and painted.
    pub(super) page_p50_ms: f64,
    pub(super) page_p95_ms: f64,
    /// From the last letter of a word to what it found, painted.
    pub(super) search_p50_ms: f64,
    pub(super) search_p95_ms: f64,
}

/// Nothing when there is no browser to look with, which is said.
pub(super) async fn measure(scratch: &Scratch, sizes: &Sizes) -> Result<Option<PageFigures>> {
    if !has_browser() {
        return Ok(None);
    }
    let server = BenchServer::start(scratch).await?;
    let calls = sizes.calls.to_string();
    let appear = play(scratch, &server, "appear.mjs", &[&calls]).await?;
    let open = play(scratch, &server, "scroll.mjs", &["open", &calls]).await?;
    let figures = PageFigures {
        asks: sizes.calls as u64,
        p50_ms: figure(&appear, "p50_ms")?,
        p95_ms: figure(&appear, "p95_ms")?,
        open_rows: figure(&open, "rows")?,
        open_frame_p50_ms: figure(&open, "frame_p50_ms")?,
        open_frame_p95_ms: figure(&open, "frame_p95_ms")?,
    };
    eprintln!(
        "bench: an ask is on screen after {:.1} ms, p95 {:.1} ms; a frame of {} open asks takes {:.1} ms, p95 {:.1} ms",
        figures.p50_ms,
        figures.p95_ms,
        figures.open_rows,
        figures.open_frame_p50_ms,
        figures.open_frame_p95_ms
    );
    Ok(Some(figures))
}

/// Scrolls and searches the history of a server that has one.
pub(super) async fn past(
    scratch: &Scratch,
    server: &BenchServer,
    sizes: &Sizes,
) -> Result<Option<PastFigures>> {
    if !has_browser() {
        return Ok(None);
    }
    let calls = sizes.calls.to_string();
    let read = play(scratch, server, "scroll.mjs", &["past", &calls]).await?;
    let figures = PastFigures {
        nodes: figure(&read, "nodes")?,
        frame_p95_ms: figure(&read, "frame_p95_ms")?,
        page_p50_ms: figure(&read, "page_p50_ms")?,
        page_p95_ms: figure(&read, "page_p95_ms")?,
        search_p50_ms: figure(&read, "search_p50_ms")?,
        search_p95_ms: figure(&read, "search_p95_ms")?,
    };
    eprintln!(
        "bench: in the browser the next page is there after {:.1} ms (p95), a search after {:.1} ms (p95), a frame takes {:.1} ms (p95), {} nodes",
        figures.page_p95_ms, figures.search_p95_ms, figures.frame_p95_ms, figures.nodes
    );
    Ok(Some(figures))
}

fn has_browser() -> bool {
    let tools = root().join("web/node_modules/playwright-core");
    let there = Path::new(CHROMIUM).exists() && tools.exists();
    if !there {
        eprintln!(
            "bench: the page is left out; it needs {CHROMIUM} and what `cargo xtask web` installs"
        );
    }
    there
}

/// Runs a script against a server and gives the figures it left.
async fn play(
    scratch: &Scratch,
    server: &BenchServer,
    script: &str,
    more: &[&str],
) -> Result<Value> {
    let (out, log) = (scratch.path("page.json"), scratch.path("page.log"));
    let script = root().join("web/tests/browser").join(script);
    let mut words = vec![
        script.to_string_lossy().into_owned(),
        format!("http://{}", server.address),
        server.state.to_string_lossy().into_owned(),
    ];
    words.extend(more.iter().map(|&word| word.to_owned()));
    words.push(out.to_string_lossy().into_owned());
    Process::start("the page", Path::new("node"), &words, &log)?
        .result(&out, LIMIT)
        .await
}

fn figure(read: &Value, name: &str) -> Result<f64> {
    read.get(name)
        .and_then(Value::as_f64)
        .with_context(|| format!("the page left no {name}"))
}

/// The page in a browser.
pub(super) fn page_rows(page: &PageFigures) -> [BenchRow; 2] {
    [
        BenchRow::new(
            "an ask on screen, p95",
            page.p95_ms,
            "ms",
            Side::AtMost,
            [50.0, 34.0],
            format!(
                "{} asks from sent to painted in Chromium, commit included; p50 {:.1} ms",
                page.asks, page.p50_ms
            ),
        ),
        BenchRow::new(
            format!(
                "{} open asks scroll, frame p95",
                thousands(page.open_rows as u64)
            ),
            page.open_frame_p95_ms,
            "ms",
            Side::AtMost,
            [34.0, 17.0],
            format!("120 pixels a frame; p50 {:.1} ms", page.open_frame_p50_ms),
        ),
    ]
}

/// The history in a browser, over the largest size.
pub(super) fn past_rows(past: &PastFigures, asks: u64) -> [BenchRow; 2] {
    let asks = thousands(asks);
    [
        BenchRow::new(
            format!("history of {asks}, next page, p95"),
            past.page_p95_ms,
            "ms",
            Side::AtMost,
            [100.0, 50.0],
            format!(
                "from the jump to painted in Chromium; p50 {:.1} ms, frame p95 {:.1} ms, {} nodes",
                past.page_p50_ms, past.frame_p95_ms, past.nodes
            ),
        ),
        BenchRow::new(
            format!("history of {asks}, search, p95"),
            past.search_p95_ms,
            "ms",
            Side::AtMost,
            [500.0, 300.0],
            format!(
                "from the last letter to painted, the pause of 200 ms included; p50 {:.1} ms",
                past.search_p50_ms
            ),
        ),
    ]
}
