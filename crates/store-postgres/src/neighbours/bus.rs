//! The bus: what nodes say to each other, gathered for a moment and sent as notifications, sealed with
//! the nodes' key, because every user of a database can listen. What is too much or too long is lost.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use sayso_store::{NodeId, NodeWord, StoreError};
use tokio::sync::Notify;

use crate::fault;
use crate::inner::{PgInner, locked};
use crate::sql::pooled;

/// How long words are gathered: at most fifty notifications a second.
const GATHER: Duration = Duration::from_millis(20);
/// Bytes of words in one notification. PostgreSQL takes 8,000 bytes; sealing and writing them as text
/// makes these 7,920.
const WORDS_BYTES_MAX: usize = 5_900;
/// Words that wait to be said, or to be heard.
const WAITING_MAX: usize = 4_096;
/// What words are sealed under.
const LABEL: &[u8] = b"sayso bus 1";

/// What waits to be said, and what was heard.
#[derive(Debug, Default)]
pub(crate) struct Bus {
    to_say: Mutex<VecDeque<Vec<u8>>>,
    said: Notify,
    heard: Mutex<VecDeque<(NodeId, NodeWord)>>,
    rung: Notify,
}

impl Bus {
    pub(crate) fn say(&self, word: &NodeWord) {
        let bytes = word.write();
        let mut waiting = locked(&self.to_say);
        if waiting.len() < WAITING_MAX && bytes.len() + HEAD_BYTES * 2 <= WORDS_BYTES_MAX {
            waiting.push_back(bytes);
            self.said.notify_one();
        }
    }

    pub(crate) async fn heard(&self) -> Vec<(NodeId, NodeWord)> {
        loop {
            let heard = std::mem::take(&mut *locked(&self.heard));
            if !heard.is_empty() {
                return heard.into();
            }
            self.rung.notified().await;
        }
    }

    /// Nothing was heard until now: whoever asks looks for itself what others may have said.
    pub(crate) fn begin(&self, inner: &PgInner) {
        locked(&self.heard).push_back((inner.node, NodeWord::Here));
        self.rung.notify_one();
    }

    /// Takes in notifications.
    pub(crate) fn hear(&self, inner: &PgInner, words: Vec<String>) {
        for word in words {
            let Some((node, words)) = opened(inner, &word) else {
                tracing::debug!("could not read a message from another node");
                continue;
            };
            if node == inner.node {
                continue;
            }
            let mut heard = locked(&self.heard);
            heard.extend(words.into_iter().map(|word| (node, word)));
            let over = heard.len().saturating_sub(WAITING_MAX);
            heard.drain(..over);
            drop(heard);
            self.rung.notify_one();
        }
    }

    /// Takes as many words as one notification holds.
    fn take(&self) -> Vec<Vec<u8>> {
        let mut waiting = locked(&self.to_say);
        let (mut taken, mut bytes) = (Vec::new(), HEAD_BYTES);
        while let Some(next) = waiting.front() {
            bytes += HEAD_BYTES + next.len();
            if bytes > WORDS_BYTES_MAX {
                break;
            }
            taken.extend(waiting.pop_front());
        }
        taken
    }
}

/// The length of the number before a word, and before all of them.
const HEAD_BYTES: usize = 4;

fn sealed(inner: &PgInner, words: &[Vec<u8>]) -> Result<String, StoreError> {
    let mut bytes = inner.node.0.to_le_bytes().to_vec();
    for word in words {
        let length = u32::try_from(word.len()).unwrap_or(u32::MAX);
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(word);
    }
    Ok(STANDARD_NO_PAD.encode(inner.sealer.seal_bytes(LABEL, &bytes)?))
}

fn opened(inner: &PgInner, text: &str) -> Option<(NodeId, Vec<NodeWord>)> {
    let sealed = STANDARD_NO_PAD.decode(text).ok()?;
    let bytes = inner.sealer.open_bytes(LABEL, &sealed)?;
    let (node, mut rest) = bytes.split_first_chunk::<HEAD_BYTES>()?;
    let mut words = Vec::new();
    while let Some((length, behind)) = rest.split_first_chunk::<HEAD_BYTES>() {
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let (word, behind) = behind.split_at_checked(length)?;
        words.extend(NodeWord::read(word));
        rest = behind;
    }
    Some((NodeId(u32::from_le_bytes(*node)), words))
}

/// Says what waits to be said, until the store stops.
pub(crate) async fn speak(inner: Arc<PgInner>) {
    let mut stop = inner.stop.subscribe();
    loop {
        tokio::select! {
            () = inner.bus.said.notified() => {}
            _ = stop.wait_for(|stop| *stop) => return,
        }
        loop {
            if inner.rest(GATHER).await {
                return;
            }
            let words = inner.bus.take();
            if words.is_empty() {
                break;
            }
            if let Err(error) = send(&inner, &words).await {
                tracing::debug!(%error, "messages to other nodes were lost");
            }
        }
    }
}

async fn send(inner: &PgInner, words: &[Vec<u8>]) -> Result<(), StoreError> {
    let payload = sealed(inner, words)?;
    let client = pooled(&inner.pool).await?;
    let sql = "SELECT pg_notify($1, $2)";
    let statement = client.prepare_cached(sql).await.map_err(fault::journal)?;
    let channel = inner.target.settings.bus();
    let sent = client.query(&statement, &[&channel, &payload]).await;
    sent.map(|_| ()).map_err(fault::journal)
}
