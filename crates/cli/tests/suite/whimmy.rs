//! The Whimmy plugin and the whole binary: pairing, a question, leave that is not given, a connection
//! that goes in between, and another that takes its place.

use std::time::Duration;

use sayso_testkit::whimmy::{Habits, Noticed, Permission, Plugin, ToolAnswer, pair};
use serde_json::{Value, json};
use tokio::task::block_in_place;

use super::raw::Call;
use super::socket::{Frame, Socket};
use super::stage::{PATIENCE, Stage, begin, waited};

/// Answers the one open ask with the command.
fn answer(stage: &Stage, id: &str, words: &[&str]) {
    let ended = stage.run(&[&["answer", id], words].concat());
    assert_eq!(ended.code, Some(0), "{}", ended.said);
}

/// The ask once this holds.
fn ask_when(stage: &Stage, id: &str, holds: impl Fn(&Value) -> bool) -> Value {
    let begun = begin();
    loop {
        let ask = stage.look(&json!(id));
        if holds(&ask) {
            return ask;
        }
        assert!(waited(begun) < PATIENCE, "{ask}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn questions(text: &str) -> Value {
    json!([{"question": text, "header": "DB", "multiSelect": false, "options": [
        {"label": "Redis", "description": "In memory", "markdown": "```\nredis://\n```"},
        {"label": "SQLite", "description": "One file"}]}])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_plugin_pairs_asks_waits_and_is_replaced() {
    let stage = Stage::served();
    let host = format!("127.0.0.1:{}", stage.port());
    let code = block_in_place(|| stage.run(&["pair", "whimmy", "--name", "laptop"]));
    assert_eq!(code.code, Some(0), "{}", code.said);
    let code = code.data.trim_end();
    let token = pair(&host, "providers", code).await.unwrap();
    let again = pair(&host, "openclaw", code).await.unwrap_err();
    assert!(
        again.starts_with("Pairing failed (403): The pairing code is invalid"),
        "{again}"
    );

    // Slow enough to dial again that people can do something in between.
    let habits = Habits {
        dial_again: Duration::from_secs(1),
        dial_again_max: Duration::from_secs(1),
        ..Habits::quick()
    };
    let mut plugin = Plugin::start(&host, &token, habits);
    plugin.connected().await;
    let said = block_in_place(|| stage.run(&["say", "laptop", "Pick a database"]));
    assert_eq!(said.code, Some(0), "{}", said.said);
    let turn = plugin.turn().await;
    assert_eq!(
        (turn.agent.as_str(), turn.message.as_str()),
        ("laptop", "Pick a database")
    );
    let (agent, key) = (turn.agent.clone(), turn.key.clone());

    // A question, answered with the command.
    let answered = async {
        block_in_place(|| {
            let id = stage.open_ask();
            answer(&stage, &id, &["--pick", "Redis"]);
            id
        })
    };
    let asked = plugin.ask(&agent, &key, questions("Which database?"));
    let (told, id) = tokio::join!(asked, answered);
    assert_eq!(
        told,
        ToolAnswer::Answers(json!({"Which database?": "Redis"}))
    );
    // The plugin acknowledges nothing, so nobody claims that it did.
    let ask = block_in_place(|| ask_when(&stage, &id, |ask| ask["delivery"] == "sent"));
    assert_eq!(ask["agent"]["dialect"], "whimmy");
    assert_eq!(
        ask["questions"][0]["choices"][0]["preview"],
        "```\nredis://\n```"
    );

    // An approval that is not given.
    let denied = async {
        block_in_place(|| {
            let id = stage.open_ask();
            // The plugin could not be told another input, which the command knows beforehand.
            let edit = ["answer", &id, "--allow", "--edit", "{\"command\":\"ls\"}"];
            let refused = stage.run(&edit);
            assert_eq!(refused.code, Some(2), "{refused:?}");
            assert!(
                refused.said.contains("this agent speaks whimmy"),
                "{refused:?}"
            );
            assert_eq!(stage.look(&json!(id))["state"], "open");
            answer(&stage, &id, &["--deny", "--note", "not today"]);
        });
    };
    let called = plugin.call(&agent, &key, "exec", json!({"command": "rm -r build"}));
    let (leave, ()) = tokio::join!(called, denied);
    assert_eq!(leave, Permission::Refused("User denied exec".to_owned()));

    // An answer while the plugin is not there reaches it when it is back.
    let between = async {
        let id = block_in_place(|| stage.open_ask());
        plugin.cut();
        block_in_place(|| {
            ask_when(&stage, &id, |ask| ask["agent"]["connected"] == false);
            answer(&stage, &id, &["--other", "Valkey"]);
            assert_eq!(stage.look(&json!(id))["delivery"], "owed");
        });
    };
    let asked = plugin.ask(&agent, &key, questions("And for the cache?"));
    let (told, ()) = tokio::join!(asked, between);
    assert_eq!(
        told,
        ToolAnswer::Answers(json!({"And for the cache?": "Valkey"}))
    );
    plugin.connected().await;

    // A newer connection of the same token takes the place of the older one, whichever it is.
    let call = Call::get(format!("/api/v1/openclaw/ws?token={token}"));
    let mut newer = block_in_place(|| Socket::open(call, stage.port())).unwrap();
    loop {
        match plugin.next().await {
            Noticed::Disconnected { reason, error } => {
                assert_eq!((reason.as_str(), error), ("replaced", None));
                break;
            }
            Noticed::Pinged | Noticed::Turn(_) | Noticed::Unwaited(_) => {}
            other => panic!("{other:?}"),
        }
    }
    plugin.connected().await;
    let ended = block_in_place(|| {
        loop {
            match newer.next() {
                Frame::Text(_) => {}
                ended @ (Frame::Closed(..) | Frame::Ended) => return ended,
            }
        }
    });
    assert_eq!(ended, Frame::Closed(1000, "replaced".to_owned()));
}
