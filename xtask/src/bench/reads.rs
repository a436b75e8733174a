//! How long the server takes to show a page, find a word and open one ask: the median of many
//! calls, one after the other over one connection.

use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::http::Http;
use super::server::BenchServer;
use super::tally::percentile;
use super::text;

const PAGE: usize = 50;
/// A page short enough that every size can fill it.
const FEW: usize = 10;
/// How many pages in the later page lies.
const LATER: usize = 5;

#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_field_names, reason = "a figure carries its unit")]
pub(super) struct Reads {
    pub(super) page_us: f64,
    pub(super) later_page_us: f64,
    pub(super) by_id_us: f64,
    /// A word in 20 asks, however many there are.
    pub(super) rare_us: f64,
    /// Words that each stand in one ask of 512; the newest few of them.
    pub(super) seldom_us: f64,
    /// A word in every ask.
    pub(super) everyday_us: f64,
}

pub(super) async fn measure(server: &BenchServer, ids: &[String], calls: usize) -> Result<Reads> {
    let mut http = server.reader()?;
    // A stride that has nothing to share with most lengths: calls jump about instead of
    // walking through what lies side by side.
    let id = |call: usize| {
        ids.get((call * 7919) % ids.len().max(1))
            .map_or("", String::as_str)
    };
    // First of all: whatever else is read leaves asks in the server's memory.
    let by_id_us = median(&mut http, calls, |call| format!("/v1/asks/{}", id(call))).await?;
    let first = format!("/v1/asks?state=closed&limit={PAGE}");
    let mut later = first.clone();
    for _ in 0..LATER {
        let (asks, next) = page(&mut http, &later).await?;
        if asks != PAGE {
            bail!("{later} has {asks} asks instead of {PAGE}");
        }
        later = format!(
            "{first}&after={}",
            next.with_context(|| format!("{later} has no next page"))?
        );
    }
    let search = |word: &str| format!("{first}&search={word}");
    let (rare, everyday) = (search(text::RARE_WORD), search(text::EVERYDAY_WORD));
    let (found, _) = page(&mut http, &rare).await?;
    if found as u64 != text::RARE_ASKS {
        bail!(
            "a search finds {found} asks where {} hold the word",
            text::RARE_ASKS
        );
    }
    let (found, _) = page(&mut http, &everyday).await?;
    if found != PAGE {
        bail!("a search finds {found} asks where all hold the word");
    }
    Ok(Reads {
        page_us: median(&mut http, calls, |_| first.clone()).await?,
        later_page_us: median(&mut http, calls, |_| later.clone()).await?,
        by_id_us,
        rare_us: median(&mut http, calls, |_| rare.clone()).await?,
        seldom_us: median(&mut http, calls, |call| {
            format!(
                "/v1/asks?state=closed&limit={FEW}&search={}",
                text::word(call as u64 * 7919)
            )
        })
        .await?,
        everyday_us: median(&mut http, calls, |_| everyday.clone()).await?,
    })
}

/// How many asks are on a page, and where the next one begins.
async fn page(http: &mut Http, path: &str) -> Result<(usize, Option<String>)> {
    let body: Value = serde_json::from_slice(&call(http, path).await?)?;
    let asks = body
        .get("asks")
        .and_then(Value::as_array)
        .with_context(|| format!("{path} is no page"))?;
    Ok((
        asks.len(),
        body.get("next").and_then(Value::as_str).map(str::to_owned),
    ))
}

async fn median(http: &mut Http, calls: usize, path: impl Fn(usize) -> String) -> Result<f64> {
    let mut nanos = Vec::with_capacity(calls);
    for number in 0..calls {
        let path = path(number);
        let begun = Instant::now();
        call(http, &path).await?;
        nanos.push(u32::try_from(begun.elapsed().as_nanos()).unwrap_or(u32::MAX));
    }
    nanos.sort_unstable();
    Ok(f64::from(percentile(&nanos, 0.5)) / 1000.0)
}

async fn call(http: &mut Http, path: &str) -> Result<Vec<u8>> {
    match http.get(path).await? {
        (200, body) => Ok(body),
        (status, body) => bail!(
            "{path} was refused with {status}: {}",
            String::from_utf8_lossy(&body)
        ),
    }
}
