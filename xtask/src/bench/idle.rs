//! What an open socket on which nothing happens costs the server.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use tokio::task::JoinSet;

use super::pair::Address;
use super::plan::Sizes;
use super::proc;
use super::process::Process;
use super::scratch::Scratch;
use super::server::BenchServer;
use super::socket::BenchSocket;
use super::words::{Words, leave};

/// Sockets that come and go before the first look: what the first ones cost is not theirs alone.
const FIRST: usize = 200;
const CONNECTING: usize = 32;
const CONNECT_MAX: Duration = Duration::from_secs(180);
const REST_MAX: Duration = Duration::from_secs(20);

#[derive(Debug, Clone, Copy)]
pub(super) struct IdleFigures {
    pub(super) sockets: usize,
    pub(super) feed_bytes: f64,
    pub(super) agent_bytes: f64,
}

pub(super) async fn measure(scratch: &Scratch, sizes: &Sizes) -> Result<IdleFigures> {
    let sockets = sizes.idle_sockets;
    let feed_bytes = growth(scratch, "feed", sockets).await?;
    let agent_bytes = growth(scratch, "agent", sockets).await?;
    Ok(IdleFigures {
        sockets,
        feed_bytes,
        agent_bytes,
    })
}

/// Resident bytes for each of so many sockets of one kind, on a server of their own.
async fn growth(scratch: &Scratch, kind: &str, sockets: usize) -> Result<f64> {
    let server = BenchServer::start(scratch).await?;
    drop(connected(scratch, &server, kind, FIRST).await?);
    server.rest(REST_MAX).await?;
    let before = proc::resident(server.pid())?;
    let holder = connected(scratch, &server, kind, sockets).await?;
    server.rest(REST_MAX).await?;
    let after = proc::resident(server.pid())?;
    drop(holder);
    let each = after.saturating_sub(before) as f64 / sockets as f64;
    eprintln!(
        "bench: {sockets} idle {kind} sockets: {:.1} MiB before, {:.1} KiB each",
        before as f64 / 1_048_576.0,
        each / 1024.0
    );
    Ok(each)
}

async fn connected(
    scratch: &Scratch,
    server: &BenchServer,
    kind: &str,
    sockets: usize,
) -> Result<Process> {
    let out = scratch.path("idle");
    let mut words = server.words();
    words.extend([
        format!("kind={kind}"),
        format!("sockets={sockets}"),
        format!("out={}", out.display()),
    ]);
    let mut process = Process::part("idle", &words, &scratch.path("idle.log"))?;
    process
        .until(CONNECT_MAX, || out.exists().then_some(()))
        .await?;
    Ok(process)
}

/// Opens sockets and holds them until it is killed.
pub(super) fn hold(words: &Words) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let (address, sockets): (_, usize) = (Address::read(words)?, words.get("sockets")?);
        let kind: String = words.get("kind")?;
        let (mut opening, mut held, mut started) = (JoinSet::new(), JoinSet::new(), 0);
        while held.len() < sockets {
            while started < sockets && opening.len() < CONNECTING {
                let (address, kind) = (address.clone(), kind.clone());
                opening.spawn(async move { open(&address, &kind, started).await });
                started += 1;
            }
            let mut socket = opening.join_next().await.context("a socket was lost")???;
            held.spawn(async move {
                loop {
                    if let Err(error) = socket.next().await {
                        return error;
                    }
                }
            });
        }
        leave(&words.out()?, "held")?;
        match held.join_next().await {
            Some(Ok(error)) => Err(error.context("an idle socket ended")),
            Some(Err(error)) => Err(error.into()),
            None => Ok(()),
        }
    })
}

async fn open(address: &Address, kind: &str, number: usize) -> Result<BenchSocket> {
    match kind {
        "feed" => BenchSocket::open(address.server, "/v1/feed", &address.person_token).await,
        "agent" => {
            BenchSocket::open(
                address.server,
                &format!("/v1/agent?agent=idle-{number:05}"),
                &address.agent_token,
            )
            .await
        }
        other => bail!("no socket is called {other:?}"),
    }
}
