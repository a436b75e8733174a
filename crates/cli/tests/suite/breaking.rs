//! A state that breaks under the real server: damage stays where it is, and everybody is told the truth.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use super::raw::Call;
use super::socket::Socket;
use super::stage::{Stage, answering, begin, question, wait_until, waited};

/// Stops the server as its owner would, so that everything is in the journal's file.
fn stop(stage: &mut Stage) {
    stage.terminate();
    assert_eq!(stage.ended().0, Some(0));
}

/// Flips one bit of a text in the journal.
fn flip(stage: &Stage, text: &str) {
    let path = stage.state().join("journal.db");
    let mut bytes = fs::read(&path).unwrap();
    let at = bytes
        .windows(text.len())
        .position(|part| part == text.as_bytes());
    bytes[at.unwrap()] ^= 1;
    fs::write(path, bytes).unwrap();
}

fn id_of(ask: &Value) -> String {
    ask["id"].as_str().unwrap().to_owned()
}

#[test]
fn one_flipped_bit_takes_one_ask_and_nothing_else() {
    let mut stage = Stage::served();
    let with_key = question("marzipan?", &["Yes", "No"]);
    let keyed = |stage: &Stage| {
        let call = Call::post("/v1/asks").header("Idempotency-Key", "k1");
        stage.by("agent", call.json(&with_key))
    };
    let asks = [
        stage.ask(&question("nougat?", &["Yes", "No"])),
        keyed(&stage).with(201),
        stage.ask(&question("krokant?", &["Yes", "No"])),
    ];
    let done = stage.ask(&question("pistachio?", &["Yes", "No"]));
    stage.answer(&done, "Yes");
    let hit = id_of(&asks[1]);
    // The lists know its key from before it was hit.
    stage.caught_up();
    stop(&mut stage);
    flip(&stage, "marzipan?");
    stage.serve();

    // Everything is listed, and the one that was hit says so.
    let open = stage.by("person", Call::get("/v1/asks")).with(200);
    let open = open["asks"].as_array().unwrap();
    let ids: Vec<String> = open.iter().map(id_of).collect();
    assert_eq!(ids, asks.each_ref().map(id_of));
    let marks: Vec<&Value> = open.iter().map(|ask| &ask["unreadable"]).collect();
    assert_eq!(marks, [&Value::Null, &json!(true), &Value::Null]);
    assert_eq!(stage.run(&["inbox"]).code, Some(0));
    assert_eq!(stage.run(&["show", &hit]).code, Some(0));
    let found = stage
        .by("person", Call::get("/v1/asks?search=krokant"))
        .with(200);
    assert_eq!(found["asks"].as_array().unwrap().len(), 1);
    let call = Call::get("/v1/feed?after=0").token(&stage.token("person"));
    let mut feed = Socket::open(call, stage.port()).unwrap();
    let told: Vec<(String, Value)> = (0..3)
        .map(|_| feed.event("asked")["ask"].take())
        .map(|ask| (id_of(&ask), ask["unreadable"].clone()))
        .collect();
    assert!(told.contains(&(hit.clone(), json!(true))), "{told:?}");

    // Everybody who looks after the server is told.
    wait_until("the check", || {
        stage.call(&Call::get("/health")).status == 503
    });
    let health = stage.call(&Call::get("/health")).with(503);
    assert_eq!(health["status"], "damaged");
    let health = stage.by("person", Call::get("/v1/health")).with(200);
    assert_eq!(health["state"], "damaged");
    assert!(
        health["detail"].as_str().unwrap().contains(&hit),
        "{health}"
    );
    let verified = stage.run(&["verify"]);
    assert_eq!(verified.code, Some(30));
    assert!(verified.data.contains(&hit) && verified.data.contains("was changed"));
    assert_eq!(stage.run(&["doctor"]).code, Some(30));

    // It cannot be answered, and its agent is told that it waits and cannot be read.
    let refused = stage.by("person", answering(&open[1], "Yes"));
    assert!(
        refused.text().contains("can't be answered"),
        "{}",
        refused.text()
    );
    let again = keyed(&stage).with(200);
    assert_eq!(
        (id_of(&again), &again["unreadable"]),
        (hit.clone(), &json!(true))
    );
    stage.answer(&asks[0], "No");

    // It can be dismissed and erased, and then the server is well again.
    let dismiss = json!({"digest": open[1]["digest"]});
    let dismissed = stage.by(
        "person",
        Call::post(format!("/v1/asks/{hit}/dismiss")).json(&dismiss),
    );
    assert_eq!(dismissed.with(200)["outcome"]["kind"], "dismissed");
    let mine = stage
        .by("agent", Call::get(format!("/v1/asks/{hit}")))
        .with(200);
    assert_eq!(mine["outcome"]["kind"], "dismissed");
    assert_eq!(stage.run(&["forget", &hit]).code, Some(0));
    wait_until("the server is well", || {
        stage.call(&Call::get("/health")).status == 200
    });
    assert_eq!(stage.run(&["verify"]).code, Some(0));
}

#[test]
fn a_damaged_outcome_is_told_as_lost_and_lists_are_rebuilt_around_it() {
    let mut stage = Stage::served();
    let asks = ["nougat?", "krokant?"].map(|text| stage.ask(&question(text, &["Yes", "marzipan"])));
    for ask in &asks {
        stage.answer(ask, "marzipan");
    }
    stop(&mut stage);
    // The label stands in each ask and in each answer; the last answer is hit.
    let path = stage.state().join("journal.db");
    let mut bytes = fs::read(&path).unwrap();
    let text = b"\"labels\":[\"marzipan\"]";
    let found = bytes.windows(text.len()).enumerate();
    let places: Vec<usize> = found
        .filter(|(_, part)| part == text)
        .map(|(at, _)| at)
        .collect();
    assert_eq!(places.len(), 2);
    bytes[places[0] + 12] ^= 1;
    fs::write(&path, bytes).unwrap();
    assert_eq!(stage.run(&["rebuild"]).code, Some(0));
    stage.serve();
    stage.open_asks(0);
    let closed = stage
        .by("person", Call::get("/v1/asks?state=closed"))
        .with(200);
    let closed = closed["asks"].as_array().unwrap();
    assert_eq!(closed.len(), 2);
    let lost: Vec<&Value> = closed
        .iter()
        .filter(|ask| ask["unreadable"] == true)
        .collect();
    assert_eq!(lost.len(), 1);
    let mine = stage
        .by("agent", Call::get(format!("/v1/asks/{}", id_of(lost[0]))))
        .with(200);
    assert_eq!(mine["outcome"]["kind"], "withdrawn");
    assert!(
        mine["outcome"]["note"]
            .as_str()
            .unwrap()
            .contains("can't be read"),
        "{mine}"
    );
}

#[test]
fn a_deleted_journal_stops_every_word_within_a_second() {
    let stage = Stage::served();
    stage.ask(&question("Before?", &["Yes"]));
    fs::remove_file(stage.state().join("journal.db")).unwrap();
    let begun = begin();
    let later = question("After?", &["Yes"]);
    loop {
        let reply = stage.by("agent", Call::post("/v1/asks").json(&later));
        if reply.status == 503 {
            let why = reply.text();
            assert!(
                why.contains("was deleted or moved") && why.contains("sayso restore"),
                "{why}"
            );
            break;
        }
        assert!(waited(begun) < Duration::from_secs(1), "still acknowledged");
    }
    wait_until("health says so", || {
        stage.call(&Call::get("/health")).status == 503
    });
    let health = stage.by("person", Call::get("/v1/health")).with(200);
    assert_eq!(health["state"], "try_later");
    assert_eq!(stage.run(&["doctor"]).code, Some(22));
}

#[test]
fn without_its_key_a_server_with_secrets_does_not_start() {
    let mut stage = Stage::served();
    let form = json!({"matter": "form", "form": {"message": "Log in", "fields": [
        {"name": "password", "kind": "secret", "required": true}]}});
    let ask = stage.ask(&form);
    let id = id_of(&ask);
    let answer = json!({"digest": ask["digest"], "fields": {"password": "marzipan"}});
    let call = Call::post(format!("/v1/asks/{id}/answer")).json(&answer);
    stage.by("person", call).with(200);
    stop(&mut stage);
    fs::remove_file(stage.state().join("key")).unwrap();
    let refused = stage.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!((refused.code, refused.data.as_str()), (Some(1), ""));
    assert!(refused.said.contains("is missing") && refused.said.contains("--forget-secrets"));
    assert!(!stage.state().join("key").exists(), "no key was made");
    let doctor = stage.run(&["doctor"]);
    assert!(doctor.data.contains("--forget-secrets"), "{}", doctor.data);
    let mut command = stage.command(&["serve", "--listen", "127.0.0.1:0", "--forget-secrets"]);
    command.stderr(Stdio::null());
    stage.serve_by(command);
    let mine = stage
        .by("agent", Call::get(format!("/v1/asks/{id}")))
        .with(200);
    assert_eq!(mine["outcome"]["kind"], "withdrawn");
    let note = mine["outcome"]["note"].as_str().unwrap();
    assert!(note.contains("the secret in the answer is lost"), "{mine}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_state_in_memory_is_called_unsafe() {
    let mut stage = Stage::empty();
    let memory = tempfile::TempDir::new_in(Path::new("/dev/shm")).unwrap();
    let mut command = stage.command(&["serve", "--listen", "127.0.0.1:0"]);
    command
        .env("SAYSO_STATE", memory.path())
        .stderr(Stdio::null());
    stage.serve_by(command);
    stage.terminate();
    let (code, said) = stage.ended();
    assert_eq!(code, Some(0));
    assert!(said.contains("durability: UNSAFE (tmpfs)"), "{said}");
}
