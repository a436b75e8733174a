//! The feed by socket and by stream: in order, without gap or repeat, across cuts and restarts.

use std::time::Duration;

use serde_json::{Value, json};

use super::raw::{Call, Reply, refusal_of};
use super::socket::{Events, Frame, Socket};
use super::stage::{Stage, answering, question};

fn open(stage: &Stage, query: &str) -> Socket {
    let call = Call::get(format!("/v1/feed{query}")).token(&stage.token("person"));
    Socket::open(call, stage.port()).unwrap()
}

/// An event that tells of an ask.
fn told(frame: &Value, event: &str, ask: &Value) -> u64 {
    let seq = frame["seq"].as_u64().unwrap();
    let at = frame["at"].as_str().unwrap();
    assert_eq!(
        frame,
        &json!({"seq": seq, "at": at, "event": event, "ask": ask})
    );
    seq
}

/// The same without what may change between two looks: whether the agent is here, and what is
/// known of the delivery.
fn settled(mut frame: Value) -> Value {
    if let Some(ask) = frame.get_mut("ask") {
        ask["agent"]["connected"] = Value::Null;
        ask["delivery"] = Value::Null;
    }
    frame
}

fn is_ready(stage: &Stage, seq: u64) -> Value {
    let epoch = stage.by("admin", Call::get("/v1/health")).with(200)["epoch"].clone();
    json!({"event": "ready", "seq": seq, "epoch": epoch, "person": "ann", "device": "terminal"})
}

#[test]
fn what_happens_is_told_in_order() {
    let stage = Stage::served();
    let mut feed = open(&stage, "");
    let ready = feed.news();
    let start = ready["seq"].as_u64().unwrap();
    assert_eq!(ready, is_ready(&stage, start));
    let ask = stage.ask(&question("Which?", &["A"]));
    let asked = told(&feed.news(), "asked", &ask);
    assert!(asked > start);
    let closed = stage.answer(&ask, "A");
    let over = told(&feed.news(), "closed", &closed);
    assert!(over > asked);
    let confirm = format!("/v1/asks/{}/confirm", ask["id"].as_str().unwrap());
    assert_eq!(stage.by("agent", Call::post(confirm)).status, 200);
    let delivery = feed.news();
    assert_eq!(delivery["event"], "delivery", "{delivery}");
    assert!(delivery.to_string().contains(ask["id"].as_str().unwrap()));
    assert!(delivery.to_string().contains("confirmed"), "{delivery}");
    assert!(delivery["seq"].as_u64().unwrap() > over);
    // An agent that comes and goes is told too; that is no event of the journal.
    let agent = Call::get("/v1/agent").token(&stage.token("agent"));
    let socket = Socket::open(agent, stage.port()).unwrap();
    let here = feed.event("agent");
    assert_eq!(
        (&here["agent"]["name"], &here["agent"]["connected"]),
        (&json!("shell"), &json!(true))
    );
    drop(socket);
    assert_eq!(feed.event("agent")["agent"]["connected"], false);
}

#[test]
fn a_cursor_goes_on_without_gap_or_repeat_across_kills() {
    let mut stage = Stage::served();
    let mut whole = Vec::new();
    let mut cursor = open(&stage, "").next_json()["seq"].as_u64().unwrap();
    let start = cursor;
    let mut asks = Vec::new();
    for round in 0..4 {
        let mut feed = open(&stage, &format!("?after={cursor}"));
        assert_eq!(feed.news(), is_ready(&stage, cursor));
        // What happened while nobody listened comes first.
        let missed: Vec<Value> = std::mem::take(&mut asks);
        for ask in &missed {
            let frame = feed.news();
            assert_eq!(frame["ask"]["id"], ask["id"], "round {round}");
            whole.push(frame);
        }
        let live = stage.ask(&question(&format!("Live {round}?"), &["A"]));
        let frame = feed.news();
        cursor = told(&frame, "asked", &live);
        whole.push(frame);
        drop(feed);
        for at in 0..3 {
            asks.push(stage.ask(&question(&format!("Missed {round} {at}?"), &["A"])));
        }
        if round % 2 == 0 {
            stage.kill();
            stage.serve();
        }
    }
    // From the start, all of it comes once more, the same and in the same order.
    let mut feed = open(&stage, &format!("?after={start}"));
    assert_eq!(feed.news(), is_ready(&stage, start));
    let again: Vec<Value> = whole.iter().map(|_| settled(feed.news())).collect();
    let whole: Vec<Value> = whole.into_iter().map(settled).collect();
    assert_eq!(again, whole);
    let seqs: Vec<u64> = whole
        .iter()
        .map(|frame| frame["seq"].as_u64().unwrap())
        .collect();
    assert!(seqs.windows(2).all(|two| two[0] < two[1]), "{seqs:?}");
}

#[test]
fn a_cursor_of_another_life_is_reset() {
    let stage = Stage::served();
    let mut feed = open(&stage, "?after=999999999");
    let reset = feed.news();
    let head = reset["seq"].as_u64().unwrap();
    assert_eq!(reset, json!({"event": "reset", "seq": head}));
    assert_eq!(feed.news(), is_ready(&stage, head));
    let ask = stage.ask(&question("Which?", &["A"]));
    assert!(told(&feed.news(), "asked", &ask) > head);
    let call = Call::get("/v1/feed.sse")
        .header("Last-Event-ID", "999999999")
        .token(&stage.token("person"));
    let mut stream = Events::open(&call, stage.port()).unwrap();
    assert_eq!(stream.next().unwrap().1["event"], "reset");
}

#[test]
fn a_device_answers_on_the_socket_and_the_second_gets_the_winner() {
    let stage = Stage::served();
    let other = stage.new_token("person", "phone");
    let mut terminal = open(&stage, "");
    let mut phone = Socket::open(Call::get("/v1/feed").token(&other), stage.port()).unwrap();
    terminal.event("ready");
    phone.event("ready");
    let ask = stage.ask(&question("Which?", &["A", "B"]));
    let id = &ask["id"];
    let answer = |label: &str, reference: &str| {
        json!({"do": "answer", "ref": reference, "id": id, "digest": ask["digest"],
            "replies": [{"question": 0, "labels": [label]}]})
    };
    terminal.send(&answer("A", "t"));
    let done = terminal.event("done");
    let closed = stage.look(id);
    assert_eq!(done, json!({"event": "done", "ref": "t", "ask": closed}));
    assert_eq!(
        closed["outcome"]["by"],
        json!({"person": "ann", "device": "terminal"})
    );
    phone.send(&answer("B", "p"));
    let problem = phone.event("problem");
    assert_eq!(problem["ref"], "p");
    assert_eq!(refusal_of(&problem["problem"]), "409 already_closed");
    assert_eq!(problem["problem"]["ask"], closed);
    let detail = problem["problem"]["detail"].as_str().unwrap();
    assert!(
        detail.starts_with("ann answered A on terminal "),
        "{detail}"
    );
    // Both devices were told, each in order.
    for device in [&mut terminal, &mut phone] {
        let frame = json!({"do": "dismiss", "ref": "end", "id": id, "digest": ask["digest"]});
        device.send(&frame);
        assert_eq!(device.event("problem")["ref"], "end");
    }
    let ask = stage.ask(&question("Put aside?", &["A"]));
    phone.send(&json!({"do": "dismiss", "ref": "d", "id": ask["id"], "digest": ask["digest"], "note": "later"}));
    let done = phone.event("done");
    assert_eq!(done["ask"]["outcome"]["kind"], "dismissed");
    assert_eq!(done["ask"]["outcome"]["note"], "later");
    assert_eq!(
        done["ask"]["outcome"]["by"],
        json!({"person": "ann", "device": "phone"})
    );
}

#[test]
fn a_bad_frame_of_a_device_gets_its_problem_and_the_socket_stays() {
    let stage = Stage::served();
    let ask = stage.ask(&question("Which?", &["A"]));
    let (id, digest) = (&ask["id"], &ask["digest"]);
    let mut feed = open(&stage, "");
    feed.event("ready");
    let before = stage.traces();
    let replies = json!([{"question": 0, "labels": ["A"]}]);
    let wrong = format!("sha256:{}", "0".repeat(64));
    let long = "a".repeat(1024 * 1024);
    let table: Vec<(String, Value, &str)> = vec![
        ("nonsense".into(), json!(null), "400 bad_json"),
        ("{}".into(), json!(null), "422 invalid /do"),
        (json!({"do": "answer", "ref": "r", "id": id, "replies": replies}).to_string(), json!("r"), "422 invalid /digest"),
        (json!({"do": "answer", "ref": "r", "id": id, "digest": wrong, "replies": replies}).to_string(), json!("r"), "409 digest_mismatch"),
        (json!({"do": "answer", "ref": "r", "id": "x", "digest": digest, "replies": replies}).to_string(), json!("r"), "422 invalid /id"),
        (json!({"do": "answer", "ref": "r", "id": id, "digest": digest, "replies": [{"question": 7, "labels": ["A"]}]}).to_string(), json!("r"), "422 invalid /replies/0/question"),
        (json!({"do": "answer", "ref": "r", "id": id, "digest": digest, "replies": replies, "by": "bob"}).to_string(), json!("r"), "422 invalid /by"),
        (json!({"do": "dismiss", "ref": "r", "id": id, "digest": wrong}).to_string(), json!("r"), "409 digest_mismatch"),
        (json!({"do": "dismiss", "ref": "r", "id": id, "digest": digest, "note": 5}).to_string(), json!("r"), "422 invalid /note"),
        (format!("{{\"do\":\"dismiss\",\"ref\":\"r\",\"note\":\"{long}\"}}"), json!(null), "413 too_large"),
    ];
    for (frame, reference, refusal) in &table {
        feed.send_text(frame);
        let problem = feed.news();
        let shown = &frame[..frame.len().min(120)];
        assert_eq!(problem["event"], "problem", "{shown}");
        assert_eq!(&problem["ref"], reference, "{shown}: {problem}");
        assert_eq!(
            &refusal_of(&problem["problem"]),
            refusal,
            "{shown}: {problem}"
        );
    }
    feed.send_frame(0x82, b"binary");
    assert_eq!(refusal_of(&feed.news()["problem"]), "400 bad_json");
    feed.send(&json!({"do": "dance", "ref": "d"}));
    feed.send(&json!({"do": "ask", "ref": "a", "ask": question("Mine?", &["A"])}));
    assert_eq!(stage.traces(), before);
    let closed = stage.answer(&ask, "A");
    told(&feed.news(), "closed", &closed);
}

#[test]
fn a_feed_of_one_agent_or_conversation_tells_only_of_it() {
    let stage = Stage::served();
    let new = |text: &str, agent: &str, conversation: &str| {
        let mut new = question(text, &["A"]);
        new["agent"] = json!(agent);
        new["conversation"] = json!(conversation);
        new
    };
    stage.ask(&new("First?", "coder", "c-1"));
    stage.ask(&new("Second?", "tester", "c-2"));
    let (mut coder, mut second) = (
        open(&stage, "?agent=coder"),
        open(&stage, "?conversation=c-2"),
    );
    coder.event("ready");
    second.event("ready");
    let theirs = stage.ask(&new("Third?", "tester", "c-2"));
    let own = stage.ask(&new("Fourth?", "coder", "c-1"));
    assert_eq!(coder.event("asked")["ask"]["id"], own["id"]);
    assert_eq!(second.event("asked")["ask"]["id"], theirs["id"]);
}

#[test]
fn a_stream_resumes_from_the_last_event() {
    let mut stage = Stage::served();
    let call = |stage: &Stage| Call::get("/v1/feed.sse").token(&stage.token("person"));
    let mut stream = Events::open(&call(&stage), stage.port()).unwrap();
    let (start, ready) = stream.next().unwrap();
    assert_eq!(ready, is_ready(&stage, start));
    let first = stage.ask(&question("One?", &["A"]));
    let (seq, event) = stream.next().unwrap();
    assert_eq!(told(&event, "asked", &first), seq);
    drop(stream);
    let second = stage.ask(&question("Two?", &["A"]));
    let closed = stage.answer(&first, "A");
    stage.kill();
    stage.serve();
    let resume = call(&stage).header("Last-Event-ID", seq.to_string());
    let mut stream = Events::open(&resume, stage.port()).unwrap();
    assert_eq!(stream.next().unwrap(), (seq, is_ready(&stage, seq)));
    let (two, event) = stream.next().unwrap();
    assert_eq!(event["event"], "asked");
    assert_eq!(event["ask"]["id"], second["id"]);
    let (three, event) = stream.next().unwrap();
    assert_eq!(event["event"], "closed");
    assert_eq!(event["ask"]["outcome"], closed["outcome"]);
    assert!(seq < two && two < three);
    // The server's end is the stream's end.
    stage.terminate();
    while stream.next().is_some() {}
    assert_eq!(stage.ended().0, Some(0));
}

#[test]
fn a_ticket_is_good_once_and_at_its_door() {
    let stage = Stage::served();
    let ticket = |door: &str| {
        let made = stage
            .by(
                "person",
                Call::post("/v1/tickets").json(&json!({"for": door})),
            )
            .with(201);
        made["ticket"].as_str().unwrap().to_owned()
    };
    let feed =
        |ticket: &str| Socket::open(Call::get(format!("/v1/feed?ticket={ticket}")), stage.port());
    let sse = |ticket: &str| {
        Events::open(
            &Call::get(format!("/v1/feed.sse?ticket={ticket}")),
            stage.port(),
        )
    };
    let one = ticket("feed");
    let mut socket = feed(&one).unwrap();
    socket.event("ready");
    assert_eq!(feed(&one).unwrap_err().refusal(), "401 unauthorized");
    // It carries the person who got it, and answers as them.
    let ask = stage.ask(&question("Which?", &["A"]));
    socket.send(
        &json!({"do": "answer", "ref": "r", "id": ask["id"], "digest": ask["digest"],
        "replies": [{"question": 0, "labels": ["A"]}]}),
    );
    let done = socket.event("done");
    assert_eq!(
        done["ask"]["outcome"]["by"],
        json!({"person": "ann", "device": "terminal"})
    );

    let two = ticket("sse");
    assert_eq!(feed(&two).unwrap_err().refusal(), "401 unauthorized");
    assert_eq!(sse(&two).unwrap_err().refusal(), "401 unauthorized");
    assert_eq!(
        sse(&ticket("sse")).unwrap().next().unwrap().1["event"],
        "ready"
    );
    // A ticket opens no other address, and an agent gets none.
    let three = ticket("feed");
    for target in ["/v1/agent", "/v1/asks", "/v1/health"] {
        let call = Call::get(format!("{target}?ticket={three}"));
        assert_eq!(stage.call(&call).refusal(), "401 unauthorized", "{target}");
    }
    for door in ["agent", "whimmy", "nothing"] {
        let call = Call::post("/v1/tickets").json(&json!({"for": door}));
        assert_eq!(stage.by("person", call).refusal(), "422 invalid /for");
    }
}

#[test]
fn a_wait_ends_when_the_ask_does() {
    let stage = Stage::served();
    let port = stage.port();
    let ask = stage.ask(&question("Which?", &["A"]));
    let at = format!("/v1/asks/{}", ask["id"].as_str().unwrap());
    let waits = ["agent", "person"].map(|role| {
        Call::get(format!("{at}?wait=50"))
            .token(&stage.token(role))
            .start(port)
    });
    let begun = super::stage::begin();
    let closed = stage.answer(&ask, "A");
    for mut wait in waits {
        let reply = Reply::read(&mut wait).with(200);
        assert_eq!(reply["outcome"], closed["outcome"]);
    }
    assert!(super::stage::waited(begun) < Duration::from_secs(5));
    // A wait for something that does not happen ends with the ask as it is.
    let ask = stage.ask(&question("Which?", &["A"]));
    let at = format!("/v1/asks/{}?wait=1", ask["id"].as_str().unwrap());
    for role in ["agent", "person"] {
        let begun = super::stage::begin();
        assert_eq!(
            stage.by(role, Call::get(at.as_str())).with(200)["state"],
            "open"
        );
        assert!(super::stage::waited(begun) >= Duration::from_millis(900));
    }
}

#[test]
fn a_device_that_does_not_read_is_cut_and_holds_nobody_up() {
    let mut stage = Stage::empty();
    let mut command = stage.command(&["serve", "--listen", "127.0.0.1:0"]);
    command
        .env("SAYSO_ASKS_PER_MINUTE", "0")
        .stderr(std::process::Stdio::null());
    stage.serve_by(command);
    let mut stalled = open(&stage, "");
    let start = stalled.next_json()["seq"].as_u64().unwrap();
    let mut reading = open(&stage, "");
    // First more than the buffers of a connection hold, then more events than may wait behind them.
    let text = "x".repeat(100_000);
    let mut last = Value::Null;
    for at in 0..420 {
        let mut new = question(&format!("{at}?"), &["A"]);
        if at < 110 {
            new["questions"][0]["choices"][0]["preview"] = json!(text);
        }
        last = stage.ask(&new);
        let id = last["id"].as_str().unwrap();
        while !reading.next_text().contains(id) {}
    }
    let mut cursor = start;
    loop {
        match stalled.next() {
            Frame::Text(text) => {
                let frame: Value = serde_json::from_str(&text).unwrap();
                cursor = frame["seq"].as_u64().unwrap_or(cursor);
            }
            Frame::Closed(code, reason) => {
                assert_eq!(code, 1013, "{reason}");
                assert_eq!(reason, format!("behind; resume with after={cursor}"));
                break;
            }
            Frame::Ended => break,
        }
    }
    let mut resumed = open(&stage, &format!("?after={cursor}"));
    assert_eq!(resumed.next_json(), is_ready(&stage, cursor));
    let mut count = 0;
    loop {
        let frame = resumed.event("asked");
        count += 1;
        if frame["ask"]["id"] == last["id"] {
            break;
        }
    }
    assert!(count > 0);
    let answer = answering(&last, "A").token(&stage.token("person"));
    assert_eq!(stage.call(&answer).status, 200);
}
