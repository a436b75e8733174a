//! A server with a great many open asks: what it holds in memory, and how soon it is back after
//! it was killed.

use std::time::Duration;

use anyhow::{Result, bail};

use super::plan::Sizes;
use super::proc;
use super::process::Process;
use super::scratch::Scratch;
use super::server::{BenchServer, Program};
use super::tally::{median, thousands};

const FILL_MAX: Duration = Duration::from_secs(900);
const REST_MAX: Duration = Duration::from_secs(300);

#[derive(Debug, Clone)]
pub(super) struct OpenFigures {
    pub(super) asks: u64,
    /// Resident bytes of the server before the first ask.
    pub(super) empty_bytes: u64,
    /// With all of them, in the process that took them in.
    pub(super) filled_bytes: u64,
    /// With all of them, in a process that was started with them.
    pub(super) restarted_bytes: u64,
    /// From the kill to the first page of asks.
    pub(super) ready: Vec<Duration>,
}

impl OpenFigures {
    pub(super) fn ready_s(&self) -> f64 {
        median(self.ready.iter().map(Duration::as_secs_f64))
    }
}

pub(super) async fn measure(
    scratch: &Scratch,
    sizes: &Sizes,
    program: Program,
) -> Result<OpenFigures> {
    measure_with(scratch, sizes, program, Vec::new()).await
}

/// The same of a server that is told more on its command line.
pub(super) async fn measure_with(
    scratch: &Scratch,
    sizes: &Sizes,
    program: Program,
    more: Vec<String>,
) -> Result<OpenFigures> {
    let asks = sizes.open_asks;
    let mut server = BenchServer::start_with(scratch, program, more).await?;
    server.rest(REST_MAX).await?;
    let empty_bytes = proc::resident(server.pid())?;
    eprintln!("bench: filling in {} open asks", thousands(asks));
    let out = scratch.path("fill");
    let mut words = server.words();
    words.extend([format!("asks={asks}"), format!("out={}", out.display())]);
    Process::part("fill", &words, &scratch.path("fill.log"))?
        .result(&out, FILL_MAX)
        .await?;
    rest(&server).await?;
    let filled_bytes = proc::resident(server.pid())?;
    eprintln!(
        "bench: {:.0} MiB with them, {:.0} MiB before",
        mib(filled_bytes),
        mib(empty_bytes)
    );
    let mut ready = Vec::new();
    for _ in 0..sizes.kills {
        let (taken, shown) = server.kill_and_restart().await?;
        if shown != 50 {
            bail!("the first page after a restart shows {shown} open asks instead of 50");
        }
        eprintln!(
            "bench: killed and ready again in {:.2} s",
            taken.as_secs_f64()
        );
        ready.push(taken);
        rest(&server).await?;
    }
    let restarted_bytes = proc::resident(server.pid())?;
    eprintln!("bench: {:.0} MiB after a restart", mib(restarted_bytes));
    Ok(OpenFigures {
        asks,
        empty_bytes,
        filled_bytes,
        restarted_bytes,
        ready,
    })
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

pub(super) fn mib(bytes: u64) -> f64 {
    bytes as f64 / 1_048_576.0
}
