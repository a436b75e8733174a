//! The database fails over: nothing that was acknowledged is lost where a standby has it, and where it
//! was lost, that is noticed and refused.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use sayso_client::Client;
use sayso_client::wire::Ask;
use sayso_testkit::Lateness;
use sayso_testkit::nodes::Nodes;
use sayso_testkit::pg::PgCluster;
use tokio::task::JoinSet;

use super::scene::{AGAIN, PATIENCE, again, client_of, new_key, now, number, question, start};

/// Rounds of each kind when nobody asks for more.
const ROUNDS: usize = 2;
const NODES: usize = 2;
/// How long there is traffic before anything fails, and how long an old primary goes on by itself.
const TRAFFIC: Duration = Duration::from_millis(700);
/// How soon every node works again.
const BACK_MAX: Duration = Duration::from_secs(3);
/// A machine that is later than this makes every time it measures worthless.
const LATE: Duration = Duration::from_millis(250);
const TRIES: usize = 5;
/// A call is given up after this.
const CALL_MAX: Duration = Duration::from_secs(1);
/// One that dies leaves nothing behind outside of its folder.
const SETTINGS: [&str; 1] = ["dynamic_shared_memory_type=mmap"];

/// An ask that was acknowledged.
#[derive(Debug, Clone)]
struct Acknowledgement {
    /// The number of the node that did it.
    node: usize,
    /// When it was asked.
    asked: Instant,
    id: String,
}

type Acknowledged = Arc<Mutex<Vec<Acknowledgement>>>;

/// A primary, its standby, and nodes that know both.
struct Pair {
    primary: PgCluster,
    standby: PgCluster,
    nodes: Nodes,
    acknowledged: Acknowledged,
    traffic: JoinSet<()>,
}

impl Pair {
    fn start(is_synchronous: bool) -> Self {
        Self::start_with(is_synchronous, 0)
    }

    /// The same with so many nodes more that know the primary alone; their numbers follow.
    fn start_with(is_synchronous: bool, loyal: usize) -> Self {
        let primary = PgCluster::start(&SETTINGS);
        let standby = primary.standby(&SETTINGS);
        if is_synchronous {
            primary.require_standby();
        }
        let hosts = [&primary, &standby].map(PgCluster::host).join(",");
        let url = format!("postgres:///?host={hosts}&user=node&dbname=sayso");
        let mut stores = vec![url; NODES];
        stores.resize_with(NODES + loyal, || primary.url());
        let (nodes, _) = start(&stores);
        let acknowledged = Acknowledged::default();
        let mut traffic = JoinSet::new();
        for number in 0..stores.len() * 2 {
            let node = number % stores.len();
            let agent = client_of(&nodes, node, "agent");
            traffic.spawn(ask_on(node, agent, Arc::clone(&acknowledged)));
        }
        Self {
            primary,
            standby,
            nodes,
            acknowledged,
            traffic,
        }
    }

    fn acknowledged(&self) -> Vec<Acknowledgement> {
        self.acknowledged.lock().unwrap().clone()
    }

    async fn acknowledges(&self) {
        let before = self.acknowledged().len();
        let more = async {
            while self.acknowledged().len() < before + NODES {
                tokio::time::sleep(AGAIN).await;
            }
        };
        let came = tokio::time::timeout(PATIENCE, more).await;
        assert!(
            came.is_ok(),
            "nothing is acknowledged: {}",
            self.nodes.said()
        );
    }

    /// Waits until this node acknowledged something that was asked after this moment.
    async fn acknowledges_at(&self, node: usize, since: Instant) {
        let is_it = |one: &Acknowledgement| one.node == node && one.asked > since;
        let came = async {
            while !self.acknowledged().iter().any(is_it) {
                tokio::time::sleep(AGAIN).await;
            }
        };
        let came = tokio::time::timeout(PATIENCE, came).await;
        assert!(came.is_ok(), "node {node} acknowledges nothing");
    }

    /// How long after this moment every node takes an ask.
    async fn back(&self, since: Instant) -> Duration {
        for number in 0..NODES {
            let agent = client_of(&self.nodes, number, "agent");
            let back = async {
                let (ask, key) = (question("Back?"), new_key());
                while !asked(&agent, &ask, &key).await {
                    tokio::time::sleep(AGAIN).await;
                }
            };
            let back = tokio::time::timeout(PATIENCE, back).await;
            assert!(
                back.is_ok(),
                "node {number} stays away: {}",
                self.nodes.said()
            );
        }
        now() - since
    }

    /// Everything that was acknowledged is there, on every node, and the journal is whole.
    async fn holds(mut self) -> usize {
        self.traffic.shutdown().await;
        let acknowledged = self.acknowledged();
        for number in 0..NODES {
            let agent = client_of(&self.nodes, number, "agent");
            for Acknowledgement { id, .. } in &acknowledged {
                let found = again(async || agent.get(id, None).await).await;
                assert!(found.is_ok(), "{id} is lost: {found:?}");
            }
            let admin = client_of(&self.nodes, number, "admin");
            let verified = again(async || admin.verify().await).await.unwrap();
            assert_eq!(verified.faults, [""; 0]);
        }
        acknowledged.len()
    }
}

async fn asked(agent: &Client, ask: &sayso_client::wire::NewAsk, key: &str) -> bool {
    let asked = tokio::time::timeout(CALL_MAX, agent.ask(ask, Some(key))).await;
    matches!(asked, Ok(Ok(_)))
}

/// Asks one thing after the other, and takes down what was acknowledged.
async fn ask_on(node: usize, agent: Client, acknowledged: Acknowledged) {
    loop {
        let (ask, key, asked) = (question("Go on?"), new_key(), now());
        let taken = tokio::time::timeout(CALL_MAX, agent.ask(&ask, Some(&key))).await;
        if let Ok(Ok(Ask { id, .. })) = taken {
            let one = Acknowledgement { node, asked, id };
            acknowledged.lock().unwrap().push(one);
        } else {
            tokio::time::sleep(AGAIN).await;
        }
    }
}

/// Does a round until the machine was not late in it.
async fn in_time(round: impl AsyncFn() -> (Duration, usize)) -> usize {
    let late = Lateness::default();
    for _ in 0..TRIES {
        late.worst();
        let (back, count) = round().await;
        let worst = late.worst();
        eprintln!("back after {back:?}, {count} acknowledged, the machine late by {worst:?}");
        if back <= BACK_MAX {
            return count;
        }
        assert!(worst > LATE, "back only after {back:?}");
    }
    unreachable!("the machine is late all the time")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_primary_that_is_killed_loses_nothing() {
    for _ in 0..number("SAYSO_NODE_FAILOVERS", ROUNDS) {
        let count = in_time(async || {
            let pair = Pair::start(true);
            pair.acknowledges().await;
            tokio::time::sleep(TRAFFIC).await;
            pair.primary.kill();
            pair.standby.promote();
            let back = pair.back(now()).await;
            (back, pair.holds().await)
        });
        assert!(count.await > NODES);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_primary_that_comes_back_from_the_dead_acknowledges_nothing() {
    for _ in 0..number("SAYSO_NODE_FAILOVERS", ROUNDS) {
        in_time(async || {
            // One node knows the old primary alone: whatever it acknowledges, that one did.
            let begun = now();
            let pair = Pair::start_with(true, 1);
            pair.acknowledges().await;
            pair.acknowledges_at(NODES, begun).await;
            pair.primary.pause();
            pair.standby.promote();
            let promoted = now();
            pair.primary.resume();
            // Long enough for whatever it was in the middle of, and for what is new.
            tokio::time::sleep(TRAFFIC).await;
            pair.primary.kill();
            let back = pair.back(now()).await;
            let by_the_dead = pair.acknowledged().into_iter();
            // What was asked before may have been on the standby already.
            let by_the_dead: Vec<_> = by_the_dead
                .filter(|one| one.node == NODES && one.asked > promoted)
                .collect();
            assert!(by_the_dead.is_empty(), "{by_the_dead:?}");
            (back, pair.holds().await)
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_loss_is_noticed_and_refused() {
    let rounds = number("SAYSO_NODE_FAILOVERS", ROUNDS);
    for _ in 0..rounds {
        let mut pair = Pair::start(false);
        pair.acknowledges().await;
        pair.standby.part();
        let parted = now();
        // Only a node that knows what the standby lacks can miss it.
        for number in 0..NODES {
            pair.acknowledges_at(number, parted).await;
        }
        pair.traffic.shutdown().await;
        pair.primary.kill();
        pair.standby.promote();
        for number in 0..NODES {
            let agent = client_of(&pair.nodes, number, "agent");
            let node = pair.nodes.node(number);
            let refused = async {
                while !node.said().contains("went back") {
                    let (ask, key) = (question("Lost?"), new_key());
                    assert!(!asked(&agent, &ask, &key).await, "it goes on after a loss");
                    tokio::time::sleep(AGAIN).await;
                }
            };
            let refused = tokio::time::timeout(PATIENCE, refused).await;
            assert!(refused.is_ok(), "no word of it: {}", node.said());
            let (ask, key) = (question("Lost?"), new_key());
            assert!(!asked(&agent, &ask, &key).await, "it goes on after a loss");
        }
    }
    eprintln!("{rounds} losses noticed of {rounds}");
}
