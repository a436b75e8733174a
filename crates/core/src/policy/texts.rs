//! Texts of one ask in which a shell command may hide, for rules that deny.
//!
//! A tool of any name may run what it is given, however its input is built. What stands where
//! commands stand is taken for one; what stands elsewhere may be one, and that is for a person to say.

use super::agreement::PROSE_NAMES;
use super::facts::Facts;
use super::input::InputValue;
use super::shell::{Joint, Part};
use crate::action::Act;
use crate::limits;
use crate::text::beginning;

/// Names in an input below which commands stand.
const RUN_NAMES: &[&str] = &[
    "args",
    "arguments",
    "argv",
    "bash",
    "cmd",
    "cmdline",
    "code",
    "command",
    "command_line",
    "commandline",
    "commands",
    "exec",
    "program",
    "run",
    "script",
    "shell",
];

/// JSON in a text in JSON that is read: calls of tools are handed on so, once or twice.
const INSIDE_MAX: usize = 4;

/// Texts in which a command may hide.
#[derive(Debug, Default)]
pub(super) struct Texts {
    /// Those that would be run.
    pub(super) run: Vec<String>,
    /// Those of which it cannot be told.
    pub(super) maybe: Vec<String>,
    /// Whether these are all: the input could be read in one way, and is not too much.
    pub(super) whole: bool,
    bytes: usize,
}

impl Texts {
    /// The texts of an ask.
    pub(super) fn of(facts: &Facts<'_>) -> Self {
        let mut texts = Self {
            whole: true,
            ..Self::default()
        };
        let action = facts.action;
        let command = action.act.command();
        if let Some(command) = command {
            texts.add(command, true);
        }
        match &facts.input {
            Some(input) => {
                let root = matches!(input, InputValue::Text(_) | InputValue::List(_));
                let walk = Walk {
                    facts,
                    shown: facts.is_shown_whole(),
                };
                walk.value(input, root || runs(&action.tool), 0, &mut texts);
            }
            None if command == Some(action.input.as_str()) => {}
            None => {
                texts.add(&action.input, true);
                // As values that nobody could read, each on its own.
                texts.add(&action.input.replace([':', ','], ";"), true);
                texts.whole &= !action.input.trim_start().starts_with(['{', '[', '"']);
            }
        }
        texts
    }

    fn add(&mut self, text: &str, run: bool) {
        let list = if run { &mut self.run } else { &mut self.maybe };
        if text.is_empty() || list.last().is_some_and(|last| last == text) {
            return;
        }
        let count = self.run.len() + self.maybe.len();
        let left = limits::COMMAND_READ_BYTES_MAX.saturating_sub(self.bytes);
        if count >= limits::COMMAND_TEXTS_MAX || left == 0 {
            self.whole = false;
            return;
        }
        // What is denied in the part that is read is denied all the same.
        let part = beginning(text, left);
        self.whole &= part.len() == text.len();
        self.bytes += part.len();
        let list = if run { &mut self.run } else { &mut self.maybe };
        list.push(part.to_owned());
    }
}

/// Whether a tool says by its name that it runs what it is given.
pub(super) fn runs(tool: &str) -> bool {
    let tool = tool.to_ascii_lowercase();
    let has = |part: &&str| tool.contains(*part);
    ["bash", "cmd", "command", "exec", "shell", "terminal"]
        .iter()
        .any(has)
        || tool
            .split(|char: char| !char.is_ascii_alphanumeric())
            .any(|word| word == "run")
}

/// One walk through an input.
struct Walk<'a> {
    facts: &'a Facts<'a>,
    /// Whether the input says just the act that is shown.
    shown: bool,
}

impl Walk<'_> {
    /// The reader of values bounds how deep they go.
    fn value(&self, value: &InputValue, run: bool, inside: usize, texts: &mut Texts) {
        match value {
            InputValue::Text(text) => self.text(text, run, inside, texts),
            InputValue::List(items) => {
                if let Some(words) = words(items) {
                    texts.add(&line(words), run);
                }
                for item in items {
                    self.value(item, run, inside, texts);
                }
            }
            InputValue::Map(entries) => self.entries(entries, run, inside, texts),
            InputValue::Null | InputValue::Boolean(_) | InputValue::Number(_) => {}
        }
    }

    fn entries(
        &self,
        entries: &[(String, InputValue)],
        run: bool,
        inside: usize,
        texts: &mut Texts,
    ) {
        let is_shell = matches!(self.facts.action.act, Act::Shell { .. });
        let mut program = None;
        for (name, value) in entries {
            let name = name.to_ascii_lowercase();
            if is_shell && self.shown && PROSE_NAMES.contains(&name.as_str()) {
                continue;
            }
            let named = RUN_NAMES.contains(&name.as_str());
            if named && program.is_none() {
                program = value.text();
            }
            self.value(value, run || named, inside, texts);
        }
        // A program in one place, and its words in a list beside it.
        for (_, value) in entries {
            if let (Some(program), InputValue::List(items)) = (program, value)
                && let Some(words) = words(items)
            {
                texts.add(&format!("{program} {}", line(words)), true);
            }
        }
    }

    fn text(&self, text: &str, run: bool, inside: usize, texts: &mut Texts) {
        if self.shown && self.is_of_file(text) {
            return;
        }
        texts.add(text, run);
        if text.trim_start().starts_with(['{', '['])
            && let Some(value) = InputValue::read(text)
        {
            if inside < INSIDE_MAX {
                self.value(&value, run, inside + 1, texts);
            } else {
                texts.whole = false;
            }
        }
    }

    /// What is put into a file is not run by that.
    fn is_of_file(&self, text: &str) -> bool {
        match &self.facts.action.act {
            Act::Edit { old, new, .. } => text == old || text == new,
            Act::Write { content, .. } => text == content,
            Act::Shell { .. } | Act::Other => false,
        }
    }
}

/// The words of a list that has nothing but texts in it.
fn words(items: &[InputValue]) -> Option<Vec<String>> {
    let words: Option<Vec<String>> = items
        .iter()
        .map(|item| item.text().map(str::to_owned))
        .collect();
    words.filter(|words| !words.is_empty())
}

/// Words as a shell would be told them.
fn line(argv: Vec<String>) -> String {
    let part = Part {
        joint: Joint::First,
        argv,
    };
    part.to_string()
}
