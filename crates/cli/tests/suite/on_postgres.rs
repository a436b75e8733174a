//! Nodes on one PostgreSQL, as the one who runs them sees them: commands, tokens, names, the list of nodes.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use sayso_testkit::pg::{PgCluster, cluster};
use serde_json::{Value, json};

use super::raw::Call;
use super::stage::{Stage, text_of, wait_until};

/// A key for all nodes of a test.
pub(crate) fn key(stage: &Stage) -> String {
    let file = text_of(&stage.path("cluster.key"));
    let made = stage.run(&["key", "new", &file]);
    assert_eq!((made.code, made.data), (Some(0), format!("{file}\n")));
    file
}

/// Starts a node on a state of its own.
pub(crate) fn start(stage: &mut Stage, url: &str, key: &str, name: &str, more: &[&str]) {
    let words = ["serve", "--listen", "127.0.0.1:0", "--store", url];
    let words = [&words[..], &["--key-file", key, "--node", name], more].concat();
    let mut command = stage.command(&words);
    command.stderr(Stdio::null());
    stage.serve_by(command);
}

/// What `nodes --json` says, by name and state.
fn states(stage: &Stage, url: &str) -> Vec<(String, String)> {
    let listed = stage.run(&["nodes", "--json", "--store", url]);
    assert_eq!(listed.code, Some(0), "{listed:?}");
    let text = |node: &Value, field: &str| node[field].as_str().unwrap().to_owned();
    let lines = listed.data.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .map(|node: Value| (text(&node, "node"), text(&node, "state")))
        .collect()
}

#[test]
fn a_key_is_made_once_and_for_its_owner_alone() {
    let stage = Stage::empty();
    let file = key(&stage);
    let about = fs::metadata(&file).unwrap();
    assert_eq!(
        (about.len(), about.permissions().mode() & 0o777),
        (32, 0o600)
    );
    let first = fs::read(&file).unwrap();
    let again = stage.run(&["key", "new", &file]);
    assert_eq!(again.code, Some(1));
    assert!(again.said.contains("already exists"), "{}", again.said);
    assert_eq!(fs::read(&file).unwrap(), first);
    let other = text_of(&stage.path("other.key"));
    let made = stage.run(&["key", "new", &other]);
    assert!(
        made.said.contains(&format!("--key-file {other}")),
        "{}",
        made.said
    );
    assert_ne!(fs::read(&other).unwrap(), first);
    let nowhere = stage.run(&["key", "new", "no/such/folder/key"]);
    assert_eq!(nowhere.code, Some(1));
    let left: Vec<_> = fs::read_dir(stage.path(".")).unwrap().flatten().collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn nodes_share_everything_but_their_folders() {
    let url = cluster().url();
    let [mut one, mut two] = [Stage::empty(), Stage::empty()];
    let key = key(&one);
    start(&mut one, &url, &key, "one", &[]);
    start(&mut two, &url, &key, "two", &[]);

    // A token made on one node works on the other, and is revoked on both.
    let token = one
        .run(&["token", "new", "--role", "agent", "--name", "ci"])
        .data;
    let token = token.trim();
    let ask = json!({"matter": "questions", "questions": [{"text": "Go?", "choices": [{"label": "Yes"}]}]});
    let asked = two
        .call(&Call::post("/v1/asks").token(token).json(&ask))
        .with(201);
    wait_until("the ask reaches the other node", || {
        one.run(&["inbox", "--json"]).data.contains("Go?")
    });
    let id = asked["id"].as_str().unwrap();
    let answered = one.run(&["answer", id, "--pick", "Yes"]);
    assert_eq!(answered.code, Some(0), "{answered:?}");
    wait_until("the answer reaches the agent's node", || {
        let looked = two.call(&Call::get(format!("/v1/asks/{id}")).token(token));
        looked.with(200)["outcome"].is_object()
    });
    assert_eq!(two.run(&["token", "revoke", "ci"]).code, Some(0));
    wait_until("the token ends on the other node", || {
        one.call(&Call::post("/v1/asks").token(token).json(&ask))
            .status
            == 401
    });
    // Local tokens carry the node's name, and each node has its own.
    let names = one.run(&["token", "list"]).data;
    for name in [
        "local-admin@one",
        "local-admin@two",
        "shell@one",
        "terminal@two",
    ] {
        assert!(names.contains(name), "{names}");
    }
    // The other commands find their own node.
    for words in [
        &["open"][..],
        &["history"],
        &["pair", "whimmy"],
        &["rules", "list"],
    ] {
        for stage in [&one, &two] {
            let ended = stage.run(words);
            assert_eq!(ended.code, Some(0), "{words:?}: {ended:?}");
        }
    }
    let doctor = two.run(&["doctor", "--store", &url]);
    assert_eq!(doctor.code, Some(0), "{doctor:?}");
    for line in [
        "durability: power-loss-safe (a failover may lose the last moment)",
        &url,
    ] {
        assert!(doctor.data.contains(line), "{}", doctor.data);
    }
    // The demo never goes near the database: whoever serves on it enters itself as a node. Events are not
    // counted, because the nodes note what was shown and sent a moment later.
    let nodes = "SELECT count(*) FROM sayso.node";
    let before = cluster().psql("sayso", nodes);
    let mut demo = one.command(&["demo", "--store", &url]).spawn().unwrap();
    let mut said = std::io::BufReader::new(demo.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut said, &mut String::new()).unwrap();
    demo.kill().unwrap();
    demo.wait().unwrap();
    assert_eq!(cluster().psql("sayso", nodes), before);
}

#[test]
fn the_list_of_nodes_says_how_each_is() {
    let url = cluster().url();
    let [mut one, mut two, outside] = [Stage::empty(), Stage::empty(), Stage::empty()];
    let missing = outside.run(&["nodes", "--store", &url]);
    assert_eq!(missing.code, Some(1), "{missing:?}");
    assert!(missing.said.contains("no journal"), "{}", missing.said);
    let key = key(&one);
    start(&mut one, &url, &key, "one", &[]);
    start(&mut two, &url, &key, "two", &[]);
    let both = |state: &str| {
        let named = [("one", "fresh"), ("two", state)];
        named
            .map(|(name, state)| (name.to_owned(), state.to_owned()))
            .to_vec()
    };
    wait_until("both are fresh", || states(&outside, &url) == both("fresh"));
    let listed = outside.run(&["nodes", "--json", "--store", &url]);
    for line in listed.data.lines() {
        let node: Value = serde_json::from_str(line).unwrap();
        let fields: Vec<&String> = node.as_object().unwrap().keys().collect();
        let expected = ["node", "url", "version", "state", "applied", "seen_at"];
        let mut expected: Vec<&str> = expected.to_vec();
        expected.sort_unstable();
        assert_eq!(fields, expected, "{line}");
        assert!(
            node["applied"].is_u64() && node["seen_at"].as_str().unwrap().ends_with('Z'),
            "{line}"
        );
    }
    let table = outside.run(&["nodes", "--store", &url]).data;
    assert_eq!(table.lines().count(), 3, "{table}");
    assert!(table.lines().all(|line| line.len() <= 80), "{table}");

    // A name belongs to a state folder; the same one comes back at once after a kill.
    let mut third = Stage::empty();
    let words = [
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--store",
        &url,
        "--key-file",
        &key,
        "--node",
        "one",
    ];
    let refused = third.run(&words);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.said.contains("--node NAME"), "{}", refused.said);
    let twice = one.run(&words);
    assert_eq!(twice.code, Some(31), "{twice:?}");
    one.kill();
    start(&mut one, &url, &key, "one", &[]);
    two.kill();
    wait_until("the other is gone", || {
        states(&outside, &url) == both("gone")
    });
    // Once it counts as gone, its name is free.
    start(&mut third, &url, &key, "two", &[]);
    wait_until("the name is used again", || {
        states(&outside, &url) == both("fresh")
    });
}

#[test]
fn the_first_lines_say_what_the_database_promises() {
    let unsafe_one = PgCluster::start(&["fsync=off"]);
    let first = Stage::empty();
    let key = key(&first);
    let said = |url: &str, trust: &str| {
        let mut stage = Stage::empty();
        let words = [
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--store",
            url,
            "--key-file",
            &key,
        ];
        let mut command = stage.command(&[&words[..], &["--node", trust]].concat());
        command
            .env("SAYSO_STORE_DURABILITY", trust)
            .stderr(Stdio::null());
        stage.serve_by(command);
        let health = stage.by("person", Call::get("/v1/health")).with(200);
        stage.terminate();
        let (code, said) = stage.ended();
        assert_eq!(code, Some(0));
        let line = said.lines().find(|line| line.starts_with("durability: "));
        let line = line.unwrap().trim_start_matches("durability: ").to_owned();
        assert_eq!(health["durability"], line);
        line
    };
    let url = unsafe_one.url();
    assert_eq!(said(&url, "checked"), "UNSAFE (fsync is off in PostgreSQL)");
    assert_eq!(said(&url, "trusted"), "UNSAFE (fsync is off in PostgreSQL)");
    let safe = cluster().url();
    assert_eq!(
        said(&safe, "checked"),
        "power-loss-safe (a failover may lose the last moment)"
    );
    assert_eq!(said(&safe, "trusted"), "failover-safe");
}
