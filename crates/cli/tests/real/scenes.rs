//! What may happen, each in any cell; judged by what the model was told and by what is on disk.

use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};

use super::cell::{Cell, Version, Way};
pub(super) use super::forms::{form, form_declined, page};
use super::model::Tool;
pub(super) use super::runs::{put_off, put_off_denied, resumed_later, run_dies};
pub(super) use super::tools::{tool_asks, tool_waits};
use super::world::{Company, World};
use crate::raw::Call;

const DISMISSED: &str = "The person dismissed this and did not answer.";
const PROMPT: &str = "Do you want to proceed?";
/// What the program shows while nobody has said anything.
const IDLE: &str = "? for shortcuts";
/// What the program makes of a no that ends the turn; what the person said with it is lost.
const STOPPED: &str = "The user doesn't want to proceed with this tool use.";
const ESCAPE: &str = "\u{1b}";

pub(super) fn bash() -> Tool {
    touching("made.txt", "ran")
}

fn touching(file: &str, said: &str) -> Tool {
    let command = format!("touch {file} && echo {said}");
    (
        "Bash",
        json!({"command": command, "description": "Create a file"}),
    )
}

fn one_of(text: &str, labels: [&str; 2]) -> Value {
    json!({"question": text, "header": "Choice", "multiSelect": false, "options": [
        {"label": labels[0], "description": "One"}, {"label": labels[1], "description": "Other"}]})
}

fn question(text: &str) -> Tool {
    (
        "AskUserQuestion",
        json!({"questions": [one_of(text, ["A", "B"])]}),
    )
}

fn questions() -> Tool {
    let mut several = one_of("Which features?", ["Auth", "Search"]);
    several["multiSelect"] = json!(true);
    let first = one_of("Which database?", ["PostgreSQL", "SQLite"]);
    ("AskUserQuestion", json!({"questions": [first, several]}))
}

/// What the program makes of answers that are labels.
fn answered(pairs: &str) -> (String, bool) {
    let text = format!(
        "Your questions have been answered: {pairs}. You can now continue with these answers in mind."
    );
    (text, false)
}

/// What the program makes of answers in one's own words.
fn answered_freely(cell: Cell, pairs: &str) -> (String, bool) {
    match cell.version {
        Version::Old => answered(pairs),
        Version::New => (
            format!(
                "The user answered: {pairs}. Read the answers carefully — they may request \
                 clarification, changes, or that you not proceed — and follow what they actually say."
            ),
            false,
        ),
    }
}

pub(super) fn said(text: &str) -> (String, bool) {
    (text.to_owned(), false)
}

fn refused(text: &str) -> (String, bool) {
    (text.to_owned(), true)
}

/// What the program makes of a no in this way: before a tool runs, the newer one says whose it is.
pub(super) fn refused_in(cell: Cell, tool: &str, text: &str) -> (String, bool) {
    match (cell.way, cell.version) {
        (Way::Run, Version::New) => refused(&format!("PreToolUse:{tool} hook error: {text}")),
        (_, Version::Old | Version::New) => refused(text),
    }
}

/// Asks once, answers with these words, and gives what the model was told.
fn once(cell: Cell, tool: Tool, words: &[&str]) -> (World, (String, bool)) {
    let mut world = World::begin(cell, vec![vec![tool]]);
    world.answer(&world.ask(), words);
    world.end();
    let told = world.told(0);
    (world, told)
}

pub(super) fn single(cell: Cell) {
    let (_, told) = once(cell, question("Which?"), &["--pick", "B"]);
    assert_eq!(told, answered(r#""Which?"="B""#));
}

pub(super) fn multiple(cell: Cell) {
    let first = ["--question", "1", "--pick", "SQLite"];
    let second = ["--question", "2", "--pick", "Auth", "--pick", "Search"];
    let (_, told) = once(cell, questions(), &[&first[..], &second].concat());
    let pairs = r#""Which database?"="SQLite", "Which features?"="Auth, Search""#;
    assert_eq!(told, answered(pairs));
}

pub(super) fn partial(cell: Cell) {
    let words = ["--question", "1", "--pick", "SQLite"];
    let (_, told) = once(cell, questions(), &words);
    assert_eq!(told, answered(r#""Which database?"="SQLite""#));
}

pub(super) fn free_text(cell: Cell) {
    let words = ["--question", "2", "--other", "none, \"thanks\""];
    let (_, told) = once(cell, questions(), &words);
    let pairs = r#""Which features?"="none, "thanks"""#;
    assert_eq!(told, answered_freely(cell, pairs));
}

pub(super) fn dismissal(cell: Cell) {
    let (_, told) = once(cell, question("Which?"), &["--dismiss"]);
    assert_eq!(told, refused_in(cell, "AskUserQuestion", DISMISSED));
}

/// Two calls in one turn. Where both wait at once they are answered the other way round.
pub(super) fn two_at_once(cell: Cell) {
    let mut world = World::begin(cell, vec![vec![question("First?"), question("Second?")]]);
    let asks = world.asks(2);
    let is_first = |id: &str| {
        let ask = world.stage.look(&json!(id));
        ask["questions"][0]["text"] == "First?"
    };
    let (second, first): (Vec<_>, Vec<_>) = asks.into_iter().partition(|id| !is_first(id));
    world.answer(&second[0], &["--pick", "B"]);
    world.answer(&first[0], &["--pick", "A"]);
    world.end();
    assert_eq!(world.told(0), answered(r#""First?"="A""#));
    assert_eq!(world.told(1), answered(r#""Second?"="B""#));
}

pub(super) fn allow(cell: Cell) {
    let (world, told) = once(cell, bash(), &["--allow"]);
    assert_eq!(
        (told, world.made()),
        (said("ran"), vec!["made.txt".to_owned()])
    );
}

pub(super) fn deny_with_note(cell: Cell) {
    let (world, told) = once(cell, bash(), &["--deny", "--note", "not today"]);
    let refused = refused_in(cell, "Bash", "not today");
    assert_eq!((told, world.made()), (refused, Vec::new()));
}

/// Said once for always: the same call is not asked again, another one is.
pub(super) fn always(cell: Cell) {
    let other = touching("other.txt", "ran too");
    let mut world = World::begin(cell, vec![vec![bash()], vec![bash()], vec![other]]);
    let first = world.ask();
    world.answer(&first, &["--allow", "--scope", "always"]);
    let third = world.another(&first);
    assert_eq!((world.told(0), world.told(1)), (said("ran"), said("ran")));
    world.answer(&third, &["--deny", "--note", "that is another"]);
    world.end();
    assert_eq!(world.told(2), refused_in(cell, "Bash", "that is another"));
    assert_eq!(world.made(), ["made.txt"]);
}

pub(super) fn edited(cell: Cell) {
    let edit = r#"{"command":"touch edited.txt && echo edited"}"#;
    let (world, told) = once(cell, bash(), &["--allow", "--edit", edit]);
    assert_eq!(
        (told, world.made()),
        (said("edited"), vec!["edited.txt".to_owned()])
    );
}

/// Whoever sits beside the program is faster than every device.
pub(super) fn other_wins(cell: Cell) {
    let mut world = World::begin_in(cell, Company::Beside, vec![vec![bash()]]);
    let ask = world.ask();
    let gone = match cell.way {
        Way::Hook | Way::Http => {
            world.terminal().shows(PROMPT);
            world.terminal().press("1");
            "withdrawn: Decided in the terminal."
        }
        Way::Pipe | Way::Beside => {
            let asked = world.control_request();
            let body = json!({"behavior": "allow", "updatedInput": asked["request"]["input"]});
            let line = json!({"type": "control_response", "response": {
                "subtype": "success", "request_id": asked["request_id"], "response": body}});
            world.write(&line.to_string());
            if cell.way == Way::Beside {
                "withdrawn: Decided in the terminal."
            } else {
                "withdrawn: Answered in the app."
            }
        }
        Way::Node | Way::Python => {
            world.says("app: asked Bash");
            world.write("allow");
            "withdrawn: Answered in the app."
        }
        Way::Print | Way::PrintHttp | Way::Mcp | Way::McpHttp | Way::Run => {
            panic!("nobody sits beside {cell:?}")
        }
    };
    assert_eq!(world.outcome(&ask), gone);
    world.end();
    assert_eq!((world.told(0), world.has("made.txt")), (said("ran"), true));
}

/// Somebody sits beside the program and does not answer; a device does, and their prompt goes.
pub(super) fn device_wins(cell: Cell) {
    let mut world = World::begin_in(cell, Company::Beside, vec![vec![bash()]]);
    let ask = world.ask();
    match cell.way {
        Way::Hook | Way::Http => world.terminal().shows(PROMPT),
        Way::Pipe | Way::Beside => drop(world.control_request()),
        Way::Node | Way::Python => world.says("app: asked Bash"),
        Way::Print | Way::PrintHttp | Way::Mcp | Way::McpHttp | Way::Run => {
            panic!("nobody sits beside {cell:?}")
        }
    }
    world.answer(&ask, &["--allow"]);
    match cell.way {
        Way::Hook | Way::Http => world.terminal().hides(PROMPT),
        Way::Pipe | Way::Beside => world.says(r#""type":"control_cancel_request""#),
        Way::Node | Way::Python => world.says("app: no longer asked"),
        Way::Print | Way::PrintHttp | Way::Mcp | Way::McpHttp | Way::Run => {}
    }
    world.end();
    assert_eq!(world.outcome(&ask), "answered");
    assert_eq!((world.told(0), world.has("made.txt")), (said("ran"), true));
}

/// The server is killed while the program waits, and comes back at the same place.
pub(super) fn server_restarts(cell: Cell) {
    let mut world = World::begin(cell, vec![vec![bash()]]);
    let ask = world.ask();
    let port = world.stage.port();
    world.stage.kill();
    world.stage.serve_at(port);
    match cell.way {
        Way::Http => {
            // The call died with the server: the terminal is all that is left, and still there.
            assert_eq!(world.outcome(&ask), "withdrawn: answer in the terminal");
            world.terminal().shows(PROMPT);
            world.terminal().press("1");
        }
        Way::PrintHttp => {
            // Nobody is left: that is a no.
            assert_eq!(world.outcome(&ask), "withdrawn: answer in the terminal");
            world.end();
            let (text, failed) = world.told(0);
            assert_eq!((failed, world.made()), (true, Vec::new()), "{text}");
            return;
        }
        Way::Hook
        | Way::Print
        | Way::Beside
        | Way::Mcp
        | Way::McpHttp
        | Way::Run
        | Way::Pipe
        | Way::Node
        | Way::Python => {
            world.answer(&ask, &["--allow"]);
        }
    }
    world.end();
    assert_eq!((world.told(0), world.has("made.txt")), (said("ran"), true));
}

/// The hook is killed, the program gets a no from elsewhere and tries the same again: the next run
/// of the hook goes on with the ask of the first.
pub(super) fn hook_runs_again(cell: Cell) {
    let mut world = World::begin(cell, vec![vec![bash()], vec![bash()]]);
    let ask = world.ask();
    kill_process(world.hook(), Signal::KILL).unwrap();
    match cell.way {
        Way::Hook => {
            let terminal = world.terminal();
            terminal.shows(PROMPT);
            // To the last choice, which is no, and say something with it, so that the turn goes on.
            let no = if cell.version == Version::Old {
                "3"
            } else {
                "4"
            };
            terminal.shows(&format!("{no}. No"));
            terminal.press(&"\u{1b}[B".repeat(if no == "3" { 2 } else { 3 }));
            terminal.shows(&format!("❯ {no}. No"));
            terminal.press("\t");
            terminal.shows("tell Claude what to do differently");
            terminal.press("try again");
            terminal.shows("try again");
            terminal.press("\r");
        }
        Way::Beside => {
            let asked = world.control_request();
            let body = json!({"behavior": "deny", "message": "try again"});
            let line = json!({"type": "control_response", "response": {
                "subtype": "success", "request_id": asked["request_id"], "response": body}});
            world.write(&line.to_string());
        }
        // Without anybody else, a dead hook is a no.
        Way::Print => {}
        Way::Http
        | Way::PrintHttp
        | Way::Mcp
        | Way::McpHttp
        | Way::Run
        | Way::Pipe
        | Way::Node
        | Way::Python => {
            panic!("{cell:?} has no command hook beside a prompt")
        }
    }
    assert!(world.told(0).1, "{:?}", world.told(0));
    world.hook();
    assert_eq!(world.ask(), ask);
    world.answer(&ask, &["--allow"]);
    world.end();
    assert_eq!((world.told(1), world.has("made.txt")), (said("ran"), true));
}

/// The turn is broken off while a person thinks: nobody is asked any more, nothing runs.
pub(super) fn interrupt(cell: Cell) {
    let company = match cell.way {
        Way::Node | Way::Python | Way::Pipe => Company::Alone,
        Way::Hook
        | Way::Http
        | Way::Print
        | Way::PrintHttp
        | Way::Beside
        | Way::Mcp
        | Way::McpHttp
        | Way::Run => Company::Beside,
    };
    let mut world = World::begin_in(cell, company, vec![vec![bash()]]);
    let ask = world.ask();
    match cell.way {
        Way::Hook | Way::Http => {
            world.terminal().shows(PROMPT);
            world.terminal().press(ESCAPE);
            world.terminal().hides(PROMPT);
        }
        Way::Pipe | Way::Beside => {
            let body = json!({"subtype": "interrupt"});
            let line = json!({"type": "control_request", "request_id": "stop-1", "request": body});
            world.write(&line.to_string());
            world.says(r#""subtype":"error_during_execution""#);
        }
        Way::Node | Way::Python => {
            world.write("interrupt");
            world.says("app: interrupted");
        }
        Way::Print | Way::PrintHttp | Way::Mcp | Way::McpHttp | Way::Run => world.signal(),
    }
    let outcome = world.outcome(&ask);
    assert!(outcome.starts_with("withdrawn: "), "{outcome}");
    world.asks(0);
    assert_eq!(world.made(), Vec::<String>::new());
}

/// The app above the stand-in is killed while a person thinks: the question goes, and so does all below.
pub(super) fn app_dies(cell: Cell) {
    let mut world = World::begin(cell, vec![vec![bash()]]);
    let ask = world.ask();
    assert_ne!(world.programs(), Vec::<String>::new());
    world.kill();
    let outcome = world.outcome(&ask);
    assert!(outcome.starts_with("withdrawn: "), "{outcome}");
    world.until("an end of all programs", || world.programs().is_empty());
    assert_eq!(world.made(), Vec::<String>::new());
}

/// The stand-in is killed while a person thinks: its program does not go on without it.
pub(super) fn stand_in_dies(cell: Cell) {
    let mut world = World::begin(cell, vec![vec![bash()]]);
    world.ask();
    assert_ne!(world.programs(), Vec::<String>::new());
    world.kill();
    world.until("an end of all programs", || world.programs().is_empty());
    assert_eq!(world.made(), Vec::<String>::new());
}

/// A no that ends the turn: the model hears nothing of it before somebody says something else.
pub(super) fn stop(cell: Cell) {
    stopped(cell, bash(), &["--deny", "--stop", "--note", "stop it"]);
}

/// The same for a question that is put aside.
pub(super) fn stop_question(cell: Cell) {
    stopped(cell, question("Which?"), &["--dismiss", "--stop"]);
}

fn stopped(cell: Cell, tool: Tool, words: &[&str]) {
    let mut world = World::begin(cell, vec![vec![tool]]);
    let ask = world.ask();
    assert_eq!(world.model.turns().len(), 1);
    world.answer(&ask, words);
    match cell.way {
        Way::Hook | Way::Http => {
            // It is as it was before anybody said anything, and hears of it with the next words.
            world.terminal().shows(IDLE);
            world.terminal().press("something else");
            world.terminal().shows("something else");
            world.terminal().press("\r");
            world.end();
            let turns = world.model.turns();
            assert_eq!(turns.len(), 2, "{turns:?}");
            assert!(turns[1].to_string().contains("something else"));
            let (text, failed) = world.told(0);
            assert!(failed && text.starts_with(STOPPED), "{text}");
        }
        Way::Print
        | Way::PrintHttp
        | Way::Beside
        | Way::Mcp
        | Way::McpHttp
        | Way::Run
        | Way::Pipe
        | Way::Node
        | Way::Python => {
            world.end();
            assert_eq!(world.model.turns().len(), 1);
        }
    }
    assert_eq!(world.made(), Vec::<String>::new());
}

/// What the page for people shows, in one go: a question answered from another terminal, a command
/// approved through the API, and one denied where the program runs.
pub(super) fn story(cell: Cell) {
    let turns = ["allowed.txt", "denied.txt"].map(|file| vec![touching(file, "ran")]);
    let mut world = World::begin(cell, [&[vec![question("Which?")]][..], &turns].concat());
    let first = world.ask();
    world.answer(&first, &["--pick", "A"]);

    let second = world.another(&first);
    let digest = world.stage.look(&json!(second))["digest"].take();
    let yes = json!({"digest": digest, "verdict": {"allow": true}});
    let answer = Call::post(format!("/v1/asks/{second}/answer")).json(&yes);
    world.stage.by("person", answer).with(200);

    let third = world.another(&second);
    world.terminal().shows("touch denied.txt");
    world.terminal().shows(PROMPT);
    world.terminal().press(ESCAPE);
    assert_eq!(world.outcome(&third), "withdrawn: Decided in the terminal.");
    world.terminal().hides(PROMPT);
    let inbox = world.stage.run(&["inbox"]);
    assert_eq!((inbox.code, inbox.data.as_str()), (Some(0), ""));

    assert_eq!(world.told(0), answered(r#""Which?"="A""#));
    assert_eq!(world.told(1), said("ran"));
    assert_eq!(world.made(), ["allowed.txt"]);
}
