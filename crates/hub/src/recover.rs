//! Starting: everything in memory is built again from what the store tells.

use std::sync::Arc;
use std::time::Duration;

use sayso_core::id::{AskId, Epoch, PersonName, TokenName};
use sayso_core::journal::Event;
use sayso_core::role::{Role, Token};
use sayso_core::time::Time;
use sayso_store::{Entry, OpenEntry, Recovered, Store, StoreError, Told};
use sha2::{Digest as _, Sha256};

use crate::clock::Clock;
use crate::faults::point;
use crate::hub::{Hub, HubSettings, Inner};
use crate::known::Known;
use crate::roll::LiveToken;

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
        let (wall, steady) = (clock.wall(), clock.steady());
        // Hub time starts at the wall's time and goes on steadily from there.
        let origin = Time::from_millis(
            wall.as_millis()
                .saturating_sub(u64::try_from(steady.as_millis()).unwrap_or(0)),
        );
        let mut known = Known::new(&settings);
        let hub_now = origin.after(steady);
        // Asks with an id that is ahead of the clock, which was put back since or before. They come
        // last, as the newest do.
        let mut doubtful = Vec::new();
        let mut late = Vec::new();
        let mut head = store
            .recover(&mut |recovered| match recovered {
                Recovered::Late(place) => late.push(place),
                Recovered::Open(entry) if asked_at(entry.ask) > wall => doubtful.push(entry),
                recovered => take(&mut known, recovered, wall, hub_now),
            })
            .await?;
        for entry in doubtful {
            // The id does not tell when it was asked; the journal does.
            let asked_at = match entry.deadline {
                Some(_) => store.events_at(&[entry.opened]).await?,
                None => Vec::new(),
            };
            let asked_at = asked_at.first().map_or(wall, |stored| stored.at);
            known.opened(&resumed(entry, asked_at, wall, hub_now));
        }
        for place in late {
            match store.read(place).await {
                Ok(Told::Whole {
                    ask,
                    late: Some(late),
                    ..
                }) => known.prefills.keep(&ask, &late),
                Ok(Told::Whole { late: None, .. } | Told::Erased) => {}
                // It would only have been offered: nobody is kept from starting by it.
                Err(error) => tracing::warn!(%error, "a late answer cannot be read"),
            }
        }
        let empty = store.empty_conversations().await?;
        known.roll.emptied(empty);
        point("recover_taken");
        known.ids = crate::ids::AskIds::after(head.last_ask);
        let mut entries = Vec::new();
        let epoch = head.epoch.unwrap_or_else(|| Epoch(fresh_epoch(wall)));
        if head.epoch.is_none() {
            entries.push(Entry {
                event: Event::EpochBegan(epoch),
                at: wall,
            });
        }
        add_local(&mut known, &mut entries, local, wall);
        if !entries.is_empty() {
            head.seq.0 += store.commit(&entries).await?.len() as u64;
            point("recover_local");
        }
        let inner = Arc::new(Inner::new(
            store, clock, settings, known, &head, epoch, origin,
        ));
        let hub = Self(inner);
        hub.tend();
        point("recover_tended");
        Ok(hub)
    }
}

fn take(known: &mut Known, recovered: Recovered, wall: Time, hub_now: Time) {
    match recovered {
        Recovered::Token(token) => drop(known.roll.add_token(token)),
        Recovered::LastToken(id) => known.roll.saw_token(id),
        Recovered::Used(token, at) => known.roll.was_used(token, at),
        // Read by whoever opens the store.
        Recovered::Late(_) => {}
        Recovered::Agent(agent) => drop(known.roll.add_agent(agent)),
        Recovered::Conversation(conversation) => drop(known.roll.add_conversation(conversation)),
        Recovered::Open(entry) => {
            known.opened(&resumed(entry, asked_at(entry.ask), wall, hub_now));
        }
        Recovered::Owed(entry) => known.owed.recover(entry, wall),
        Recovered::Rule(entry) => known.rules.recovered(entry),
        Recovered::LastRule(id) => known.rules.saw(id),
        Recovered::Queued(entry) => known.chat.queue(entry),
        // Nothing could be heard while the server was down: the whole time runs again.
        Recovered::Running(conversation) => {
            known.chat.heard(conversation, hub_now);
        }
    }
}

/// An ask after a restart: of its time it has what was left, never more than it had at first.
fn resumed(entry: OpenEntry, asked_at: Time, wall: Time, hub_now: Time) -> OpenEntry {
    let resumed = |deadline: Time| {
        let original = deadline.since(asked_at);
        hub_now.after(deadline.since(wall).min(original).max(Duration::ZERO))
    };
    OpenEntry {
        deadline: entry.deadline.map(resumed),
        ..entry
    }
}

/// The moment in the ask's own id: within a step of when it was taken in, or later, when the clock
/// was put back before.
pub(crate) fn asked_at(ask: AskId) -> Time {
    let mut millis = [0; 8];
    let (_, stamp) = millis.split_at_mut(2);
    stamp.copy_from_slice(ask.bytes().split_at(6).0);
    Time::from_millis(u64::from_be_bytes(millis))
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

/// Makes the local tokens good: a file whose secret is not known gets a new token of that name.
fn add_local(known: &mut Known, entries: &mut Vec<Entry>, local: &[LocalToken], wall: Time) {
    for wanted in local {
        let hash: [u8; 32] = Sha256::digest(wanted.secret.as_bytes()).into();
        let stale: Vec<_> = known
            .roll
            .tokens()
            .into_iter()
            .filter(|live| live.token.name == wanted.name)
            .collect();
        let same =
            |live: &&Arc<LiveToken>| live.token.hash == hash && live.token.role == wanted.role;
        if let Some(live) = stale.iter().find(same) {
            live.stays();
            continue;
        }
        for live in stale {
            known.roll.remove_token(live.token.id);
            entries.push(Entry {
                event: Event::TokenRevoked(live.token.id),
                at: wall,
            });
        }
        let token = Token {
            id: known.roll.next_token(),
            name: wanted.name.clone(),
            role: wanted.role.clone(),
            hash,
            made_at: wall,
            with: None,
        };
        known.roll.add_token(token.clone()).stays();
        entries.push(Entry {
            event: Event::TokenMade(token),
            at: wall,
        });
    }
}
