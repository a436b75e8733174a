//! The database fails over: nothing that was acknowledged is lost where a standby has it, and where it
//! was lost, that is noticed and refused.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use sayso_client::Client;
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

/// What was acknowledged, and when.
type Acknowledged = Arc<Mutex<Vec<(Instant, String)>>>;

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
        let primary = PgCluster::start(&SETTINGS);
        let standby = primary.standby(&SETTINGS);
        if is_synchronous {
            primary.require_standby();
        }
        let hosts = [&primary, &standby].map(PgCluster::host).join(",");
        let url = format!("postgres:///?host={hosts}&user=node&dbname=sayso");
        let (nodes, _) = start(&vec![url; NODES]);
        let acknowledged = Acknowledged::default();
        let mut traffic = JoinSet::new();
        for number in 0..NODES * 2 {
            let agent = client_of(&nodes, number, "agent");
            traffic.spawn(ask_on(agent, Arc::clone(&acknowledged)));
        }
        Self {
            primary,
            standby,
            nodes,
            acknowledged,
            traffic,
        }
    }

    fn acknowledged(&self) -> Vec<(Instant, String)> {
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
            for (_, id) in &acknowledged {
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
async fn ask_on(agent: Client, acknowledged: Acknowledged) {
    loop {
        let (ask, key) = (question("Go on?"), new_key());
        let asked = tokio::time::timeout(CALL_MAX, agent.ask(&ask, Some(&key))).await;
        if let Ok(Ok(ask)) = asked {
            acknowledged.lock().unwrap().push((now(), ask.id));
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
            let pair = Pair::start(true);
            pair.acknowledges().await;
            pair.primary.pause();
            pair.standby.promote();
            pair.primary.resume();
            let resumed = now();
            // Long enough for whatever it was in the middle of.
            tokio::time::sleep(TRAFFIC).await;
            pair.primary.kill();
            let back = pair.back(now()).await;
            let by_the_dead = pair.acknowledged();
            let by_the_dead = by_the_dead
                .iter()
                .filter(|(when, _)| *when < resumed + TRAFFIC);
            eprintln!("{} acknowledged before it was killed", by_the_dead.count());
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
        pair.acknowledges().await;
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
