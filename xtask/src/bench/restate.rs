//! Restate as a peer, where its server and SDK are installed from npm. Its server, SDK and driver share
//! the machine; which of them is slow is not told apart.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;

use super::plan::Sizes;
use super::process::Process;
use super::redis::free_port;
use super::scratch::Scratch;

const SERVER: &str = "node_modules/@restatedev/restate-server-linux-x64/bin/restate-server";
const SCRIPT: &str = include_str!("restate.mjs");
/// Beyond the time of the run: starting and registering.
const GRACE: Duration = Duration::from_secs(90);

/// Round trips in a second.
pub(super) async fn run(
    scratch: &Scratch,
    sizes: &Sizes,
    folder: &Path,
    pairs: usize,
) -> Result<f64> {
    let (node, admin, ingress, service) = (free_port()?, free_port()?, free_port()?, free_port()?);
    let config = scratch.path("restate.toml");
    let settings = format!(
        "base-dir = {:?}\nbind-address = \"{node}\"\nadvertised-address = \"http://{node}\"\ndisable-telemetry = true\n\
         [admin]\nbind-address = \"{admin}\"\n[ingress]\nbind-address = \"{ingress}\"\n",
        scratch.path("restate").display().to_string()
    );
    std::fs::write(&config, settings)?;
    let words = ["--config-file".to_owned(), config.display().to_string()];
    let log = scratch.path("restate.log");
    let server = Process::start("restate", &folder.join(SERVER), &words, &log)?;
    let (script, out) = (scratch.path("restate.mjs"), scratch.path("restate.json"));
    std::fs::write(&script, SCRIPT)?;
    let words = [
        script.display().to_string(),
        format!("folder={}", folder.display()),
        format!("admin=http://{admin}"),
        format!("ingress=http://{ingress}"),
        format!("port={}", service.port()),
        format!("pairs={pairs}"),
        format!("warm_ms={}", sizes.warm.as_millis()),
        format!("run_ms={}", sizes.run.as_millis()),
        format!("out={}", out.display()),
    ];
    let driver = Process::start("node", Path::new("node"), &words, &scratch.path("node.log"))?;
    let told = driver
        .result(&out, sizes.warm + sizes.run + GRACE)
        .await
        .with_context(|| server.log_end())?;
    let per_second = told.get("per_second").and_then(Value::as_f64);
    per_second.context("the driver of Restate did not say how many it made")
}
