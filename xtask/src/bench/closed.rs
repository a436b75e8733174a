//! Reading as the past grows: a page, a search and one ask, at three sizes of the same state.

use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;

use super::page::{self, PastFigures};
use super::plan::Sizes;
use super::process::Process;
use super::reads::{self, Reads};
use super::scratch::Scratch;
use super::server::BenchServer;
use super::tally::thousands;

const PAIRS: usize = 256;
const FILL_MAX: Duration = Duration::from_secs(900);
const REST_MAX: Duration = Duration::from_secs(600);

#[derive(Debug, Clone)]
pub(super) struct ClosedFigures {
    pub(super) at: Vec<Size>,
    /// The page over the largest of them; absent without a browser.
    pub(super) past: Option<PastFigures>,
}

/// How long reading takes with so many closed asks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    pub(super) asks: u64,
    /// In the process that took them in: a few fit into its memory, and the rest does not.
    pub(super) as_left: Reads,
    /// In a process that was just started: everything comes from the store.
    pub(super) started: Reads,
}

pub(super) async fn measure(scratch: &Scratch, sizes: &Sizes) -> Result<ClosedFigures> {
    let mut server = BenchServer::start(scratch).await?;
    let (mut at, mut ids, mut done) = (Vec::new(), Vec::new(), 0);
    for asks in sizes.closed_asks {
        eprintln!("bench: filling in up to {} closed asks", thousands(asks));
        let out = scratch.path("load");
        let mut words = server.words();
        words.extend([
            format!("pairs={PAIRS}"),
            // Pairs of their own for each step: a name that is known asks no differently.
            format!("name=upto-{asks}"),
            format!("from={done}"),
            format!("asks={}", asks - done),
            format!("out={}", out.display()),
        ]);
        let result = Process::part("load", &words, &scratch.path("load.log"))?
            .result(&out, FILL_MAX)
            .await?;
        let told = result
            .get("ids")
            .and_then(Value::as_array)
            .context("the generator told no ids")?;
        ids.extend(told.iter().filter_map(Value::as_str).map(str::to_owned));
        done = asks;
        rest(&server).await?;
        let as_left = reads::measure(&server, &ids, sizes.calls).await?;
        say(asks, "as it was left", &as_left);
        server.kill_and_restart().await?;
        rest(&server).await?;
        let started = reads::measure(&server, &ids, sizes.calls).await?;
        say(asks, "just started", &started);
        at.push(Size {
            asks,
            as_left,
            started,
        });
    }
    // Everything else was measured: a browser that does not get there must not take it along.
    let past = page::past(scratch, &server, sizes).await;
    let past = past.unwrap_or_else(|error| {
        eprintln!("bench: the page over them was not measured: {error:#}");
        None
    });
    Ok(ClosedFigures { at, past })
}

async fn rest(server: &BenchServer) -> Result<()> {
    if !server.rest(REST_MAX).await? {
        eprintln!(
            "bench:   still busy after {} s; going on",
            REST_MAX.as_secs()
        );
    }
    Ok(())
}

fn say(asks: u64, how: &str, reads: &Reads) {
    eprintln!(
        "bench: {} closed, {how}: page {:.0} us, later page {:.0} us, by id {:.0} us, search {:.0} / {:.0} / {:.0} us (rare, seldom, everyday)",
        thousands(asks),
        reads.page_us,
        reads.later_page_us,
        reads.by_id_us,
        reads.rare_us,
        reads.seldom_us,
        reads.everyday_us
    );
}
