//! Several nodes on one PostgreSQL, and those who take part moving between them.

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use sayso_testkit::nodes::{Node, Nodes};
use sayso_testkit::pg::PgCluster;
use sayso_testkit::{PgProxy, Proxy};

use super::chance::Dice;
use super::ground::Venue;

/// How often it is looked whether a node died.
const LOOK: Duration = Duration::from_millis(3);
/// The longest that nothing happens to a node, in milliseconds.
const QUIET_MILLIS: usize = 160;
/// The same for whoever has been with one for longest: a megabyte must get through on a busy machine.
const STAY_MILLIS: usize = 600;
/// The longest that a node is stopped: almost always, and now and then where there is time for it.
const PAUSE_MILLIS: usize = 1_200;
const LONG_PAUSE_MILLIS: usize = 30_000;
/// Bytes after which a connection to PostgreSQL is cut, at most: a turn is a few thousand.
const CUT_BYTES: usize = 6_000;
/// The same of what PostgreSQL says: a commit is a few dozen.
const CUT_REPLY_BYTES: usize = 800;

/// Among so many of the points that were met least often, lives take turns.
const RAREST: usize = 4;

/// What chance has in store, over all stories.
pub(crate) struct Fate {
    pub(crate) dice: Mutex<Dice>,
    /// The fail points at which lives end, in turns.
    pub(crate) points: Vec<&'static str>,
    /// Whether every other life ends where the fewest have ended, so that rare points are met as well.
    pub(crate) is_even: bool,
    /// How many lives were told where they end.
    pub(crate) armed: AtomicUsize,
    /// Deaths at each fail point.
    pub(crate) fired: Mutex<BTreeMap<String, usize>>,
}

impl Fate {
    /// The point at which the next life ends.
    fn next(&self) -> &'static str {
        let next = self.armed.fetch_add(1, Ordering::Relaxed);
        if self.is_even && next % 2 == 1 {
            let fired = self.fired.lock().unwrap();
            // A rare point that several lives wait for is no rarer for it: the next few take turns.
            let turn = next / 2 % RAREST;
            let mut points = self.points.clone();
            points.sort_by_key(|point| fired.get(*point).copied().unwrap_or_default());
            return points[turn % points.len()];
        }
        let turn = if self.is_even { next / 2 } else { next };
        self.points[turn % self.points.len()]
    }
}

/// Nodes, the way to them, and their ways to PostgreSQL.
pub(crate) struct NodeVenue<'a> {
    pub(crate) nodes: Nodes,
    /// Whoever comes in comes this way; each connection leads to the next node.
    way: Proxy,
    to_database: Vec<PgProxy>,
    fate: &'a Fate,
    tally: Mutex<NodeTally>,
    /// Whether there is time for long pauses.
    is_long: bool,
}

/// What happened to the nodes.
#[derive(Debug, Default)]
pub(crate) struct NodeTally {
    pub(crate) kills: usize,
    pub(crate) pauses: usize,
    /// Connections to PostgreSQL that were cut, and people and agents that moved.
    pub(crate) cuts: usize,
    pub(crate) moves: usize,
    broke: Option<String>,
}

impl<'a> NodeVenue<'a> {
    /// So many nodes on this database, started, each to die at one of these points.
    pub(crate) fn new(
        program: &Path,
        (cluster, database): (&PgCluster, &str),
        count: usize,
        fate: &'a Fate,
        is_long: bool,
    ) -> Self {
        let to_database: Vec<PgProxy> = (0..count).map(|_| PgProxy::to(cluster)).collect();
        let stores: Vec<String> = to_database.iter().map(|way| way.url_of(database)).collect();
        let way = Proxy::to_ports(&[]);
        let url = format!("http://{}", way.host());
        let settings = [
            // A turn that died with its node must not hold up what waits for longer.
            ("SAYSO_CHAT_TURN_TIMEOUT", "1s"),
            ("SAYSO_PUBLIC_URL", url.as_str()),
        ];
        let nodes = Nodes::new(program, &stores, &settings);
        // The first one makes the tables, and its tokens are the ones that are used.
        nodes.node(0).start(None);
        nodes.node(0).up();
        let venue = Self {
            nodes,
            way,
            to_database,
            fate,
            tally: Mutex::default(),
            is_long,
        };
        for node in venue.nodes.all().iter().skip(1) {
            node.start(Some(&venue.armed()));
        }
        let all: Vec<SocketAddr> = venue.nodes.all().iter().map(Node::at).collect();
        venue.way.move_to(&all);
        venue
    }

    pub(crate) fn below(&self, bound: usize) -> usize {
        self.fate.dice.lock().unwrap().below(bound)
    }

    /// The point at which the next life ends: each is met often, so that soon is soon enough.
    fn armed(&self) -> String {
        let point = self.fate.next();
        format!("{point}:{}", 1 + self.below(5))
    }

    pub(crate) fn tally(&self) -> std::sync::MutexGuard<'_, NodeTally> {
        self.tally.lock().unwrap()
    }

    /// Kills, stops and cuts until enough died, moves everybody around, and starts whoever died again.
    pub(crate) async fn haunt(&self, kills: usize) {
        tokio::join!(self.revive(kills), self.trouble(kills), self.lead_astray());
    }

    async fn revive(&self, kills: usize) {
        loop {
            for (node, way) in self.nodes.all().iter().zip(&self.to_database) {
                if self.bury(node) {
                    // What was to cut the life that is over must not cut the next one's start.
                    way.open();
                    let is_enough = self.tally().kills >= kills;
                    node.start((!is_enough).then(|| self.armed()).as_deref());
                }
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Takes down how a node ended. Says whether it did.
    fn bury(&self, node: &Node) -> bool {
        let Some(end) = node.ended() else {
            return false;
        };
        let mut tally = self.tally();
        if end.is_killed() {
            tally.kills += 1;
            let point = end.point.unwrap_or_default();
            let name = point.split(':').next().unwrap_or_default();
            if !name.is_empty() {
                let mut fired = self.fate.fired.lock().unwrap();
                *fired.entry(name.to_owned()).or_default() += 1;
            }
        } else {
            tally.broke = Some(format!("{} ended with {}", node.name(), end.status));
        }
        true
    }

    async fn trouble(&self, kills: usize) {
        while self.tally().kills < kills {
            self.quiet(QUIET_MILLIS).await;
            let number = self.below(self.nodes.all().len());
            let node = self.nodes.node(number);
            match self.below(9) {
                0 | 8 => drop(node.kill()),
                1 => {
                    let is_long = self.is_long && self.below(20) == 0;
                    let most = if is_long {
                        LONG_PAUSE_MILLIS
                    } else {
                        PAUSE_MILLIS
                    };
                    let pause = 100 + self.below(most - 100) as u64;
                    node.pause();
                    self.tally().pauses += 1;
                    tokio::time::sleep(Duration::from_millis(pause)).await;
                    node.resume();
                }
                // One that is starting gives up when its database goes away in the middle.
                _ if TcpStream::connect(node.at()).is_err() => {}
                2 | 3 => self.cut(CUT_BYTES, |bytes| self.to_database[number].cut_after(bytes)),
                4..=6 => self.cut(CUT_REPLY_BYTES, |bytes| {
                    self.to_database[number].cut_reply_after(bytes);
                }),
                _ => self.cut(1, |_| self.to_database[number].cut()),
            }
        }
        std::future::pending::<()>().await;
    }

    fn cut(&self, most: usize, how: impl FnOnce(i64)) {
        how(i64::try_from(self.below(most)).unwrap());
        self.tally().cuts += 1;
    }

    async fn quiet(&self, most: usize) {
        let quiet = 10 + self.below(most) as u64;
        tokio::time::sleep(Duration::from_millis(quiet)).await;
    }

    async fn lead_astray(&self) {
        loop {
            self.quiet(STAY_MILLIS).await;
            // Also one that waits for a node which is stopped.
            let is_cut = self.way.cut_oldest();
            self.tally().moves += usize::from(is_cut);
        }
    }

    /// Ends everything that happens to the nodes, and starts all of them again, plainly.
    pub(crate) fn rest(&self) {
        for (node, way) in self.nodes.all().iter().zip(&self.to_database) {
            way.open();
            node.resume();
            self.bury(node);
        }
        for node in self.nodes.all() {
            let ended = node.end();
            let is_fine = ended.is_none_or(|end| end.is_killed() || end.status.success());
            assert!(
                is_fine,
                "{} does not stop well: {}",
                node.name(),
                node.said()
            );
        }
        self.nodes.start();
    }

    /// Leads everybody to this node.
    pub(crate) fn gather_at(&self, node: &Node) {
        self.way.move_to(&[node.at()]);
    }
}

impl Venue for NodeVenue<'_> {
    fn url(&self) -> String {
        format!("http://{}", self.way.host())
    }

    fn token(&self, role: &str) -> Option<String> {
        self.nodes.node(0).token(role)
    }

    fn has_talk(&self) -> bool {
        true
    }

    fn backup(&self, _name: &str) -> Option<PathBuf> {
        None
    }

    fn broke(&self) -> Option<String> {
        let broke = self.tally().broke.clone()?;
        Some(format!("{broke}: {}", self.said()))
    }

    fn said(&self) -> String {
        self.nodes.said()
    }

    fn patience(&self) -> Duration {
        Duration::from_secs(if self.is_long { 300 } else { 120 })
    }
}
