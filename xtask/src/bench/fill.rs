//! Fills a server with asks that nobody answers, as fast as it takes them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::Result;
use serde_json::json;
use tokio::task::JoinSet;

use super::pair::{Address, expect};
use super::socket::BenchSocket;
use super::text;
use super::words::{Words, leave, tell};

/// So many that none comes near the open asks an agent may have, or the frames of a minute.
const AGENTS: usize = 200;
/// Asks one agent has on the way.
const ON_THE_WAY: u64 = 16;
const TELL_EVERY: Duration = Duration::from_secs(1);

pub(super) fn run(words: &Words) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let (address, asks) = (Address::read(words)?, words.get("asks")?);
        let next = Arc::new(AtomicU64::new(0));
        let mut set = JoinSet::new();
        for agent in 0..AGENTS {
            set.spawn(keep_asking(
                address.clone(),
                format!("filler-{agent:03}"),
                Arc::clone(&next),
                asks,
            ));
        }
        let out = words.out()?;
        while !set.is_empty() {
            tell(&out, next.load(Ordering::Relaxed), asks);
            if let Ok(Some(done)) = tokio::time::timeout(TELL_EVERY, set.join_next()).await {
                done??;
            }
        }
        leave(&out, &json!({ "asks": asks }).to_string())
    })
}

async fn keep_asking(address: Address, name: String, next: Arc<AtomicU64>, end: u64) -> Result<()> {
    let mut socket = BenchSocket::open(
        address.server,
        &format!("/v1/agent?agent={name}"),
        &address.agent_token,
    )
    .await?;
    let (mut frame, mut on_the_way, mut more) = (Vec::new(), 0, true);
    loop {
        while more && on_the_way < ON_THE_WAY {
            let number = next.fetch_add(1, Ordering::Relaxed);
            more = number < end;
            if more {
                text::ask(number, &name, &mut frame);
                socket.put(&frame);
                on_the_way += 1;
            }
        }
        if on_the_way == 0 {
            return Ok(());
        }
        socket.flush().await?;
        expect(&mut socket, b"asked").await?;
        on_the_way -= 1;
        // Whatever has come along with it makes room for as many in one go.
        while on_the_way > 0 && socket.has_frame() {
            expect(&mut socket, b"asked").await?;
            on_the_way -= 1;
        }
    }
}
