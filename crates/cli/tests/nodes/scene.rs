//! What these tests have in common: nodes behind proxies, and somebody who asks and answers.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use sayso_client::wire::{AnswerRequest, Ask, Choice, Matter, NewAsk, NewQuestion, Reply};
use sayso_client::{Client, ClientError};
use sayso_testkit::nodes::{Node, Nodes};
use sayso_testkit::pg::PgCluster;
use sayso_testkit::{PgProxy, Proxy};

/// How soon something is tried again.
pub(crate) const AGAIN: Duration = Duration::from_millis(10);
/// Longer than anything here takes, so that what hangs is named.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Nodes on one database, each with a way to it of its own, and one way to all of them.
pub(crate) struct Scene {
    pub(crate) nodes: Nodes,
    pub(crate) to_database: Vec<PgProxy>,
    pub(crate) way: Proxy,
}

impl Scene {
    pub(crate) fn new(cluster: &PgCluster, count: usize) -> Self {
        let to_database: Vec<PgProxy> = (0..count).map(|_| PgProxy::to(cluster)).collect();
        let stores: Vec<String> = to_database.iter().map(PgProxy::url).collect();
        let (nodes, way) = start(&stores);
        Self {
            nodes,
            to_database,
            way,
        }
    }

    /// A client that comes in wherever the way leads.
    pub(crate) fn client(&self, role: &str) -> Client {
        let token = self.nodes.node(0).token(role).unwrap();
        Client::new(&format!("http://{}", self.way.host()), token.as_str()).unwrap()
    }
}

/// Starts nodes on these ways to a database, and a way to all of them.
pub(crate) fn start(stores: &[String]) -> (Nodes, Proxy) {
    let way = Proxy::to_ports(&[]);
    let url = format!("http://{}", way.host());
    let program = Path::new(env!("CARGO_BIN_EXE_sayso"));
    let nodes = Nodes::new(program, stores, &[("SAYSO_PUBLIC_URL", url.as_str())]);
    nodes.start();
    let all: Vec<SocketAddr> = nodes.all().iter().map(Node::at).collect();
    way.move_to(&all);
    (nodes, way)
}

/// A client of one node, with the first one's local token of a role.
pub(crate) fn client_of(nodes: &Nodes, number: usize, role: &str) -> Client {
    let token = nodes.node(0).token(role).unwrap();
    Client::new(&nodes.node(number).url(), token.as_str()).unwrap()
}

/// A question that nobody asked before.
pub(crate) fn question(text: &str) -> NewAsk {
    let mut question = NewQuestion::of(text);
    question.choices = ["Redis", "SQLite"]
        .map(|label| Choice {
            label: label.to_owned(),
            ..Choice::default()
        })
        .into();
    let mut ask = NewAsk::of(Matter::Questions);
    ask.questions = Some(vec![question]);
    ask
}

/// An answer to this ask that no other answer is like.
pub(crate) fn answer(ask: &Ask, mark: &str) -> AnswerRequest {
    AnswerRequest {
        digest: ask.digest.clone(),
        replies: Some(vec![Reply {
            labels: vec!["Redis".to_owned()],
            note: Some(mark.to_owned()),
            ..Reply::default()
        }]),
        verdict: None,
        fields: None,
        rule: None,
    }
}

/// A key that nobody had before.
pub(crate) fn new_key() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("key-{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Tries until the server says yes, or a no that trying again cannot change.
pub(crate) async fn again<T>(
    mut call: impl AsyncFnMut() -> Result<T, ClientError>,
) -> Result<T, ClientError> {
    loop {
        match call().await {
            Err(error) if error.is_passing() => tokio::time::sleep(AGAIN).await,
            done => return done,
        }
    }
}

/// The moment it is.
#[expect(
    clippy::disallowed_methods,
    reason = "how long a real server takes is what is measured"
)]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// How much of something was asked for: `cargo xtask nodes` sets these.
#[expect(
    clippy::disallowed_methods,
    reason = "this is how a long run is asked for"
)]
pub(crate) fn number(name: &str, otherwise: usize) -> usize {
    let asked_for = std::env::var(name).ok();
    asked_for.map_or(otherwise, |text| text.parse().unwrap())
}
