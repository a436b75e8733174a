//! How long an ask takes from an agent to the eye: sent, committed, told to a real browser, painted.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;

use super::plan::Sizes;
use super::process::Process;
use super::scratch::Scratch;
use super::server::Server;
use crate::root::root;

const LIMIT: Duration = Duration::from_secs(180);
const CHROMIUM: &str = "/usr/bin/chromium";

#[derive(Debug, Clone, Copy)]
pub(super) struct PageFigures {
    pub(super) asks: u64,
    pub(super) p50_ms: f64,
    pub(super) p95_ms: f64,
}

/// Nothing when there is no browser to look with, which is said.
pub(super) async fn measure(scratch: &Scratch, sizes: &Sizes) -> Result<Option<PageFigures>> {
    let web = root().join("web");
    if !Path::new(CHROMIUM).exists() || !web.join("node_modules/playwright-core").exists() {
        eprintln!(
            "bench: the page is left out; it needs {CHROMIUM} and what `cargo xtask web` installs"
        );
        return Ok(None);
    }
    let server = Server::start(scratch).await?;
    let (out, log) = (scratch.path("page.json"), scratch.path("page.log"));
    let script = web.join("tests/browser/appear.mjs");
    let words = [
        script.to_string_lossy().into_owned(),
        format!("http://{}", server.address),
        server.state.to_string_lossy().into_owned(),
        sizes.calls.to_string(),
        out.to_string_lossy().into_owned(),
    ];
    let read = Process::start("the page", Path::new("node"), &words, &log)?
        .result(&out, LIMIT)
        .await?;
    let figure = |name: &str| {
        read.get(name)
            .and_then(Value::as_f64)
            .with_context(|| format!("the page left no {name}"))
    };
    let figures = PageFigures {
        asks: sizes.calls as u64,
        p50_ms: figure("p50_ms")?,
        p95_ms: figure("p95_ms")?,
    };
    eprintln!(
        "bench: an ask is on screen after {:.1} ms, p95 {:.1} ms",
        figures.p50_ms, figures.p95_ms
    );
    Ok(Some(figures))
}
