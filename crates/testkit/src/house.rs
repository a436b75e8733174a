//! A hub over a real store in a folder of its own, which can be closed and opened again.

use std::sync::Arc;
use std::time::Duration;

use sayso_core::ask::{Ask, Draft};
use sayso_core::id::{DialectName, PersonName, TokenName};
use sayso_core::role::Role;
use sayso_core::time::Time;
use sayso_hub::{AdminPass, AgentPass, Hub, HubSettings, LocalToken, Pass, PersonPass};
use sayso_store::StoreError;
use sayso_store_postgres::{PostgresSettings, PostgresStore};
use sayso_store_sqlite::{SqliteSettings, SqliteStore};
use tempfile::TempDir;

use crate::clock::HandClock;
use crate::faulty::FaultyStore;
use crate::pg::cluster;

/// A hub over a real store.
#[derive(Debug)]
pub struct House {
    folder: TempDir,
    /// The clock everything in it runs on.
    pub clock: Arc<HandClock>,
    /// The store, which can be told to refuse.
    pub store: Arc<FaultyStore>,
    pub hub: Hub,
    settings: HubSettings,
}

const WALL: Time = Time::from_millis(1_800_000_000_000);

impl House {
    /// A new house.
    pub async fn new() -> Self {
        Self::with(HubSettings::default()).await
    }

    /// A new house with other settings.
    pub async fn with(settings: HubSettings) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let clock = Arc::new(HandClock::at(WALL));
        let (store, hub) = open(&folder, &clock, &settings).await;
        Self {
            folder,
            clock,
            store,
            hub,
            settings,
        }
    }

    /// A node of the journal in this schema, which it reaches at this address. However busy the machine
    /// is, it does not fall silent.
    pub async fn node(schema: &str, name: &str, url: String, settings: HubSettings) -> Self {
        Self::node_fresh_for(schema, name, url, settings, Duration::from_secs(60)).await
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
        let store = PostgresStore::open(PostgresSettings {
            schema: schema.to_owned(),
            node: name.to_owned(),
            fresh_for,
            ..PostgresSettings::new(url, [7; 32])
        });
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let store = Arc::new(FaultyStore::new(Arc::new(
            store.expect("the database opens"),
        )));
        let hub = start(&store, &clock, &settings).await;
        Self {
            folder,
            clock,
            store,
            hub,
            settings,
        }
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

    /// Closes the hub without a word, as a crash would, and opens another over the same folder.
    pub async fn reopen(self) -> Self {
        let Self {
            folder,
            store,
            hub,
            settings,
            clock,
        } = self;
        // What a restart cannot know: the steady clock begins anew.
        let clock = Arc::new(HandClock::at(sayso_hub::Clock::wall(&*clock)));
        // What is not written down by now never will be.
        store.unplug().await;
        hub.stop().await;
        let (store, hub) = open(&folder, &clock, &settings).await;
        Self {
            folder,
            clock,
            store,
            hub,
            settings,
        }
    }

    /// Where the state lies.
    pub fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    fn pass(&self, secret: &str) -> Pass {
        let native = DialectName::new("native").expect("a good name");
        self.hub
            .enter(secret, &native)
            .expect("the local tokens are good")
    }

    /// An agent.
    pub fn agent(&self) -> AgentPass {
        match self.pass("agent-secret") {
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
        match self.pass("person-secret") {
            Pass::Person(pass) => pass,
            Pass::Agent(_) | Pass::Admin(_) => unreachable!("a person's token"),
        }
    }

    /// An admin.
    pub fn admin(&self) -> AdminPass {
        match self.pass("admin-secret") {
            Pass::Admin(pass) => pass,
            Pass::Agent(_) | Pass::Person(_) => unreachable!("an admin's token"),
        }
    }
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
