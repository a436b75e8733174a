//! A ruling as rules pile up: the same trial with one rule and with ten thousand that name other
//! commands and tools.

use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::http::Http;
use super::plan::Sizes;
use super::scratch::Scratch;
use super::server::Server;
use super::tally::percentile;

const RULES: usize = 10_000;
/// As many as one file may hold.
const AT_ONCE: usize = 2_000;

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
    let server = Server::start(scratch).await?;
    let mut admin = http(&server, "admin")?;
    let mut person = http(&server, "person")?;
    import(&mut admin, vec![json!({ "effect": "allow", "form": "ls" })]).await?;
    let one_us = median(&mut person, sizes.calls).await?;
    for begin in (0..RULES).step_by(AT_ONCE) {
        import(&mut admin, (begin..begin + AT_ONCE).map(rule).collect()).await?;
    }
    let all_us = median(&mut person, sizes.calls).await?;
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
        _ => json!({ "effect": "allow", "form": "ls", "workspace": format!("w{number}") }),
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

async fn median(http: &mut Http, calls: usize) -> Result<f64> {
    let trial = json!({ "command": "ls -la src | head -5" }).to_string();
    let mut nanos = Vec::with_capacity(calls);
    for _ in 0..calls {
        let begun = Instant::now();
        let (status, body) = http.post("/v1/rules/test", &trial).await?;
        nanos.push(u32::try_from(begun.elapsed().as_nanos()).unwrap_or(u32::MAX));
        let ruling: Value = serde_json::from_slice(&body)?;
        if status != 200 || ruling.get("ruling") != Some(&json!("ask")) {
            bail!("the rules say something else than they should: {ruling}");
        }
    }
    nanos.sort_unstable();
    Ok(f64::from(percentile(&nanos, 0.5)) / 1000.0)
}

pub(super) fn http(server: &Server, role: &str) -> Result<Http> {
    let path = server.state.join(format!("{role}.token"));
    let token = std::fs::read_to_string(&path)
        .with_context(|| format!("could not read {}", path.display()))?;
    Ok(Http::new(server.address, token.trim()))
}
