//! Starting: a snapshot of the state is loaded, and the rest of the journal is applied to it.

use std::sync::Arc;
use std::time::Duration;

use sayso_core::id::{Epoch, PersonName, Place, TokenName};
use sayso_core::role::Role;
use sayso_core::state::op::NewToken;
use sayso_core::state::{Op, OpenEntry, SnapshotPart, asked_at};
use sayso_core::time::Time;
use sayso_store::{Head, Store, StoreError, StoredAsk};
use sha2::{Digest as _, Sha256};

use crate::applied::WrittenBy;
use crate::clock::Clock;
use crate::error::HubError;
use crate::faults::point;
use crate::hub::{Hub, HubSettings, Inner};
use crate::memory::HubMemory;
use crate::neighbours::backup_delay;
use crate::timers::expires_at;
use crate::tokens::LiveToken;

/// Events that are read at a time to bring a snapshot up to date.
const PAGE: usize = 1000;

/// A token that must exist once the server is up: the local ones of its owner.
#[derive(Debug, Clone)]
pub struct LocalToken {
    /// What it is called.
    pub name: TokenName,
    /// What it is good for.
    pub role: Role,
    /// The secret, as it lies in its file.
    pub secret: String,
}

impl LocalToken {
    /// A person's local token.
    pub fn person(name: TokenName, person: PersonName, secret: String) -> Self {
        Self {
            name,
            role: Role::Person(person),
            secret,
        }
    }
}

impl Hub {
    /// Builds the hub over a store. Resolves once everything that was open is open again.
    pub async fn open(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        settings: HubSettings,
        local: &[LocalToken],
    ) -> Result<Self, StoreError> {
        let wall = clock.wall();
        let (memory, head) = load(&*store, &*clock, &settings).await?;
        point("recover_taken");
        let inner = Inner::new(store, clock, settings, memory, &head, local);
        let hub = Self(Arc::new(inner));
        hub.0.catch_up().await?;
        if head.epoch.is_none() {
            // Another node may begin it at the same moment: then that is the one.
            let first = Op::Begin {
                epoch: Epoch(fresh_epoch(wall)),
                again: false,
            };
            hub.begin(first).await?;
        }
        for wanted in local {
            hub.add_local(wanted).await?;
        }
        point("recover_local");
        hub.tend();
        point("recover_tended");
        Ok(hub)
    }

    /// Has something decided without which the hub does not start.
    async fn begin(&self, op: Op) -> Result<(), StoreError> {
        self.0.decide(op).await.map_err(|error| not_started(&error))
    }

    /// Makes a local token good: a file whose secret is not known gets a new token of that name.
    async fn add_local(&self, wanted: &LocalToken) -> Result<(), StoreError> {
        let hash: [u8; 32] = Sha256::digest(wanted.secret.as_bytes()).into();
        let named = {
            let memory = self.0.memory();
            let token = memory.state.directory.token_named(&wanted.name);
            token.and_then(|token| memory.tokens.get(token.id).cloned())
        };
        if let Some(live) = named {
            if live.token.hash == hash && live.token.role == wanted.role {
                live.stays();
                return Ok(());
            }
            self.begin(Op::RevokeToken(wanted.name.clone())).await?;
        }
        let new = Box::new(NewToken {
            name: wanted.name.clone(),
            role: wanted.role.clone(),
            hash,
            with: None,
        });
        let made = self.0.decide::<Arc<LiveToken>>(Op::MakeToken(new)).await;
        made.map_err(|error| not_started(&error))?.stays();
        Ok(())
    }
}

/// The store refused what a start must write.
fn not_started(error: &HubError) -> StoreError {
    StoreError::TryLater {
        detail: error.to_string(),
    }
}

/// Loads a snapshot: the state, and what lives beside it.
async fn load(
    store: &dyn Store,
    clock: &dyn Clock,
    settings: &HubSettings,
) -> Result<(HubMemory, Head), StoreError> {
    // Hub time starts at the wall's time and goes on steadily from there.
    let wall = clock.wall();
    let mut memory = HubMemory::new(settings);
    let neighbours = store.neighbours();
    let alone = neighbours.is_none();
    let later = neighbours.map_or(Duration::ZERO, |neighbours| backup_delay(&*neighbours));
    let mut timed: Vec<OpenEntry> = Vec::new();
    let mut late: Vec<Place> = Vec::new();
    let head = store
        .snapshot(&mut |part| {
            match &part {
                SnapshotPart::Token(token) => memory.tokens.add(token),
                SnapshotPart::Used(token, at) => memory.tokens.was_used(*token, *at),
                SnapshotPart::Late(place) => late.push(*place),
                // Nothing could be heard while the server was down: the whole time runs again.
                SnapshotPart::Running(conversation) if alone => {
                    memory.live.heard(*conversation, wall);
                }
                SnapshotPart::Running(conversation) => {
                    memory.live.heard_elsewhere(*conversation, wall, None);
                }
                SnapshotPart::Open(entry) if entry.deadline.is_some() => timed.push(*entry),
                SnapshotPart::Open(_)
                | SnapshotPart::LastToken(_)
                | SnapshotPart::Agent(_)
                | SnapshotPart::Conversation(_)
                | SnapshotPart::Owed(_)
                | SnapshotPart::Queued(_)
                | SnapshotPart::Rule(_)
                | SnapshotPart::LastRule(_) => {}
            }
            memory.state.load(part);
        })
        .await?;
    memory.state.loaded(head.seq, head.epoch, head.last_ask);
    // Deadlines are times by the clock that all nodes share, whatever the one of this machine shows.
    let clocks = StartClocks {
        hub: clock.wall(),
        later,
        shared: head.now,
    };
    for entry in timed {
        let mut asked_at = asked_at(entry.ask);
        if asked_at > clocks.now() {
            // The clock was put back since or before, so that the id does not tell when it was asked; the
            // journal does.
            let asked = store.events_at(&[entry.opened]).await?;
            asked_at = asked.first().map_or(clocks.now(), |stored| stored.at);
        }
        clocks.start_timer(&mut memory, &entry, asked_at);
    }
    for place in late {
        match store.read(place).await {
            Ok(StoredAsk::Whole {
                ask,
                late: Some(late),
                ..
            }) => memory.prefills.keep(&ask, &late),
            Ok(StoredAsk::Whole { late: None, .. } | StoredAsk::Erased) => {}
            // It would only have been offered: nobody is kept from starting by it.
            Err(error) => tracing::warn!(%error, "could not read a late answer"),
        }
    }
    memory.emptied(store.empty_conversations().await?);
    Ok((memory, head))
}

/// What time it is when a hub starts.
struct StartClocks {
    /// In hub time.
    hub: Time,
    /// By the clock that all nodes share, where there is one.
    shared: Option<Time>,
    /// How much later than planned this node ends what it did not take in itself.
    later: Duration,
}

impl StartClocks {
    /// By the clock that deadlines were made with.
    fn now(&self) -> Time {
        self.shared.unwrap_or(self.hub)
    }

    /// Starts the timer of an ask that was open before.
    fn start_timer(&self, memory: &mut HubMemory, entry: &OpenEntry, asked_at: Time) {
        if let Some(deadline) = entry.deadline {
            let at = expires_at(deadline, asked_at, self.now(), self.hub).after(self.later);
            let open = memory.state.asks.open();
            memory.timers.start(entry.opened, at, open);
        }
    }
}

impl Inner {
    /// Applies what was written after the snapshot, as it is applied when it happens.
    async fn catch_up(self: &Arc<Self>) -> Result<(), StoreError> {
        loop {
            let after = self.memory().state.head;
            let events = self.store.events(after, PAGE).await?;
            if events.is_empty() {
                self.folded(&self.memory());
                return Ok(());
            }
            let applied = {
                let mut memory = self.memory();
                self.take_in(&mut memory, events, WrittenBy::Before);
                std::mem::take(&mut memory.untold)
            };
            self.publish_all(&applied).await;
        }
    }
}

fn fresh_epoch(wall: Time) -> uuid::Uuid {
    let mut random = [0; 10];
    // Without random numbers the moment alone tells this life of the state from the last one.
    let _ = getrandom::fill(&mut random);
    let mut bytes = [0; 16];
    let stamp = wall.as_millis().to_be_bytes();
    bytes[..6].copy_from_slice(&stamp[2..]);
    bytes[6..].copy_from_slice(&random);
    uuid::Builder::from_bytes(bytes)
        .with_version(uuid::Version::SortRand)
        .with_variant(uuid::Variant::RFC4122)
        .into_uuid()
}
