//! The whole durable round trip beside the relay and the disk, in turns, so that a noisy minute
//! hits both.

use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;

use super::disk::{self, Syncs};
use super::plan::{BenchPlan, Sizes};
use super::proc::Cpu;
use super::process::Process;
use super::redis::{self, Redis};
use super::restate;
use super::scratch::Scratch;
use super::server::{BenchServer, Program, Relay};
use super::tally::median;

/// Beyond the time of the run: connecting a thousand pairs, and the end.
const GRACE: Duration = Duration::from_secs(120);
/// How many pairs speak foreign languages, too.
const FOREIGN_PAIRS: [usize; 2] = [1, 1000];
/// How many pairs peers are driven with.
const PEER_PAIRS: usize = 64;
/// How long the projector may take to catch up after a run.
const CATCH_UP_MAX: Duration = Duration::from_secs(60);

/// What agents and people speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Speech {
    Own,
    Foreign,
}

/// One run of one load.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub(super) p50_us: f64,
    pub(super) p95_us: f64,
    pub(super) p99_us: f64,
    pub(super) per_second: f64,
    /// Processor time of the server for one round trip, the projector's left out.
    pub(super) server_us: f64,
    /// The projector's, up to where it has caught up; absent when no thread is called one.
    pub(super) projector_us: Option<f64>,
    /// The generator's own: it must not be what is measured.
    pub(super) generator_us: f64,
    /// Cores that the server and the generator kept busy together.
    pub(super) busy_cores: f64,
    /// The server's, by the name of the thread.
    pub(super) threads_us: Vec<(String, f64)>,
}

impl Run {
    pub(super) fn read(result: &Value) -> Result<Self> {
        let number = |key: &str| {
            result
                .get(key)
                .and_then(Value::as_f64)
                .with_context(|| format!("the generator did not say {key}"))
        };
        let rts = number("rts")?.max(1.0);
        let during = result
            .get("projector_us")
            .and_then(Value::as_f64)
            .unwrap_or_default();
        let threads = result.get("threads_us").and_then(Value::as_object);
        let threads_us = threads
            .into_iter()
            .flatten()
            .map(|(name, us)| (name.clone(), us.as_f64().unwrap_or_default() / rts))
            .collect();
        let used_us = number("server_us")? + number("generator_us")?;
        Ok(Self {
            busy_cores: used_us / 1e6 / number("seconds")?,
            p50_us: number("p50_us")?,
            p95_us: number("p95_us")?,
            p99_us: number("p99_us")?,
            per_second: rts / number("seconds")?,
            server_us: (number("server_us")? - during) / rts,
            projector_us: None,
            generator_us: number("generator_us")? / rts,
            threads_us,
        })
    }
}

/// All runs with one number of pairs.
#[derive(Debug, Clone)]
pub(super) struct Load {
    pub(super) pairs: usize,
    pub(super) relay: Vec<Run>,
    pub(super) sayso: Vec<Run>,
    /// The same in foreign languages, with the numbers of pairs that are judged.
    pub(super) foreign: Vec<Run>,
    /// Our own language, on the build that this one is compared with.
    pub(super) before: Vec<Run>,
    /// Redis streams, synced with every command.
    pub(super) redis: Vec<Run>,
    /// Round trips a second of Restate.
    pub(super) restate: Vec<f64>,
}

impl Load {
    pub(super) fn new(pairs: usize) -> Self {
        Self {
            pairs,
            relay: Vec::new(),
            sayso: Vec::new(),
            foreign: Vec::new(),
            before: Vec::new(),
            redis: Vec::new(),
            restate: Vec::new(),
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct PairFigures {
    pub(super) syncs: Vec<Syncs>,
    pub(super) loads: Vec<Load>,
}

impl PairFigures {
    /// The median of the disk's own time.
    pub(super) fn sync_us(&self) -> f64 {
        median(self.syncs.iter().map(|syncs| syncs.p50_us))
    }

    pub(super) fn load(&self, pairs: usize) -> Option<&Load> {
        self.loads.iter().find(|load| load.pairs == pairs)
    }
}

/// The median of one thing over runs.
pub(super) fn middle(runs: &[Run], what: impl Fn(&Run) -> f64) -> f64 {
    median(runs.iter().map(what))
}

pub(super) async fn measure(scratch: &Scratch, plan: &BenchPlan) -> Result<PairFigures> {
    let (sizes, with_redis) = (&plan.sizes(), redis::is_there());
    if !with_redis {
        eprintln!("bench: redis-server is not installed; its row is left out");
    }
    let mut figures = PairFigures {
        syncs: Vec::new(),
        loads: sizes.pairs.into_iter().map(Load::new).collect(),
    };
    for round in 1..=sizes.runs {
        let syncs = disk::measure(&scratch.path("syncs"), sizes.syncs)?;
        eprintln!(
            "bench: round {round} of {}: fdatasync p50 {:.0} us, p99 {:.0} us",
            sizes.runs, syncs.p50_us, syncs.p99_us
        );
        figures.syncs.push(syncs);
        for load in &mut figures.loads {
            let pairs = load.pairs;
            load.relay.push(relay_run(scratch, sizes, pairs).await?);
            let mut builds = vec![Program::Built];
            builds.extend(plan.against.clone().map(Program::Other));
            // What one leaves on the disk slows the next, so they take turns at being first.
            if round.is_multiple_of(2) {
                builds.reverse();
            }
            for build in builds {
                let run = sayso_run(scratch, sizes, pairs, Speech::Own, build.clone()).await?;
                match build {
                    Program::Built => load.sayso.push(run),
                    Program::Other(_) => load.before.push(run),
                }
            }
            if FOREIGN_PAIRS.contains(&pairs) {
                let run = sayso_run(scratch, sizes, pairs, Speech::Foreign, Program::Built).await?;
                load.foreign.push(run);
            }
            if pairs == PEER_PAIRS && with_redis {
                load.redis.push(redis_run(scratch, sizes, pairs).await?);
            }
            if let Some(folder) = plan.restate.as_ref().filter(|_| pairs == PEER_PAIRS) {
                let per_second = restate::run(scratch, sizes, folder, pairs).await?;
                eprintln!("bench:   restate, {pairs} pairs: {per_second:.0} a second");
                load.restate.push(per_second);
            }
        }
    }
    Ok(figures)
}

async fn redis_run(scratch: &Scratch, sizes: &Sizes, pairs: usize) -> Result<Run> {
    let redis = Redis::start(scratch).await?;
    let run = Run::read(&generate(scratch, sizes, pairs, redis.words()).await?)?;
    say("redis", pairs, &run);
    Ok(run)
}

pub(super) async fn relay_run(scratch: &Scratch, sizes: &Sizes, pairs: usize) -> Result<Run> {
    let relay = Relay::start(scratch).await?;
    let run = Run::read(&generate(scratch, sizes, pairs, relay.words()).await?)?;
    say("relay", pairs, &run);
    Ok(run)
}

/// A server and a state of its own for every run: what one leaves to do never slows the next.
async fn sayso_run(
    scratch: &Scratch,
    sizes: &Sizes,
    pairs: usize,
    speech: Speech,
    program: Program,
) -> Result<Run> {
    let name = match (speech, &program) {
        (Speech::Own, Program::Built) => "sayso",
        (Speech::Own, Program::Other(_)) => "before",
        (Speech::Foreign, _) => "foreign",
    };
    let server = BenchServer::start_as(scratch, program).await?;
    let mut words = server.words();
    if speech == Speech::Foreign {
        words.push("speak=foreign".to_owned());
    }
    let result = generate(scratch, sizes, pairs, words).await?;
    let mut run = Run::read(&result)?;
    let caught_up = server.rest(CATCH_UP_MAX).await?;
    let all = result.get("all").and_then(Value::as_f64).unwrap_or(1.0);
    run.projector_us = Cpu::of(server.pid())?
        .projector_us()
        .map(|us| us as f64 / all);
    say(name, pairs, &run);
    if !caught_up {
        eprintln!(
            "bench:   still busy {} s after the run",
            CATCH_UP_MAX.as_secs()
        );
    }
    Ok(run)
}

pub(super) async fn generate(
    scratch: &Scratch,
    sizes: &Sizes,
    pairs: usize,
    mut words: Vec<String>,
) -> Result<Value> {
    let out = scratch.path("load");
    words.extend([
        format!("pairs={pairs}"),
        format!("warm_ms={}", sizes.warm.as_millis()),
        format!("run_ms={}", sizes.run.as_millis()),
        format!("out={}", out.display()),
    ]);
    let process = Process::part("load", &words, &scratch.path("load.log"))?;
    process.result(&out, sizes.warm + sizes.run + GRACE).await
}

pub(super) fn say(name: &str, pairs: usize, run: &Run) {
    eprintln!(
        "bench:   {name}, {pairs} pairs: p50 {:.0} us, p99 {:.0} us, {:.0} a second; a round trip costs the server {:.1} us, the projections {:.1} us, the generator {:.1} us; {:.2} cores busy",
        run.p50_us,
        run.p99_us,
        run.per_second,
        run.server_us,
        run.projector_us.unwrap_or_default(),
        run.generator_us,
        run.busy_cores
    );
}
