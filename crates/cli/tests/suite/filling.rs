//! Agents that fill what the server keeps for them: half messages, half-said text, names, uploads, codes.
//! Each ends at its cap, and a person logs in, sees and answers while it is full.

use serde_json::json;

use super::dialect_doors::uploading;
use super::flooding::{
    MIB, UPLOAD, agent_sockets, log_in, memory, person_works, served, stalled_uploads,
};
use super::raw::Call;
use super::socket::{Frame, Socket};
use super::stage::{question, wait_until};

/// Sends the first part of a message and nothing more.
fn send_half(socket: &mut Socket) {
    socket.send_frame(0x01, &vec![b' '; 2 * MIB - 100]);
}

#[test]
fn half_messages_of_agents_end_at_a_cap_and_leave_room_for_people() {
    let stage = served(&[]);
    let ask = stage.ask(&question("Which?", &["A"]));
    drop(agent_sockets(&stage, &stage.token("agent"), 1));
    let before = memory(&stage);
    // Frames without an end: what has come of them stays until the rest does.
    let mut open: Vec<Socket> = Vec::new();
    let mut refused = 0;
    for token in 0..6 {
        let token = stage.new_token("agent", &format!("flood {token}"));
        for mut socket in agent_sockets(&stage, &token, 12).0 {
            send_half(&mut socket);
            // A sign of life comes once everything before was read.
            match socket.ping() {
                Ok(()) => open.push(socket),
                Err(goodbye) => {
                    let reason = "too many incomplete messages; retry later";
                    assert_eq!(goodbye, Frame::Closed(1013, reason.to_owned()));
                    refused += 1;
                }
            }
        }
    }
    // 8 for each token, and 32 for all.
    assert_eq!((open.len(), refused), (32, 40));
    let grown = memory(&stage).saturating_sub(before);
    assert!(grown < 160 * MIB, "{} MiB", grown / MIB);
    // Bodies share that room.
    let preview = "x".repeat(200_000);
    let choices = ["A", "B", "C", "D"].map(|label| json!({"label": label, "preview": preview}));
    let mut large = question("Large?", &[]);
    large["questions"][0]["choices"] = json!(choices);
    let other = stage.new_token("agent", "other");
    let asked = stage.call(&Call::post("/v1/asks").token(&other).json(&large));
    assert_eq!(asked.refusal(), "429 slow_down");
    assert!(asked.header("retry-after").is_some());
    // What is small passes, and people's messages pass whatever their size.
    let small = question("Small?", &["A"]);
    let asked = stage.call(&Call::post("/v1/asks").token(&other).json(&small));
    asked.with(201);
    let person = stage.token("person");
    let feed = Call::get("/v1/feed").token(&person);
    let mut feed = Socket::open(feed, stage.port()).unwrap();
    send_half(&mut feed);
    assert_eq!(feed.ping(), Ok(()));
    person_works(&stage, &ask, "phone");
    drop(open);
    wait_until("room comes back", || {
        let call = Call::post("/v1/asks").token(&other).json(&large);
        stage.call(&call).status == 201
    });
}

#[test]
fn half_said_text_beyond_its_cap_is_kept_at_once() {
    let stage = served(&[("SAYSO_BYTES_PER_MINUTE", "0")]);
    let ask = stage.ask(&question("Which?", &["A"]));
    let before = memory(&stage);
    let mut socket = agent_sockets(&stage, &stage.token("agent"), 1).0.remove(0);
    let text = "x".repeat(200_000);
    // 41 of these fit into 8 MiB; each is the beginning of a message of its own.
    for at in 0..200 {
        let name = format!("c{at}");
        socket.send(
            &json!({"do": "say", "ref": name, "conversation": name, "text": text, "done": false}),
        );
    }
    let kept = |name: &str| {
        let target = format!("/v1/conversations/{name}/entries");
        let entries = stage.by("person", Call::get(target));
        if entries.status != 200 {
            return 0;
        }
        entries.with(200)["entries"].as_array().map_or(0, Vec::len)
    };
    wait_until("what no longer fits is kept", || kept("c199") == 1);
    let counts: Vec<usize> = (0..200).map(|at| kept(&format!("c{at}"))).collect();
    assert_eq!(counts[..41], [0; 41], "the first are held");
    assert_eq!(counts[41..], [1; 159], "the others are written down");
    let grown = memory(&stage).saturating_sub(before);
    assert!(grown < 64 * MIB, "{} MiB", grown / MIB);
    person_works(&stage, &ask, "phone");
}

#[test]
fn names_of_agents_end_at_a_cap_for_each_token() {
    let stage = served(&[
        ("SAYSO_ASKS_PER_MINUTE", "0"),
        ("SAYSO_BYTES_PER_MINUTE", "0"),
    ]);
    let flood = stage.new_token("agent", "flood");
    let mut socket = agent_sockets(&stage, &flood, 1).0.remove(0);
    // The name of the token is the first.
    for batch in 0..100 {
        for at in 0..100 {
            let name = format!("agent {batch} {at}");
            socket.send(&json!({"do": "ask", "ref": name,
                "ask": {"agent": name, "matter": "questions", "questions": [{"text": "?"}]}}));
        }
        for _ in 0..100 {
            let told = socket.news();
            let is_last = batch == 99;
            assert!(told["event"] == "asked" || is_last, "{told}");
        }
    }
    let mut over = question("Who?", &["A"]);
    over["agent"] = json!("one too many");
    let refused = stage.call(&Call::post("/v1/asks").token(&flood).json(&over));
    assert_eq!(refused.refusal(), "429 slow_down", "{}", refused.text());
    let known = Call::post("/v1/asks").token(&flood);
    over["agent"] = json!("agent 3 3");
    stage.call(&known.json(&over)).with(201);
    let ask = stage.ask(&question("Another token?", &["A"]));
    let token = log_in(&stage, "phone");
    let answer = super::stage::answering(&ask, "A").token(&token);
    assert_eq!(stage.call(&answer).with(200)["state"], "closed");
}

#[test]
fn uploads_that_stall_end_by_themselves() {
    let stage = served(&[]);
    let ask = stage.ask(&question("Which?", &["A"]));
    let flood = stage.new_token("agent", "flood");
    let stalled = stalled_uploads(&stage, &flood);
    let upload = || {
        let call = uploading(Call::post(UPLOAD), "a.txt", "text/plain", b"more");
        stage.call(&call.token(&flood))
    };
    assert_eq!(upload().refusal(), "429 slow_down");
    person_works(&stage, &ask, "phone");
    // All of them still wait.
    wait_until("they are given up", || upload().status == 200);
    drop(stalled);
}

#[test]
fn open_codes_end_at_a_cap_and_those_that_are_open_stay_good() {
    let stage = served(&[]);
    let ask = stage.ask(&question("Which?", &["A"]));
    let code = || stage.by("admin", Call::post("/v1/logins").json(&json!({})));
    let mut open = Vec::new();
    let refused = loop {
        let reply = code();
        if reply.status != 201 {
            break reply;
        }
        open.push(reply.with(201));
        assert!(open.len() <= 16, "16 may be open");
    };
    assert_eq!(refused.refusal(), "429 slow_down");
    assert!(refused.header("retry-after").is_some());
    let redeem = json!({"code": open[0]["code"], "device": "tablet"});
    let redeemed = stage.call(&Call::post("/v1/logins/redeem").json(&redeem));
    redeemed.with(201);
    // One went, so there is room for one.
    person_works(&stage, &ask, "phone");
}
