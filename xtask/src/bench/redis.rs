//! Redis as a peer: streams that are synced to the disk with every command, as durable as we are.

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::process::{LOOK_EVERY, Process};
use super::scratch::Scratch;
use super::streams::StreamWire;

const START_MAX: Duration = Duration::from_secs(20);
const PROGRAM: &str = "redis-server";

#[derive(Debug)]
pub(super) struct Redis {
    process: Process,
    address: SocketAddr,
}

/// Whether there is one to compare with.
pub(super) fn is_there() -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|folder| folder.join(PROGRAM).exists())
}

/// A port that was free a moment ago.
pub(super) fn free_port() -> Result<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}

impl Redis {
    pub(super) async fn start(scratch: &Scratch) -> Result<Self> {
        let (folder, address) = (scratch.path("redis"), free_port()?);
        std::fs::create_dir_all(&folder)?;
        let words = [
            "--bind",
            "127.0.0.1",
            "--port",
            &address.port().to_string(),
            "--dir",
            &folder.display().to_string(),
            "--save",
            "",
            "--appendonly",
            "yes",
            "--appendfsync",
            "always",
        ]
        .map(str::to_owned);
        let log = scratch.path("redis.log");
        let process = Process::start("redis", Path::new(PROGRAM), &words, &log)?;
        let begun = Instant::now();
        loop {
            match answers(address).await {
                Ok(()) => return Ok(Self { process, address }),
                Err(_) if begun.elapsed() < START_MAX => tokio::time::sleep(LOOK_EVERY).await,
                Err(error) => return Err(error).with_context(|| process.log_end()),
            }
        }
    }

    /// The words that send a part of the bench here.
    pub(super) fn words(&self) -> Vec<String> {
        vec![
            format!("server={}", self.address),
            format!("pid={}", self.process.pid()),
            "speak=streams".to_owned(),
        ]
    }
}

async fn answers(address: SocketAddr) -> Result<()> {
    let mut wire = StreamWire::open(address).await?;
    wire.put(&[b"PING"]);
    wire.flush().await?;
    wire.reply().await.map(drop)
}
