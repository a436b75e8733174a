//! Many people, one ask: one wins, and everyone else is told who.

use std::sync::{Arc, Barrier};
use std::thread;

use serde_json::{Value, json};

use super::raw::{Call, refusal_of};
use super::socket::Socket;
use super::stage::{Stage, question};

const PEOPLE: usize = 50;
const ROUNDS: usize = 5;

/// What one of them was told.
#[derive(Debug)]
enum Told {
    Won(Value),
    Lost(Value),
}

fn told(ask: &Value, problem: &Value) -> Told {
    if problem.is_null() {
        Told::Won(ask.clone())
    } else {
        assert_eq!(refusal_of(problem), "409 already_closed");
        Told::Lost(problem["ask"].clone())
    }
}

/// An ask without what may change after it is closed.
fn settled(mut ask: Value) -> Value {
    ask["agent"]["connected"] = Value::Null;
    ask["delivery"] = Value::Null;
    ask
}

#[test]
fn fifty_answer_at_once_and_one_wins() {
    let stage = Stage::served();
    let port = stage.port();
    let tokens: Vec<String> = (0..PEOPLE)
        .map(|at| stage.new_token("person", &format!("device-{at}")))
        .collect();
    let mut agent =
        Socket::open(Call::get("/v1/agent").token(&stage.token("agent")), port).unwrap();
    for round in 0..ROUNDS {
        let ask = stage.ask(&question(&format!("Who is first in {round}?"), &["A"]));
        let barrier = Arc::new(Barrier::new(PEOPLE));
        let people: Vec<_> = tokens
            .iter()
            .enumerate()
            .map(|(at, token)| {
                let (ask, token, barrier) = (ask.clone(), token.clone(), Arc::clone(&barrier));
                thread::spawn(move || answer(port, at, &token, &ask, &barrier))
            })
            .collect();
        let told: Vec<Told> = people
            .into_iter()
            .filter_map(|person| person.join().unwrap())
            .collect();
        let closed = settled(stage.look(&ask["id"]));
        let mut winners = 0;
        for told in told {
            match told {
                Told::Won(ask) => {
                    winners += 1;
                    assert_eq!(settled(ask), closed);
                }
                Told::Lost(ask) => assert_eq!(settled(ask), closed),
            }
        }
        // The winner may be one of those who left before they heard.
        let device = closed["outcome"]["by"]["device"].as_str().unwrap();
        let winner: usize = device.strip_prefix("device-").unwrap().parse().unwrap();
        assert_eq!(winners, usize::from(!leaves(winner)), "{device} won");
        assert_eq!(
            closed["outcome"]["answer"],
            json!({"replies": [{"question": 0, "labels": [], "other": format!("I am {winner}")}]})
        );
        // The agent hears exactly that, once.
        let outcome = agent.next_json();
        assert_eq!(
            outcome,
            json!({"event": "outcome", "id": ask["id"], "outcome": closed["outcome"]})
        );
        agent.send(&json!({"do": "confirm", "id": ask["id"]}));
    }
    let verified = stage.by("admin", Call::get("/v1/verify")).with(200);
    assert_eq!(verified["faults"], json!([]));
}

/// Whether this one is cut between the answer and the reply.
const fn leaves(at: usize) -> bool {
    at % 10 == 9
}

/// Answers, by a call or on a socket, as soon as everyone is there.
fn answer(port: u16, at: usize, token: &str, ask: &Value, barrier: &Barrier) -> Option<Told> {
    let replies = json!([{"question": 0, "labels": [], "other": format!("I am {at}")}]);
    let id = ask["id"].as_str().unwrap();
    if at.is_multiple_of(2) {
        let call = Call::post(format!("/v1/asks/{id}/answer"))
            .token(token)
            .json(&json!({"digest": ask["digest"], "replies": replies}));
        barrier.wait();
        let reply = call.send(port).json();
        let lost = reply.get("code").is_some();
        return Some(told(&reply, if lost { &reply } else { &Value::Null }));
    }
    let mut socket = Socket::open(Call::get("/v1/feed").token(token), port).unwrap();
    socket.event("ready");
    barrier.wait();
    socket.send(
        &json!({"do": "answer", "ref": "r", "id": id, "digest": ask["digest"], "replies": replies}),
    );
    if leaves(at) {
        return None;
    }
    loop {
        let frame = socket.next_json();
        if frame["ref"] == "r" {
            return Some(told(&frame["ask"], &frame["problem"]));
        }
    }
}

#[test]
fn an_answer_and_a_withdrawal_race_and_both_learn_which_won() {
    let stage = Stage::served();
    let port = stage.port();
    let (agent, person) = (stage.token("agent"), stage.token("person"));
    for round in 0..20 {
        let ask = stage.ask(&question(&format!("Still needed {round}?"), &["A"]));
        let at = format!("/v1/asks/{}", ask["id"].as_str().unwrap());
        let withdraw = Call::post(format!("{at}/withdraw")).token(&agent);
        let answer = super::stage::answering(&ask, "A").token(&person);
        let barrier = Arc::new(Barrier::new(2));
        let [withdrawn, answered] = [withdraw, answer].map(|call| {
            let barrier = Arc::clone(&barrier);
            thread::spawn(move || {
                barrier.wait();
                call.send(port)
            })
        });
        let (withdrawn, answered) = (withdrawn.join().unwrap(), answered.join().unwrap());
        let closed = settled(stage.look(&ask["id"]));
        let (won, lost) = match closed["outcome"]["kind"].as_str().unwrap() {
            "withdrawn" => (withdrawn, answered),
            "answered" => (answered, withdrawn),
            other => panic!("{other}"),
        };
        assert_eq!(settled(won.with(200)), closed);
        assert_eq!(lost.refusal(), "409 already_closed");
        assert_eq!(settled(lost.json()["ask"].take()), closed);
    }
}
