//! The cases, each in every way that is possible on its version.

use serde_json::{Value, json};

use super::program::{Version, Way, World};

const DISMISSED: &str = "The person dismissed this and did not answer.";

fn bash() -> (&'static str, Value) {
    (
        "Bash",
        json!({"command": "touch made.txt && echo ran", "description": "Create a file"}),
    )
}

fn questions() -> (&'static str, Value) {
    (
        "AskUserQuestion",
        json!({"questions": [
        {"question": "Which database?", "header": "Database", "multiSelect": false, "options": [
            {"label": "PostgreSQL", "description": "Server"}, {"label": "SQLite", "description": "Embedded"}]},
        {"question": "Which features?", "header": "Features", "multiSelect": true, "options": [
            {"label": "Auth", "description": "Login"}, {"label": "Search", "description": "FTS"}]}]}),
    )
}

fn question(text: &str) -> (&'static str, Value) {
    (
        "AskUserQuestion",
        json!({"questions": [
        {"question": text, "header": "Q", "multiSelect": false, "options": [
            {"label": "A", "description": "a"}, {"label": "B", "description": "b"}]}]}),
    )
}

fn text(result: &Value) -> String {
    match &result["content"] {
        Value::String(text) => text.clone(),
        other => other[0]["text"].as_str().unwrap_or_default().to_owned(),
    }
}

/// Asks once, answers with these words, and gives what the model was told.
fn once(
    version: Version,
    way: Way,
    call: (&'static str, Value),
    answer: &[&str],
) -> (World, Value) {
    let mut world = World::begin(version, way, vec![call]);
    let asks = world.asks(1);
    world.answer(&asks[0], answer);
    world.end();
    let result = world.model.result(0);
    (world, result)
}

fn permissions(version: Version, way: Way) {
    let (world, told) = once(version, way, bash(), &["--allow"]);
    assert_eq!(
        (text(&told).as_str(), world.has("made.txt")),
        ("ran", true),
        "{version:?} {way:?}"
    );
    let (world, told) = once(version, way, bash(), &["--deny", "--note", "not today"]);
    assert_eq!(
        (text(&told).as_str(), world.has("made.txt")),
        ("not today", false)
    );
    assert_eq!(told["is_error"], json!(true));
    let edit = r#"{"command":"touch edited.txt && echo edited"}"#;
    let (world, told) = once(version, way, bash(), &["--allow", "--edit", edit]);
    assert_eq!(text(&told), "edited");
    assert_eq!(
        (world.has("made.txt"), world.has("edited.txt")),
        (false, true)
    );
}

fn answers(version: Version, way: Way) {
    let all = [
        "--question",
        "1",
        "--pick",
        "SQLite",
        "--question",
        "2",
        "--pick",
        "Auth",
        "--pick",
        "Search",
    ];
    let (_, told) = once(version, way, questions(), &all);
    let said = text(&told);
    for pair in [
        r#""Which database?"="SQLite""#,
        r#""Which features?"="Auth, Search""#,
    ] {
        assert!(said.contains(pair), "{version:?} {way:?}: {said}");
    }
    // In part, and in one's own words.
    let (_, told) = once(
        version,
        way,
        questions(),
        &["--question", "2", "--other", "none, thanks"],
    );
    let said = text(&told);
    assert!(
        said.contains(r#""Which features?"="none, thanks""#),
        "{said}"
    );
    assert!(!said.contains("Which database?"), "{said}");
    let (_, told) = once(version, way, questions(), &["--dismiss"]);
    assert_eq!(
        (text(&told).as_str(), &told["is_error"]),
        (DISMISSED, &json!(true))
    );
}

/// Two questions in one turn, answered the other way round.
fn two_at_once(version: Version, way: Way) {
    let mut world = World::begin(version, way, vec![question("First?"), question("Second?")]);
    let asks = world.asks(2);
    world.answer(&asks[1], &["--pick", "B"]);
    world.answer(&asks[0], &["--pick", "A"]);
    world.end();
    let said = [text(&world.model.result(0)), text(&world.model.result(1))].concat();
    assert_eq!(
        (
            said.matches(r#"="A""#).count(),
            said.matches(r#"="B""#).count()
        ),
        (1, 1),
        "{said}"
    );
}

/// The server is killed while the program waits, and comes back.
fn restart(version: Version, way: Way) {
    let mut world = World::begin(version, way, vec![bash()]);
    let asks = world.asks(1);
    let port = world.stage.port();
    world.stage.kill();
    world.stage.serve_at(port);
    world.answer(&asks[0], &["--allow"]);
    world.end();
    assert_eq!(
        (text(&world.model.result(0)).as_str(), world.has("made.txt")),
        ("ran", true)
    );
}

#[test]
fn at_its_pipe() {
    for version in Version::ALL {
        permissions(version, Way::StandIn);
        answers(version, Way::StandIn);
        two_at_once(version, Way::StandIn);
        restart(version, Way::StandIn);
    }
}

#[test]
fn as_its_permission_tool() {
    for version in Version::ALL {
        permissions(version, Way::Mcp);
        answers(version, Way::Mcp);
        restart(version, Way::Mcp);
    }
}

#[test]
fn as_its_hook() {
    for version in Version::ALL {
        permissions(version, Way::Hook);
        restart(version, Way::Hook);
    }
    answers(Version::Old, Way::Hook);
}
