//! The gate against the shells themselves.
//!
//! Strings are put together at random from pieces that shells give a meaning to. Whatever the gate
//! takes is run by bash, dash and zsh, all of which must be there, with programs that write down the words they really
//! got; a single difference fails. A parser of bash must agree on how many commands there are.
//! What the run has reached is counted: a generator that makes nothing worth trying fails too.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its world stops at once and says where"
)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use sayso_core::policy::shell::{Joint, Line};

/// What strings are made of.
const PIECES: &[&str] = &[
    "git",
    "ls",
    "cat",
    "rm",
    "x1",
    "status",
    "-la",
    "--all",
    "a",
    "b.c",
    "src/x",
    "1",
    "2",
    "''",
    "\"\"",
    "'a b'",
    "\"a b\"",
    "'a'b\"c\"",
    "'$x'",
    "'a\\b'",
    "'!x'",
    "\"a;b\"",
    "\"'\"",
    "'\"'",
    "'\t'",
    "\"a\nb\"",
    ";",
    "&&",
    "||",
    "|",
    "&",
    "\n",
    "\t",
    ";;",
    "|&",
    "&>",
    ">",
    "<",
    "2>&1",
    ">>",
    "<<EOF",
    "<<<",
    "$",
    "$x",
    "${x}",
    "$(ls)",
    "`ls`",
    "$((1))",
    "\"$x\"",
    "\"$(ls)\"",
    "(",
    ")",
    "{",
    "}",
    "{a,b}",
    "*",
    "?",
    "[a]",
    "~",
    "~/x",
    "a~",
    "!",
    "\"!x\"",
    "#",
    "#x",
    "=",
    "=ls",
    "a=b",
    "A=1",
    "A=~",
    "\\",
    "\\a",
    "\\\n",
    "'",
    "\"",
    "^",
    "^x",
    "%",
    "%1",
    "+",
    "+x",
    "-",
    "--",
    "-c",
    ":",
    "@",
    ",",
    ".",
    "..",
    "time",
    "coproc",
    "if",
    "then",
    "fi",
    "do",
    "done",
    "repeat",
    "noglob",
    "nocorrect",
    "command",
    "builtin",
    "eval",
    "exec",
    "source",
    "export",
    "set",
    "alias",
    "function",
    "!ls",
    "[[",
    "]]",
    "é",
    "\u{a0}",
    "\r",
    "\u{b}",
    "\u{c}",
    "\u{200b}",
    "\u{7f}",
    "a:b",
    "x=~y",
    "@(a)",
    "a,b",
    "%s",
    "<(ls)",
    "=(ls)",
    "1>x",
    "a-b",
    "_",
    "/",
    "./x1",
    "a=",
    "==",
    "=a=b",
];

/// How commands are joined, put in often enough to matter.
const JOINTS: &[&str] = &[";", " && ", "||", " | ", "\n", " ; ", "&&", "|"];

/// Names that some shell, or the file system, takes for itself.
const TAKEN: &[&str] = &[":", ".", "..", "/"];

/// What every program is: it writes down its name and its words, in one write, so that those of a
/// pipe do not mix.
const SCRIPT: &str = "#!/bin/sh\nprintf '%s\\001' \"${0##*/}\" \"$@\" '\u{2}' >> \"$SAYSO_OUT\"\n";

const SHELLS: &[(&str, &[&str])] = &[
    ("bash", &["--norc", "--noprofile", "-c"]),
    ("dash", &["-c"]),
    ("zsh", &["-f", "-c"]),
];

struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.next() % count as u64).unwrap()
    }

    fn soup(&mut self) -> String {
        let mut text = String::new();
        // Half begin with a program, or nearly nothing would be worth running.
        if self.below(2) == 0 {
            text.push_str(PIECES[self.below(5)]);
            text.push(' ');
        }
        for _ in 0..=self.below(6) {
            // Mostly words: one piece that no shell takes plainly spoils the whole string.
            let from = if self.below(4) == 0 { PIECES.len() } else { 32 };
            text.push_str(PIECES[self.below(from)]);
            match self.below(8) {
                0 | 1 => {}
                2 => {
                    text.push_str(JOINTS[self.below(JOINTS.len())]);
                    text.push_str(PIECES[self.below(5)]);
                    text.push(' ');
                }
                _ => text.push(' '),
            }
        }
        text
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the shells are what the gate is held against"
)]
fn command(program: &Path) -> std::process::Command {
    std::process::Command::new(program)
}

#[expect(
    clippy::disallowed_methods,
    reason = "where the shells are depends on the machine"
)]
fn find(name: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
        .unwrap_or_else(|| panic!("{name} is not here to hold the gate against; install it"))
}

struct Room {
    folder: PathBuf,
    shells: Vec<(&'static str, PathBuf, &'static [&'static str])>,
}

impl Room {
    fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("sayso-shells-{}", std::process::id()));
        fs::create_dir_all(folder.join("bin")).unwrap();
        fs::create_dir_all(folder.join("cwd/src")).unwrap();
        let shells = SHELLS
            .iter()
            .map(|(name, flags)| (*name, find(name), *flags))
            .collect();
        Self { folder, shells }
    }

    /// Puts a program there for every command of a line; says whether that can be done.
    fn furnish(&self, line: &Line) -> bool {
        line.parts.iter().all(|part| {
            let name = part.program();
            let file = match name {
                "src/x" | "./x1" => self.folder.join("cwd").join(name),
                _ if name.contains('/') || TAKEN.contains(&name) => return false,
                _ => self.folder.join("bin").join(name),
            };
            if !file.exists() {
                fs::write(&file, SCRIPT).unwrap();
                fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
            }
            true
        })
    }

    /// What the programs got when this shell ran the text.
    fn run(&self, shell: &(&str, PathBuf, &[&str]), text: &str) -> Vec<Vec<String>> {
        let out = self.folder.join("out");
        fs::write(&out, "").unwrap();
        // How it ended says nothing: what the programs got does.
        let _ended = command(&shell.1)
            .args(shell.2)
            .arg(text)
            .env_clear()
            .env("PATH", self.folder.join("bin"))
            .env("SAYSO_OUT", &out)
            .env("HOME", &self.folder)
            .current_dir(self.folder.join("cwd"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        let mut got: Vec<Vec<String>> = fs::read_to_string(&out)
            .unwrap()
            .split_terminator("\u{2}\u{1}")
            .map(|record| {
                record
                    .split_terminator('\u{1}')
                    .map(str::to_owned)
                    .collect()
            })
            .collect();
        got.sort();
        got
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.folder));
    }
}

/// What must have run, where every program goes well: an `||` is never taken.
fn expected(line: &Line) -> Vec<Vec<String>> {
    let mut taken = true;
    let mut runs = Vec::new();
    for part in &line.parts {
        taken = match part.joint {
            Joint::First | Joint::Then | Joint::And => true,
            Joint::Or => false,
            Joint::Pipe => taken,
        };
        if taken {
            let mut argv = part.argv.clone();
            if let Some(name) = argv.first_mut() {
                *name = name.rsplit('/').next().unwrap_or_default().to_owned();
            }
            runs.push(argv);
        }
    }
    runs.sort();
    runs
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

fn hold(seed: u64, strings: usize) {
    let room = Room::new();
    let mut parser = tree_sitter::Parser::new();
    parser
        .set_language(&tree_sitter_bash::LANGUAGE.into())
        .unwrap();
    let mut dice = Dice(seed);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut tried = std::collections::HashSet::new();
    for _ in 0..strings {
        let text = dice.soup();
        let Ok(line) = Line::read(&text) else {
            *counts.entry("refused").or_default() += 1;
            continue;
        };
        *counts.entry("taken").or_default() += 1;
        // Where the two differ, the shells decide below.
        let agrees = parser_agrees(&mut parser, &text, &line);
        if !agrees {
            *counts.entry("the parser differs").or_default() += 1;
        }
        if !room.furnish(&line) || !tried.insert(text.clone()) {
            continue;
        }
        for joint in line.parts.iter().map(|part| part.joint) {
            *counts.entry(joint.sign()).or_default() += 1;
        }
        for shell in &room.shells {
            assert_eq!(
                room.run(shell, &text),
                expected(&line),
                "{} of {text:?}",
                shell.0
            );
            *counts.entry(shell.0).or_default() += 1;
        }
        if !agrees {
            println!("every shell reads {text:?} as the gate does, the parser does not");
            *counts
                .entry("and the shells side with the gate")
                .or_default() += 1;
        }
    }
    println!("{counts:?}");
    let count = |name| counts.get(name).copied().unwrap_or(0);
    assert!(
        count("the parser differs") * 50 < count("taken"),
        "{counts:?}"
    );
    for reached in [
        "refused", "taken", ";", "&&", "||", "|", "bash", "dash", "zsh",
    ] {
        assert!(
            counts.get(reached).is_some_and(|count| *count > 5),
            "{reached} is not reached: {counts:?}"
        );
    }
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
    hold(0x5eed_0001, strings());
}
