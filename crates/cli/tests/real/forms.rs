//! What an MCP server of somebody else wants to know: a form, or a page to visit.

use serde_json::{Value, json};

use super::cell::Cell;
use super::world::{Setting, World};

/// The program with that server, whose tool needs no leave.
fn begin(cell: Cell, kind: &str) -> World {
    let words = |world: &crate::stage::Stage| {
        let script = world.write("form.mjs", include_str!("form.mjs"));
        let servers = json!({"mcpServers": {"form": {"command": "node", "args": [script, kind]}}});
        let config = world.write("form.json", &servers.to_string());
        ["--mcp-config", &config, "--allowedTools", "mcp__form__fill"].map(str::to_owned)
    };
    let turns = vec![vec![("mcp__form__fill", json!({}))]];
    World::begin_with(cell, &Setting::default(), turns, |stage| {
        words(stage).to_vec()
    })
}

/// What the server of the form was told, as the model heard it.
fn told(world: &mut World) -> Value {
    let (text, failed) = world.told(0);
    assert!(!failed, "{text}");
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}"))
}

pub(super) fn form(cell: Cell) {
    let mut world = begin(cell, "form");
    let ask = world.ask();
    let shown = world.stage.look(&json!(ask));
    assert_eq!(shown["form"]["message"], "Who are you?");
    assert_eq!(shown["title"], "form");
    let fields = r#"{"name":"Ann","age":41}"#;
    world.answer(&ask, &["--fields", fields]);
    world.end();
    let content: Value = serde_json::from_str(fields).unwrap();
    let heard = told(&mut world);
    assert_eq!(heard, json!({"action": "accept", "content": content}));
}

pub(super) fn form_declined(cell: Cell) {
    let mut world = begin(cell, "form");
    world.answer(&world.ask(), &["--dismiss"]);
    world.end();
    assert_eq!(told(&mut world)["action"], "decline");
}

pub(super) fn page(cell: Cell) {
    let mut world = begin(cell, "url");
    let ask = world.ask();
    let shown = world.stage.look(&json!(ask));
    assert_eq!(shown["form"]["url"], "https://example.org/login");
    world.answer(&ask, &["--fields", "{}"]);
    world.end();
    assert_eq!(told(&mut world)["action"], "accept");
}
