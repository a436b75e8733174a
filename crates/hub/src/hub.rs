//! The hub itself: what its parts share, and how one comes in.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sayso_core::id::{DialectName, Epoch, Seq, TokenId};
use sayso_core::limits;
use sayso_core::role::{Role, Token};
use sayso_core::state::{Bounds, Random};
use sayso_core::time::Time;
use sayso_store::{Durability, Head, Neighbours, Store, Trouble, Verified};
use sha2::{Digest as _, Sha256};
use tokio::sync::{Notify, watch};

use crate::cache::AskCache;
use crate::clock::{Clock, ClockReading};
use crate::error::{Flood, HubError};
use crate::faults::point;
use crate::feed::Feed;
use crate::links::LinkRegistry;
use crate::memory::HubMemory;
use crate::neighbours::{CatchUp, Remote};
use crate::pace::Pace;
use crate::pass::{AdminPass, AgentPass, Pass, PersonPass};
use crate::queue::Queue;
use crate::shared_clock::SharedClock;
use crate::start::LocalToken;
use crate::tokens::LiveToken;
use crate::waits::Waits;

/// Turns that a receipt may wait: an ask and its answer each take one or two.
const TURNS_PATIENT: u32 = 8;
/// Ids for which the system is asked for random bytes at once.
const RANDOM_STOCK: usize = 64;
/// Below it the system's clock would not tell one time from another.
const PATIENCE_MIN: Duration = Duration::from_millis(2);
/// Why a hub ends by itself.
const ENDED: &str = "A backup was restored or a loss was accepted on another node, so open asks are void. Restart this node.";
/// What people do not notice yet.
const PATIENCE_MAX: Duration = Duration::from_millis(100);

/// What can be set.
#[derive(Debug, Clone)]
pub struct HubSettings {
    /// Asks one token may make in a minute; any number when absent.
    pub asks_per_minute: Option<u32>,
    /// Bytes of asks, messages and tool notes one token may send in a minute; any number when absent.
    pub bytes_per_minute: Option<u64>,
    /// Conversations the agents of one token may have.
    pub conversations_per_token: usize,
    /// Open asks one agent may have.
    pub open_asks_per_agent: usize,
    /// How long a person's device may go unused before it is logged out; for ever when absent.
    pub token_idle: Option<Duration>,
    /// How long a person's device stays logged in at most; for ever when absent.
    pub token_max_age: Option<Duration>,
    /// How long the text of closed asks is kept; for ever when absent.
    pub retention: Option<Duration>,
    /// Who gets a message in a new conversation when the person names nobody: an id or a name.
    pub chat_agent: Option<String>,
    /// How long nothing may be heard of a turn before it counts as lost.
    pub turn_timeout: Duration,
    /// How long an outcome that is not confirmed is told again on every connect; for ever when
    /// absent.
    pub offer_for: Option<Duration>,
    /// After which time away an agent's asks are withdrawn that it cannot find again; never when
    /// absent.
    pub withdraw_after: Option<Duration>,
    /// The same for asks that it can find again: those with a key or an id of its own.
    pub withdraw_durable_after: Option<Duration>,
    /// Dialects whose agents do not ask again under the same id, so that none of their asks can be
    /// found again.
    pub forgetful: Vec<DialectName>,
}

impl Default for HubSettings {
    fn default() -> Self {
        Self {
            asks_per_minute: Some(600),
            bytes_per_minute: Some(limits::BYTES_PER_MINUTE),
            conversations_per_token: limits::CONVERSATIONS_PER_TOKEN,
            open_asks_per_agent: 10_000,
            token_idle: None,
            token_max_age: None,
            retention: None,
            chat_agent: None,
            turn_timeout: Duration::from_secs(600),
            offer_for: Some(Duration::from_secs(7 * 24 * 3600)),
            withdraw_after: Some(Duration::from_secs(24 * 3600)),
            withdraw_durable_after: None,
            forgetful: Vec::new(),
        }
    }
}

/// Numbers for the metrics.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) commits: AtomicU64,
    pub(crate) events: AtomicU64,
    /// How long the last turn took, in microseconds.
    pub(crate) turn_us: AtomicU64,
}

/// What the hub's parts share.
#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) store: Arc<dyn Store>,
    /// The other nodes of the journal; none where this is the only writer.
    pub(crate) neighbours: Option<Arc<dyn Neighbours>>,
    pub(crate) catching: CatchUp,
    pub(crate) remote: Remote,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) shared: SharedClock,
    pub(crate) settings: HubSettings,
    pub(crate) queue: Queue,
    pub(crate) feed: Feed,
    pub(crate) links: LinkRegistry,
    pub(crate) waits: Waits,
    pub(crate) pace: Pace,
    /// Bytes that tokens may send.
    pub(crate) bytes: Pace,
    /// Rings when the next thing to look after may come sooner than thought.
    pub(crate) bell: Notify,
    /// Rings when others erased something, so that conversations are to be counted again.
    pub(crate) recount: Notify,
    /// Says when the hub stops: to new asks at once, to everyone once what is owed is written.
    pub(crate) stage: watch::Sender<Stage>,
    pub(crate) healthy: AtomicBool,
    pub(crate) counts: Counts,
    pub(crate) verified: Mutex<Option<Verified>>,
    /// How much there may be of what can be set.
    pub(crate) bounds: Bounds,
    /// Random bytes for the ids to come: the system is asked once for many.
    randoms: Mutex<Vec<[u8; Random::BYTES]>>,
    memory: Mutex<HubMemory>,
    cache: Mutex<AskCache>,
    /// What the local tokens of servers are called, before the name of their node.
    pub(crate) local_kinds: Vec<String>,
    /// When this hub began, by the clock that dates the journal.
    pub(crate) started_at: Time,
    /// Hub time is this moment plus the steady clock.
    origin: Time,
    /// When the last event before the start was written.
    floor: Time,
}

impl Inner {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        settings: HubSettings,
        memory: HubMemory,
        head: &Head,
        local: &[LocalToken],
    ) -> Self {
        let kind = |token: &LocalToken| token.name.as_str().split('@').next().map(str::to_owned);
        let wall = clock.wall();
        // Hub time starts at the wall's time and goes on steadily from there.
        let steady = u64::try_from(clock.steady().as_millis()).unwrap_or(0);
        let origin = Time::from_millis(wall.as_millis().saturating_sub(steady));
        Self {
            bounds: Bounds {
                open_asks_per_agent: settings.open_asks_per_agent,
                conversations_per_token: settings.conversations_per_token,
            },
            randoms: Mutex::default(),
            local_kinds: local.iter().filter_map(kind).collect(),
            started_at: head.now.unwrap_or(wall),
            shared: SharedClock::new(head.now, clock.steady()),
            pace: Pace::new(settings.asks_per_minute.map(u64::from)),
            bytes: Pace::new(settings.bytes_per_minute),
            links: LinkRegistry::since(clock.steady()),
            neighbours: store.neighbours(),
            catching: CatchUp::default(),
            remote: Remote::default(),
            store,
            clock,
            settings,
            queue: Queue::default(),
            feed: Feed::starting_at(head.seq),
            waits: Waits::default(),
            bell: Notify::new(),
            recount: Notify::new(),
            stage: watch::Sender::new(Stage::Up),
            healthy: AtomicBool::new(true),
            counts: Counts::default(),
            verified: Mutex::default(),
            memory: Mutex::new(memory),
            cache: Mutex::default(),
            origin,
            floor: head.at,
        }
    }

    /// Which life of the state this is; one began before anybody has this hub.
    fn epoch(&self) -> Epoch {
        let epoch = self.memory().state.epoch;
        epoch.unwrap_or(Epoch(uuid::Uuid::nil()))
    }

    pub(crate) fn memory(&self) -> MutexGuard<'_, HubMemory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Random bytes for one id.
    pub(crate) fn random(&self) -> Result<Random, HubError> {
        let mut stock = self.randoms.lock().unwrap_or_else(PoisonError::into_inner);
        if stock.is_empty() {
            let mut bytes = [0; Random::BYTES * RANDOM_STOCK];
            getrandom::fill(&mut bytes).map_err(|_| HubError::no_random())?;
            stock.extend_from_slice(bytes.as_chunks().0);
        }
        stock.pop().map(Random).ok_or_else(HubError::no_random)
    }

    pub(crate) fn cache(&self) -> MutexGuard<'_, AskCache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn now(&self) -> ClockReading {
        let steady = self.clock.steady();
        let (wall, hub) = (self.clock.wall(), self.origin.after(steady));
        ClockReading {
            wall,
            hub,
            steady,
            latest: wall.max(hub).max(self.floor),
        }
    }

    /// Counts text that a token sends, if it may send that much now.
    pub(crate) fn spend(&self, token: TokenId, bytes: usize) -> Result<(), HubError> {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.bytes
            .take(token, bytes, self.clock.steady())
            .map_err(|retry_after| HubError::SlowDown {
                what: Flood::Bytes,
                retry_after,
            })
    }

    pub(crate) fn refuse_when_stopping(&self) -> Result<(), HubError> {
        if *self.stage.borrow() != Stage::Up {
            return Err(HubError::TryLater(
                "the server is stopping; retry when it is back".to_owned(),
            ));
        }
        Ok(())
    }

    /// Another life of the state began while this hub ran: nothing that it tells would be true.
    pub(crate) fn end(&self) {
        tracing::error!("{ENDED}");
        self.reach(Stage::Ended);
    }

    /// Goes on to a later stage; there is no way back.
    fn reach(&self, later: Stage) {
        self.stage.send_if_modified(|stage| {
            let goes_on = later > *stage;
            *stage = later.max(*stage);
            goes_on
        });
    }

    /// Resolves once the hub has stopped.
    pub(crate) async fn stopped(&self) {
        // The sender lives as long as this does, so waiting cannot fail.
        drop(
            self.stage
                .subscribe()
                .wait_for(|stage| *stage >= Stage::Down)
                .await,
        );
    }
}

/// How far the hub is on its way out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    Up,
    Stopping,
    Down,
    /// Another node began another life of the state.
    Ended,
}

/// How the hub is.
#[derive(Debug, Clone)]
pub struct Health {
    /// Whether the last commit worked.
    pub writable: bool,
    /// Whether what is written survives.
    pub durability: Durability,
    /// Which life of the state this is.
    pub epoch: Epoch,
    /// Open asks.
    pub open: usize,
    /// Outcomes on their way.
    pub owed: usize,
    /// Connections of agents.
    pub links: usize,
    /// Devices that listen.
    pub devices: usize,
    /// Devices that were cut because they fell behind.
    pub devices_cut: u64,
    /// The last published place in the journal.
    pub head: Seq,
    /// How far the projections have got.
    pub viewed: Seq,
    /// Commits since the start.
    pub commits: u64,
    /// Events since the start.
    pub events: u64,
    /// What the walk over the whole journal found, once it is done.
    pub verified: Option<Verified>,
    /// What is wrong with the state now, most serious first.
    pub troubles: Vec<Trouble>,
}

/// The hub. Clones are the same hub.
#[derive(Debug, Clone)]
pub struct Hub(pub(crate) Arc<Inner>);

impl Hub {
    /// Who this secret belongs to, also if its token was made on another node a moment ago. Refused while
    /// this node may not know whether it was revoked.
    pub async fn enter_anywhere(
        &self,
        secret: &str,
        dialect: &DialectName,
    ) -> Result<Option<Pass>, HubError> {
        self.0.refuse_when_silent()?;
        let before = self.0.memory().state.head;
        if let Some(pass) = self.enter(secret, dialect) {
            return Ok(Some(pass));
        }
        if let Some(live) = self.known(secret)
            && self.0.is_expired(&live)
        {
            self.0.learn_use(&live).await?;
            return Ok(self.enter(secret, dialect));
        }
        self.0.caught_up().await?;
        if self.0.memory().state.head == before {
            return Ok(None);
        }
        Ok(self.enter(secret, dialect))
    }

    /// Who this secret belongs to. The dialect is the door's: it names the agents that come in.
    pub fn enter(&self, secret: &str, dialect: &DialectName) -> Option<Pass> {
        let live = self.known(secret)?;
        if live.is_revoked() || self.0.is_expired(&live) {
            return None;
        }
        Some(self.pass(live, dialect))
    }

    /// The token of this secret.
    fn known(&self, secret: &str) -> Option<Arc<LiveToken>> {
        let hash: [u8; 32] = Sha256::digest(secret.as_bytes()).into();
        let live = Arc::clone(self.0.memory().tokens.with_hash(&hash)?);
        // The map compared hashes already; this comparison takes the same time for all of them.
        let same = subtle::ConstantTimeEq::ct_eq(&live.token.hash[..], &hash[..]);
        bool::from(same).then_some(live)
    }

    /// The pass of the token of this id that was made at this moment, if it is good on every node: for
    /// whoever comes with something else that this token vouched for.
    pub async fn pass_of(
        &self,
        token: TokenId,
        made_at: Time,
        dialect: &DialectName,
    ) -> Result<Option<Pass>, HubError> {
        self.0.caught_up().await?;
        let live = self.0.memory().tokens.get(token).map(Arc::clone);
        let good = live.filter(|live| {
            live.token.made_at == made_at && !live.is_revoked() && !self.0.is_expired(live)
        });
        Ok(good.map(|live| self.pass(live, dialect)))
    }

    /// Lets the owner of a token in that is good.
    fn pass(&self, live: Arc<LiveToken>, dialect: &DialectName) -> Pass {
        self.0.used(&live);
        match &live.token.role {
            Role::Agent => Pass::Agent(AgentPass::new(self.clone(), live, dialect.clone())),
            Role::Person(person) => {
                let person = person.clone();
                Pass::Person(PersonPass::new(self.clone(), live, person))
            }
            Role::Admin => Pass::Admin(AdminPass::new(self.clone(), live)),
        }
    }

    /// The token that this is the secret of, if it is good. Nobody comes in by that.
    pub fn whose(&self, secret: &str) -> Option<Token> {
        let hash: [u8; 32] = Sha256::digest(secret.as_bytes()).into();
        let live = Arc::clone(self.0.memory().tokens.with_hash(&hash)?);
        (!live.is_revoked() && !self.0.is_expired(&live)).then(|| live.token.clone())
    }

    /// The other nodes of the journal; none where this is the only writer.
    pub fn neighbours(&self) -> Option<&Arc<dyn Neighbours>> {
        self.0.neighbours.as_ref()
    }

    /// Which life of the state this is.
    pub fn epoch(&self) -> Epoch {
        self.0.epoch()
    }

    /// How the hub is.
    pub fn health(&self) -> Health {
        let inner = &self.0;
        let (open, owed) = {
            let state = &inner.memory().state;
            (state.asks.open().len(), state.delivery.len())
        };
        Health {
            writable: inner.healthy.load(Ordering::Relaxed),
            durability: inner.store.durability(),
            epoch: inner.epoch(),
            open,
            owed,
            links: inner.links.count(),
            devices: inner.feed.listening(),
            devices_cut: inner.feed.cut(),
            head: inner.feed.head(),
            viewed: inner.store.viewed(),
            commits: inner.counts.commits.load(Ordering::Relaxed),
            events: inner.counts.events.load(Ordering::Relaxed),
            troubles: inner.store.troubles(),
            verified: inner
                .verified
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone(),
        }
    }

    /// What is set.
    pub fn settings(&self) -> &HubSettings {
        &self.0.settings
    }

    /// How long a receipt, which nobody acts on, may wait to be written together with something
    /// that somebody waits for: as long as a few turns take, so that it finds company under load
    /// and is nowhere noticed.
    pub fn patience(&self) -> Duration {
        let turn = Duration::from_micros(self.0.counts.turn_us.load(Ordering::Relaxed));
        (turn * TURNS_PATIENT).clamp(PATIENCE_MIN, PATIENCE_MAX)
    }

    /// Whether the server is on its way out.
    pub fn is_stopping(&self) -> bool {
        *self.0.stage.borrow() != Stage::Up
    }

    /// The clock everything here runs on.
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.0.clock
    }

    /// Resolves with the reason once this hub cannot go on: the state lives elsewhere, or another node began
    /// another life of it.
    pub async fn ended(&self) -> String {
        let mut stage = self.0.stage.subscribe();
        let elsewhere = async {
            match &self.0.neighbours {
                Some(neighbours) => neighbours.ended().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            Ok(why) = elsewhere => why,
            // The sender lives as long as this does, so waiting cannot fail.
            _ = stage.wait_for(|stage| *stage == Stage::Ended) => ENDED.to_owned(),
        }
    }

    /// Refuses new asks from now on, writes down what is owed, and lets everyone go.
    pub async fn stop(&self) {
        point("stop_begin");
        self.0.reach(Stage::Stopping);
        if let Err(error) = self.0.flush().await {
            tracing::warn!(%error, "could not record deliveries; agents will receive them again");
        }
        self.0.write_used().await;
        point("stop_flushed");
        self.0.reach(Stage::Down);
    }
}
