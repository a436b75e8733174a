//! A state that moves to PostgreSQL and back, and is copied to a file and put back.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use sayso_testkit::pg::cluster;
use serde_json::{Value, json};

use super::ground::{database, done, refused, serve_on};
use crate::raw::Call;
use crate::stage::{Running, Stage, question, text_of, wait_until};

/// A form with a secret of this agent that was answered and not confirmed: it waits sealed.
fn secret_answer(stage: &Stage, agent: &str) -> String {
    let form = json!({"matter": "form", "form": {"message": "Log in", "fields": [
        {"name": "key", "kind": "secret", "required": true}]}});
    let asked = stage
        .call(&Call::post("/v1/asks").json(&form).token(agent))
        .with(201);
    let id = asked["id"].as_str().unwrap().to_owned();
    let answer = json!({"digest": asked["digest"], "fields": {"key": "hunter2"}});
    let answer = Call::post(format!("/v1/asks/{id}/answer")).json(&answer);
    stage.by("person", answer).with(200);
    id
}

fn secret_of(stage: &Stage, id: &str, token: &str) -> Value {
    let told = stage.call(&Call::get(format!("/v1/asks/{id}")).token(token));
    told.with(200)["outcome"]["answer"]["fields"]["key"].clone()
}

/// Asks without what is of the moment: whether their agent is connected.
fn lasting(asks: &Value) -> Value {
    let mut asks = asks.clone();
    for ask in asks.as_array_mut().unwrap() {
        ask["agent"].as_object_mut().unwrap().remove("connected");
    }
    asks
}

/// A file for its owner alone.
fn own(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
}

/// Devices and a file, as the server keeps them in a folder.
fn with_parts(state: &Path) {
    let device = json!({"token": 2, "token_made_at": 7, "endpoint": "https://push.example/1",
        "p256dh": "a", "auth": "b", "text": true, "since": 1, "told": 2, "sent": 3});
    let devices = json!({"version": 1, "subscriptions": [device]});
    fs::create_dir_all(state.join("push")).unwrap();
    fs::create_dir_all(state.join("files")).unwrap();
    own(
        &state.join("push/subscriptions.json"),
        devices.to_string().as_bytes(),
    );

    let id = "0123456789abcdef0123456789abcdef";
    own(&state.join("files").join(id), &vec![7_u8; 600_000]);
    let about = json!({"name": "a.png", "media_type": "image/png", "token": "tk_1"});
    let beside = state.join("files").join(id).with_extension("about");
    own(&beside, about.to_string().as_bytes());
}

fn parts(state: &Path) -> (Value, String, Vec<u8>, String) {
    let text = |name: &str| fs::read_to_string(state.join(name)).unwrap();
    let id = "files/0123456789abcdef0123456789abcdef";
    (
        serde_json::from_str(&text("push/subscriptions.json")).unwrap(),
        text("push/vapid.key"),
        fs::read(state.join(id)).unwrap(),
        text(&format!("{id}.about")),
    )
}

#[test]
fn a_state_moves_to_postgres_and_back_and_nothing_else_changes() {
    let (_, url) = database(cluster());
    let mut stage = Stage::served();
    let open = stage.ask(&question("Still open?", &["A", "B"]));
    let closed = stage.ask(&question("Closed?", &["A", "B"]));
    stage.answer(&closed, "A");
    let erased = stage.ask(&question("Erased?", &["A", "B"]));
    stage.answer(&erased, "A");
    done(&stage.run(&["forget", erased["id"].as_str().unwrap()]));
    let agent = stage.new_token("agent", "mover");
    let secret = secret_answer(&stage, &agent);
    let asked = Call::post("/v1/asks").json(&question("By the mover?", &["A", "B"]));
    let moved = stage.call(&asked.token(&agent)).with(201);
    let before = stage.traces();
    // A server that runs keeps its state.
    let busy = stage.run(&["migrate", "--to", &url]);
    assert_eq!(busy.code, Some(31), "{}", busy.said);
    stage.kill();
    with_parts(&stage.state());
    let kept = parts(&stage.state());
    assert_eq!(stage.run(&["migrate", "--to", "nowhere"]).code, Some(2));

    let there = stage.run(&["migrate", "--to", &url]);
    done(&there);
    assert!(
        there.said.contains("every node needs the key file"),
        "{}",
        there.said
    );
    // What it says to start nodes with names the database.
    let (_, printed) = there.said.split_once("--store '").unwrap();
    let (printed, _) = printed.split_once('\'').unwrap();
    let verified = stage.run(&["verify", "--store", printed]);
    assert!(verified.data.starts_with("sound: "), "{}", verified.said);
    let same = stage.run(&["migrate", "--store", printed, "--to", &url]);
    refused(&same, &["the source and the target are the same"]);
    let stays = stage.run(&["serve", "--listen", "127.0.0.1:0"]);
    refused(
        &stays,
        &["this state was moved to", "`--store 'postgres://"],
    );
    done(&stage.run(&["migrate", "--to", &url]));
    assert!(
        stage
            .run(&["verify", "--store", &url])
            .data
            .starts_with("sound: ")
    );

    serve_on(&mut stage, &url);
    let (_, asks, history, _) = stage.traces();
    assert_eq!(lasting(&asks["asks"]), lasting(&before.1["asks"]));
    assert_eq!(lasting(&history), lasting(&before.2));
    assert_eq!(stage.look(&open["id"])["digest"], open["digest"]);
    stage.answer(&moved, "B");
    let told =
        stage.call(&Call::get(format!("/v1/asks/{}", moved["id"].as_str().unwrap())).token(&agent));
    assert_eq!(told.with(200)["state"], "closed");
    stage.terminate();
    stage.ended();

    // Back, from beside a node that runs: it stops and says where the state is.
    let mut running = Running::of(
        stage
            .command(&["serve", "--listen", "127.0.0.1:0", "--store", &url])
            .spawn()
            .unwrap(),
    );
    let mut line = String::new();
    std::io::BufRead::read_line(&mut running.data(), &mut line).unwrap();
    let home = text_of(&stage.path("home"));
    let back = stage.run(&[
        "migrate",
        "--store",
        &url,
        "--to",
        &format!("sqlite:{home}"),
    ]);
    done(&back);
    refused(&running.end(), &["this state was moved to", &home]);
    let stays = stage.run(&["serve", "--listen", "127.0.0.1:0", "--store", &url]);
    refused(&stays, &["this state was moved to", &home]);
    assert_eq!(parts(Path::new(&home)), kept);

    let mut home_again = stage.command(&["serve", "--listen", "127.0.0.1:0", "--state", &home]);
    home_again.stderr(std::process::Stdio::null());
    stage.serve_by(home_again);
    let verified = stage.run(&["verify", "--state", &home]);
    assert!(verified.data.starts_with("sound: "), "{}", verified.data);
    assert!(
        verified.data.contains("erased on purpose"),
        "{}",
        verified.data
    );
    // Whoever asked before the move is still owed the secret, and gets it.
    assert_eq!(secret_of(&stage, &secret, &agent), "hunter2");
}

#[test]
fn a_migration_never_takes_the_place_of_a_journal() {
    let (_, url) = database(cluster());
    let (_, other) = database(cluster());
    let mut stage = Stage::served();
    stage.ask(&question("Mine?", &["A", "B"]));
    stage.kill();
    let mut second = Stage::empty();
    serve_on(&mut second, &url);
    second.kill();
    let key = text_of(&second.state().join("key"));
    refused(&stage.run(&["migrate", "--to", &url]), &["key"]);
    fs::copy(stage.state().join("key"), &key).unwrap();
    // Without the key of the nodes nothing is read there either.
    refused(
        &second.run(&["migrate", "--store", &url, "--to", "sqlite:elsewhere"]),
        &["the key is not the key of this journal"],
    );
    done(&stage.run(&["migrate", "--to", &other]));
    // A state that has left cannot be moved to a third place.
    let (_, third) = database(cluster());
    refused(&stage.run(&["migrate", "--to", &third]), &["was moved to"]);
    refused(
        &stage.run(&["serve", "--store", &third, "--listen", "127.0.0.1:0"]),
        &["a migration into this database is not finished"],
    );
}

#[test]
fn a_journal_in_postgres_is_copied_to_a_file_and_put_back() {
    let (name, url) = database(cluster());
    let mut stage = Stage::empty();
    serve_on(&mut stage, &url);
    let agent = stage.new_token("agent", "revoked-later");
    let open = stage.ask(&question("Open in the copy?", &["A", "B"]));
    let closed = stage.ask(&question("Closed?", &["A", "B"]));
    stage.answer(&closed, "A");
    let copy = text_of(&stage.path("copy.db"));
    done(&stage.run(&["backup", &copy]));
    assert_eq!(stage.run(&["backup", &copy]).code, Some(2));
    done(&stage.run(&["token", "revoke", "revoked-later"]));
    stage.answer(&open, "B");
    let later = text_of(&stage.path("later.db"));
    done(&stage.run(&["backup", "--store", &url, &later]));

    // Into a folder: the same file as a backup of a folder.
    let folder = text_of(&stage.path("folder"));
    let ended = stage.run(&["restore", &later, "--state", &folder]);
    done(&ended);
    assert!(
        ended.said.contains("; 0 open asks are withdrawn"),
        "{}",
        ended.said
    );
    assert!(
        stage
            .run(&["verify", "--state", &folder])
            .data
            .starts_with("sound: ")
    );

    // In the place of the journal, beside a node that runs.
    let ended = stage.run(&["restore", &copy, "--store", &url]);
    done(&ended);
    assert!(
        ended.said.contains("; 1 open ask is withdrawn"),
        "{}",
        ended.said
    );
    assert!(
        ended
            .said
            .contains("1 token or rule that was revoked since the backup stays revoked"),
        "{}",
        ended.said
    );
    assert!(
        ended
            .said
            .contains("kept as the schema sayso_before_restore"),
        "{}",
        ended.said
    );
    let kept = cluster().psql(
        &name,
        "SELECT count(*) > 0 FROM sayso_before_restore.header",
    );
    assert_eq!(kept, "t");
    // What the node knows is not so any more: it takes nothing in and stops.
    let (code, _) = stage.ended();
    assert_eq!(code, Some(1));
    serve_on(&mut stage, &url);
    stage.open_asks(0);
    assert_eq!(stage.look(&open["id"])["outcome"]["kind"], "withdrawn");
    assert_eq!(stage.look(&closed["id"])["state"], "closed");
    let gone = stage.call(&Call::get("/v1/asks").token(&agent));
    assert_eq!(gone.status, 401);
    assert!(
        stage
            .run(&["verify", "--store", &url])
            .data
            .starts_with("sound: ")
    );
    // And once more: the journal of before gets another name.
    stage.kill();
    let ended = stage.run(&["restore", &later, "--store", &url]);
    assert!(
        ended.said.contains("sayso_before_restore_2"),
        "{}",
        ended.said
    );
}

#[test]
fn a_journal_in_postgres_is_checked_rebuilt_and_cleaned() {
    let (_, url) = database(cluster());
    let mut stage = Stage::empty();
    for command in ["verify", "rebuild", "compact"] {
        refused(
            &stage.run(&[command, "--store", &url]),
            &["there is no journal at"],
        );
    }
    serve_on(&mut stage, &url);
    let asked = stage.ask(&question("Marzipan?", &["A", "B"]));
    stage.answer(&asked, "A");
    let id = asked["id"].as_str().unwrap().to_owned();
    done(&stage.run(&["rebuild", "--store", &url]));
    wait_until("the ask is found again", || {
        stage
            .run(&["history", "--json", "--search", "marzipan"])
            .data
            .contains(&id)
    });
    done(&stage.run(&["forget", &id]));
    assert!(!stage.run(&["history", "--json"]).data.contains("Marzipan"));
    let verified = stage.run(&["verify", "--store", &url]);
    assert!(
        verified.data.contains(" of them erased on purpose"),
        "{}",
        verified.data
    );
    assert!(
        stage
            .run(&["compact", "--store", &url])
            .data
            .starts_with("before: ")
    );
    let told = stage.run(&["doctor", "--store", &url]);
    assert!(told.data.contains("database: PostgreSQL "), "{}", told.data);
    assert!(told.data.contains(": fresh, version "), "{}", told.data);
    assert!(told.data.contains("key: right"), "{}", told.data);
}
