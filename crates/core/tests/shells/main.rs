//! The gate against the shells themselves.
//!
//! Strings are put together at random from pieces that shells give a meaning to. Whatever the gate
//! takes is run by bash, dash and zsh, all of which must be there, with programs that write down the
//! words they really got; a single difference fails. A parser of bash must agree on how many commands
//! there are. What the run has reached is counted: a generator that makes nothing worth trying fails
//! too. Gates with a mistake planted in them must be caught.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot set up its world stops at once and says where"
)]

#[path = "../chance/dice.rs"]
mod dice;
mod room;
mod soup;

use std::collections::{BTreeMap, HashSet};

use dice::Dice;
use room::{Difference, Room, Taken, Way};
use sayso_core::policy::shell::{Line, builtins, loose};

/// The first seed; the blocks of a long run count up from it.
const SEED: u64 = 0x5eed_0001;

/// How many strings come from one seed.
const BLOCK: usize = 20_000;

/// How many strings share a shell.
const SHARED: usize = 64;

/// What reads a string: the gate, or one with a mistake.
type Reader = dyn Fn(&str) -> Option<Line>;

fn gate(text: &str) -> Option<Line> {
    Line::read(text).ok()
}

/// A gate that takes `sign` for something harmless.
fn blind_to(sign: &'static str, harmless: &'static str) -> Box<Reader> {
    Box::new(move |text| {
        let mut line = Line::read(&text.replace(sign, harmless)).ok()?;
        for word in line.parts.iter_mut().flat_map(|part| &mut part.argv) {
            *word = word.replace(harmless, sign);
        }
        Some(line)
    })
}

/// A gate that takes `sign` for a blank, as some parsers do.
fn blank_for(sign: &'static str) -> Box<Reader> {
    Box::new(move |text| gate(&text.replace(sign, " ")))
}

/// Whether a parser of bash sees plain commands only, and as many.
fn parser_agrees(parser: &mut tree_sitter::Parser, text: &str, line: &Line) -> bool {
    const PLAIN: &[&str] = &[
        "program",
        "list",
        "pipeline",
        "command",
        "command_name",
        "word",
        "number",
        "string",
        "string_content",
        "raw_string",
        "concatenation",
    ];
    let tree = parser.parse(text, None).unwrap();
    let mut commands = 0;
    let mut left = vec![tree.root_node()];
    while let Some(node) = left.pop() {
        if node.is_error()
            || node.is_missing()
            || (node.is_named() && !PLAIN.contains(&node.kind()))
        {
            return false;
        }
        commands += usize::from(node.kind() == "command");
        let mut cursor = node.walk();
        left.extend(node.children(&mut cursor));
    }
    commands == line.parts.len()
}

/// The strings of a seed that a reader takes and that can be run, each once.
fn taken(reader: &Reader, seed: u64, strings: usize) -> Vec<Taken> {
    let mut dice = Dice::new(seed);
    let mut tried = HashSet::new();
    (0..strings)
        .filter_map(|_| {
            let text = dice.soup();
            let line = reader(&text)?;
            (Room::can_furnish(&line) && tried.insert(text.clone())).then_some(Taken { text, line })
        })
        .collect()
}

fn differences(room: &Room, way: Way, strings: &[Taken]) -> Vec<Difference> {
    let mut all: Vec<_> = strings
        .chunks(SHARED)
        .flat_map(|some| room.differences(way, some))
        .collect();
    all.sort();
    all
}

/// How many strings are tried; `cargo xtask test --strings 1000000` is the long run.
#[expect(
    clippy::disallowed_methods,
    reason = "this is how a long run is asked for"
)]
fn strings() -> usize {
    std::env::var("SAYSO_STRINGS").map_or(2_500, |text| text.parse().unwrap())
}

#[test]
fn what_the_gate_takes_is_what_every_shell_runs() {
    let room = Room::new();
    let mut parser = tree_sitter::Parser::new();
    parser
        .set_language(&tree_sitter_bash::LANGUAGE.into())
        .unwrap();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut tried = HashSet::new();
    let mut left = strings();
    for seed in SEED.. {
        let mut dice = Dice::new(seed);
        let mut waiting: Vec<Taken> = Vec::with_capacity(SHARED);
        let block = left.min(BLOCK);
        for at in 0..block {
            let text = dice.soup();
            match Line::read(&text) {
                Err(_) => *counts.entry("refused").or_default() += 1,
                Ok(line) => {
                    *counts.entry("taken").or_default() += 1;
                    // Where the two differ, the shells decide below.
                    let agrees = parser_agrees(&mut parser, &text, &line);
                    *counts.entry("the parser differs").or_default() += usize::from(!agrees);
                    if Room::can_furnish(&line) && tried.insert(text.clone()) {
                        for part in &line.parts {
                            *counts.entry(part.joint.sign()).or_default() += 1;
                        }
                        waiting.push(Taken { text, line });
                    }
                }
            }
            if waiting.len() == SHARED || at + 1 == block {
                let found = room.differences(Way::Together, &waiting);
                assert_eq!(found, Vec::new(), "seed {seed:#x}");
                *counts.entry("run in every shell").or_default() += waiting.len();
                waiting.clear();
            }
        }
        left -= block;
        println!("seed {seed:#x}, {left} strings left: {counts:?}");
        if left == 0 {
            break;
        }
    }
    let count = |name| counts.get(name).copied().unwrap_or(0);
    assert!(
        count("the parser differs") * 50 < count("taken"),
        "{counts:?}"
    );
    for reached in ["refused", "taken", ";", "&&", "||", "|"] {
        assert!(count(reached) > 5, "{reached} is not reached: {counts:?}");
    }
    assert!(
        count("run in every shell") * 2 > count("taken"),
        "{counts:?}"
    );
}

/// The cheap way to run many strings finds what the plain way finds: nothing where the gate holds,
/// and word for word the same where it does not.
#[test]
fn many_strings_in_one_shell_run_as_each_in_its_own() {
    let room = Room::new();
    let sound = taken(&gate, SEED, 300);
    assert!(sound.len() > 100, "{}", sound.len());
    assert_eq!(differences(&room, Way::Alone, &sound), Vec::new());
    assert_eq!(differences(&room, Way::Together, &sound), Vec::new());
    for (sign, harmless) in [("~", "Q"), ("*", "Q"), ("$", "Q"), ("{", "Q"), ("\\", "Q")] {
        let mistaken = taken(&*blind_to(sign, harmless), SEED, 200);
        let alone = differences(&room, Way::Alone, &mistaken);
        let together = differences(&room, Way::Together, &mistaken);
        assert_eq!(together, alone, "{sign:?}");
    }
}

/// What some shell runs is found by the reading that rules go by which deny.
#[test]
fn a_command_that_a_shell_runs_is_found() {
    let room = Room::new();
    let furnish = Line::read("never; rm; ls; cat; echo").unwrap();
    let wanted = ["rm", "-rf"].map(str::to_owned);
    let mut dice = Dice::new(SEED);
    let mut tried = HashSet::new();
    let mut ran = BTreeMap::new();
    // Each needs shells of its own, which costs more than what the gate takes.
    for _ in 0..strings().div_ceil(SHARED * 4) {
        let texts = (0..SHARED).map(|_| dice.dressed());
        let some: Vec<Taken> = texts
            .filter(|text| tried.insert(text.clone()))
            .map(|text| Taken {
                text,
                line: furnish.clone(),
            })
            .collect();
        for found in room.differences(Way::Alone, &some) {
            if !found.ran.argvs.iter().any(|argv| argv.starts_with(&wanted)) {
                continue;
            }
            *ran.entry(found.shell).or_insert(0) += 1;
            let read = loose::read(&found.text);
            let commands = read.runs.iter().flat_map(loose::WordRun::commands);
            let is_found = commands
                .into_iter()
                .any(|command| command.begins_with(&wanted));
            assert!(is_found, "{} runs {:?}", found.shell, found.text);
        }
    }
    println!("of {} strings: {ran:?}", tried.len());
    assert!(
        ran.values().all(|count| *count > 100) && ran.len() == 3,
        "{ran:?}"
    );
}

/// Builtins that run what a subscript says, and every other name that a shell runs itself.
#[test]
fn no_builtin_of_any_shell_is_a_plain_command() {
    let room = Room::new();
    let told = room.builtins();
    for shell in ["bash", "dash", "zsh"] {
        let count = told.iter().filter(|(of, _)| *of == shell).count();
        assert!(count > 35, "{shell} tells {count} builtins");
    }
    for (shell, name) in &told {
        let taken = gate(&format!("{name} x")).is_some();
        let vetted =
            builtins::INERT.contains(&name.as_str()) || builtins::SHADOWED.contains(&name.as_str());
        assert_eq!(taken, vetted, "{name} of {shell}");
    }
    // The room sees it when a builtin runs what its argument says.
    let furnish = Line::read("never; ls").unwrap();
    let ls = vec!["ls".to_owned()];
    for (shell, text) in [
        ("bash", "test -v 'x[$(ls)]'"),
        ("bash", "[ -v 'x[$(ls)]' ]"),
        ("bash", "printf -v 'x[$(ls)]' y"),
        ("bash", "x[1]=1; unset 'x[$(ls)]'"),
        ("bash", "echo 1 | read 'x[$(ls)]'"),
        ("bash", "declare 'x[$(ls)]=1'"),
        ("bash", "let 'x[$(ls)]=1'"),
        ("zsh", "x=(1); printf %d 'x[$(ls)1]'"),
        ("zsh", "print -v 'x[$(ls)1]' y"),
        ("zsh", "getopts a 'x[$(ls)1]' -a"),
        ("dash", "trap ls EXIT"),
    ] {
        assert_eq!(gate(text), None, "{text}");
        let taken = [Taken {
            text: text.to_owned(),
            line: furnish.clone(),
        }];
        let found = room.differences(Way::Alone, &taken);
        let ran = found.iter().find(|found| found.shell == shell).unwrap();
        assert!(ran.ran.argvs.contains(&ls), "{shell}: {text}: {ran:?}");
    }
}

/// Each of these is a mistake that somebody could make in the gate.
#[test]
fn a_mistake_in_the_gate_is_caught() {
    let blind = [
        ("~", "Q"),
        ("*", "Q"),
        ("{", "Q"),
        ("$", "Q"),
        ("\\", "Q"),
        ("#", "Q"),
        ("=", "Q"),
        ("+", "Q"),
        ("-c", "Q"),
        (">", "Q"),
        ("&", "Q"),
        ("time", "Qime"),
        ("coproc", "Qoproc"),
        ("noglob", "Qoglob"),
        ("command", "Qommand"),
        ("exec", "Qxec"),
        ("export", "Qxport"),
        ("test ", "Qest "),
        ("[ ", "Q "),
        ("printf ", "Qrintf "),
        ("unset ", "Qnset "),
        ("read ", "Qead "),
        ("declare ", "Qeclare "),
        ("typeset ", "Qypeset "),
        ("let ", "Qet "),
        ("wait ", "Qait "),
        ("mapfile ", "Qapfile "),
        ("getopts ", "Qetopts "),
        ("complete ", "Qomplete "),
        ("compgen ", "Qompgen "),
        ("trap ", "Qrap "),
        ("print ", "Qrint "),
        ("whence ", "Qhence "),
        ("vared ", "Qared "),
        ("zparseopts ", "Qparseopts "),
        ("zstyle ", "Qstyle "),
        ("sched ", "Qched "),
        ("autoload ", "Qutoload "),
        ("zmodload ", "Qmodload "),
        ("kill ", "Qill "),
        ("type ", "Qype "),
    ]
    .map(|(sign, harmless)| (sign, blind_to(sign, harmless)));
    let blanks =
        ["\r", "\u{b}", "\u{c}", "\u{a0}", "\u{200b}"].map(|blank| (blank, blank_for(blank)));
    let room = Room::new();
    for (sign, reader) in blind.into_iter().chain(blanks) {
        // Only what the mistake lets through is worth running.
        let mistake = move |text: &str| {
            let mistaken = text.contains(sign) && gate(text).is_none();
            mistaken.then(|| reader(text)).flatten()
        };
        let read = taken(&mistake, SEED, 20_000);
        let caught = read
            .chunks(16)
            .map(|some| room.differences(Way::Together, some))
            .find(|found| !found.is_empty());
        let caught = caught.unwrap_or_else(|| panic!("{sign:?} of {} strings", read.len()));
        println!("{sign:?}: {:?}", caught[0]);
    }
}
