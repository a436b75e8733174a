//! Our MCP tools, called by the model itself.

use serde_json::{Value, json};

use super::cell::Cell;
use super::model::{LAST_ID, Tool};
use super::world::{Setting, World};

fn ask() -> Tool {
    let question = json!({"question": "Which?", "header": "Choice",
        "options": [{"label": "A", "description": "One"}, {"label": "B", "description": "Other"}]});
    ("mcp__sayso__ask", json!({"questions": [question]}))
}

fn begin(cell: Cell, hold: Option<&'static str>, turns: Vec<Vec<Tool>>) -> World {
    let setting = Setting {
        hold,
        ..Setting::default()
    };
    World::begin_with(cell, &setting, turns, |_| {
        ["--allowedTools", "mcp__sayso__ask,mcp__sayso__wait"]
            .map(str::to_owned)
            .to_vec()
    })
}

fn told(world: &mut World, number: usize) -> Value {
    let (text, failed) = world.told(number);
    assert!(!failed, "{text}");
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}"))
}

/// The tool `ask`: questions in, answers out.
pub(super) fn tool_asks(cell: Cell) {
    let mut world = begin(cell, None, vec![vec![ask()]]);
    let id = world.ask();
    world.answer(&id, &["--pick", "B", "--note", "soon"]);
    world.end();
    assert_eq!(
        told(&mut world, 0),
        json!({"status": "answered", "id": id, "answers": {"Which?": "B"}, "notes": {"Which?": "soon"}})
    );
}

/// Nobody answers for a while: the call is let go of, and `wait` goes on with the ask.
pub(super) fn tool_waits(cell: Cell) {
    let wait = || vec![("mcp__sayso__wait", json!({"id": LAST_ID}))];
    let turns = vec![vec![ask()], wait(), wait(), wait()];
    let mut world = begin(cell, Some("3"), turns);
    let id = world.ask();
    let still = told(&mut world, 0);
    assert_eq!(
        (&still["status"], &still["id"]),
        (&json!("open"), &json!(id))
    );
    world.answer(&id, &["--pick", "A"]);
    world.end();
    assert_eq!(
        told(&mut world, 3),
        json!({"status": "answered", "id": id, "answers": {"Which?": "A"}})
    );
}
