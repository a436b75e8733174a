//! An agent's socket, frame by frame.

use std::time::Duration;

use serde_json::{Value, json};

use super::raw::{Call, Reply, refusal_of};
use super::socket::{Frame, Socket};
use super::stage::{Stage, question, wait_until};

const SOON: Duration = Duration::from_secs(10);

fn open(stage: &Stage) -> Socket {
    open_as(stage, &stage.token("agent"), "")
}

fn open_as(stage: &Stage, token: &str, query: &str) -> Socket {
    Socket::open(
        Call::get(format!("/v1/agent{query}")).token(token),
        stage.port(),
    )
    .unwrap()
}

/// Asks on a socket and gives the ask as people see it.
fn ask(stage: &Stage, socket: &mut Socket, text: &str) -> Value {
    socket.send(&json!({"do": "ask", "ref": text, "ask": question(text, &["A", "B"])}));
    let asked = socket.event("asked");
    let ask = stage.look(&asked["id"]);
    assert_eq!(
        asked,
        json!({"event": "asked", "ref": text, "id": ask["id"], "digest": ask["digest"]})
    );
    ask
}

/// The outcome that an ask's agent is told.
fn outcome_of(closed: &Value) -> Value {
    let mut event = json!({"event": "outcome", "id": closed["id"], "outcome": closed["outcome"]});
    if !closed["wire_id"].is_null() {
        event["wire_id"] = closed["wire_id"].clone();
    }
    event
}

#[test]
fn asking_hearing_and_confirming() {
    let stage = Stage::served();
    let mut socket = open(&stage);
    let first = ask(&stage, &mut socket, "One?");
    assert_eq!(first["agent"]["connected"], true);
    let closed = stage.answer(&first, "B");
    assert_eq!(socket.next_json(), outcome_of(&closed));
    let sent = stage.look(&first["id"]);
    socket.send(&json!({"do": "confirm", "ref": "c", "id": first["id"]}));

    // The outcome was told once: the next thing to come is that of the next ask.
    let second = ask(&stage, &mut socket, "Two?");
    assert_eq!(stage.look(&first["id"])["delivery"], "confirmed");
    assert!(["owed", "sent"].contains(&sent["delivery"].as_str().unwrap()));
    socket.send(&json!({"do": "withdraw", "ref": "w", "id": second["id"], "note": "no longer"}));
    let outcome = socket.next_json();
    let withdrawn = stage.look(&second["id"]);
    assert_eq!(outcome, outcome_of(&withdrawn));
    assert_eq!(withdrawn["outcome"]["kind"], "withdrawn");
    assert_eq!(withdrawn["outcome"]["note"], "no longer");
    assert_eq!(withdrawn["outcome"]["by"], json!({"agent": "shell"}));
}

#[test]
fn an_outcome_comes_again_on_every_connect_until_it_is_confirmed() {
    let mut stage = Stage::served();
    let mut socket = open(&stage);
    let mut new = question("Which?", &["A"]);
    new["wire_id"] = json!("q-abc-123");
    socket.send(&json!({"do": "ask", "ref": "1", "ask": new}));
    let asked = socket.next_json();
    let mine = stage.look(&asked["id"]);
    let closed = stage.answer(&mine, "A");
    let told = socket.next_text();
    assert_eq!(
        serde_json::from_str::<Value>(&told).unwrap(),
        outcome_of(&closed)
    );
    drop(socket);
    for round in 0..3 {
        if round == 2 {
            stage.kill();
            stage.serve();
        }
        let mut socket = open(&stage);
        assert_eq!(socket.next_text(), told, "round {round}");
    }
    // Two links of one agent both hear it; either may confirm.
    let (mut one, mut other) = (open(&stage), open(&stage));
    assert_eq!((one.next_text(), other.next_text()), (told.clone(), told));
    one.send(&json!({"do": "confirm", "id": closed["id"]}));
    let next = ask(&stage, &mut one, "Next?");
    // Nobody is told of it on the socket; what is asked meanwhile may overtake it.
    wait_until("the confirmation", || {
        stage.look(&closed["id"])["delivery"] == "confirmed"
    });
    let mut socket = open(&stage);
    let closed = stage.answer(&next, "A");
    assert_eq!(socket.next_json(), outcome_of(&closed));
}

#[test]
fn a_name_of_its_own_hears_its_own_outcomes() {
    let stage = Stage::served();
    let mut coder = open_as(&stage, &stage.token("agent"), "?agent=coder");
    let mut new = question("Whose?", &["A"]);
    new["agent"] = json!("coder");
    let theirs = stage.ask(&new);
    assert_eq!(theirs["agent"]["name"], "coder");
    let own = stage.ask(&question("Mine?", &["A"]));
    let mut all = open(&stage);
    let closed_own = stage.answer(&own, "A");
    let closed_theirs = stage.answer(&theirs, "A");
    assert_eq!(coder.next_json(), outcome_of(&closed_theirs));
    assert_eq!(all.next_json(), outcome_of(&closed_own));
    assert_eq!(all.next_json(), outcome_of(&closed_theirs));
    // A socket of another token hears nothing of either.
    let token = stage.new_token("agent", "other");
    let mut stranger = open_as(&stage, &token, "");
    let foreign = json!({"do": "confirm", "ref": "f", "id": own["id"]});
    stranger.send(&foreign);
    let problem = stranger.next_json();
    assert_eq!(problem["ref"], "f");
    assert_eq!(refusal_of(&problem["problem"]), "404 not_found");
    assert_ne!(stage.look(&own["id"])["delivery"], "confirmed");
}

#[test]
fn a_bad_frame_gets_its_problem_and_the_socket_stays() {
    let stage = Stage::served();
    let mut socket = open(&stage);
    let mine = ask(&stage, &mut socket, "Which?");
    let before = stage.traces();
    let id = mine["id"].as_str().unwrap();
    let nobody = "01938d1e-7c1a-7e55-9a4e-3a0f6c1d2b3c";
    let good = question("Which?", &["A"]);
    let long = "a".repeat(1024 * 1024);
    let deep = format!(
        "{{\"do\":\"ask\",\"ref\":\"r\",\"ask\":{}",
        "[".repeat(100_000)
    );
    let table: Vec<(String, Value, &str)> = vec![
        ("not json".into(), json!(null), "400 bad_json"),
        ("[]".into(), json!(null), "422 invalid"),
        ("5".into(), json!(null), "422 invalid"),
        ("{}".into(), json!(null), "422 invalid /do"),
        (json!({"do": 5, "ref": "r"}).to_string(), json!("r"), "422 invalid /do"),
        (json!({"do": "ask", "ref": "r"}).to_string(), json!("r"), "422 invalid /ask"),
        (json!({"do": "ask", "ref": "r", "ask": {}}).to_string(), json!("r"), "422 invalid /ask/matter"),
        (json!({"do": "ask", "ref": "r", "ask": {"matter": "questions", "questions": [{"text": ""}]}}).to_string(), json!("r"), "422 invalid /ask/questions/0/text"),
        (json!({"do": "ask", "ref": "r", "ask": good, "nonsense": 1}).to_string(), json!("r"), "422 invalid /nonsense"),
        (json!({"do": "ask", "ref": 5, "ask": good}).to_string(), json!(null), "422 invalid /ref"),
        (json!({"do": "ask", "ref": "r", "key": "", "ask": good}).to_string(), json!("r"), "422 invalid /key"),
        ("{\"do\":\"confirm\",\"do\":\"confirm\",\"ref\":\"r\",\"id\":\"x\"}".into(), json!("r"), "422 invalid /do"),
        (json!({"do": "confirm", "ref": "r"}).to_string(), json!("r"), "422 invalid /id"),
        (json!({"do": "confirm", "ref": "r", "id": "x"}).to_string(), json!("r"), "422 invalid /id"),
        (json!({"do": "confirm", "ref": "r", "id": nobody}).to_string(), json!("r"), "404 not_found"),
        (json!({"do": "confirm", "ref": "r", "id": id}).to_string(), json!("r"), "422 invalid"),
        (json!({"do": "withdraw", "ref": "r", "id": nobody}).to_string(), json!("r"), "404 not_found"),
        (json!({"do": "withdraw", "ref": "r", "id": id, "note": 5}).to_string(), json!("r"), "422 invalid /note"),
        (json!({"do": "say", "ref": "r", "conversation": "", "text": "t"}).to_string(), json!("r"), "422 invalid /conversation"),
        (deep, json!(null), "400 bad_json"),
        (format!("{{\"do\":\"ask\",\"ref\":\"r\",\"ask\":\"{long}\"}}"), json!(null), "413 too_large"),
    ];
    for (frame, reference, refusal) in &table {
        socket.send_text(frame);
        let problem = socket.next_json();
        let shown = &frame[..frame.len().min(120)];
        assert_eq!(problem["event"], "problem", "{shown}");
        assert_eq!(&problem["ref"], reference, "{shown}: {problem}");
        assert_eq!(
            &refusal_of(&problem["problem"]),
            refusal,
            "{shown}: {problem}"
        );
    }
    socket.send_frame(0x82, b"{\"do\":\"confirm\"}");
    assert_eq!(refusal_of(&socket.next_json()["problem"]), "400 bad_json");
    // A name that nobody knows may be one of tomorrow's: it is passed over.
    socket.send(&json!({"do": "dance", "ref": "d"}));
    // What people do is not done here, whatever the frame says about itself.
    socket.send(
        &json!({"do": "answer", "ref": "a", "id": id, "digest": mine["digest"], "role": "person",
        "replies": [{"question": 0, "labels": ["A"]}]}),
    );
    socket.send_frame(0x89, b"ping");
    assert_eq!(stage.traces(), before);
    let closed = stage.answer(&mine, "A");
    assert_eq!(socket.next_json(), outcome_of(&closed));
}

#[test]
fn what_breaks_the_protocol_ends_only_that_socket() {
    let stage = Stage::served();
    let mut witness = open(&stage);
    let mine = ask(&stage, &mut witness, "Which?");
    let before = stage.traces();
    let three_mib = vec![b'a'; 3 * 1024 * 1024];
    let mut far_too_large = open(&stage);
    far_too_large.send_frame(0x81, &three_mib);
    let frames = far_too_large.rest(SOON);
    assert!(
        matches!(frames.as_slice(), [Frame::Closed(1009, _), ..]),
        "{frames:?}"
    );
    let known = "unknown frame type";
    for (head, payload, code, reason) in [
        (0x81, &b"\xff\xfe"[..], 1007, "text is not UTF-8"),
        (0x83, b"a frame of no known kind", 1002, known),
        (0xf1, b"bits", 1002, "extension was not negotiated"),
        (
            0x80,
            b"the rest of nothing",
            1002,
            "continuation frame without a message",
        ),
        (
            0x09,
            b"half",
            1002,
            "control frame is fragmented or too long",
        ),
        // Whoever says goodbye is told the same.
        (0x88, &[0x03, 0xe8], 1000, ""),
    ] {
        let mut socket = open(&stage);
        socket.send_frame(head, payload);
        let goodbye = Frame::Closed(code, reason.to_owned());
        assert_eq!(socket.rest(SOON), [goodbye], "{head:x}");
    }
    assert_eq!(stage.traces(), before);
    let closed = stage.answer(&mine, "A");
    assert_eq!(witness.next_json(), outcome_of(&closed));
}

#[test]
fn many_asks_at_once_each_get_their_own_reference_and_outcome() {
    let stage = Stage::served();
    let mut socket = open(&stage);
    let texts: Vec<String> = (0..200).map(|at| format!("Question {at}?")).collect();
    for text in &texts {
        socket.send(&json!({"do": "ask", "ref": text, "key": text, "ask": question(text, &["A"])}));
    }
    let mut ids = Vec::new();
    for _ in &texts {
        let asked = socket.next_json();
        assert_eq!(asked["event"], "asked", "{asked}");
        let ask = stage.look(&asked["id"]);
        assert_eq!(ask["questions"][0]["text"], asked["ref"]);
        ids.push(ask);
    }
    // The same again finds the same asks.
    for text in &texts {
        socket.send(&json!({"do": "ask", "ref": text, "key": text, "ask": question(text, &["A"])}));
    }
    let mut again: Vec<Value> = texts
        .iter()
        .map(|_| socket.next_json()["id"].take())
        .collect();
    let mut first: Vec<Value> = ids.iter().map(|ask| ask["id"].clone()).collect();
    again.sort_by_key(ToString::to_string);
    first.sort_by_key(ToString::to_string);
    assert_eq!(again, first);
    let mut wanted: Vec<Value> = ids
        .iter()
        .map(|ask| outcome_of(&stage.answer(ask, "A")))
        .collect();
    let mut heard: Vec<Value> = wanted.iter().map(|_| socket.next_json()).collect();
    wanted.sort_by_key(|event| event["id"].to_string());
    heard.sort_by_key(|event| event["id"].to_string());
    assert_eq!(heard, wanted);
}

#[test]
fn a_revoked_token_does_nothing_more_with_calls_that_are_half_sent() {
    let stage = Stage::served();
    let port = stage.port();
    let ask = stage.ask(&question("Which?", &["A", "B"]));
    let answer = json!({"digest": ask["digest"], "replies": [{"question": 0, "labels": ["A"]}]});
    let answer_at = format!("/v1/asks/{}/answer", ask["id"].as_str().unwrap());
    let rule = json!({"effect": "deny", "command": "rm"});
    let held = [
        ("agent", "/v1/asks".to_owned(), question("Mine?", &["A"])),
        ("person", answer_at, answer),
        ("person", "/v1/rules".to_owned(), rule),
        (
            "admin",
            "/v1/tokens".to_owned(),
            json!({"name": "back-door", "role": "admin"}),
        ),
    ];
    let held = held.map(|(role, target, body)| {
        let name = format!("{role}-{}", target.len());
        let call = Call::post(target)
            .token(&stage.new_token(role, &name))
            .json(&body);
        (name, call.hold(port))
    });
    for (name, send) in held {
        let gone = stage.by("admin", Call::new("DELETE", format!("/v1/tokens/{name}")));
        assert_eq!(gone.status, 204);
        assert_eq!(send().refusal(), "401 unauthorized", "{name}");
    }
    assert_eq!(stage.look(&ask["id"])["state"], "open");
    assert_eq!(
        stage.by("person", Call::get("/v1/rules")).with(200)["rules"],
        json!([])
    );
    let tokens = stage
        .by("admin", Call::get("/v1/tokens"))
        .with(200)
        .to_string();
    assert!(!tokens.contains("back-door"), "{tokens}");
}

#[test]
fn a_revoked_token_ends_its_sockets_streams_and_waits_at_once() {
    let stage = Stage::served();
    let (agent, person) = (
        stage.new_token("agent", "ci"),
        stage.new_token("person", "phone"),
    );
    let port = stage.port();
    let mine = stage
        .call(
            &Call::post("/v1/asks")
                .token(&agent)
                .json(&question("Which?", &["A"])),
        )
        .with(201);
    let at = format!("/v1/asks/{}?wait=50", mine["id"].as_str().unwrap());
    let ticket = |door: &str| {
        let made = Call::post("/v1/tickets").json(&json!({"for": door}));
        let made = stage.call(&made.token(&person)).with(201);
        made["ticket"].as_str().unwrap().to_owned()
    };
    let (unused, used) = (ticket("feed"), ticket("feed"));
    // The waits go first: by the time the sockets are open they are under way.
    let waits = [&agent, &person].map(|token| Call::get(at.as_str()).token(token).start(port));
    let socket = open_as(&stage, &agent, "");
    let feed = Socket::open(Call::get("/v1/feed").token(&person), port).unwrap();
    let by_ticket = Socket::open(Call::get(format!("/v1/feed?ticket={used}")), port).unwrap();
    let stream = Call::get("/v1/feed.sse").token(&person);
    let mut stream = super::socket::Events::open(&stream, port).unwrap();
    let revoke = |name: &str| {
        let gone = stage.by("admin", Call::new("DELETE", format!("/v1/tokens/{name}")));
        assert_eq!(gone.status, 204);
    };
    revoke("ci");
    revoke("phone");
    let begun = super::stage::begin();
    let bye = Frame::Closed(4001, "token revoked".to_owned());
    assert_eq!(socket.rest(SOON).pop(), Some(bye.clone()));
    assert_eq!(feed.rest(SOON).pop(), Some(bye.clone()));
    assert_eq!(by_ticket.rest(SOON).pop(), Some(bye));
    while stream.next().is_some() {}
    for mut wait in waits {
        let reply = Reply::read(&mut wait);
        assert_eq!(reply.refusal(), "401 unauthorized");
    }
    assert!(super::stage::waited(begun) < Duration::from_secs(2));
    let late = Socket::open(Call::get(format!("/v1/feed?ticket={unused}")), port).unwrap_err();
    assert_eq!(late.refusal(), "401 unauthorized");
    for token in [agent, person] {
        let reply = stage.call(&Call::get(at.as_str()).token(&token));
        assert_eq!(reply.refusal(), "401 unauthorized");
    }
    // What it asked is still there for people.
    stage.answer(&mine, "A");
}

#[test]
fn a_socket_without_a_name_hears_for_agents_that_ask_elsewhere_and_later() {
    let stage = Stage::served();
    let mut socket = open(&stage);
    for newcomer in ["first", "second"] {
        let mut new = question("Which?", &["A", "B"]);
        new["agent"] = json!(newcomer);
        let asked = stage.ask(&new);
        assert_eq!(stage.look(&asked["id"])["agent"]["connected"], true);
        let closed = stage.answer(&asked, "B");
        assert_eq!(socket.next_json(), outcome_of(&closed));
    }
    drop(socket);
    // A socket of one agent hears for that one alone.
    let mut mine = open_as(&stage, &stage.token("agent"), "?agent=mine");
    let mut new = question("Which?", &["A", "B"]);
    new["agent"] = json!("third");
    let asked = stage.ask(&new);
    stage.answer(&asked, "A");
    let own = ask(&stage, &mut mine, "Mine?");
    let closed = stage.answer(&own, "A");
    assert_eq!(mine.next_json(), outcome_of(&closed));
}

#[test]
fn an_ask_on_a_socket_with_a_name_is_of_that_agent_unless_it_names_another() {
    let stage = Stage::served();
    let mut socket = open_as(&stage, &stage.token("agent"), "?agent=coder");
    let own = ask(&stage, &mut socket, "Mine?");
    assert_eq!(own["agent"]["name"], "coder");
    let mut new = question("Theirs?", &["A"]);
    new["agent"] = json!("other");
    socket.send(&json!({"do": "ask", "ref": "o", "ask": new}));
    let asked = socket.next_json();
    let theirs = stage.look(&asked["id"]);
    assert_eq!(theirs["agent"]["name"], "other");
    // Both hear their outcomes here.
    for open in [own, theirs] {
        let closed = stage.answer(&open, "A");
        assert_eq!(socket.next_json(), outcome_of(&closed));
    }
}

#[test]
fn what_was_said_before_an_ask_stands_before_it_and_what_was_said_after_it_behind_it() {
    let stage = Stage::served();
    let mut socket = open_as(&stage, &stage.token("agent"), "?agent=coder");
    for n in 0..10 {
        socket.send(&json!({"do": "note", "conversation": "errand", "tool": "Bash", "text": format!("before {n}")}));
        let mut new = question(&format!("Which {n}?"), &["A"]);
        new["conversation"] = json!("errand");
        socket.send(&json!({"do": "ask", "key": format!("key-{n}"), "ask": new}));
    }
    wait_until("the asks", || {
        stage
            .by("person", Call::get("/v1/asks?state=open"))
            .with(200)["asks"]
            .as_array()
            .is_some_and(|asks| asks.len() == 10)
    });
    let entries = stage.by("person", Call::get("/v1/conversations/errand/entries"));
    let entries = entries.with(200);
    let kinds: Vec<&str> = entries["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["note", "ask"].repeat(10));
}
