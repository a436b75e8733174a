//! What others notice of viewers that have stopped reading, and how fast old text is erased.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::pair::{Address, Pair};
use super::plan::Sizes;
use super::process::Process;
use super::scratch::Scratch;
use super::server::BenchServer;
use super::socket::BenchSocket;
use super::table::{BenchRow, Side};
use super::tally::{percentile, thousands};
use super::words::Words;

const VIEWERS: usize = 300;
/// Round trips between two looks at the viewers.
const TRIPS: u64 = 100;
/// Pairs that make what is erased.
const PAIRS: usize = 256;
const FILL_MAX: Duration = Duration::from_secs(600);
const REST_MAX: Duration = Duration::from_secs(120);
/// Later than anything that is made here.
const ALL: &str = r#"{"before":"2999-01-01T00:00:00.000Z"}"#;

#[derive(Debug, Clone, Copy)]
pub(super) struct StrainFigures {
    /// p95 of a round trip in microseconds, without the viewers and with them.
    alone_us: u32,
    beside_us: u32,
    erased: u64,
    erasing: Duration,
}

pub(super) async fn measure(scratch: &Scratch, sizes: &Sizes) -> Result<StrainFigures> {
    let (alone_us, beside_us) = viewers(scratch, sizes).await?;
    let (erased, erasing) = erasing(scratch, sizes).await?;
    Ok(StrainFigures {
        alone_us,
        beside_us,
        erased,
        erasing,
    })
}

/// Round trips in turns, with nobody else and beside viewers that are connected and read nothing.
async fn viewers(scratch: &Scratch, sizes: &Sizes) -> Result<(u32, u32)> {
    let server = BenchServer::start(scratch).await?;
    let address = Address::read(&Words::read(&server.words())?)?;
    let mut pair = Pair::open(&address, "fresh".to_owned()).await?;
    let (mut alone, mut beside, mut number) = (Vec::new(), Vec::new(), 0);
    for _ in 0..sizes.runs {
        trips(&mut pair, &mut number, &mut alone).await?;
        let mut held = Vec::with_capacity(VIEWERS);
        for _ in 0..VIEWERS {
            held.push(BenchSocket::open(address.server, "/v1/feed", &address.person_token).await?);
        }
        trips(&mut pair, &mut number, &mut beside).await?;
    }
    alone.sort_unstable();
    beside.sort_unstable();
    let p95 = |times: &[u32]| percentile(times, 0.95);
    let (alone, beside) = (p95(&alone), p95(&beside));
    eprintln!(
        "bench: p95 of a round trip {alone} us, beside {VIEWERS} stalled viewers {beside} us"
    );
    Ok((alone, beside))
}

async fn trips(pair: &mut Pair, number: &mut u64, times: &mut Vec<u32>) -> Result<()> {
    for _ in 0..TRIPS {
        let begun = Instant::now();
        pair.round_trip(*number).await?;
        *number += 1;
        times.push(u32::try_from(begun.elapsed().as_micros()).unwrap_or(u32::MAX));
    }
    Ok(())
}

/// Fills in closed asks and erases all of them.
async fn erasing(scratch: &Scratch, sizes: &Sizes) -> Result<(u64, Duration)> {
    let server = BenchServer::start(scratch).await?;
    eprintln!(
        "bench: filling in {} closed asks to erase",
        thousands(sizes.erased_asks)
    );
    let out = scratch.path("load");
    let mut words = server.words();
    words.extend([
        format!("pairs={PAIRS}"),
        "name=old".to_owned(),
        "from=0".to_owned(),
        format!("asks={}", sizes.erased_asks),
        format!("out={}", out.display()),
    ]);
    Process::part("load", &words, &scratch.path("load.log"))?
        .result(&out, FILL_MAX)
        .await?;
    server.rest(REST_MAX).await?;
    let begun = Instant::now();
    let (status, body) = server.http("admin")?.post("/v1/forget", ALL).await?;
    let erasing = begun.elapsed();
    if status != 200 {
        bail!(
            "erasing was refused with {status}: {}",
            String::from_utf8_lossy(&body)
        );
    }
    let told: Value = serde_json::from_slice(&body)?;
    let erased = told.get("asks").and_then(Value::as_u64);
    let erased = erased.context("the server did not say how many it erased")?;
    eprintln!(
        "bench: erased {} asks in {:.1} s",
        thousands(erased),
        erasing.as_secs_f64()
    );
    Ok((erased, erasing))
}

pub(super) fn rows(strain: &StrainFigures) -> Vec<BenchRow> {
    let (alone, beside) = (f64::from(strain.alone_us), f64::from(strain.beside_us));
    let seconds = strain.erasing.as_secs_f64();
    vec![
        BenchRow::new(
            format!("beside {VIEWERS} viewers that do not read / alone, p95"),
            beside / alone,
            "x",
            Side::AtMost,
            [2.0, 1.3],
            format!("{beside:.0} / {alone:.0} us"),
        ),
        BenchRow::new(
            "erasing",
            strain.erased as f64 / seconds,
            "asks/s",
            Side::AtLeast,
            [2000.0, 5000.0],
            format!("{} asks in {seconds:.1} s", thousands(strain.erased)),
        ),
    ]
}
