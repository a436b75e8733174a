//! A hub over a real store in a folder of its own, which can be closed and opened again; or two of them on
//! one database, which look like one to a test.

use std::sync::Arc;
use std::time::Duration;

use sayso_core::ask::{Ask, Draft};
use sayso_core::id::{DialectName, PersonName, TokenName};
use sayso_core::role::Role;
use sayso_core::time::Time;
use sayso_hub::{AdminPass, AgentPass, Hub, HubSettings, LocalToken, Pass, PersonPass};
use sayso_store::{Store as _, StoreError};
use sayso_store_postgres::{PostgresSettings, PostgresStore};
use sayso_store_sqlite::{SqliteSettings, SqliteStore};
use tempfile::TempDir;

use crate::clock::HandClock;
use crate::faulty::FaultyStore;
use crate::pg::cluster;

/// What a house stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ground {
    /// One hub on SQLite.
    OneHub,
    /// Two hubs on one PostgreSQL: agents are at the first, people and admins at the second.
    TwoHubs,
}

/// A hub over a real store, perhaps with a second one for people.
#[derive(Debug)]
pub struct House {
    folder: TempDir,
    /// The clock everything in it runs on; that of the database, too, where people have another hub.
    pub clock: Arc<HandClock>,
    /// The store, which can be told to refuse.
    pub store: Arc<FaultyStore>,
    /// The hub; that of agents, where people have another one.
    pub hub: Hub,
    settings: HubSettings,
    people: Option<Box<SecondHub>>,
}

/// The node of people and admins.
#[derive(Debug)]
struct SecondHub {
    schema: String,
    node: House,
}

const WALL: Time = Time::from_millis(1_800_000_000_000);
/// For so long nodes are fresh that are not to fall silent however busy the machine is.
const ALWAYS_FRESH: Duration = Duration::from_secs(60);
/// So much later, at most, a node ends what it did not take in itself.
const BACKUP: Duration = Duration::from_millis(900);
/// From so long on it matters who looks after old text and agents that went away.
const LONG: Duration = Duration::from_secs(60);
/// What the node that does so has a seat for.
const TEND: &str = "tend";
/// How often something is looked at again.
const LOOK: Duration = Duration::from_millis(1);

impl House {
    /// A new house.
    pub async fn new(ground: Ground) -> Self {
        Self::with(ground, HubSettings::default()).await
    }

    /// A new house with other settings.
    pub async fn with(ground: Ground, settings: HubSettings) -> Self {
        let clock = Arc::new(HandClock::at(WALL));
        match ground {
            Ground::OneHub => {
                let folder = tempfile::tempdir().expect("a temporary folder can be made");
                Self::alone(folder, clock, settings).await
            }
            Ground::TwoHubs => {
                let clocks = [clock, Arc::new(HandClock::at(WALL))];
                Self::both(cluster().schema(), clocks, settings).await
            }
        }
    }

    async fn alone(folder: TempDir, clock: Arc<HandClock>, settings: HubSettings) -> Self {
        let (store, hub) = open(&folder, &clock, &settings).await;
        Self {
            folder,
            clock,
            store,
            hub,
            settings,
            people: None,
        }
    }

    /// Both hubs on the journal in this schema. The first clock is also that of the database.
    async fn both(schema: String, clocks: [Arc<HandClock>; 2], settings: HubSettings) -> Self {
        let time = Arc::clone(&clocks[0]);
        let [first, second] = clocks;
        let store = |name| {
            let store = pg_store(&schema, name, cluster().url(), ALWAYS_FRESH);
            FaultyStore::new(Arc::new(store)).at_time_of(Arc::clone(&time))
        };
        let house = Self::over(store("agents"), first, settings.clone()).await;
        let node = Self::over(store("people"), second, settings).await;
        Self {
            people: Some(Box::new(SecondHub { schema, node })),
            ..house
        }
    }

    async fn over(store: FaultyStore, clock: Arc<HandClock>, settings: HubSettings) -> Self {
        let store = Arc::new(store);
        let hub = start(&store, &clock, &settings).await;
        hub.fresh().await;
        Self {
            folder: tempfile::tempdir().expect("a temporary folder can be made"),
            clock,
            store,
            hub,
            settings,
            people: None,
        }
    }

    /// A node of the journal in this schema, which it reaches at this address. However busy the machine
    /// is, it does not fall silent.
    pub async fn node(schema: &str, name: &str, url: String, settings: HubSettings) -> Self {
        Self::node_fresh_for(schema, name, url, settings, ALWAYS_FRESH).await
    }

    /// The same, silent when it could not write for so long.
    pub async fn node_fresh_for(
        schema: &str,
        name: &str,
        url: String,
        settings: HubSettings,
        fresh_for: Duration,
    ) -> Self {
        let clock = Arc::new(HandClock::at(WALL));
        Self::node_by(schema, name, url, settings, fresh_for, clock).await
    }

    /// The same by a clock that may show another time than that of the database.
    pub async fn node_by(
        schema: &str,
        name: &str,
        url: String,
        settings: HubSettings,
        fresh_for: Duration,
        clock: Arc<HandClock>,
    ) -> Self {
        let store = FaultyStore::new(Arc::new(pg_store(schema, name, url, fresh_for)));
        Self::over(store, clock, settings).await
    }

    /// Two nodes of one journal that no other test has.
    pub async fn two_nodes() -> (Self, Self) {
        Self::two_nodes_with(HubSettings::default()).await
    }

    /// The same with other settings.
    pub async fn two_nodes_with(settings: HubSettings) -> (Self, Self) {
        let schema = cluster().schema();
        let first = Self::node(&schema, "a", cluster().url(), settings.clone()).await;
        let second = Self::node(&schema, "b", cluster().url(), settings).await;
        (first, second)
    }

    /// Closes everything without a word, as a crash would, and opens it again over the same journal.
    pub async fn reopen(self) -> Self {
        self.crash().await;
        let Self {
            folder,
            settings,
            clock,
            people,
            ..
        } = self;
        let clock = as_after_a_restart(&clock);
        let Some(people) = people else {
            return Self::alone(folder, clock, settings).await;
        };
        let SecondHub { schema, node } = *people;
        let clocks = [clock, as_after_a_restart(&node.clock)];
        Self::both(schema, clocks, settings).await
    }

    /// Closes everything without a word, for good.
    pub async fn end(self) {
        self.crash().await;
    }

    async fn crash(&self) {
        for node in self.nodes() {
            // What is not written down by now never will be.
            node.store.unplug().await;
            node.hub.stop().await;
        }
    }

    fn nodes(&self) -> impl Iterator<Item = &Self> {
        let people = self.people.as_ref().map(|second| &second.node);
        std::iter::once(self).chain(people)
    }

    /// The node where people and admins are.
    pub fn people(&self) -> &Self {
        self.people.as_ref().map_or(self, |second| &second.node)
    }

    /// Ends every hub in order.
    pub async fn stop(&self) {
        for node in self.nodes() {
            node.hub.stop().await;
        }
    }

    /// Refuses commits everywhere from now on, or takes them again.
    pub fn fill_disk(&self, full: bool) {
        for node in self.nodes() {
            node.store.fill_disk(full);
        }
    }

    /// Waits until every hub has told all that anybody wrote.
    pub async fn settled(&self) {
        if self.people.is_none() {
            return;
        }
        // A store that was taken away has nothing to tell.
        while let Ok(head) = self.store.head().await {
            if self.nodes().all(|node| node.hub.health().head >= head) {
                return;
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Waits for something that is told beside the journal.
    pub async fn until(&self, mut happened: impl AsyncFnMut() -> bool) {
        while !happened().await {
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Waits until people know that so many connections of agents are there.
    pub async fn linked(&self, links: usize) {
        let ann = self.ann();
        let known = async || {
            let agents = ann.agents();
            agents.iter().map(|view| view.presence.links).sum::<usize>() == links
        };
        self.until(known).await;
    }

    /// Lets time pass everywhere, behind all that was written before.
    pub async fn pass(&self, span: Duration) {
        self.settled().await;
        while span >= LONG && !self.is_tended() {
            tokio::time::sleep(LOOK).await;
        }
        self.pass_at_once(span);
    }

    /// Lets time pass everywhere, whatever is still on its way from one hub to the other.
    pub fn pass_at_once(&self, span: Duration) {
        self.clock.pass(span);
        if let Some(second) = &self.people {
            // Whatever is over at the first is over there, too; the walls show the same.
            second.node.clock.pass(span + BACKUP);
            second.node.clock.jump(sayso_hub::Clock::wall(&*self.clock));
        }
    }

    /// Sets the wall everywhere to another moment.
    pub fn jump(&self, wall: Time) {
        for node in self.nodes() {
            node.clock.jump(wall);
        }
    }

    /// Whether somebody looks after old text and agents that went away.
    fn is_tended(&self) -> bool {
        self.nodes().any(|node| {
            let neighbours = node.hub.neighbours();
            neighbours.is_none_or(|neighbours| neighbours.seat(TEND))
        })
    }

    /// Where the state lies.
    pub fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    fn enter(&self, secret: &str) -> Pass {
        let native = DialectName::new("native").expect("a good name");
        self.hub
            .enter(secret, &native)
            .expect("the local tokens are good")
    }

    /// An agent.
    pub fn agent(&self) -> AgentPass {
        match self.enter("agent-secret") {
            Pass::Agent(pass) => pass,
            Pass::Person(_) | Pass::Admin(_) => unreachable!("an agent's token"),
        }
    }

    /// What the agent asks, once it is taken in.
    pub async fn asked(&self, draft: Draft) -> Arc<Ask> {
        let asked = self.agent().ask(draft, None).await;
        asked.expect("the ask is taken in").view.ask
    }

    /// A person called Ann.
    pub fn ann(&self) -> PersonPass {
        match self.people().enter("person-secret") {
            Pass::Person(pass) => pass,
            Pass::Agent(_) | Pass::Admin(_) => unreachable!("a person's token"),
        }
    }

    /// An admin.
    pub fn admin(&self) -> AdminPass {
        match self.people().enter("admin-secret") {
            Pass::Admin(pass) => pass,
            Pass::Agent(_) | Pass::Person(_) => unreachable!("an admin's token"),
        }
    }
}

/// What a restart cannot know: the steady clock begins anew.
fn as_after_a_restart(clock: &HandClock) -> Arc<HandClock> {
    Arc::new(HandClock::at(sayso_hub::Clock::wall(clock)))
}

fn pg_store(schema: &str, node: &str, url: String, fresh_for: Duration) -> PostgresStore {
    let store = PostgresStore::open(PostgresSettings {
        schema: schema.to_owned(),
        node: node.to_owned(),
        fresh_for,
        ..PostgresSettings::new(url, [7; 32])
    });
    store.expect("the database opens")
}

async fn open(
    folder: &TempDir,
    clock: &Arc<HandClock>,
    settings: &HubSettings,
) -> (Arc<FaultyStore>, Hub) {
    let real = loop {
        match SqliteStore::open(folder.path(), SqliteSettings::default()) {
            // The last user of the store before a reopening may still be letting go of its lock.
            Err(StoreError::InUse { .. }) => tokio::task::yield_now().await,
            opened => break opened.expect("the store opens"),
        }
    };
    let store = Arc::new(FaultyStore::new(Arc::new(real)));
    let hub = start(&store, clock, settings).await;
    (store, hub)
}

async fn start(store: &Arc<FaultyStore>, clock: &Arc<HandClock>, settings: &HubSettings) -> Hub {
    let name = |text: &str| TokenName::new(text).expect("a good name");
    let local = [
        LocalToken {
            name: name("local-agent"),
            role: Role::Agent,
            secret: "agent-secret".to_owned(),
        },
        LocalToken::person(
            name("laptop"),
            PersonName::new("ann").expect("a good name"),
            "person-secret".to_owned(),
        ),
        LocalToken {
            name: name("local-admin"),
            role: Role::Admin,
            secret: "admin-secret".to_owned(),
        },
    ];
    let hub = Hub::open(
        Arc::<FaultyStore>::clone(store),
        Arc::<HandClock>::clone(clock),
        settings.clone(),
        &local,
    )
    .await;
    hub.expect("the hub opens")
}
