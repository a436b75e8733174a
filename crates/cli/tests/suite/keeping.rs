//! Looking after the state: one server, checks, copies, erasing, and damage.

use std::fs;

use serde_json::json;

use super::raw::Call;
use super::socket::Socket;
use super::stage::{Stage, question, text_of, wait_until};

/// A question that was asked and answered; gives its id.
fn answered(stage: &Stage, question: &str) -> String {
    let asking = stage.start(&["ask", question]);
    let id = stage.open_ask();
    assert_eq!(
        stage.run(&["answer", &id, "--other", "marzipan"]).code,
        Some(0)
    );
    assert_eq!(asking.end().data, "marzipan\n");
    id
}

#[test]
fn a_second_server_is_refused_at_once() {
    let stage = Stage::served();
    let ended = stage.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(ended.code, Some(31));
    assert!(
        ended.said.contains("is in use by another sayso server"),
        "{}",
        ended.said
    );
    assert_eq!(stage.run(&["rebuild"]).code, Some(31));
}

#[test]
fn damage_is_named_and_nothing_starts_empty() {
    let mut stage = Stage::served();
    answered(&stage, "Before?");
    stage.kill();
    for name in ["journal.db", "journal.db-wal", "journal.db-shm"] {
        drop(fs::remove_file(stage.state().join(name)));
    }
    fs::write(stage.state().join("journal.db"), "this is not a journal").unwrap();
    let ended = stage.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!((ended.code, ended.data.as_str()), (Some(30), ""));
    assert!(ended.said.starts_with("error: "), "{}", ended.said);
    assert_eq!(
        fs::read_to_string(stage.state().join("journal.db")).unwrap(),
        "this is not a journal"
    );
}

#[test]
fn an_exposed_address_is_refused() {
    let stage = Stage::empty();
    let ended = stage.run(&["serve", "--listen", "0.0.0.0:0"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.said.contains("\n\nhint: "), "{}", ended.said);
}

#[test]
fn a_copy_is_taken_while_running_and_put_back() {
    let mut stage = Stage::served();
    let id = answered(&stage, "Before?");
    let asking = stage.start(&["ask", "Open?", "--key", "k"]);
    let open = stage.open_ask();
    let copy = text_of(&stage.path("copy.db"));
    assert_eq!(stage.run(&["backup", &copy]).code, Some(0));
    assert_eq!(stage.run(&["backup", &copy]).code, Some(2));
    assert_eq!(stage.run(&["restore", &copy]).code, Some(31));
    drop(asking);
    stage.kill();
    let ended = stage.run(&["restore", &copy]);
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    assert!(
        ended.said.contains("; 1 open ask is withdrawn\n"),
        "{}",
        ended.said
    );
    stage.serve();
    stage.open_asks(0);
    assert!(
        stage
            .run(&["show", &open])
            .data
            .contains("outcome: withdrawn by the server")
    );
    assert!(stage.run(&["show", &id]).data.contains("marzipan"));
}

#[test]
fn checks_and_lists_hold_with_and_without_a_server() {
    let mut stage = Stage::served();
    let id = answered(&stage, "Which cake?");
    assert!(stage.run(&["verify"]).data.starts_with("sound: "));
    stage.kill();
    assert!(stage.run(&["verify"]).data.starts_with("sound: "));
    assert_eq!(stage.run(&["rebuild"]).code, Some(0));
    stage.serve();
    let found = stage.run(&["history", "--json", "--search", "marzipan"]);
    assert_eq!(found.data.lines().count(), 1);
    assert!(found.data.contains(&id));
    assert_eq!(stage.run(&["history", "--search", "nougat"]).data, "");
}

#[test]
fn what_is_forgotten_is_gone_and_the_journal_still_holds() {
    let stage = Stage::served();
    let id = answered(&stage, "Which cake?");
    let ended = stage.run(&["forget", &id]);
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    assert!(!stage.run(&["history", "--json"]).data.contains("marzipan"));
    let verified = stage.run(&["verify"]);
    assert_eq!(verified.code, Some(0));
    assert!(
        verified.data.contains(" of them erased on purpose"),
        "{}",
        verified.data
    );
}

#[test]
fn a_confirmation_outlives_a_kill_and_so_does_the_end_of_its_secret() {
    let mut stage = Stage::served();
    let form = json!({"matter": "form", "form": {"message": "Log in", "fields": [
        {"name": "key", "kind": "secret", "required": true}]}});
    let asked = stage.ask(&form);
    let id = asked["id"].as_str().unwrap();
    let answer = json!({"digest": asked["digest"], "fields": {"key": "hunter2-canary"}});
    let answer = Call::post(format!("/v1/asks/{id}/answer")).json(&answer);
    stage.by("person", answer).with(200);
    let told = stage
        .by("agent", Call::get(format!("/v1/asks/{id}")))
        .with(200);
    assert_eq!(told["outcome"]["answer"]["fields"]["key"], "hunter2-canary");
    let confirmed = stage.by("agent", Call::post(format!("/v1/asks/{id}/confirm")));
    assert_eq!(confirmed.with(200)["delivery"], "confirmed");
    stage.kill();

    stage.serve();
    let told = stage
        .by("agent", Call::get(format!("/v1/asks/{id}")))
        .with(200);
    assert_eq!(told["delivery"], "confirmed");
    assert_eq!(
        told["outcome"]["answer"]["fields"]["key"],
        json!({"secret": true})
    );
    // It is not told again: the first outcome on a new socket is that of the next ask.
    let call = Call::get("/v1/agent").token(&stage.token("agent"));
    let mut socket = Socket::open(call, stage.port()).unwrap();
    let next = stage.ask(&question("Next?", &["A", "B"]));
    stage.answer(&next, "A");
    assert_eq!(socket.event("outcome")["id"], next["id"]);
}

#[test]
fn when_a_token_was_last_used_is_known_after_a_kill() {
    let mut stage = Stage::served();
    stage.ask(&question("Who asks?", &["A", "B"]));
    stage.kill();
    stage.serve();
    let tokens = stage.by("admin", Call::get("/v1/tokens")).with(200);
    let tokens = tokens["tokens"].as_array().unwrap();
    let agent = tokens.iter().find(|token| token["role"] == "agent");
    assert!(agent.unwrap()["last_used_at"].is_string(), "{tokens:?}");
}

fn files_with(stage: &Stage, word: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(stage.state()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap_or_default();
        if bytes.windows(word.len()).any(|at| at == word.as_bytes()) {
            found.push(text_of(&path));
        }
    }
    found
}

#[test]
fn a_conversation_is_forgotten_and_its_space_comes_back() {
    let mut stage = Stage::served();
    let call = Call::get("/v1/agent").token(&stage.token("agent"));
    let mut socket = Socket::open(call, stage.port()).unwrap();
    let text = "marzipan ".repeat(20_000);
    for conversation in ["cake", "bread"] {
        for _ in 0..10 {
            socket.send(
                &json!({"do": "say", "conversation": conversation, "text": text, "done": true}),
            );
        }
    }
    // What is said on one socket is followed in order: the last conversation tells.
    let all_said = || {
        let listed = stage.by("person", Call::get("/v1/conversations")).with(200);
        let listed = listed["conversations"].as_array().unwrap().clone();
        listed.iter().any(|row| row["name"] == "bread") && {
            let entries = Call::get("/v1/conversations/bread/entries?limit=100");
            let entries = stage.by("person", entries).with(200);
            // Ten times words, ten ends of turns.
            entries["entries"].as_array().map(Vec::len) == Some(20)
        }
    };
    wait_until("everything is said", all_said);
    let mut last = question("Done?", &["A", "B"]);
    last["conversation"] = json!("bread");
    socket.send(&json!({"do": "ask", "ref": "1", "ask": last}));
    socket.event("asked");

    let refused = stage.run(&["forget", "--conversation", "cake"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.said.contains("add --yes"), "{}", refused.said);
    assert_eq!(stage.run(&["forget"]).code, Some(2));
    let ended = stage.run(&["forget", "--conversation", "cake", "--yes"]);
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    assert_eq!(ended.said, "erased 0 asks and 20 conversation entries\n");
    let ended = stage.run(&[
        "forget",
        "--agent",
        "shell",
        "--before",
        "2020-01-01",
        "--yes",
    ]);
    assert_eq!(
        ended.said,
        "erased 0 asks and 0 conversation entries\nnot erased: 1 open ask\n"
    );
    assert!(!files_with(&stage, "marzipan").is_empty());
    let ended = stage.run(&["forget", "--conversation", "bread", "--yes"]);
    assert_eq!(
        ended.said,
        "erased 0 asks and 20 conversation entries\nnot erased: 1 open ask\n"
    );
    assert_eq!(files_with(&stage, "marzipan"), Vec::<String>::new());
    assert_eq!(stage.run(&["verify"]).code, Some(0));

    let size = |stage: &Stage| {
        fs::metadata(stage.state().join("journal.db"))
            .unwrap()
            .len()
    };
    let ended = stage.run(&["compact"]);
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    assert!(ended.data.starts_with("before: "), "{}", ended.data);
    assert!(size(&stage) < 500_000, "{}", size(&stage));
    stage.kill();
    let ended = stage.run(&["compact"]);
    assert_eq!((ended.code, ended.said.as_str()), (Some(0), ""));
    assert_eq!(stage.run(&["verify"]).code, Some(0));
    stage.serve();
    stage.open_asks(1);
}

#[test]
fn help_and_completions_need_nothing() {
    let stage = Stage::empty();
    let help = stage.run(&["--help"]);
    assert_eq!(help.code, Some(0));
    assert!(help.data.contains("   14  already closed\n"));
    for words in [
        &["completions", "bash"][..],
        &["man"],
        &["ask", "--help"],
        &["--version"],
    ] {
        assert_eq!(stage.run(words).code, Some(0), "{words:?}");
    }
    assert_eq!(stage.run(&["nonsense"]).code, Some(2));
    assert!(!fs::exists(stage.state()).unwrap());
}
