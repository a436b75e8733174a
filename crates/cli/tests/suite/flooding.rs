//! Floods of strangers and of agents: each ends at its cap, and a person logs in, sees and answers
//! while it is on.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Stdio;

use serde_json::{Value, json};

use super::dialect_doors::uploading;
use super::raw::{Call, Reply, connect};
use super::socket::{Frame, Socket};
use super::stage::{PATIENCE, Stage, answering, question, wait_until};

pub(crate) const MIB: usize = 1024 * 1024;
pub(crate) const UPLOAD: &str = "/api/v1/files/upload";

/// A server with these settings.
pub(crate) fn served(settings: &[(&str, &str)]) -> Stage {
    let mut stage = Stage::empty();
    let mut command = stage.command(&["serve", "--listen", "127.0.0.1:0"]);
    command.envs(settings.iter().copied()).stderr(Stdio::null());
    stage.serve_by(command);
    stage
}

/// A device that logs in now; gives its token.
pub(crate) fn log_in(stage: &Stage, device: &str) -> String {
    let made = stage.by("admin", Call::post("/v1/logins").json(&json!({})));
    let redeem = json!({"code": made.with(201)["code"], "device": device});
    let entered = stage.call(&Call::post("/v1/logins/redeem").json(&redeem));
    entered.with(201)["token"].as_str().unwrap().to_owned()
}

/// A person opens the page, logs in, follows the feed, sees the ask and answers it.
pub(crate) fn person_works(stage: &Stage, ask: &Value, device: &str) {
    assert_eq!(stage.call(&Call::get("/")).status, 200);
    let token = log_in(stage, device);
    let mut feed = Socket::open(Call::get("/v1/feed").token(&token), stage.port()).unwrap();
    assert_eq!(feed.next_json()["event"], "ready");
    let list = stage.call(&Call::get("/v1/asks").token(&token)).with(200);
    assert!(list.to_string().contains(ask["id"].as_str().unwrap()));
    let closed = stage.call(&answering(ask, "A").token(&token)).with(200);
    assert_eq!(closed["state"], "closed");
    assert_eq!(feed.event("closed")["ask"]["id"], ask["id"]);
}

pub(crate) fn agent_sockets(
    stage: &Stage,
    token: &str,
    most: usize,
) -> (Vec<Socket>, Option<Reply>) {
    let mut open = Vec::new();
    for _ in 0..most {
        match Socket::open(Call::get("/v1/agent").token(token), stage.port()) {
            Ok(socket) => open.push(socket),
            Err(refused) => return (open, Some(refused)),
        }
    }
    (open, None)
}

#[test]
fn an_agent_that_takes_every_connection_it_gets_leaves_room_for_everyone_else() {
    let stage = served(&[("SAYSO_CONNECTIONS", "300")]);
    let ask = stage.ask(&question("Which?", &["A"]));
    let (flood, refused) = agent_sockets(&stage, &stage.token("agent"), 300);
    let refused = refused.unwrap();
    assert_eq!(refused.refusal(), "429 slow_down");
    assert_eq!(refused.header("retry-after"), Some("5"));
    assert_eq!(flood.len(), 75);
    person_works(&stage, &ask, "phone");
    // A second token gets its own, up to what one address may have.
    let other = stage.new_token("agent", "other");
    let (more, refused) = agent_sockets(&stage, &other, 300);
    assert_eq!(more.len(), 37);
    assert_eq!(refused.unwrap().refusal(), "429 slow_down");
    let ask = question("Still there?", &["A"]);
    let asked = stage.call(&Call::post("/v1/asks").token(&other).json(&ask));
    assert_eq!(asked.refusal(), "429 slow_down", "an agent has no reserve");
    drop(more);
    let mut asked = None;
    wait_until("room comes back", || {
        let reply = stage.call(&Call::post("/v1/asks").token(&other).json(&ask));
        asked = (reply.status == 201).then(|| reply.with(201));
        asked.is_some()
    });
    person_works(&stage, &asked.unwrap(), "tablet");
    drop(flood);
}

#[test]
fn strangers_make_room_for_each_other_and_for_nobody_else() {
    let stage = served(&[("SAYSO_CONNECTIONS", "64")]);
    let port = stage.port();
    let ask = stage.ask(&question("Which?", &["A"]));
    let person = stage.token("person");
    let mut feed = Socket::open(Call::get("/v1/feed").token(&person), port).unwrap();
    assert_eq!(feed.next_json()["event"], "ready");
    let mut agent = agent_sockets(&stage, &stage.token("agent"), 1).0.remove(0);
    // More than there are connections, in every state before a token: silent, half a head, half a
    // body, and a socket that is to sign in.
    let mut flood: Vec<TcpStream> = Vec::new();
    for at in 0..200 {
        let mut stream = connect(port);
        let said = match at % 4 {
            0 => String::new(),
            1 => "GET / HTTP/1.1\r\nHost: ".to_owned(),
            2 => format!(
                "POST /v1/logins/redeem HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 99\r\n\r\n{{"
            ),
            _ => {
                flood.push(Call::get("/ws").upgrade().start(port));
                continue;
            }
        };
        // It may have been closed already, which is what this is about.
        drop(stream.write_all(said.as_bytes()));
        flood.push(stream);
    }
    person_works(&stage, &ask, "phone");
    // Whoever had a token before is still there.
    assert_eq!(feed.event("closed")["ask"]["id"], ask["id"]);
    agent.send(&json!({"do": "ask", "ref": "1", "ask": question("And now?", &["A"])}));
    assert_eq!(agent.event("asked")["ref"], "1");
    assert_eq!(feed.event("asked")["event"], "asked");
    drop(flood);
}

/// The most memory that the server ever had, in bytes.
pub(crate) fn memory(stage: &Stage) -> usize {
    let status = format!("/proc/{}/status", stage.pid().as_raw_nonzero());
    let status = fs::read_to_string(status).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.unwrap().trim().trim_end_matches(" kB");
    kib.parse::<usize>().unwrap() * 1024
}

#[test]
fn what_strangers_send_takes_little_memory() {
    let stage = served(&[]);
    let port = stage.port();
    let ask = stage.ask(&question("Which?", &["A"]));
    // What is loaded once does not count.
    drop(Socket::open(Call::get("/ws"), port).unwrap());
    assert_eq!(stage.call(&Call::get("/")).status, 200);
    let before = memory(&stage);
    let mut sockets: Vec<Socket> = Vec::new();
    for _ in 0..300 {
        let mut socket = Socket::open(Call::get("/ws"), port).unwrap();
        socket.send_frame(0x01, &vec![b'x'; 2 * MIB - 100]);
        sockets.push(socket);
    }
    // Bodies of which most comes and the end does not.
    let mut bodies: Vec<TcpStream> = Vec::new();
    for at in 0..500 {
        let path = ["/v1/logins/redeem", "/api/v1/providers/pair/redeem", "/mcp"][at % 3];
        let mut stream = connect(port);
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {MIB}\r\n\r\n"
        );
        drop(stream.write_all(head.as_bytes()));
        drop(stream.write_all(&vec![b' '; MIB - 1]));
        bodies.push(stream);
    }
    person_works(&stage, &ask, "phone");
    let grown = memory(&stage).saturating_sub(before);
    assert!(grown < 48 * MIB, "{} MiB", grown / MIB);
    drop((sockets, bodies));
}

#[test]
fn viewers_that_do_not_read_are_cut_and_take_little_memory() {
    let stage = served(&[("SAYSO_ASKS_PER_MINUTE", "0")]);
    let port = stage.port();
    let person = stage.token("person");
    let view = || Socket::open(Call::get("/v1/feed").token(&person), port).unwrap();
    let mut reading = view();
    let stalled: Vec<Socket> = (0..40).map(|_| view()).collect();
    let before = memory(&stage);
    // Enough to fill what the system buffers for each, then more events than may wait behind that.
    let mut large = question("Large?", &["A"]);
    large["questions"][0]["choices"][0]["preview"] = json!("x".repeat(100_000));
    for at in 0..300 {
        let new = if at < 40 {
            large.clone()
        } else {
            question("Small?", &["A"])
        };
        let id = stage.ask(&new)["id"].as_str().unwrap().to_owned();
        while !reading.next_text().contains(&id) {}
    }
    let grown = memory(&stage).saturating_sub(before);
    assert!(grown < 48 * MIB, "{} MiB", grown / MIB);
    let ask = stage.ask(&question("Which?", &["A"]));
    let token = log_in(&stage, "phone");
    stage.call(&answering(&ask, "A").token(&token)).with(200);
    assert_eq!(reading.event("closed")["ask"]["id"], ask["id"]);
    for mut viewer in stalled {
        let mut cursor = 0;
        let reason = loop {
            match viewer.next() {
                Frame::Text(text) => {
                    let frame: Value = serde_json::from_str(&text).unwrap();
                    cursor = frame["seq"].as_u64().unwrap_or(cursor);
                }
                Frame::Closed(1013, reason) => break reason,
                // One that has taken nothing for ten seconds is gone without a word.
                Frame::Ended => break format!("behind; resume with after={cursor}"),
                Frame::Closed(code, reason) => panic!("{code} {reason}"),
            }
        };
        assert_eq!(reason, format!("behind; resume with after={cursor}"));
    }
}

#[test]
fn wrong_codes_leave_the_codes_of_others_good() {
    let stage = served(&[("SAYSO_PROXY", "127.0.0.1")]);
    let redeem = |from: u32, path: &str, code: &str| {
        let call = Call::post(path).json(&json!({"code": code}));
        stage.call(&call.header("X-Forwarded-For", format!("10.0.0.{from}")))
    };
    let logins = "/v1/logins/redeem";
    let pairing = "/api/v1/providers/pair/redeem";
    let made = |path: &str, body: &Value| {
        let made = stage.by("admin", Call::post(path).json(body)).with(201);
        made["code"].as_str().unwrap().to_owned()
    };
    let log_in = made("/v1/logins", &json!({}));
    let pair = made("/v1/pairings", &json!({"dialect": "whimmy"}));
    for at in 0..200 {
        let refused = redeem(1, logins, "say_code_guess").status;
        assert_eq!(refused, if at < 10 { 401 } else { 429 });
    }
    for _ in 0..200 {
        let refused = redeem(1, pairing, "guess").status;
        assert!([403, 429].contains(&refused), "{refused}");
    }
    // A code to log in cannot be guessed, so it is good from the same address too.
    assert_eq!(redeem(1, logins, &log_in).status, 201);
    let waits = redeem(1, pairing, &pair);
    assert_eq!(waits.status, 429, "six digits can be guessed");
    assert!(waits.header("retry-after").is_some());
    assert_eq!(redeem(2, pairing, &pair).status, 200);
}

#[test]
fn an_agent_that_talks_without_end_is_slowed_and_nobody_else() {
    let stage = served(&[("SAYSO_BYTES_PER_MINUTE", "300000")]);
    let ask = stage.ask(&question("Which?", &["A"]));
    let text = "x".repeat(100_000);
    for frame in [
        json!({"do": "say", "ref": "f", "conversation": "c", "text": text, "done": true}),
        json!({"do": "note", "ref": "f", "conversation": "c", "tool": "t", "text": text, "status": "done"}),
        json!({"do": "say", "ref": "f", "conversation": "c", "text": text, "done": false}),
    ] {
        let name = format!("flood {}", frame["do"].as_str().unwrap());
        let token = stage.new_token("agent", &format!("{name} {}", frame["done"]));
        let mut socket = agent_sockets(&stage, &token, 1).0.remove(0);
        for _ in 0..5 {
            socket.send(&frame);
        }
        let problem = socket.event("problem");
        assert_eq!(problem["problem"]["code"], "slow_down", "{name}: {problem}");
        let head = stage.by("person", Call::get("/v1/health")).with(200)["head"].clone();
        assert!(head.as_u64().unwrap() < 60, "{head}");
    }
    // Asks count as well.
    let mut large = question("Large?", &["A"]);
    large["questions"][0]["choices"][0]["preview"] = json!(text);
    let token = stage.new_token("agent", "large");
    let statuses: Vec<u16> = (0..5)
        .map(|_| Call::post("/v1/asks").token(&token).json(&large))
        .map(|call| stage.call(&call).status)
        .collect();
    assert_eq!((statuses[0], statuses[4]), (201, 429), "{statuses:?}");
    stage.ask(&question("Another token?", &["A"]));
    person_works(&stage, &ask, "phone");
}

#[test]
fn conversations_are_counted_for_each_token() {
    let mut stage = served(&[("SAYSO_CONVERSATIONS_PER_TOKEN", "3")]);
    let ask_in = |stage: &Stage, token: &str, name: &str| {
        let mut ask = question("Which?", &["A"]);
        ask["conversation"] = json!(name);
        stage.call(&Call::post("/v1/asks").token(token).json(&ask))
    };
    let token = stage.new_token("agent", "flood");
    for name in ["a", "b", "c", "a"] {
        assert_eq!(ask_in(&stage, &token, name).status, 201);
    }
    let refused = ask_in(&stage, &token, "d");
    assert_eq!(refused.refusal(), "429 slow_down");
    assert!(refused.header("retry-after").is_some());
    assert_eq!(ask_in(&stage, &token, "b").status, 201, "one that is there");
    let asked = ask_in(&stage, &stage.token("agent"), "d").with(201);
    person_works(&stage, &asked, "phone");
    // The count is the same after a restart.
    stage.kill();
    let mut command = stage.command(&["serve", "--listen", "127.0.0.1:0"]);
    command.env("SAYSO_CONVERSATIONS_PER_TOKEN", "3");
    stage.serve_by(command);
    assert_eq!(ask_in(&stage, &token, "d").refusal(), "429 slow_down");
    assert_eq!(ask_in(&stage, &token, "c").status, 201);
}

/// As many uploads as a token may have at once, each stalled after its head.
pub(crate) fn stalled_uploads(stage: &Stage, token: &str) -> Vec<TcpStream> {
    let stalled = (0..4).map(|_| {
        let mut stream = connect(stage.port());
        let head = format!(
            "POST {UPLOAD} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: multipart/form-data; boundary=edge\r\nContent-Length: 5000\r\nExpect: 100-continue\r\n\r\n",
            stage.port()
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut reply = [0; 12];
        stream.read_exact(&mut reply).unwrap();
        assert_eq!(&reply, b"HTTP/1.1 100");
        stream
    });
    stalled.collect()
}

#[test]
fn uploads_stall_and_make_room_only_for_their_own_token() {
    let stage = served(&[]);
    let ask = stage.ask(&question("Which?", &["A"]));
    let upload = |token: &str, text: &str| {
        let call = uploading(Call::post(UPLOAD), "a.txt", "text/plain", text.as_bytes());
        stage.call(&call.token(token))
    };
    let own = stage.token("agent");
    let mine = upload(&own, "mine").with(200);
    let flood = stage.new_token("agent", "flood");
    let stalled = stalled_uploads(&stage, &flood);
    assert_eq!(upload(&flood, "more").refusal(), "429 slow_down");
    upload(&own, "mine too").with(200);
    person_works(&stage, &ask, "phone");
    drop(stalled);
    wait_until("a stalled upload goes", || {
        upload(&flood, "more").status == 200
    });
    for _ in 0..501 {
        upload(&flood, "x").with(200);
    }
    let kept = fs::read_dir(stage.state().join("files")).unwrap().count();
    assert_eq!(kept, 2 * (500 + 2), "with what is said about each");
    let target = format!("/v1/files/{}", mine["id"].as_str().unwrap());
    assert_eq!(stage.by("person", Call::get(target)).text(), "mine");
}

fn token_row(stage: &Stage, name: &str) -> Option<Value> {
    let tokens = stage.by("admin", Call::get("/v1/tokens")).with(200);
    let mut rows = tokens["tokens"].as_array().unwrap().iter();
    rows.find(|row| row["name"] == name).cloned()
}

fn until_gone(stage: &Stage, name: &str) {
    wait_until("a device expires", || token_row(stage, name).is_none());
}

#[test]
fn a_device_that_is_too_old_is_logged_out_and_its_sockets_end() {
    let mut stage = served(&[("SAYSO_TOKENS_MAX_AGE", "3s")]);
    let token = log_in(&stage, "phone");
    let row = token_row(&stage, "phone").unwrap();
    assert!(row["expires_at"].is_string(), "{row}");
    let listed = stage.run(&["token", "list"]).data;
    let phone = listed.lines().find(|line| line.contains("phone")).unwrap();
    assert!(phone.contains("in ") && phone.ends_with(" s"), "{listed}");
    // The server's own tokens stay.
    assert_eq!(
        token_row(&stage, "shell").unwrap()["expires_at"],
        Value::Null
    );
    let feed = Socket::open(Call::get("/v1/feed").token(&token), stage.port()).unwrap();
    let last = feed.rest(PATIENCE).pop();
    assert_eq!(last, Some(Frame::Closed(4001, "token revoked".to_owned())));
    let out = |stage: &Stage| stage.call(&Call::get("/v1/asks").token(&token)).refusal();
    assert_eq!(out(&stage), "401 unauthorized");
    until_gone(&stage, "phone");
    stage.kill();
    stage.serve();
    assert_eq!(out(&stage), "401 unauthorized", "without the setting too");
    assert_eq!(stage.run(&["inbox"]).code, Some(0));
}

#[test]
fn a_device_that_nobody_uses_is_logged_out_and_one_with_an_open_page_is_not() {
    let stage = served(&[("SAYSO_TOKENS_IDLE", "2s")]);
    let token = log_in(&stage, "tablet");
    let mut feed = Socket::open(Call::get("/v1/feed").token(&token), stage.port()).unwrap();
    assert_eq!(feed.next_json()["event"], "ready");
    // Made later and used by nobody, so it goes first or not at all.
    log_in(&stage, "phone");
    until_gone(&stage, "phone");
    log_in(&stage, "watch");
    until_gone(&stage, "watch");
    assert!(token_row(&stage, "tablet").is_some());
    let ask = stage.ask(&question("Which?", &["A"]));
    assert_eq!(feed.event("asked")["ask"]["id"], ask["id"]);
    let answered = stage.call(&answering(&ask, "A").token(&token));
    assert_eq!(answered.status, 200);
}
