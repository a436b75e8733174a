//! Runs whose questions wait longer than the program does.

use super::cell::Cell;
use super::scenes::{bash, refused_in, said};
use super::start;
use super::world::{Setting, World};

/// A run whose program has ended, and its ask.
fn put_off_run(cell: Cell) -> (World, String) {
    let setting = Setting {
        hold: Some("1"),
        ..Setting::default()
    };
    let world = World::begin_with(cell, &setting, vec![vec![bash()]], |_| Vec::new());
    let ask = world.ask();
    world.until("a word that it waits", || {
        world.err().contains("Claude Code is waiting for a person")
    });
    assert_eq!(world.asks(1), [ask.as_str()]);
    assert_eq!(world.model.turns().len(), 1);
    (world, ask)
}

/// The program has ended while nobody answered; the answer starts it again.
pub(super) fn put_off(cell: Cell) {
    let (mut world, ask) = put_off_run(cell);
    // No process of it waits.
    assert_eq!(world.programs(), Vec::<String>::new());
    let port = world.stage.port();
    world.stage.kill();
    world.stage.serve_at(port);
    world.answer(&ask, &["--allow"]);
    world.end();
    assert_eq!((world.told(0), world.has("made.txt")), (said("ran"), true));
    assert!(world.out().contains("All done"), "{}", world.out());
}

pub(super) fn put_off_denied(cell: Cell) {
    let (mut world, ask) = put_off_run(cell);
    world.answer(&ask, &["--deny", "--note", "not today"]);
    world.end();
    let told = world.told(0);
    assert_eq!(told, refused_in(cell, "Bash", "not today"));
    assert_eq!(world.made(), Vec::<String>::new());
}

/// The command that runs it is killed as well; after that it is gone on with.
pub(super) fn resumed_later(cell: Cell) {
    let (mut world, ask) = put_off_run(cell);
    world.kill();
    let mut command = world.stage.command(&["claude", "run", "--resume-all"]);
    start::surround(&mut command, &world.stage, &world.model, cell);
    world.go_on_with(command);
    world.until("the run to be taken up", || {
        world.err().contains("resuming")
    });
    world.answer(&ask, &["--allow"]);
    world.end();
    assert_eq!((world.told(0), world.has("made.txt")), (said("ran"), true));
}

/// The command is killed while its program works: that ends too, and the run is gone on with later.
pub(super) fn run_dies(cell: Cell) {
    // What it does again may be the same call, or the next one.
    let mut world = World::begin(cell, vec![vec![bash()], vec![bash()]]);
    let first = world.ask();
    assert_ne!(world.programs(), Vec::<String>::new());
    world.kill();
    world.until("an end of all programs", || world.programs().is_empty());
    assert_eq!(world.made(), Vec::<String>::new());
    let mut command = world.stage.command(&["claude", "run", "--resume-all"]);
    start::surround(&mut command, &world.stage, &world.model, cell);
    world.go_on_with(command);
    let second = world.another(&first);
    assert_eq!(
        world.outcome(&first),
        "withdrawn: Claude Code was interrupted."
    );
    world.answer(&second, &["--allow", "--scope", "always"]);
    world.end();
    assert!(world.has("made.txt"));
}
