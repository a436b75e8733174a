//! On whose screens an ask was: told by devices, kept in the journal, said by `sayso show`.

use std::time::Duration;

use serde_json::{Value, json};

use super::raw::Call;
use super::stage::{Stage, begin, question, waited};

fn report(asks: &Value) -> Call {
    Call::post("/v1/shown").json(&json!({ "asks": asks }))
}

/// The devices in the story of an ask, once the journal has this many.
fn screens(stage: &Stage, ask: &Value, count: usize) -> Vec<String> {
    let target = format!("/v1/asks/{}/story", ask["id"].as_str().unwrap());
    let since = begin();
    loop {
        let story = stage.by("person", Call::get(&target)).with(200);
        let steps = story["steps"].as_array().unwrap().iter();
        let shown: Vec<String> = steps
            .filter(|step| step["what"] == "shown")
            .map(|step| format!("{} {}", step["person"], step["device"]))
            .collect();
        if shown.len() >= count {
            return shown;
        }
        assert!(waited(since) < Duration::from_secs(20), "{story}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn the_story_says_on_whose_screens_an_ask_was_also_after_a_crash() {
    let mut stage = Stage::served();
    let ask = stage.ask(&question("Which?", &["A", "B"]));
    let phone = stage.new_token("person", "phone");
    for _ in 0..3 {
        let call = report(&json!([ask["id"]])).token(&phone);
        assert_eq!(stage.call(&call).status, 204);
    }
    assert_eq!(screens(&stage, &ask, 1), [r#""ann" "phone""#]);
    stage.kill();
    stage.serve();
    // The projections are thrown away, and the journal knows.
    assert_eq!(
        stage
            .call(&report(&json!([ask["id"]])).token(&phone))
            .status,
        204
    );
    stage.answer(&ask, "A");
    assert_eq!(screens(&stage, &ask, 1), [r#""ann" "phone""#]);
    stage.kill();
    assert_eq!(stage.run(&["rebuild"]).code, Some(0));
    stage.serve();
    assert_eq!(screens(&stage, &ask, 1), [r#""ann" "phone""#]);
    let shown = stage.run(&["show", ask["id"].as_str().unwrap()]).data;
    let story: Vec<&str> = shown
        .lines()
        .skip_while(|line| *line != "  story:")
        .skip(1)
        .collect();
    let says = |line: &&str, what: &str| line.contains(what);
    assert!(says(&story[0], "Z asked (entry "), "{shown}");
    assert!(says(&story[1], "Z shown on ann's phone, "), "{shown}");
    assert!(says(&story[1], " s after it was asked (entry "), "{shown}");
    assert!(says(&story[2], "Z answered A, by ann on "), "{shown}");
    assert!(stage.run(&["verify"]).data.starts_with("sound: "));
}

#[test]
fn what_is_no_list_of_asks_is_refused_and_what_nobody_knows_is_passed_over() {
    let stage = Stage::served();
    let nobody = "01938d1e-7c1a-7e55-9a4e-3a0f6c1d2b3c";
    let by = |asks: &Value| stage.by("person", report(asks));
    assert_eq!(by(&json!([])).status, 204);
    assert_eq!(by(&json!([nobody, nobody])).status, 204);
    assert_eq!(by(&json!(vec![nobody; 200])).status, 204);
    assert_eq!(by(&json!(vec![nobody; 201])).refusal(), "422 invalid /asks");
    assert_eq!(
        by(&json!([nobody, "nonsense"])).refusal(),
        "422 invalid /asks/1"
    );
}
