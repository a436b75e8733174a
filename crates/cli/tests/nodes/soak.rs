//! Feeds that go on at random nodes for a long time: each tells everything once, in order, and all tell
//! the same.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sayso_client::wire::FeedEvent;
use sayso_client::{Client, FeedMessage, FeedReader};
use sayso_testkit::nodes::Node;
use sayso_testkit::pg::PgCluster;
use tokio::sync::watch;
use tokio::task::{JoinSet, LocalSet};

use super::scene::{PATIENCE, Scene, again, answer, client_of, new_key, now, number, question};

/// How long and with how many feeds when nobody asks for more.
const SECONDS: usize = 20;
const FEEDS: usize = 10;
const NODES: usize = 3;
const PAIRS: usize = 2;
/// How often a connection is cut, so that whoever had it goes on at the next node.
const CUT_EVERY: Duration = Duration::from_millis(50);
/// From so many seconds on memory is looked at; at first it grows.
const LONG: usize = 600;
/// How much memory may grow, in percent.
const GROWTH_MAX: u64 = 5;

/// What a feed told: how much, up to where, and a sum over all of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Told {
    count: u64,
    last: u64,
    sum: u64,
}

impl Told {
    fn tell(&mut self, place: u64, what: u64) {
        assert!(place > self.last, "{place} after {}", self.last);
        self.count += 1;
        self.last = place;
        // Fowler-Noll-Vo over places and kinds: another order is another sum.
        for number in [place, what] {
            self.sum = (self.sum ^ number).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// What of an event stands in the journal.
fn place(event: &FeedEvent) -> Option<(u64, u64)> {
    match event {
        FeedEvent::Asked(change) => Some((change.seq, 1)),
        FeedEvent::Closed(change) => Some((change.seq, 2)),
        FeedEvent::Delivery(change) => Some((change.seq, 3)),
        FeedEvent::Ready(_) | FeedEvent::Agent(_) => None,
        other => unreachable!("nobody did anything that makes {other:?}"),
    }
}

/// Follows from the beginning until it has come to this place.
async fn follow(client: Client, mut until: watch::Receiver<u64>) -> Told {
    let mut feed = again(async || FeedReader::open(&client, Some(0)).await)
        .await
        .unwrap();
    let mut told = Told::default();
    while told.last < *until.borrow_and_update() {
        tokio::select! {
            next = feed.next() => if let FeedMessage::Event(event) = next.unwrap()
                && let Some((place, what)) = place(&event)
            {
                told.tell(place, what);
            },
            changed = until.changed() => changed.unwrap(),
        }
    }
    told
}

/// Asks, answers and confirms until it is over.
async fn talk(agent: Client, person: Client, is_over: Arc<AtomicBool>) {
    while !is_over.load(Ordering::SeqCst) {
        let (ask, key) = (question("And now?"), new_key());
        let ask = again(async || agent.ask(&ask, Some(&key)).await)
            .await
            .unwrap();
        let said = answer(&ask, &key);
        // A reply may be lost; then the second try is told that the first one did it.
        let _ = again(async || person.answer(&ask.id, &said).await).await;
        again(async || agent.confirm(&ask.id).await).await.unwrap();
    }
}

fn memory(scene: &Scene) -> Vec<u64> {
    let nodes = scene.nodes.all().iter();
    nodes.map(|node| node.memory().unwrap()).collect()
}

#[tokio::test]
async fn feeds_are_dense_and_equal_on_all_nodes() {
    LocalSet::new().run_until(soak()).await;
}

async fn soak() {
    let seconds = number("SAYSO_NODE_SECONDS", SECONDS);
    let feeds = number("SAYSO_NODE_FEEDS", FEEDS);
    let cluster = PgCluster::start(&[]);
    let scene = Scene::new(&cluster, NODES);
    let (end, until) = watch::channel(u64::MAX);
    let is_over = Arc::<AtomicBool>::default();
    let mut followers = JoinSet::new();
    for _ in 0..feeds {
        followers.spawn_local(follow(scene.client("person"), until.clone()));
    }
    // One at each node that stays there.
    for number in 0..NODES {
        followers.spawn_local(follow(
            client_of(&scene.nodes, number, "person"),
            until.clone(),
        ));
    }
    let mut pairs = JoinSet::new();
    for _ in 0..PAIRS {
        let (agent, person) = (scene.client("agent"), scene.client("person"));
        pairs.spawn_local(talk(agent, person, Arc::clone(&is_over)));
    }
    let (began, length) = (now(), Duration::from_secs(seconds as u64));
    let mut settled = None;
    while now() < began + length {
        tokio::time::sleep(CUT_EVERY).await;
        scene.way.cut_oldest();
        if settled.is_none() && now() > began + length / 3 {
            settled = Some(memory(&scene));
        }
        assert!(followers.try_join_next().is_none(), "a feed ended");
    }
    is_over.store(true, Ordering::SeqCst);
    while let Some(done) = pairs.join_next().await {
        done.unwrap();
    }
    // What a feed tells of the journal: asks, their ends, and what agents have.
    let journal = |what: &str| -> u64 {
        let sql = format!("SELECT {what} FROM sayso.header WHERE kind IN (6, 7, 9)");
        cluster.psql("sayso", &sql).parse().unwrap()
    };
    let (count, last) = (journal("count(*)"), journal("max(seq)"));
    end.send(last).unwrap();
    let told = async {
        let mut told = Vec::new();
        while let Some(one) = followers.join_next().await {
            told.push(one.unwrap());
        }
        told
    };
    let told = tokio::time::timeout(PATIENCE, told).await;
    let told = told.unwrap_or_else(|_| unreachable!("feeds hang: {}", scene.nodes.said()));
    let (now, before) = (memory(&scene), settled.unwrap_or_default());
    eprintln!(
        "{} feeds told {} events each; memory {before:?} after a third, {now:?} at the end",
        told.len(),
        told[0].count
    );
    assert!(count > 0, "nothing happened");
    assert_eq!(
        (told[0].count, told[0].last),
        (count, last),
        "a feed tells all that is in the journal"
    );
    assert!(told.iter().all(|one| *one == told[0]), "{told:?}");
    if seconds >= LONG {
        for ((node, now), before) in scene
            .nodes
            .all()
            .iter()
            .map(Node::name)
            .zip(now)
            .zip(before)
        {
            let most = before + before * GROWTH_MAX / 100;
            assert!(now <= most, "{node} grew from {before} to {now} bytes");
        }
    }
}
