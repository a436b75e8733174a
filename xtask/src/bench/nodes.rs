//! Nodes on PostgreSQL: one beside SQLite and beside plain commits, an agent and a person on two of
//! them, many pairs over three, and how soon one hears what another wrote.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::open::{self, OpenFigures};
use super::pair::expect;
use super::pairs::{Run, generate, middle, relay_run, say};
use super::plan::Sizes;
use super::postgres::{Postgres, programs};
use super::scratch::Scratch;
use super::server::{BenchServer, Program};
use super::socket::BenchSocket;
use super::table::{BenchRow, Side};
use super::tally::{median, percentile};

/// Asks whose way from one node to the other is measured, and the pause before each.
const HOPS: usize = 200;
const QUIET: Duration = Duration::from_millis(20);
/// The conversation that is listened to.
const THERE: &str = "hop";

/// What was measured with nodes, a value for each round.
#[derive(Debug, Default)]
pub(super) struct NodeFigures {
    relay: Vec<Run>,
    commits_us: Vec<f64>,
    one: Vec<Run>,
    across: Vec<Run>,
    sqlite_64: Vec<Run>,
    one_64: Vec<Run>,
    one_1000: Vec<Run>,
    three_1000: Vec<Run>,
    hops_p95_us: Vec<f64>,
    open: Option<OpenFigures>,
}

pub(super) async fn measure(scratch: &Scratch, sizes: &Sizes) -> Result<Option<NodeFigures>> {
    let Some(programs) = programs() else {
        eprintln!("bench: PostgreSQL is not installed; the rows about nodes are left out");
        return Ok(None);
    };
    let postgres = Postgres::start(scratch, programs).await?;
    let key = scratch.path("key");
    std::fs::write(&key, [7; 32])?;
    set_owner_only(&key)?;
    let bench = NodeBench {
        scratch,
        sizes,
        postgres,
        key: key.display().to_string(),
    };
    let mut figures = NodeFigures::default();
    for round in 1..=sizes.runs {
        eprintln!("bench: nodes, round {round} of {}", sizes.runs);
        bench.round(&mut figures).await?;
    }
    bench.postgres.clear()?;
    let words = bench.words("a");
    let open = open::measure_with(scratch, sizes, Program::Built, words).await?;
    figures.open = Some(open);
    Ok(Some(figures))
}

fn set_owner_only(path: &std::path::Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(std::fs::set_permissions(
        path,
        std::fs::Permissions::from_mode(0o600),
    )?)
}

struct NodeBench<'a> {
    scratch: &'a Scratch,
    sizes: &'a Sizes,
    postgres: Postgres,
    key: String,
}

impl NodeBench<'_> {
    async fn round(&self, figures: &mut NodeFigures) -> Result<()> {
        figures
            .relay
            .push(relay_run(self.scratch, self.sizes, 1).await?);
        let commit = self.postgres.commit_us(self.sizes.run)?;
        eprintln!("bench:   a commit of pgbench: {commit:.0} us");
        figures.commits_us.push(commit);
        let sqlite = BenchServer::start(self.scratch).await?;
        figures
            .sqlite_64
            .push(self.load("sqlite", &[&sqlite], None, 64).await?);
        drop(sqlite);
        {
            let one = self.node("a").await?;
            figures
                .one
                .push(self.load("one node", &[&one], None, 1).await?);
            figures
                .one_64
                .push(self.load("one node", &[&one], None, 64).await?);
            figures
                .one_1000
                .push(self.load("one node", &[&one], None, 1000).await?);
        }
        self.postgres.clear()?;
        let (a, b, c) = (
            self.node("a").await?,
            self.node("b").await?,
            self.node("c").await?,
        );
        let across = self.load("a and b", &[&a, &b], Some(1), 1).await?;
        figures.across.push(across);
        figures.hops_p95_us.push(self.hops(&a, &b).await?);
        let three = self.load("three nodes", &[&a, &b, &c], None, 1000).await?;
        figures.three_1000.push(three);
        drop((a, b, c));
        self.postgres.clear()
    }

    fn words(&self, name: &str) -> Vec<String> {
        [
            "--store",
            &self.postgres.url(),
            "--key-file",
            &self.key,
            "--node",
            name,
        ]
        .map(str::to_owned)
        .to_vec()
    }

    async fn node(&self, name: &str) -> Result<BenchServer> {
        BenchServer::start_with(self.scratch, Program::Built, self.words(name)).await
    }

    /// Pairs over these nodes; the person of a pair as many nodes further, or everywhere in turn.
    async fn load(
        &self,
        name: &str,
        nodes: &[&BenchServer],
        apart: Option<usize>,
        pairs: usize,
    ) -> Result<Run> {
        let first = nodes.first().context("there is a node")?;
        let mut words = first.words();
        if nodes.len() > 1 {
            let each = nodes
                .iter()
                .map(|node| format!("{}@{}", node.address, node.state.display()));
            words.push(format!("nodes={}", each.collect::<Vec<_>>().join(",")));
        }
        words.extend(apart.map(|apart| format!("apart={apart}")));
        let run = Run::read(&generate(self.scratch, self.sizes, pairs, words).await?)?;
        say(name, pairs, &run);
        Ok(run)
    }

    /// How long after an ask was acknowledged at one node a device at the other has it, at the 95th
    /// percentile.
    async fn hops(&self, here: &BenchServer, there: &BenchServer) -> Result<f64> {
        let mut agent = here.http("agent")?;
        let body = |number: usize| {
            json!({
                "matter": "questions", "agent": THERE, "conversation": THERE,
                "questions": [{"text": format!("Step {number}?"), "pick": "text"}],
            })
            .to_string()
        };
        ask(&mut agent, &body(0)).await?;
        let token = std::fs::read_to_string(there.state.join("person.token"))?;
        let path = format!("/v1/feed?conversation={THERE}");
        let mut device = BenchSocket::open(there.address, &path, token.trim()).await?;
        expect(&mut device, b"ready").await?;
        let mut nanos = Vec::with_capacity(HOPS);
        for number in 1..=HOPS {
            tokio::time::sleep(QUIET).await;
            let text = body(number);
            let asked = async {
                ask(&mut agent, &text).await?;
                Ok::<_, anyhow::Error>(Instant::now())
            };
            let heard = async {
                expect(&mut device, b"asked").await?;
                Ok::<_, anyhow::Error>(Instant::now())
            };
            let (asked, heard) = tokio::try_join!(asked, heard)?;
            let hop = heard.saturating_duration_since(asked).as_nanos();
            nanos.push(u32::try_from(hop).unwrap_or(u32::MAX));
        }
        nanos.sort_unstable();
        let micros = |share| f64::from(percentile(&nanos, share)) / 1000.0;
        eprintln!(
            "bench:   from the reply at a to the feed at b: p50 {:.0} us, p95 {:.0} us",
            micros(0.5),
            micros(0.95)
        );
        Ok(micros(0.95))
    }
}

async fn ask(agent: &mut super::http::Http, body: &str) -> Result<()> {
    let (status, body) = agent.post("/v1/asks", body).await?;
    if status / 100 != 2 {
        let said: Value = serde_json::from_slice(&body).unwrap_or_default();
        bail!("an ask was refused with {status}: {said}");
    }
    Ok(())
}

pub(super) fn rows(figures: &NodeFigures) -> Vec<BenchRow> {
    let p50 = |runs: &[Run]| middle(runs, |run| run.p50_us);
    let p95 = |runs: &[Run]| middle(runs, |run| run.p95_us);
    let per_second = |runs: &[Run]| middle(runs, |run| run.per_second);
    let commit = median(figures.commits_us.iter().copied());
    let (relay, one, across) = (p50(&figures.relay), p50(&figures.one), p50(&figures.across));
    let more = (p95(&figures.across) - p95(&figures.one)) / 1000.0;
    let hop = median(figures.hops_p95_us.iter().copied()) / 1000.0;
    let throughput = |what: &str, ours: &[Run], other: &[Run], bounds| {
        let (ours, other) = (per_second(ours), per_second(other));
        let of = format!("{ours:.0} / {other:.0} a second");
        BenchRow::new(what, ours / other, "x", Side::AtLeast, bounds, of)
    };
    let mut rows = vec![
        BenchRow::new(
            "1 pair, one node / (relay + 2 commits of pgbench)",
            one / (relay + 2.0 * commit),
            "x",
            Side::AtMost,
            [1.8, 1.4],
            format!("{one:.0} us / ({relay:.0} + 2 x {commit:.0} us)"),
        ),
        BenchRow::new(
            "1 pair, agent on a, person on b / both on a",
            across / one,
            "x",
            Side::AtMost,
            [1.6, 1.3],
            format!("{across:.0} / {one:.0} us"),
        ),
        BenchRow::new(
            "the same, p95 more",
            more,
            "ms",
            Side::AtMost,
            [5.0, 5.0],
            String::new(),
        ),
        throughput(
            "64 pairs, one node / SQLite",
            &figures.one_64,
            &figures.sqlite_64,
            [0.4, 0.6],
        ),
        throughput(
            "1000 pairs, three nodes / one",
            &figures.three_1000,
            &figures.one_1000,
            [0.6, 0.9],
        ),
        BenchRow::new(
            "feed on b after the reply on a, quiet, p95",
            hop,
            "ms",
            Side::AtMost,
            [5.0, 2.0],
            format!("{HOPS} asks a round"),
        ),
    ];
    rows.extend(figures.open.as_ref().map(|open| {
        BenchRow::new(
            format!("ready after kill on PostgreSQL, {} open", open.asks),
            open.ready_s(),
            "s",
            Side::AtMost,
            [4.0, 2.0],
            "kill -9 to the first page".to_owned(),
        )
    }));
    rows
}
