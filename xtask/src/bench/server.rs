//! The two that are measured: the real server on a state of its own, and the relay.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::http::Http;
use super::proc::Cpu;
use super::process::{LOOK_EVERY, Process};
use super::scratch::{Scratch, remove, target};

/// A start that takes longer than this is a fault, also with a million open asks.
const START_MAX: Duration = Duration::from_secs(120);
/// A server that rests uses less than this share of a core.
const REST_US: u64 = 20_000;
const REST_LOOK: Duration = Duration::from_millis(300);
const REST_LOOKS: u32 = 3;

/// Which build is measured.
#[derive(Debug, Clone)]
pub(super) enum Program {
    /// The release build of this tree.
    Built,
    /// A binary from elsewhere.
    Other(PathBuf),
}

impl Program {
    fn path(&self) -> Result<PathBuf> {
        match self {
            Self::Built => Ok(target()?.join("release").join("sayso")),
            Self::Other(path) => Ok(path.clone()),
        }
    }
}

/// A release build of the product. Its state goes when it is dropped.
#[derive(Debug)]
pub(super) struct BenchServer {
    program: Program,
    process: Process,
    pub(super) state: PathBuf,
    config: PathBuf,
    log: PathBuf,
    /// What it is told beside that.
    more: Vec<String>,
    pub(super) address: SocketAddr,
}

impl BenchServer {
    /// Starts the build of this tree with a new, empty state.
    pub(super) async fn start(scratch: &Scratch) -> Result<Self> {
        Self::start_as(scratch, Program::Built).await
    }

    /// Starts with a new, empty state.
    pub(super) async fn start_as(scratch: &Scratch, program: Program) -> Result<Self> {
        Self::start_with(scratch, program, Vec::new()).await
    }

    /// Starts with a new, empty state folder and more words on its command line.
    pub(super) async fn start_with(
        scratch: &Scratch,
        program: Program,
        more: Vec<String>,
    ) -> Result<Self> {
        let (state, config, log) = (
            scratch.path("state"),
            scratch.path("sayso.toml"),
            scratch.path("server.log"),
        );
        // Nothing of whoever runs this may leak in: a settings file of its own, with nothing in it.
        std::fs::write(&config, "")?;
        let mut process = launch(&program, &state, &config, &log, &more)?;
        let address = ready(&mut process, &state).await?;
        Ok(Self {
            program,
            process,
            state,
            config,
            log,
            more,
            address,
        })
    }

    /// Kills it, starts it again on the same state, and reads the first page of open asks: how
    /// long that took, and how many were on it.
    pub(super) async fn kill_and_restart(&mut self) -> Result<(Duration, usize)> {
        let begun = Instant::now();
        self.process.kill();
        self.process = launch(
            &self.program,
            &self.state,
            &self.config,
            &self.log,
            &self.more,
        )?;
        self.address = ready(&mut self.process, &self.state).await?;
        let (status, body) = self.reader()?.get("/v1/asks?limit=50").await?;
        let taken = begun.elapsed();
        if status != 200 {
            bail!("the first page of asks after a restart was refused with {status}");
        }
        let page: Value = serde_json::from_slice(&body)?;
        let asks = page.get("asks").and_then(Value::as_array);
        Ok((taken, asks.map_or(0, Vec::len)))
    }

    pub(super) fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// A connection that reads as a person.
    pub(super) fn reader(&self) -> Result<Http> {
        self.http("person")
    }

    /// A connection of whoever was given a token at the first start.
    pub(super) fn http(&self, role: &str) -> Result<Http> {
        let path = self.state.join(format!("{role}.token"));
        let token = std::fs::read_to_string(&path)
            .with_context(|| format!("could not read {}", path.display()))?;
        Ok(Http::new(self.address, token.trim()))
    }

    /// Waits until it has caught up with itself and rests; says whether it did within `limit`.
    pub(super) async fn rest(&self, limit: Duration) -> Result<bool> {
        let begun = Instant::now();
        let (mut quiet, mut before) = (0, Cpu::of(self.pid())?);
        while quiet < REST_LOOKS {
            if begun.elapsed() > limit {
                return Ok(false);
            }
            tokio::time::sleep(REST_LOOK).await;
            let now = Cpu::of(self.pid())?;
            quiet = if now.since(&before).whole_us < REST_US {
                quiet + 1
            } else {
                0
            };
            before = now;
        }
        Ok(true)
    }

    /// The words that send a part of the bench here.
    pub(super) fn words(&self) -> Vec<String> {
        vec![
            format!("server={}", self.address),
            format!("state={}", self.state.display()),
            format!("pid={}", self.pid()),
        ]
    }
}

impl Drop for BenchServer {
    fn drop(&mut self) {
        self.process.kill();
        remove(&self.state);
    }
}

fn launch(
    program: &Program,
    state: &std::path::Path,
    config: &std::path::Path,
    log: &std::path::Path,
    more: &[String],
) -> Result<Process> {
    let own = [
        "serve".to_owned(),
        "--listen".to_owned(),
        "127.0.0.1:0".to_owned(),
        "--state".to_owned(),
        state.display().to_string(),
        "--config".to_owned(),
        config.display().to_string(),
    ];
    let words: Vec<String> = own.into_iter().chain(more.iter().cloned()).collect();
    Process::start("the server", &program.path()?, &words, log)
}

async fn ready(process: &mut Process, state: &std::path::Path) -> Result<SocketAddr> {
    let (path, pid) = (state.join("server.json"), process.pid());
    let begun = Instant::now();
    let address = process
        .until(START_MAX, || {
            let about: Value = serde_json::from_str(&std::fs::read_to_string(&path).ok()?).ok()?;
            // A killed server leaves its file behind.
            let own = about.get("pid")?.as_u64()? == u64::from(pid);
            own.then(|| {
                about
                    .get("url")?
                    .as_str()?
                    .strip_prefix("http://")?
                    .trim_end_matches('/')
                    .parse::<SocketAddr>()
                    .ok()
            })
            .flatten()
        })
        .await?;
    loop {
        match Http::new(address, "").get("/health").await {
            Ok((200, _)) => return Ok(address),
            Ok(_) | Err(_) if begun.elapsed() < START_MAX => tokio::time::sleep(LOOK_EVERY).await,
            Ok((status, _)) => bail!("/health still says {status}:\n{}", process.log_end()),
            Err(error) => return Err(error.context(process.log_end())),
        }
    }
}

/// The relay, in a process of its own.
#[derive(Debug)]
pub(super) struct Relay {
    process: Process,
    address: SocketAddr,
}

impl Relay {
    pub(super) async fn start(scratch: &Scratch) -> Result<Self> {
        let out = scratch.path("relay");
        let mut process = Process::part(
            "relay",
            &[format!("out={}", out.display())],
            &scratch.path("relay.log"),
        )?;
        let address = process
            .until(START_MAX, || {
                std::fs::read_to_string(&out).ok()?.parse().ok()
            })
            .await?;
        Ok(Self { process, address })
    }

    /// The words that send a part of the bench here.
    pub(super) fn words(&self) -> Vec<String> {
        vec![
            format!("server={}", self.address),
            format!("pid={}", self.process.pid()),
        ]
    }
}
