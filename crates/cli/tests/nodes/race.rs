//! Callers that race each other over several nodes, held against the journal.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use sayso_client::wire::{Ask, Outcome, ProblemCode, State};
use sayso_client::{Client, ClientError};
use sayso_testkit::pg::PgCluster;
use sayso_testkit::witness::{AskSeen, CallSeen, Claim, Did, Witness};
use serde_json::Value;

use super::scene::{Scene, answer, client_of, new_key, now, number, question};

/// Histories when nobody asks for more, and how many go on at once.
const HISTORIES: usize = 200;
const AT_ONCE: usize = 8;
const NODES: usize = 3;
/// What every mark begins with, so that it is found in the journal.
const MARK: &str = "mark-";

/// Everybody's calls, on one clock.
struct Calls {
    began: Instant,
    calls: Mutex<Vec<CallSeen>>,
}

impl Calls {
    fn at(&self) -> u64 {
        u64::try_from((now() - self.began).as_nanos()).unwrap()
    }

    /// Makes a call and takes down what came of it. Nothing was told when nothing came.
    async fn call<T>(
        &self,
        call: impl Future<Output = Result<T, ClientError>>,
        did: impl FnOnce(Option<Result<&T, &ClientError>>) -> Did,
    ) -> Option<T> {
        let began = self.at();
        let reply = call.await;
        let ended = self.at();
        let is_told = reply
            .as_ref()
            .map_or_else(|error| !error.is_passing(), |_| true);
        let did = did(is_told.then_some(reply.as_ref()));
        let ended = is_told.then_some(ended);
        self.calls
            .lock()
            .unwrap()
            .push(CallSeen { began, ended, did });
        reply.ok()
    }

    async fn ask(&self, agent: &Client, key: &str) -> Option<Ask> {
        let ask = question("Which one?");
        let told = |reply: Option<Result<&Ask, &ClientError>>| Did::Ask {
            key: key.to_owned(),
            told: reply.and_then(Result::ok).map(|ask| ask.id.clone()),
        };
        self.call(agent.ask(&ask, Some(key)), told).await
    }

    async fn answer(&self, person: &Client, ask: &Ask) {
        let mark = format!("{MARK}{}", new_key());
        let answer = answer(ask, &mark);
        let told = |reply: Option<Result<&Ask, &ClientError>>| Did::Close {
            ask: ask.id.clone(),
            told: reply.and_then(end_in),
            mark,
        };
        self.call(person.answer(&ask.id, &answer), told).await;
    }

    async fn withdraw(&self, agent: &Client, ask: &Ask) {
        let mark = format!("{MARK}{}", new_key());
        let note = mark.clone();
        let told = |reply: Option<Result<&Ask, &ClientError>>| Did::Close {
            ask: ask.id.clone(),
            told: reply.and_then(end_in),
            mark,
        };
        self.call(agent.withdraw(&ask.id, Some(&note)), told).await;
    }

    async fn read(&self, person: &Client, ask: &Ask) {
        let told = |reply: Option<Result<&Ask, &ClientError>>| Did::Read {
            ask: ask.id.clone(),
            told: reply.map(seen),
        };
        self.call(person.get(&ask.id, None), told).await;
    }
}

fn mark_of(outcome: &Outcome) -> String {
    mark_in(&serde_json::to_string(outcome).unwrap())
}

/// The mark in a text.
fn mark_in(text: &str) -> String {
    let from = text.find(MARK).unwrap();
    let mark = text[from..].split(['"', '\\']).next();
    mark.unwrap().to_owned()
}

/// The mark of the end that a reply names, also when it is another's.
fn end_in(reply: Result<&Ask, &ClientError>) -> Option<String> {
    match reply {
        Ok(ask) => ask.outcome.as_ref().map(mark_of),
        Err(ClientError::Refused { problem, .. }) => {
            assert_eq!(problem.code, ProblemCode::AlreadyClosed, "{problem:?}");
            problem.ask.as_ref()?.outcome.as_ref().map(mark_of)
        }
        Err(_) => None,
    }
}

fn seen(reply: Result<&Ask, &ClientError>) -> AskSeen {
    match reply {
        Ok(ask) if ask.state == State::Open => AskSeen::Open,
        Ok(ask) => AskSeen::Closed(ask.outcome.as_ref().map(mark_of).unwrap()),
        Err(_) => AskSeen::Missing,
    }
}

/// Two ask under one key, three end it, and three look, each somewhere else.
async fn history(calls: &Calls, agents: &[Client], people: &[Client], number: usize) {
    let at = |clients: &[Client], step: usize| clients[(number + step) % clients.len()].clone();
    let key = new_key();
    let (agent, other, third) = (at(agents, 0), at(agents, 1), at(agents, 2));
    let (ann, also, looks) = (at(people, 1), at(people, 2), at(people, 0));
    let (one, two) = tokio::join!(calls.ask(&agent, &key), calls.ask(&other, &key));
    let Some(ask) = one.or(two) else { return };
    let looking = async {
        for _ in 0..3 {
            calls.read(&looks, &ask).await;
        }
    };
    tokio::join!(
        calls.answer(&ann, &ask),
        calls.answer(&also, &ask),
        calls.withdraw(&third, &ask),
        looking,
    );
    calls.read(&ann, &ask).await;
    calls.ask(&other, &key).await;
}

/// The journal as it stands in the database.
fn journal(cluster: &PgCluster) -> Vec<(u64, Claim)> {
    let sql = "SET search_path = sayso;
        SELECT h.seq || ' ' || h.kind || ' ' || h.ask || ' ' || convert_from(b.body, 'UTF8')
        FROM header h JOIN body b USING (seq) WHERE kind IN (6, 7) ORDER BY seq";
    let text = cluster.psql("sayso", sql);
    let read = |line: &str| {
        let mut parts = line.splitn(4, ' ');
        let mut next = || parts.next().unwrap();
        let (seq, kind, ask, body) = (next().parse().unwrap(), next(), next().to_owned(), next());
        let written = if kind == "6" {
            let body: Value = serde_json::from_str(body).unwrap();
            let key = body["key"].as_str().unwrap().to_owned();
            Claim::Asked { ask, key }
        } else {
            let mark = mark_in(body);
            Claim::Closed { ask, mark }
        };
        (seq, written)
    };
    text.lines().map(read).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_everybody_saw_is_the_order_of_the_journal() {
    let cluster = PgCluster::start(&[]);
    let scene = Scene::new(&cluster, NODES);
    let clients = |role| -> Arc<[Client]> {
        let clients = (0..NODES).map(|number| client_of(&scene.nodes, number, role));
        clients.collect()
    };
    let (agents, people) = (clients("agent"), clients("person"));
    let calls = Arc::new(Calls {
        began: now(),
        calls: Mutex::default(),
    });
    let histories = number("SAYSO_NODE_HISTORIES", HISTORIES);
    let mut racing = tokio::task::JoinSet::new();
    for number in 0..histories {
        let (calls, agents, people) = (Arc::clone(&calls), agents.clone(), people.clone());
        racing.spawn(async move { Box::pin(history(&calls, &agents, &people, number)).await });
        if racing.len() >= AT_ONCE {
            racing.join_next().await.unwrap().unwrap();
        }
    }
    while let Some(raced) = racing.join_next().await {
        raced.unwrap();
    }
    let calls = std::mem::take(&mut *calls.calls.lock().unwrap());
    let dense = "SELECT count(*) = max(seq) FROM sayso.header";
    assert_eq!(cluster.psql("sayso", dense), "t", "a place is missing");
    let checked = Witness::new(journal(&cluster)).check(&calls);
    let unanswered = calls.iter().filter(|call| call.ended.is_none()).count();
    eprintln!(
        "{histories} histories, {} calls, {unanswered} without a reply",
        calls.len()
    );
    assert_eq!(checked, Ok(()));
}
