//! The load generator: pairs in a closed loop, for a time or up to a number of asks.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::json;
use tokio::task::JoinSet;

use super::pair::{Address, Far, Pair};
use super::proc::Cpu;
use super::streams::Streams;
use super::tally::percentile;
use super::words::{Words, leave, tell};

/// Pairs that connect at one time.
const CONNECTING: usize = 32;
/// Ids of asks that are told, spread over the whole run.
const IDS_MAX: u64 = 400;
/// How long the last round trips may take once the time is over.
const END_MAX: Duration = Duration::from_secs(30);

const WARM: u8 = 0;
const MEASURED: u8 = 1;
const OVER: u8 = 2;

/// What all pairs see.
#[derive(Debug)]
struct Course {
    phase: AtomicU8,
    next: AtomicU64,
    end: u64,
    measured: AtomicU64,
    /// Every so many asks the id is kept.
    keep_every: u64,
}

impl Course {
    /// The number of the next ask, unless it is over.
    fn next(&self) -> Option<u64> {
        if self.phase.load(Ordering::Relaxed) == OVER {
            return None;
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        (number < self.end).then_some(number)
    }
}

/// What one pair has seen.
#[derive(Debug, Default)]
struct Seen {
    nanos: Vec<u32>,
    ids: Vec<String>,
    all: u64,
}

/// An agent and a person, whatever lies between them.
#[derive(Debug)]
enum Two {
    Sockets(Pair),
    Streams(Streams),
}

impl Two {
    async fn open(address: &Address, name: String) -> Result<Self> {
        Ok(match address.far {
            Far::Streams => Self::Streams(Streams::open(address.server, name).await?),
            Far::Relay | Far::Sayso | Far::Foreign => {
                Self::Sockets(Pair::open(address, name).await?)
            }
        })
    }

    async fn round_trip(&mut self, number: u64) -> Result<()> {
        match self {
            Self::Sockets(pair) => pair.round_trip(number).await,
            Self::Streams(streams) => streams.round_trip(number).await,
        }
    }

    /// The id of the last ask, where it has one.
    fn id(&self) -> Option<String> {
        match self {
            Self::Sockets(pair) => Some(pair.id()),
            Self::Streams(_) => None,
        }
    }

    async fn finish(self) -> Result<()> {
        match self {
            Self::Sockets(pair) => pair.finish().await,
            Self::Streams(_) => Ok(()),
        }
    }
}

pub(super) fn run(words: &Words) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(drive(words))
}

async fn drive(words: &Words) -> Result<()> {
    let addresses = Address::all(words)?;
    let (count, pid): (usize, u32) = (words.get("pairs")?, words.get("pid")?);
    let from: u64 = words.find("from").map_or(Ok(0), str::parse)?;
    let asks: Option<u64> = words.find("asks").map(str::parse).transpose()?;
    let course = Arc::new(Course {
        phase: AtomicU8::new(WARM),
        next: AtomicU64::new(from),
        end: asks.map_or(u64::MAX, |asks| from + asks),
        measured: AtomicU64::new(0),
        keep_every: asks.map_or(u64::MAX, |asks| (asks / IDS_MAX).max(1)),
    });
    let pairs = connect(&addresses, count, words.find("name").unwrap_or("pair")).await?;
    let mut set = JoinSet::new();
    for pair in pairs {
        set.spawn(keep_asking(pair, Arc::clone(&course)));
    }
    let mut seen = Seen::default();
    if asks.is_none() {
        pause(&mut set, Duration::from_millis(words.get("warm_ms")?)).await?;
    }
    let (server, own, begun) = (Cpu::of(pid)?, Cpu::of(std::process::id())?, Instant::now());
    course.phase.store(MEASURED, Ordering::Relaxed);
    if asks.is_none() {
        pause(&mut set, Duration::from_millis(words.get("run_ms")?)).await?;
    } else {
        let told = tokio::spawn(keep_telling(words.out()?, from, Arc::clone(&course)));
        gather(&mut set, &mut seen).await?;
        told.abort();
    }
    let (server, own, seconds) = (
        Cpu::of(pid)?.since(&server),
        Cpu::of(std::process::id())?.since(&own),
        begun.elapsed().as_secs_f64(),
    );
    let measured = course.measured.load(Ordering::Relaxed);
    course.phase.store(OVER, Ordering::Relaxed);
    tokio::time::timeout(END_MAX, gather(&mut set, &mut seen))
        .await
        .context("the last round trips did not end")??;
    seen.nanos.sort_unstable();
    let micros = |share| f64::from(percentile(&seen.nanos, share)) / 1000.0;
    let result = json!({
        "rts": measured,
        "all": seen.all + count as u64,
        "seconds": seconds,
        "p50_us": micros(0.5),
        "p95_us": micros(0.95),
        "p99_us": micros(0.99),
        "max_us": micros(1.0),
        "server_us": server.whole_us,
        "projector_us": server.projector_us(),
        "threads_us": server.threads_us,
        "generator_us": own.whole_us,
        "ids": seen.ids,
    });
    leave(&words.out()?, &result.to_string())
}

async fn connect(addresses: &[Address], count: usize, name: &str) -> Result<Vec<Two>> {
    let (mut set, mut pairs, mut started) = (JoinSet::new(), Vec::with_capacity(count), 0);
    while pairs.len() < count {
        while started < count && set.len() < CONNECTING {
            let at = addresses
                .iter()
                .cycle()
                .nth(started % addresses.len().max(1));
            let Some(address) = at.cloned() else {
                bail!("there is nowhere to connect to")
            };
            let name = format!("{name}-{started:04}");
            set.spawn(async move { Two::open(&address, name).await });
            started += 1;
        }
        let Some(pair) = set.join_next().await else {
            bail!("a pair was lost")
        };
        pairs.push(pair??);
    }
    Ok(pairs)
}

async fn keep_asking(mut pair: Two, course: Arc<Course>) -> Result<Seen> {
    let mut seen = Seen::default();
    while let Some(number) = course.next() {
        let begun = Instant::now();
        pair.round_trip(number).await?;
        let taken = begun.elapsed();
        seen.all += 1;
        if course.phase.load(Ordering::Relaxed) == MEASURED {
            course.measured.fetch_add(1, Ordering::Relaxed);
            seen.nanos
                .push(u32::try_from(taken.as_nanos()).unwrap_or(u32::MAX));
        }
        if number.is_multiple_of(course.keep_every) {
            seen.ids.extend(pair.id());
        }
    }
    pair.finish().await?;
    Ok(seen)
}

/// Lets the pairs go on for a while; none of them may end in it.
async fn pause(set: &mut JoinSet<Result<Seen>>, time: Duration) -> Result<()> {
    match tokio::time::timeout(time, set.join_next()).await {
        Err(_) => Ok(()),
        Ok(Some(Ok(Err(error)))) => Err(error),
        Ok(_) => bail!("a pair ended before its time"),
    }
}

async fn keep_telling(out: PathBuf, from: u64, course: Arc<Course>) {
    loop {
        tell(
            &out,
            course.next.load(Ordering::Relaxed) - from,
            course.end - from,
        );
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

async fn gather(set: &mut JoinSet<Result<Seen>>, seen: &mut Seen) -> Result<()> {
    while let Some(one) = set.join_next().await {
        let mut one = one??;
        seen.nanos.append(&mut one.nanos);
        seen.ids.append(&mut one.ids);
        seen.all += one.all;
    }
    Ok(())
}
