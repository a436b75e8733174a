//! Whether the input that goes back to the agent says what is shown, and nothing more.
//!
//! A person decides on what is drawn: the command, the file, what is put into it. An input that says
//! something else, or something further, is no longer what they saw, and no rule speaks for it.

use super::input::InputValue;
use super::shell::{Line, NotPlain};
use crate::action::{Act, Action};
use crate::escape::escape_line;

/// Names in a shell tool's input that say nothing about what runs beyond the command itself.
const BESIDE_A_COMMAND: &[&str] = &[
    "action",
    "argv",
    "cmd",
    "command",
    "cwd",
    "description",
    "justification",
    "reason",
    "resource",
    "timeout",
    "timeout_ms",
    "timeoutMs",
    "workdir",
];

/// Further such names: they say how the command is waited for. No rule speaks for a command with one
/// of them, but it is no other command either.
const WAITING_FOR_A_COMMAND: &[&str] = &[
    "background",
    "max_output_tokens",
    "pty",
    "run_in_background",
    "tty",
    "yieldMs",
    "yield_time_ms",
];

/// Names of the file in the input of a tool that edits or writes one.
const PATH_NAMES: &[&str] = &[
    "absolute_path",
    "file",
    "fileName",
    "filePath",
    "file_name",
    "file_path",
    "filename",
    "notebook_path",
    "path",
    "target",
    "target_file",
    "uri",
];
const CONTENT_NAMES: &[&str] = &["content", "contents", "file_text", "text"];
const OLD_NAMES: &[&str] = &[
    "old",
    "oldString",
    "oldText",
    "old_str",
    "old_string",
    "old_text",
];
const NEW_NAMES: &[&str] = &[
    "new",
    "newString",
    "newText",
    "new_str",
    "new_string",
    "new_text",
];
const ALL_NAMES: &[&str] = &["replaceAll", "replace_all"];
/// Names of the number that the first line has in the file; it is drawn beside the lines.
const START_NAMES: &[&str] = &["startLine", "start_line"];

/// Names of words about an act that say nothing about what it does.
pub(super) const PROSE_NAMES: &[&str] = &["description", "explanation", "justification", "reason"];

/// How an input compares with what is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Agreement {
    /// It says just that.
    Same,
    /// It says that, and how it is to be done, which is not drawn.
    More,
    /// It says something else, or something further.
    Differs(String),
}

impl Agreement {
    /// Compares an action's input with what is shown of it.
    pub(super) fn of(
        action: &Action,
        input: Option<&InputValue>,
        line: Option<&Result<Line, NotPlain>>,
    ) -> Self {
        match &action.act {
            Act::Other => Self::Same,
            Act::Shell { command } => match input {
                Some(InputValue::Text(text)) if text == command => Self::Same,
                Some(input @ InputValue::Map(_)) => of_command(action, input, command, line),
                None if action.input == *command => Self::Same,
                Some(_) | None => {
                    Self::Differs("the input differs from the command that is shown".to_owned())
                }
            },
            Act::Edit { path, old, new } => {
                of_file(input, path, &[(OLD_NAMES, old), (NEW_NAMES, new)])
            }
            Act::Write { path, content } => of_file(input, path, &[(CONTENT_NAMES, content)]),
        }
    }
}

fn other(name: &str) -> Agreement {
    Agreement::Differs(format!(
        "`{}` in the input differs from what is shown",
        escape_line(name)
    ))
}

fn further(name: &str) -> Agreement {
    Agreement::Differs(format!(
        "the input also contains `{}` without showing it",
        escape_line(name)
    ))
}

fn of_command(
    action: &Action,
    input: &InputValue,
    command: &str,
    line: Option<&Result<Line, NotPlain>>,
) -> Agreement {
    let mut said = false;
    let mut waits = false;
    for (name, value) in input.entries() {
        let known = |list: &[&str]| list.contains(&name.as_str());
        if known(WAITING_FOR_A_COMMAND) {
            waits = true;
            continue;
        }
        if !known(BESIDE_A_COMMAND) {
            return further(name);
        }
        match (name.as_str(), value) {
            ("command" | "cmd", InputValue::Text(text)) if text == command => said = true,
            ("command" | "cmd" | "argv", InputValue::List(words)) if is_alone(line, words) => {
                said = true;
            }
            ("command" | "cmd" | "argv", _) => return other(name),
            // Tools that do several things say here which; anything but running is another act.
            ("action", word) if !matches!(word.text(), Some("exec" | "run")) => return other(name),
            ("resource", word) if !matches!(word.text(), Some("bash" | "shell")) => {
                return other(name);
            }
            ("cwd" | "workdir", place) if place.text() != action.cwd.as_deref() => {
                return other(name);
            }
            (_, _) => {}
        }
    }
    match (said, waits) {
        (false, _) => Agreement::Differs("the input does not contain this command".to_owned()),
        (true, true) => Agreement::More,
        (true, false) => Agreement::Same,
    }
}

/// Whether these are the words of the only command of a line.
fn is_alone(line: Option<&Result<Line, NotPlain>>, words: &[InputValue]) -> bool {
    let alone = line
        .and_then(|line| line.as_ref().ok())
        .and_then(Line::alone);
    alone.is_some_and(|part| {
        let argv = part.argv.iter().map(|word| Some(word.as_str()));
        words.iter().map(InputValue::text).eq(argv)
    })
}

/// `texts` are the names that each text may have, and what is shown of it.
fn of_file(input: Option<&InputValue>, path: &str, texts: &[(&[&str], &String)]) -> Agreement {
    let Some(input @ InputValue::Map(_)) = input else {
        return Agreement::Differs("the input can be read in more than one way".to_owned());
    };
    let mut reading = File {
        path,
        texts,
        paths: 0,
        seen: vec![0; texts.len()],
        more: false,
    };
    for (name, value) in input.entries() {
        let odd = match (name.as_str(), value) {
            (name, value) if PATH_NAMES.contains(&name) => reading.path(name, value),
            ("edits", InputValue::List(edits)) => match edits.as_slice() {
                [InputValue::Map(entries)] => entries
                    .iter()
                    .find_map(|(name, value)| reading.text(name, value)),
                _ => Some(other("edits")),
            },
            (name, value) => reading.text(name, value),
        };
        if let Some(odd) = odd {
            return odd;
        }
    }
    if reading.paths != 1 || reading.seen.iter().any(|seen| *seen != 1) {
        return Agreement::Differs("the input must contain what is shown exactly once".to_owned());
    }
    if reading.more {
        Agreement::More
    } else {
        Agreement::Same
    }
}

struct File<'a> {
    path: &'a str,
    texts: &'a [(&'a [&'a str], &'a String)],
    paths: usize,
    seen: Vec<usize>,
    /// Whether it also says where it is done: at every place where the text stands, or from a line on.
    more: bool,
}

impl File<'_> {
    fn path(&mut self, name: &str, value: &InputValue) -> Option<Agreement> {
        self.paths += 1;
        (value.text() != Some(self.path)).then(|| other(name))
    }

    fn text(&mut self, name: &str, value: &InputValue) -> Option<Agreement> {
        let at = self
            .texts
            .iter()
            .position(|(names, _)| names.contains(&name));
        if let Some((at, (_, shown))) = at.and_then(|at| Some((at, self.texts.get(at)?))) {
            if let Some(seen) = self.seen.get_mut(at) {
                *seen += 1;
            }
            return (value.text() != Some(shown.as_str())).then(|| other(name));
        }
        match value {
            InputValue::Boolean(all) if ALL_NAMES.contains(&name) => {
                self.more |= *all;
                None
            }
            InputValue::Number(_) if START_NAMES.contains(&name) => {
                self.more = true;
                None
            }
            InputValue::Text(_) if PROSE_NAMES.contains(&name) => None,
            InputValue::Null
            | InputValue::Boolean(_)
            | InputValue::Number(_)
            | InputValue::Text(_)
            | InputValue::List(_)
            | InputValue::Map(_) => Some(further(name)),
        }
    }
}

#[cfg(test)]
#[path = "agreement_tests.rs"]
mod tests;
