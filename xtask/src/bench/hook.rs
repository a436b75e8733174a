//! What `sayso hook` itself costs: a whole run of it about a call that a rule allows at once, beside the
//! same ask over a connection that is there already.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::http::Http;
use super::plan::Sizes;
use super::scratch::{Scratch, target};
use super::server::BenchServer;
use super::tally::percentile;

const COMMAND: &str = "git status";
const CWD: &str = "/";

#[derive(Debug, Clone, Copy)]
pub(super) struct HookFigures {
    /// From the start of the process to its end, in microseconds.
    pub(super) whole_us: f64,
    /// The ask and its answer alone.
    pub(super) ask_us: f64,
}

impl HookFigures {
    /// What the hook adds, in milliseconds.
    pub(super) fn cost_ms(&self) -> f64 {
        (self.whole_us - self.ask_us).max(0.0) / 1000.0
    }
}

pub(super) async fn measure(scratch: &Scratch, sizes: &Sizes) -> Result<HookFigures> {
    let server = BenchServer::start(scratch).await?;
    let mut person = server.http("person")?;
    let rule = json!({"effect": "allow", "command": COMMAND, "workspace": CWD}).to_string();
    let (status, body) = person.post("/v1/rules", &rule).await?;
    if status != 201 {
        bail!(
            "the rule was refused with {status}: {}",
            String::from_utf8_lossy(&body)
        );
    }
    let mut agent = server.http("agent")?;
    let mut asks = Vec::with_capacity(sizes.calls);
    let mut hooks = Vec::with_capacity(sizes.calls);
    // One after the other, so that both see the same machine.
    for number in 0..sizes.calls {
        asks.push(ask(&mut agent).await?);
        hooks.push(hook(&server, number)?);
    }
    let [ask_us, whole_us] = [asks, hooks].map(|mut nanos| {
        nanos.sort_unstable();
        f64::from(percentile(&nanos, 0.5)) / 1000.0
    });
    eprintln!("bench: a hook {whole_us:.0} us, the ask alone {ask_us:.0} us");
    Ok(HookFigures { whole_us, ask_us })
}

async fn ask(http: &mut Http) -> Result<u32> {
    let input = json!({"command": COMMAND}).to_string();
    let ask = json!({
        "matter": "approval", "workspace": CWD, "agent": "claude-code",
        "action": {"tool": "Bash", "input": input, "cwd": CWD, "act": {"kind": "shell", "command": COMMAND}},
    });
    let begun = Instant::now();
    let (status, body) = http.post("/v1/asks", &ask.to_string()).await?;
    let nanos = elapsed(begun);
    let asked: Value = serde_json::from_slice(&body)?;
    if status != 201 || asked.get("state") != Some(&json!("closed")) {
        bail!("the rule did not answer: {asked}");
    }
    Ok(nanos)
}

fn hook(server: &BenchServer, number: usize) -> Result<u32> {
    let told = json!({
        "session_id": "bench", "cwd": CWD, "prompt_id": number.to_string(),
        "hook_event_name": "PermissionRequest", "tool_name": "Bash",
        "tool_input": {"command": COMMAND},
    });
    let begun = Instant::now();
    let mut child = Command::new(target()?.join("release").join("sayso"))
        .arg("hook")
        .arg("--state")
        .arg(&server.state)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("could not start the hook")?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(told.to_string().as_bytes())?;
    }
    let ended = child.wait_with_output()?;
    let nanos = elapsed(begun);
    let said = String::from_utf8_lossy(&ended.stdout);
    if !said.contains(r#""behavior":"allow""#) {
        bail!("the hook did not say yes: {said:?}");
    }
    Ok(nanos)
}

fn elapsed(begun: Instant) -> u32 {
    u32::try_from(begun.elapsed().as_nanos()).unwrap_or(u32::MAX)
}
