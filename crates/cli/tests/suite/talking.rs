//! Conversations from outside: the routes, the feed, the agent's socket, and a kill in between.

use serde_json::{Value, json};

use super::raw::Call;
use super::socket::Socket;
use super::stage::{Ended, Stage, question};

fn agent(stage: &Stage, name: &str) -> Socket {
    let call = Call::get(format!("/v1/agent?agent={name}")).token(&stage.token("agent"));
    Socket::open(call, stage.port()).unwrap()
}

/// The same, taking turns everywhere. What it asked before is out of the way.
fn taker(stage: &Stage, name: &str) -> Socket {
    let mut socket = agent(stage, name);
    socket.send(&json!({"do": "take_turns", "conversations": "any"}));
    // Frames are followed in order: once this is refused, the offer stands.
    socket.send(&json!({"do": "confirm", "ref": "there?", "id": "7"}));
    assert_eq!(socket.event("problem")["ref"], "there?");
    socket
}

fn feed(stage: &Stage) -> Socket {
    let call = Call::get("/v1/feed").token(&stage.token("person"));
    let mut feed = Socket::open(call, stage.port()).unwrap();
    assert_eq!(feed.news()["event"], "ready");
    feed
}

fn say(stage: &Stage, conversation: &str, body: &Value) -> Value {
    let target = format!("/v1/conversations/{conversation}/messages");
    stage.by("person", Call::post(target).json(body)).with(201)
}

fn entries(stage: &Stage, conversation: &str, query: &str) -> Value {
    let target = format!("/v1/conversations/{conversation}/entries{query}");
    stage.by("person", Call::get(target)).with(200)
}

/// What stands in a conversation: kind, words, and whether the agent has it or how it ended.
fn story(stage: &Stage, conversation: &str) -> Vec<String> {
    let there = entries(stage, conversation, "");
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    there["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| {
            let parts = [
                word(&entry["kind"]),
                word(&entry["text"]),
                word(&entry["state"]),
                word(&entry["end"]),
                word(&entry["ask"]["outcome"]["kind"]),
            ];
            let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            parts.join(" ")
        })
        .collect()
}

#[test]
fn a_message_while_the_agent_waits_is_kept_over_a_kill_and_comes_after_the_answer() {
    let mut stage = Stage::served();
    let mut socket = taker(&stage, "coder");
    let mut new = question("Deploy?", &["Yes"]);
    new["conversation"] = json!("shop");
    new["agent"] = json!("coder");
    socket.send(&json!({"do": "ask", "ref": "1", "ask": new}));
    let ask = stage.look(&socket.event("asked")["id"]);
    let sent = say(&stage, "shop", &json!({"text": "and the docs"}));
    assert_eq!(
        sent,
        json!({"state": "queued", "message": sent["message"], "conversation": {"id": "cv_1", "name": "shop"}})
    );
    assert_eq!(
        story(&stage, "shop"),
        ["ask", "message and the docs queued"]
    );
    assert_eq!(entries(&stage, "cv_1", "")["turn"], "waiting");
    stage.kill();
    stage.serve();
    let closed = stage.answer(&ask, "Yes");
    assert_eq!(
        story(&stage, "shop"),
        ["ask answered", "message and the docs queued"]
    );
    let mut socket = agent(&stage, "coder");
    assert_eq!(socket.next_json()["outcome"], closed["outcome"]);
    socket.send(&json!({"do": "take_turns", "conversations": ["shop"]}));
    assert_eq!(
        socket.next_json(),
        json!({"event": "turn", "conversation": "shop", "text": "and the docs", "message": sent["message"]})
    );
    socket
        .send(&json!({"do": "note", "conversation": "shop", "tool": "Bash", "text": "make docs"}));
    socket.send(&json!({"do": "say", "conversation": "shop", "text": "All "}));
    socket.send(&json!({"do": "say", "conversation": "shop", "text": "done", "done": true}));
    let mut told = feed(&stage);
    while entries(&stage, "shop", "")["turn"] != "idle" {
        told.news();
    }
    let expected = [
        "ask answered",
        "message and the docs sent",
        "note make docs",
        "said All done",
        "turn_ended done",
    ];
    assert_eq!(story(&stage, "shop"), expected);
    // It opens at its end, and pages back without gap or repeat.
    let last = entries(&stage, "shop", "?before=end&limit=2");
    assert_eq!(last["entries"][1]["kind"], "turn_ended");
    let before = entries(&stage, "shop", &format!("?before={}&limit=9", last["next"]));
    assert_eq!(before["entries"].as_array().unwrap().len(), 3);
    assert_eq!(before["next"], Value::Null);
    assert_eq!(before["entries"][0]["ask"], stage.look(&ask["id"]));
    // Handed over once: another life of the server does not give it again.
    stage.kill();
    stage.serve();
    let mut socket = taker(&stage, "coder");
    let again = say(&stage, "shop", &json!({"text": "next", "agent": "coder"}));
    assert_eq!(again["state"], "sent");
    assert_eq!(socket.event("turn")["text"], "next");
    let report = stage.by("admin", Call::get("/v1/verify")).with(200);
    assert_eq!(report["faults"], json!([]));
}

#[test]
fn devices_see_a_turn_as_it_happens() {
    let stage = Stage::served();
    let mut socket = taker(&stage, "coder");
    let mut feed = feed(&stage);
    let sent = say(&stage, "new", &json!({"text": "go"}));
    let conversation = sent["conversation"].clone();
    let name = conversation["name"].as_str().unwrap();
    assert_eq!(name.len(), 32);
    let entry = |state: &str, seq: &Value, at: &Value| {
        json!({"seq": seq, "at": at, "conversation": "cv_1", "kind": "message", "id": sent["message"],
               "person": "ann", "device": "terminal", "state": state, "text": "go"})
    };
    let queued = feed.news();
    let place = (&queued["seq"], &queued["at"]);
    assert_eq!(queued["entry"], entry("queued", place.0, place.1));
    let handed = feed.news();
    assert_eq!(handed["entry"], entry("sent", place.0, place.1));
    assert!(handed["seq"].as_u64() > queued["seq"].as_u64());
    let turn = feed.news();
    assert_eq!(
        turn,
        json!({"event": "turn", "at": turn["at"], "conversation": conversation, "turn": "running"})
    );
    assert_eq!(socket.event("turn")["message"], sent["message"]);
    for (text, from) in [("Grö", 0), ("ße", 4)] {
        socket.send(&json!({"do": "say", "conversation": name, "text": text}));
        let saying = feed.news();
        assert_eq!(
            saying,
            json!({"event": "saying", "at": saying["at"], "conversation": conversation, "from": from, "text": text})
        );
    }
    assert_eq!(entries(&stage, name, "")["saying"], "Größe");
    socket.send(&json!({"do": "say", "conversation": name, "text": "", "done": true}));
    let said = feed.news()["entry"].take();
    assert_eq!(
        (&said["kind"], &said["text"]),
        (&json!("said"), &json!("Größe"))
    );
    let ended = feed.news();
    assert_eq!(
        ended["entry"],
        json!({"seq": ended["seq"], "at": ended["at"], "conversation": "cv_1", "kind": "turn_ended", "end": "done"})
    );
    assert_eq!(feed.news()["turn"], "idle");
    let listed = stage
        .by("person", Call::get("/v1/conversations?agent=coder&limit=1"))
        .with(200);
    let row = &listed["conversations"][0];
    assert_eq!(
        listed,
        json!({"conversations": [{"id": "cv_1", "name": name, "turn": "idle", "open": 0, "queued": 0,
               "agent": {"id": "ag_1", "name": "coder", "dialect": "native", "connected": true},
               "last_at": row["last_at"]}], "next": null, "as_of": ended["seq"]})
    );
    // A device that resumes is told the same.
    let call = Call::get("/v1/feed?after=0&conversation=cv_1").token(&stage.token("person"));
    let mut again = Socket::open(call, stage.port()).unwrap();
    assert_eq!(again.event("entry"), queued);
    assert_eq!(again.event("entry"), handed);
}

#[test]
fn a_turn_that_falls_silent_is_closed() {
    let mut stage = Stage::empty();
    let mut command = stage.command(&["serve", "--listen", "127.0.0.1:0"]);
    command.env("SAYSO_CHAT_TURN_TIMEOUT", "1s");
    stage.serve_by(command);
    let mut socket = taker(&stage, "coder");
    let mut feed = feed(&stage);
    say(&stage, "new", &json!({"text": "go"}));
    assert_eq!(socket.event("turn")["text"], "go");
    let end = loop {
        let entry = feed.event("entry")["entry"].take();
        if entry["kind"] == "turn_ended" {
            break entry["end"].clone();
        }
    };
    assert_eq!(end, "lost");
}

#[test]
fn who_gets_it_and_what_is_refused() {
    let stage = Stage::served();
    let refused = |conversation: &str, body: Value| {
        let target = format!("/v1/conversations/{conversation}/messages");
        let reply = stage.by("person", Call::post(target).json(&body));
        let problem: Value = serde_json::from_slice(&reply.body).unwrap();
        let first = &problem["violations"][0];
        let why = first["message"].as_str().or(problem["detail"].as_str());
        let path = first["path"].as_str().unwrap_or_default();
        format!("{} {path} {}", reply.status, why.unwrap())
    };
    let hello = || json!({"text": "hi"});
    assert_eq!(
        refused("new", hello()),
        "422  no agent that takes messages is connected; start one, name an agent, or set \
         chat.agent"
    );
    assert_eq!(
        refused("shop", hello()),
        "404  There is no conversation shop."
    );
    assert_eq!(
        refused("new", json!({"text": "hi", "agent": "nobody"})),
        "422 /agent there is no agent nobody"
    );
    assert_eq!(refused("new", json!({"text": " "})), "422 /text is empty");
    assert_eq!(
        refused("new", json!({"text": "hi", "loud": true})),
        "422 /loud is unknown; expected one of: text, agent"
    );
    let long = "x".repeat(256 * 1024 + 1);
    assert_eq!(
        refused("new", json!({"text": long})),
        "422 /text is 262145 bytes long; at most 262144 are allowed"
    );
    let _coder = taker(&stage, "coder");
    let _writer = taker(&stage, "writer");
    assert_eq!(
        refused("new", hello()),
        "422  2 agents that take messages are connected; name one, or set chat.agent: ag_1 \
         (coder), ag_2 (writer)"
    );
    let head = stage.caught_up();
    assert_eq!(
        say(&stage, "new", &json!({"text": "hi", "agent": "writer"}))["state"],
        "sent"
    );
    assert!(stage.caught_up().as_u64() > head.as_u64());
    for (query, path) in [
        ("?after=1&before=2", "?before"),
        ("?after=x", "?after"),
        ("?before=start", "?before"),
        ("?limit=0", "?limit"),
        ("?limit=201", "?limit"),
        ("?x=1", "?x"),
    ] {
        let target = format!("/v1/conversations/cv_1/entries{query}");
        let reply = stage.by("person", Call::get(target));
        let problem: Value = serde_json::from_slice(&reply.body).unwrap();
        assert_eq!(problem["violations"][0]["path"], path, "{query}: {problem}");
    }
}

#[test]
fn frames_about_conversations_that_make_no_sense_are_told_so() {
    let stage = Stage::served();
    let mut socket = taker(&stage, "coder");
    let head = stage.caught_up();
    for (frame, path) in [
        (
            json!({"do": "say", "ref": "1", "conversation": "", "text": "x"}),
            "/conversation",
        ),
        (
            json!({"do": "say", "ref": "1", "conversation": "c"}),
            "/text",
        ),
        (
            json!({"do": "note", "ref": "1", "conversation": "c", "tool": " "}),
            "/tool",
        ),
        (
            json!({"do": "note", "ref": "1", "conversation": "c", "tool": "t", "status": "x"}),
            "/status",
        ),
        (
            json!({"do": "take_turns", "ref": "1", "conversations": "some"}),
            "/conversations",
        ),
    ] {
        socket.send(&frame);
        let problem = socket.next_json();
        assert_eq!(problem["ref"], "1", "{frame}: {problem}");
        assert_eq!(
            problem["problem"]["violations"][0]["path"], path,
            "{frame}: {problem}"
        );
    }
    // Ending what never began is nothing.
    socket.send(&json!({"do": "say", "conversation": "c", "text": "", "done": true}));
    socket.send(&json!({"do": "confirm", "ref": "2", "id": "7"}));
    assert_eq!(socket.next_json()["ref"], "2");
    assert_eq!(stage.caught_up(), head);
}

#[test]
fn the_command_says_whether_the_agent_has_it() {
    let stage = Stage::served();
    let mut socket = taker(&stage, "coder");
    let first = stage.run(&["say", "coder", "Deploy the shop"]);
    let expected = |data: &str, said: &str| Ended {
        code: Some(0),
        data: data.to_owned(),
        said: said.to_owned(),
    };
    let note = "conversation cv_1; continue it with --conversation cv_1\n";
    assert_eq!(first, expected("sent\n", note));
    let turn = socket.event("turn");
    assert_eq!(turn["text"], "Deploy the shop");
    // The turn runs: what is said now waits for its end.
    let second = stage.run(&["say", "ag_1", "and the docs", "--conversation", "cv_1"]);
    assert_eq!(second, expected("queued\n", ""));
    let done =
        json!({"do": "say", "conversation": turn["conversation"], "text": "Done", "done": true});
    socket.send(&done);
    assert_eq!(socket.event("turn")["text"], "and the docs");
    let third = stage.run(&["say", "coder", "more", "--json", "--conversation", "cv_1"]);
    let third: Value = serde_json::from_str(&third.data).unwrap();
    assert_eq!(
        third,
        json!({"state": "queued", "message": third["message"],
               "conversation": {"id": "cv_1", "name": turn["conversation"]}})
    );
    insta::assert_snapshot!(
        stage.run(&["say", "coder", "hi", "--conversation", "nowhere"]).said,
        @r"
    error: There is no conversation nowhere.

    hint: Check the URL and the id.
    "
    );
    insta::assert_snapshot!(stage.run(&["say", "nobody", "hi"]).said, @r"
    error: The request is invalid:
      /agent: there is no agent nobody

    hint: Fix the listed problems and send the request again.
    ");
}

/// Programs say one thing and go; none of it may be lost because they did not stay.
#[test]
fn what_an_agent_said_before_it_left_is_kept_and_in_order() {
    let stage = Stage::served();
    let mut feed = feed(&stage);
    let mut socket = agent(&stage, "brief");
    let notes: Vec<String> = (0..20).map(|n| format!("step {n}")).collect();
    for text in &notes {
        socket.send(&json!({"do": "note", "conversation": "errand", "tool": "Bash", "text": text}));
    }
    socket.send_frame(0x88, &[]);
    drop(socket);
    for text in &notes {
        assert_eq!(feed.event("entry")["entry"]["text"], *text);
    }
}

#[test]
fn a_person_stops_an_agent_that_can_be_stopped_and_is_told_when_it_did_not() {
    let stage = Stage::served();
    let mut socket = agent(&stage, "coder");
    socket.send(&json!({"do": "say", "conversation": "shop", "text": "hi", "done": true}));
    let list = || stage.by("person", Call::get("/v1/conversations")).with(200);
    let stop = || Call::post("/v1/conversations/shop/stop");
    while list()["conversations"].as_array().unwrap().is_empty() {}
    assert_eq!(list()["conversations"][0]["can_stop"], Value::Null);
    let refused = stage.by("person", stop()).with(422);
    assert_eq!(
        refused["violations"][0]["message"],
        "the agent is not connected, or its program can't be stopped from here"
    );
    socket.send(&json!({"do": "take_controls", "conversations": "any"}));
    while list()["conversations"][0]["can_stop"] != true {}
    for (problem, status) in [(Value::Null, 204), (json!("it is\u{202e} late"), 422)] {
        std::thread::scope(|scope| {
            let told = scope.spawn(|| stage.by("person", stop()).status);
            let control = socket.event("control");
            assert_eq!(control["control"], "interrupt");
            assert_eq!(control["conversation"], "shop");
            let mut done = json!({"do": "controlled", "id": control["id"]});
            if !problem.is_null() {
                done["problem"] = problem;
            }
            socket.send(&done);
            assert_eq!(told.join().unwrap(), status);
        });
    }
    // A program that goes has not stopped.
    std::thread::scope(|scope| {
        let told = scope.spawn(|| stage.by("person", stop()).status);
        socket.event("control");
        drop(socket);
        assert_eq!(told.join().unwrap(), 503);
    });
}

#[test]
fn who_takes_turns_in_new_conversations_is_told_in_the_list_of_agents_and_live() {
    let stage = Stage::served();
    let mut told = feed(&stage);
    let row = |name: &str| {
        let agents = stage.by("person", Call::get("/v1/agents")).with(200);
        let all = agents["agents"].as_array().unwrap().clone();
        all.into_iter().find(|row| row["name"] == name).unwrap()
    };
    let some = taker(&stage, "coder");
    assert_eq!(row("coder")["takes_turns"], true);
    while told.news()["agent"]["takes_turns"] != true {}
    let mut picky = agent(&stage, "picky");
    picky.send(&json!({"do": "take_turns", "conversations": ["shop"]}));
    picky.send(&json!({"do": "confirm", "ref": "there?", "id": "7"}));
    assert_eq!(picky.event("problem")["ref"], "there?");
    assert_eq!(row("picky")["takes_turns"], Value::Null);
    drop(some);
    while row("coder")["connected"] == true {}
    assert_eq!(row("coder")["takes_turns"], Value::Null);
}
