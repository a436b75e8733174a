//! The last event this node knew, in a file of its state folder: a database that has not got it went back.
//!
//! The file is written whole, now and then, and not synced: it is a witness, and nothing hangs on its being
//! the newest. A restore, and a loss that was accepted, begin another life of the database, of which it
//! says nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use sayso_core::id::Seq;
use sayso_core::text::hex;
use sayso_store::StoreError;
use sayso_store_sql::journal::{End, damaged};
use sayso_store_sql::sql::number;
use tokio_postgres::Client;

use crate::fault::{self, JOURNAL};
use crate::inner::locked;
use crate::journal;
use crate::neighbours::steady_now;

/// How often the file is written at most.
const EVERY: Duration = Duration::from_secs(1);

/// What an event is known by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownEvent {
    pub(crate) seq: Seq,
    hash: String,
}

/// The file.
#[derive(Debug)]
pub(crate) struct KnownFile {
    path: Option<PathBuf>,
    /// Which life of the database it is about.
    pub(crate) life: String,
    /// What it says, and when it was written.
    last: Mutex<(Option<KnownEvent>, Duration)>,
}

impl KnownFile {
    /// What the file says about this life of the database. One that cannot be read says nothing.
    pub(crate) fn open(path: Option<PathBuf>, life: &str) -> Self {
        let known = path.as_deref().and_then(|path| read(path, life));
        Self {
            path,
            life: life.to_owned(),
            last: Mutex::new((known, Duration::ZERO)),
        }
    }

    /// The event that was known last.
    pub(crate) fn event(&self) -> Option<KnownEvent> {
        locked(&self.last).0.clone()
    }

    /// The event, if the database has not got it.
    pub(crate) async fn missing(&self, client: &Client) -> Result<Option<Seq>, StoreError> {
        match self.event() {
            Some(known) if !has(client, &known).await? => Ok(Some(known.seq)),
            Some(_) | None => Ok(None),
        }
    }

    /// Refuses a database that has not got the event.
    pub(crate) async fn check(&self, client: &Client) -> Result<(), StoreError> {
        let Some(missing) = self.missing(client).await? else {
            return Ok(());
        };
        tell_lost(client, &self.life, missing).await?;
        Err(damaged(JOURNAL, went_back(missing)))
    }

    /// Takes down where the journal ends, unless that was done a moment ago.
    pub(crate) fn keep(&self, end: End) {
        if steady_now() >= locked(&self.last).1 + EVERY {
            self.keep_now(end);
        }
    }

    /// Takes down where the journal ends.
    pub(crate) fn keep_now(&self, end: End) {
        let Some(path) = self.path.clone() else {
            return;
        };
        let known = KnownEvent {
            seq: end.seq,
            hash: hex(&end.hash),
        };
        {
            let mut last = locked(&self.last);
            if end.seq == Seq::ZERO || last.0.as_ref() == Some(&known) {
                return;
            }
            *last = (Some(known.clone()), steady_now());
        }
        let text = format!("{} {} {}\n", self.life, known.seq, known.hash);
        if let Err(error) = write(&path, &text) {
            tracing::warn!(%error, "could not write the last known event to {}", path.display());
        }
    }
}

/// What to say about a database that has not got an event.
pub(crate) fn went_back(known: Seq) -> String {
    format!(
        "the database went back in time: event {known} is missing or different. An asynchronous standby may have taken over, or an older copy was restored. Bring back the database that has the event. To continue without the lost events, stop all nodes, run `sayso recover --accept-loss`, and start them again"
    )
}

/// Tells all nodes, and those that start later, that this life of the database has not got an event. Those
/// that never knew it would go on as if nothing had been lost.
pub(crate) async fn tell_lost(client: &Client, life: &str, seq: Seq) -> Result<(), StoreError> {
    let sql = "UPDATE meta SET lost = $1 WHERE lost IS NULL AND life::text = $2";
    let told = client.execute(sql, &[&number(seq.0), &life]).await;
    told.map(|_| ()).map_err(fault::journal)
}

async fn has(client: &Client, known: &KnownEvent) -> Result<bool, StoreError> {
    let there = journal::hash_at(client, known.seq).await?;
    Ok(there.is_some_and(|hash| hex(&hash) == known.hash))
}

fn read(path: &Path, life: &str) -> Option<KnownEvent> {
    let text = fs::read_to_string(path).ok()?;
    let mut words = text.split_whitespace();
    if words.next()? != life {
        return None;
    }
    Some(KnownEvent {
        seq: Seq(words.next()?.parse().ok()?),
        hash: words.next()?.to_owned(),
    })
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    let fresh = path.with_extension("new");
    fs::write(&fresh, text)?;
    fs::rename(&fresh, path)
}
