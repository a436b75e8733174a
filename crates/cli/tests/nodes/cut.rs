//! Nodes cut off from their database: what they serve meanwhile, and for how long others wait for them.

use std::time::{Duration, Instant};

use sayso_client::wire::{NewToken, Role};
use sayso_testkit::Lateness;
use sayso_testkit::faces::http::{FakeCall, FakeReply};
use sayso_testkit::pg::PgCluster;

use super::scene::{AGAIN, PATIENCE, Scene, again, client_of, new_key, now, number, question};

/// Rounds when nobody asks for more.
const ROUNDS: usize = 10;
/// How long a revoked token may be served.
const SERVED_MAX: Duration = Duration::from_secs(1);
/// How long anybody waits for a turn that was stalled.
const STALL_MAX: Duration = Duration::from_millis(1500);
/// A wait that shows that there was a stall.
const STALL: Duration = Duration::from_millis(500);
/// How long it is watched what a node says once it must have fallen silent.
const WATCHED: Duration = Duration::from_millis(400);
/// A reply that takes longer than this is none.
const REPLY_MAX: Duration = Duration::from_secs(1);
/// A machine that is later than this makes every time it measures worthless; the round is done again, at
/// most so often.
const LATE: Duration = Duration::from_millis(150);
const TRIES: usize = 10;

/// What a node says to a token that is revoked; it counts who tries in vain.
const UNKNOWN: [u16; 2] = [401, 429];

/// How a node is cut off from its database.
#[derive(Debug, Clone, Copy)]
enum Fault {
    Closed,
    Held,
    Slow,
    HalfFrame,
}

const FAULTS: [Fault; 4] = [Fault::Closed, Fault::Held, Fault::Slow, Fault::HalfFrame];

impl Fault {
    fn befall(self, scene: &Scene, node: usize) {
        let way = &scene.to_database[node];
        match self {
            Self::Closed => way.close(),
            Self::Held => way.hold(),
            Self::Slow => way.delay(Duration::from_millis(700)),
            Self::HalfFrame => {
                way.cut_reply_after(3);
                way.silence();
            }
        }
    }
}

async fn read(scene: &Scene, node: usize, token: &str) -> Option<FakeReply> {
    let host = scene.nodes.node(node).at().to_string();
    let call = FakeCall::get("/v1/asks?state=open&limit=1", token);
    let reply = tokio::time::timeout(REPLY_MAX, call.send(&host)).await;
    reply.ok().flatten()
}

async fn until(scene: &Scene, node: usize, token: &str, wanted: &[u16]) {
    let wait = async {
        loop {
            let reply = read(scene, node, token).await;
            if reply.is_some_and(|reply| wanted.contains(&reply.status)) {
                return;
            }
            tokio::time::sleep(AGAIN).await;
        }
    };
    let came = tokio::time::timeout(PATIENCE, wait).await;
    assert!(
        came.is_ok(),
        "no {wanted:?} from node {node}: {}",
        scene.nodes.said()
    );
}

/// Revokes a token while a node is cut off, and watches what all of them say a second later.
async fn revoke(scene: &Scene, round: usize, fault: Fault) -> Vec<String> {
    let admin = client_of(&scene.nodes, 0, "admin");
    let wanted = NewToken {
        name: format!("phone-{}", new_key()),
        role: Role::Person,
        person: Some("bob".to_owned()),
    };
    let made = again(async || admin.new_token(&wanted).await)
        .await
        .unwrap();
    let token = made.token.as_str();
    for node in 0..scene.nodes.all().len() {
        until(scene, node, token, &[200]).await;
    }
    let cut_off = 1 + round % (scene.nodes.all().len() - 1);
    fault.befall(scene, cut_off);
    again(async || admin.revoke_token(&wanted.name).await)
        .await
        .unwrap();
    let revoked = now();
    tokio::time::sleep(SERVED_MAX).await;
    let mut faults = Vec::new();
    while now() < revoked + SERVED_MAX + WATCHED {
        for node in 0..scene.nodes.all().len() {
            let began = now() - revoked;
            match read(scene, node, token).await.map(|reply| reply.status) {
                Some(401 | 429 | 503) => {}
                other => faults.push(format!(
                    "node {node}, {fault:?}, {began:?} after the revocation: {other:?}"
                )),
            }
        }
        tokio::time::sleep(AGAIN).await;
    }
    scene.to_database[cut_off].open();
    scene.to_database[cut_off].cut();
    for node in 0..scene.nodes.all().len() {
        until(scene, node, token, &UNKNOWN).await;
    }
    faults
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_revoked_token_is_served_for_a_second_at_most() {
    let cluster = PgCluster::start(&[]);
    let scene = Scene::new(&cluster, 3);
    let late = Lateness::default();
    let rounds = number("SAYSO_NODE_CUTS", ROUNDS);
    for round in 0..rounds {
        let fault = FAULTS[round % FAULTS.len()];
        let mut tries = 0;
        loop {
            late.worst();
            let faults = revoke(&scene, round, fault).await;
            if faults.is_empty() {
                break;
            }
            tries += 1;
            let (worst, said) = (late.worst(), scene.nodes.said());
            assert!(
                worst > LATE && tries < TRIES,
                "{faults:#?} late {worst:?}\n{said}"
            );
        }
    }
    eprintln!("{rounds} revocations, with a node cut off in each");
}

/// Lets a node take the turn and hear nothing more, while another goes on; gives how long each of that
/// one's asks took.
async fn stall(scene: &Scene) -> Vec<Duration> {
    let agent = client_of(&scene.nodes, 0, "agent");
    let stalled = client_of(&scene.nodes, 1, "agent");
    scene.to_database[1].silence();
    let asks = tokio::spawn(async move {
        let ask = question("Does anybody hear this?");
        // Without a key nothing need be looked up, so that it goes straight into a turn.
        let _ = tokio::time::timeout(STALL_MAX, stalled.ask(&ask, None)).await;
    });
    let (mut waits, end): (Vec<Duration>, Instant) = (Vec::new(), now() + STALL_MAX * 2);
    while now() < end {
        let (began, key) = (now(), new_key());
        let ask = question("And this?");
        let asked = again(async || agent.ask(&ask, Some(&key)).await).await;
        waits.push(now() - began);
        asked.unwrap();
    }
    asks.await.unwrap();
    scene.to_database[1].open();
    scene.to_database[1].cut();
    let back = client_of(&scene.nodes, 1, "agent");
    let key = new_key();
    let ask = question("Back again?");
    let asked = again(async || back.ask(&ask, Some(&key)).await);
    let asked = tokio::time::timeout(PATIENCE, asked).await;
    assert!(
        matches!(asked, Ok(Ok(_))),
        "{asked:?}: {}",
        scene.nodes.said()
    );
    waits
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stalled_turn_holds_others_up_once_and_not_for_long() {
    let cluster = PgCluster::start(&[]);
    let scene = Scene::new(&cluster, 2);
    let late = Lateness::default();
    let rounds = number("SAYSO_NODE_CUTS", ROUNDS);
    let (mut stalls, mut longest) = (0, Duration::ZERO);
    for _ in 0..rounds {
        let mut tries = 0;
        loop {
            late.worst();
            let waits = stall(&scene).await;
            let long = waits.iter().filter(|wait| **wait > STALL).count();
            let most = waits.iter().max().copied().unwrap_or_default();
            if most <= STALL_MAX && long <= 1 {
                stalls += long;
                longest = longest.max(most);
                break;
            }
            tries += 1;
            let worst = late.worst();
            assert!(
                worst > LATE && tries < TRIES,
                "{long} long waits, at most {most:?}; the machine was late by {worst:?}"
            );
        }
    }
    eprintln!("{stalls} stalls in {rounds} rounds, the longest wait {longest:?}");
    assert!(stalls > 0, "no turn was stalled, so that nothing was shown");
}
