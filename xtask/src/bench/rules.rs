//! A ruling as rules pile up: the same trial with one rule and with ten thousand that name other
//! commands and tools, in turns, because the difference is small beside what a machine's speed does.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use serde_json::{Value, json};

use super::http::Http;
use super::plan::Sizes;
use super::scratch::Scratch;
use super::server::BenchServer;
use super::tally::percentile;

const RULES: usize = 10_000;
/// As many as one file may hold.
const AT_ONCE: usize = 2_000;
/// How long the server with many may take to put them away.
const REST_MAX: Duration = Duration::from_secs(30);

#[derive(Debug, Clone, Copy)]
pub(super) struct RuleFigures {
    pub(super) rules: usize,
    /// A whole call with one rule there, in microseconds.
    pub(super) one_us: f64,
    /// The same with all of them.
    pub(super) all_us: f64,
}

impl RuleFigures {
    /// What all the others cost one ruling at most.
    pub(super) fn cost_us(&self) -> f64 {
        (self.all_us - self.one_us).max(0.0)
    }
}

pub(super) async fn measure(scratch: &Scratch, sizes: &Sizes) -> Result<RuleFigures> {
    let (few, many) = (
        BenchServer::start(scratch).await?,
        BenchServer::start(scratch).await?,
    );
    for server in [&few, &many] {
        let one = vec![json!({ "effect": "allow", "preset": "ls" })];
        import(&mut server.http("admin")?, one).await?;
    }
    let mut admin = many.http("admin")?;
    for begin in (0..RULES).step_by(AT_ONCE) {
        import(&mut admin, (begin..begin + AT_ONCE).map(rule).collect()).await?;
    }
    many.rest(REST_MAX).await?;
    let (mut few, mut many) = (Trial::of(&few)?, Trial::of(&many)?);
    for _ in 0..sizes.calls {
        few.call().await?;
        many.call().await?;
    }
    let (one_us, all_us) = (few.median_us(), many.median_us());
    eprintln!("bench: a ruling with one rule {one_us:.0} us, with {RULES} more {all_us:.0} us");
    Ok(RuleFigures {
        rules: RULES,
        one_us,
        all_us,
    })
}

/// Rules of every kind, none of which covers what is tried.
fn rule(number: usize) -> Value {
    match number % 4 {
        0 => json!({ "effect": "allow", "command": format!("tool{number} go") }),
        1 => json!({ "effect": "deny", "command": format!("bad{number} x") }),
        2 => json!({ "effect": "allow", "tool": format!("Tool{number}") }),
        _ => json!({ "effect": "allow", "preset": "ls", "workspace": format!("w{number}") }),
    }
}

async fn import(http: &mut Http, rules: Vec<Value>) -> Result<()> {
    let body = json!({ "rules": rules }).to_string();
    match http.post("/v1/rules/import", &body).await? {
        (201, _) => Ok(()),
        (status, body) => bail!(
            "rules were refused with {status}: {}",
            String::from_utf8_lossy(&body)
        ),
    }
}

/// The same question to one server again and again.
struct Trial {
    http: Http,
    nanos: Vec<u32>,
}

impl Trial {
    fn of(server: &BenchServer) -> Result<Self> {
        Ok(Self {
            http: server.http("person")?,
            nanos: Vec::new(),
        })
    }

    async fn call(&mut self) -> Result<()> {
        let trial = json!({ "command": "ls -la src | head -5" }).to_string();
        let begun = Instant::now();
        let (status, body) = self.http.post("/v1/rules/test", &trial).await?;
        let taken = begun.elapsed();
        self.nanos
            .push(u32::try_from(taken.as_nanos()).unwrap_or(u32::MAX));
        let ruling: Value = serde_json::from_slice(&body)?;
        if status != 200 || ruling.get("ruling") != Some(&json!("ask")) {
            bail!("the rules say something else than they should: {ruling}");
        }
        Ok(())
    }

    fn median_us(&mut self) -> f64 {
        self.nanos.sort_unstable();
        f64::from(percentile(&self.nanos, 0.5)) / 1000.0
    }
}
