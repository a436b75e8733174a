//! Marked secrets go in everywhere, with the log at its loudest; then everything that is left
//! behind is searched for them.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use sayso_dialects::Way;
use serde_json::{Value, json};

use super::dialect_doors::doors;
use super::raw::Call;
use super::socket::{Events, Socket};
use super::stage::{Stage, question};

/// What a person typed into a field that is secret.
const FORM_SECRET: &str = "canary-form-secret-8d1f";
/// The files that hold a token on purpose.
const LOCAL: [&str; 3] = ["/agent.token", "/person.token", "/admin.token"];
/// Tokens and the like that were never good.
const WRONG: [&str; 5] = [
    "say_person_canary-wrong-token-77aa",
    "canary-query-token-51c2",
    "say_code_canary-wrong-code-93bb",
    "say_ticket_canary-wrong-ticket-60dd",
    "canary-basic-40ee",
];

/// A token in the address of a door that takes one there, and a code; never good either.
const WRONG_AT_DOORS: [&str; 2] = [
    "say_agent_canary-wrong-door-19ff",
    "canary-wrong-pairing-28aa",
];

#[test]
fn no_secret_is_left_anywhere() {
    let mut stage = Stage::empty();
    let log = stage.path("server.log");
    let mut command = stage.command(&["serve", "--listen", "127.0.0.1:0"]);
    command
        .env("SAYSO_LOG", "trace")
        .env("SAYSO_LOG_FORMAT", "json")
        .stderr(Stdio::from(fs::File::create(&log).unwrap()));
    stage.serve_by(command);
    let port = stage.port();
    let mut secrets: Vec<String> = ["agent", "person", "admin"]
        .map(|role| stage.token(role))
        .to_vec();
    // What the API says back, apart from the replies that hand a secret over.
    let mut said: Vec<String> = Vec::new();
    let mut keep = |reply: super::raw::Reply| {
        said.push(format!("{:?}", reply.headers));
        said.push(String::from_utf8_lossy(&reply.body).into_owned());
    };

    // Good ones: tokens, a log-in, a ticket.
    let made = stage.new_token("person", "phone");
    let code = stage
        .by("admin", Call::post("/v1/logins").json(&json!({})))
        .with(201)["code"]
        .as_str()
        .unwrap()
        .to_owned();
    let redeem = json!({"code": code, "device": "laptop"});
    let logged_in = stage.call(&Call::post("/v1/logins/redeem").json(&redeem));
    let token = logged_in.with(201)["token"].as_str().unwrap().to_owned();
    keep(stage.call(&Call::post("/v1/logins/redeem").json(&redeem)));
    let unused = stage
        .by("admin", Call::post("/v1/logins").json(&json!({})))
        .with(201)["code"]
        .as_str()
        .unwrap()
        .to_owned();
    let ticket = |door: &str| {
        let made = Call::post("/v1/tickets").json(&json!({"for": door}));
        let made = stage.call(&made.token(&token)).with(201);
        made["ticket"].as_str().unwrap().to_owned()
    };
    let (feed, sse, kept) = (ticket("feed"), ticket("sse"), ticket("sse"));
    let mut socket = Socket::open(Call::get(format!("/v1/feed?ticket={feed}")), port).unwrap();
    socket.event("ready");
    let sse_call = Call::get(format!("/v1/feed.sse?ticket={sse}"));
    Events::open(&sse_call, port).unwrap().next().unwrap();
    keep(stage.call(&sse_call));

    // Codes for pairing, and the tokens they become, in the address of every door that takes one.
    let mut codes: Vec<String> = Vec::new();
    let [wrong_token, wrong_pairing] = WRONG_AT_DOORS;
    for door in doors() {
        match door.door.way {
            Way::Redeem(_) => {
                let wanted = json!({"dialect": door.row.name, "name": "paired"});
                let pairing = || {
                    let made = stage.by("admin", Call::post("/v1/pairings").json(&wanted));
                    made.with(201)["code"].as_str().unwrap().to_owned()
                };
                let (code, unused) = (pairing(), pairing());
                let redeem = Call::post(door.target()).json(&json!({"code": code}));
                let paired = stage.call(&redeem).with(200);
                let token = paired["connectionToken"].as_str();
                secrets.push(token.unwrap().to_owned());
                keep(stage.call(&redeem));
                let wrong = json!({"code": wrong_pairing});
                keep(stage.call(&Call::post(door.target()).json(&wrong)));
                keep(
                    stage.call(&Call::post(door.target()).json(&json!({"code": [wrong_pairing]}))),
                );
                codes.extend([code, unused]);
            }
            Way::AgentSocket(socket) if socket.query_token => {
                let token = stage.new_token("agent", &format!("at {}", door.door.path));
                let with = |token: &str| Call::get(format!("{}?token={token}", door.target()));
                let mut open = Socket::open(with(&token), port).unwrap();
                open.send_text("unreadable");
                open.send_frame(0x88, &1000_u16.to_be_bytes());
                keep(stage.call(&with(wrong_token).upgrade()));
                keep(stage.call(&with(&token)));
                keep(stage.call(&with(&token).upgrade().hosts(&["evil.com"])));
                keep(stage.call(&with(&token).upgrade().header("Origin", "https://evil.com")));
                let twice = format!("{}?token={token}&token={token}", door.target());
                keep(stage.call(&Call::get(twice)));
                secrets.push(token);
            }
            Way::Upload(_) => {
                let call = door.call("").token(&stage.token("agent"));
                keep(stage.call(&call));
                let query = format!("?token={wrong_token}");
                keep(stage.call(&door.call(&query)));
            }
            Way::Own
            | Way::AgentSocket(_)
            | Way::PersonSocket(_)
            | Way::PersonStream(_)
            | Way::Call(_)
            | Way::Transcript(_)
            | Way::Fresh(_) => keep(stage.call(&door.call(&format!("?token={wrong_token}")))),
        }
    }
    assert!(!codes.is_empty(), "the table was not read");

    // Wrong ones, in every place where one might stand.
    let [wrong, query, wrong_code, wrong_ticket, basic] = WRONG;
    keep(stage.call(&Call::get("/v1/asks").token(wrong)));
    keep(stage.call(&Call::get(format!("/v1/asks?token={query}")).token(&made)));
    keep(stage.call(&Call::get(format!("/{query}?token={query}")).token(&made)));
    keep(stage.call(&Call::get(format!("/v1/asks/{query}")).header("Authorization", basic)));
    keep(stage.call(&Call::post("/v1/logins/redeem").json(&json!({"code": wrong_code}))));
    keep(stage.call(&Call::get(format!("/v1/feed?ticket={wrong_ticket}")).upgrade()));
    keep(stage.call(&Call::get("/v1/asks").hosts(&["evil.com"]).token(wrong)));
    keep(stage.call(&Call::get("/v1/asks").header("Origin", query).token(&token)));
    keep(
        stage.call(
            &Call::post("/v1/asks")
                .token(&made)
                .json(&question("May I?", &[])),
        ),
    );
    keep(
        stage.call(
            &Call::get("/v1/asks")
                .header("Cookie", query)
                .header("X-Token", query),
        ),
    );

    // A form with a secret, filled in by a device and by a command, one of them not confirmed.
    let form = json!({"matter": "form", "form": {"message": "Log in", "fields": [
        {"name": "user", "kind": "text"}, {"name": "password", "kind": "secret", "required": true}]}});
    let fields = json!({"user": "ann", "password": FORM_SECRET});
    for confirmed in [true, false] {
        let ask = stage.ask(&form);
        let id = ask["id"].as_str().unwrap();
        let at = |what: &str| format!("/v1/asks/{id}{what}");
        let wrong_type = json!({"digest": ask["digest"], "fields": {"password": [FORM_SECRET]}});
        keep(stage.by("person", Call::post(at("/answer")).json(&wrong_type)));
        let unknown = json!({"digest": ask["digest"], "fields": fields, "nonsense": 1});
        keep(stage.by("person", Call::post(at("/answer")).json(&unknown)));
        let good = json!({"digest": ask["digest"], "fields": fields});
        keep(stage.by("person", Call::post(at("/answer")).json(&good)));
        keep(stage.by("person", Call::post(at("/answer")).json(&good)));
        keep(stage.by("person", Call::get(at(""))));
        let mine = stage.by("agent", Call::get(at(""))).with(200);
        assert_eq!(
            mine["outcome"]["answer"]["fields"], fields,
            "the asker gets it"
        );
        if confirmed {
            assert_eq!(stage.by("agent", Call::post(at("/confirm"))).status, 200);
            // It is erased soon after, for the asker too.
            let begun = super::stage::begin();
            while stage
                .by("agent", Call::get(at("")))
                .text()
                .contains(FORM_SECRET)
            {
                assert!(super::stage::waited(begun) < super::stage::PATIENCE);
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
        }
    }
    let mut told: Vec<String> = Vec::new();
    while told
        .iter()
        .filter(|text| text.contains("\"event\":\"closed\""))
        .count()
        < 2
    {
        told.push(socket.next_text());
    }
    keep(stage.by("person", Call::get("/v1/asks?state=closed")));
    keep(stage.by(
        "person",
        Call::get(format!("/v1/asks?state=closed&search={FORM_SECRET}")),
    ));
    keep(stage.by("admin", Call::get("/metrics")));
    keep(stage.by("admin", Call::get("/v1/tokens")));
    keep(stage.by("person", Call::get("/v1/health")));
    let backup = json!({"file": stage.path("backup.db").to_str().unwrap()});
    keep(stage.by("admin", Call::post("/v1/backup").json(&backup)));
    assert_eq!(
        stage
            .by("admin", Call::new("DELETE", "/v1/tokens/phone"))
            .status,
        204
    );
    for words in [
        &["history", "--json"][..],
        &["inbox"],
        &["doctor"],
        &["token", "list"],
        &["verify"],
    ] {
        let ended = stage.run(words);
        assert_eq!(ended.code, Some(0), "{words:?}");
        said.extend([ended.data, ended.said]);
    }
    said.extend(told);

    stage.terminate();
    let (ended, stdout) = stage.ended();
    assert_eq!(ended, Some(0));
    // The log-in link is printed on purpose, for the person who starts the server.
    let link = stdout.lines().find_map(|line| line.split_once("#code="));
    secrets.push(link.unwrap().1.to_owned());
    let stdout: String = stdout
        .lines()
        .filter(|line| !line.starts_with("log in: "))
        .collect();
    said.push(stdout);
    secrets.extend([made, token, code, unused, feed, sse, kept]);
    secrets.extend(WRONG.map(str::to_owned));
    secrets.extend(WRONG_AT_DOORS.map(str::to_owned));
    secrets.push(FORM_SECRET.to_owned());

    let log = fs::read_to_string(log).unwrap();
    assert!(log.lines().count() > 50, "the log was not on: {log}");
    // Beside the log, the command itself says one thing on the same stream.
    for line in log
        .lines()
        .filter(|line| *line != "stopping; open asks stay open")
    {
        let _: Value = serde_json::from_str(line).unwrap();
    }
    let mut places = vec![("the log".to_owned(), log.into_bytes())];
    for text in said {
        places.push((text.clone(), text.into_bytes()));
    }
    places.push((
        "the backup".to_owned(),
        fs::read(stage.path("backup.db")).unwrap(),
    ));
    files(&stage.state(), &mut places);
    assert!(places.len() > 5, "the state was not searched");
    for (place, bytes) in &places {
        for secret in &secrets {
            let own_file = LOCAL.iter().any(|name| place.ends_with(name));
            let found = bytes
                .windows(secret.len())
                .any(|window| window == secret.as_bytes());
            assert!(!found || own_file, "{secret} is in {place}");
        }
        for code in &codes {
            assert!(!has_number(bytes, code), "{code} is in {place}");
        }
    }
}

/// Whether these digits stand somewhere as a number or a word of their own: a few of them in a row are
/// part of many a time and a hash.
fn has_number(bytes: &[u8], digits: &str) -> bool {
    let ends = |byte: Option<&u8>| byte.is_none_or(|byte| !byte.is_ascii_alphanumeric());
    let mut at = 0..bytes.len();
    at.any(|at| {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        bytes
            .get(at..)
            .and_then(|rest| rest.strip_prefix(digits.as_bytes()))
            .is_some_and(|rest| ends(before) && ends(rest.first()))
    })
}

fn files(folder: &Path, places: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, places);
        } else {
            places.push((path.display().to_string(), fs::read(&path).unwrap()));
        }
    }
}

#[test]
fn a_code_is_found_where_it_stands_alone() {
    for text in [
        "123456",
        "code 123456.",
        "{\"code\":\"123456\"}",
        "?code=123456&x",
    ] {
        assert!(has_number(text.as_bytes(), "123456"), "{text}");
    }
    for text in ["", "12345", "0123456", "12:00:00.123456Z", "ab123456cd"] {
        assert!(!has_number(text.as_bytes(), "123456"), "{text}");
    }
}
