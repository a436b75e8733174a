//! A tool and its input as an action, with what the tool is known to do.

use sayso_core::action::{Act, Action};
use serde_json::value::RawValue;

use crate::object::{Twice, entries};

/// The action; the input is kept as its exact text.
pub(in super::super) fn action(tool: String, input: Option<&RawValue>) -> Action {
    let input = input.map_or("null", RawValue::get).to_owned();
    let act = act(&tool, &input);
    Action::new(tool, input, act)
}

/// The stored input as JSON again; one that is none, because the asker spoke another language, as
/// a string.
///
/// Browsers split frames at line ends. In JSON these can only stand between values, where a space
/// means the same.
pub(in super::super) fn input(action: &Action) -> Box<RawValue> {
    RawValue::from_string(action.input.replace(['\n', '\r'], " "))
        .or_else(|_| serde_json::value::to_raw_value(&action.input))
        .unwrap_or_else(|_| RawValue::NULL.to_owned())
}

fn act(tool: &str, input: &str) -> Act {
    let mut source = serde_json::Deserializer::from_str(input);
    let read = entries(&mut source, Twice::Kept).and_then(|read| source.end().map(|()| read));
    let Ok(object) = read else {
        return Act::Other;
    };
    let text = |key: &str| text_under(&object, key);
    let path = || text("file_path").or_else(|| text("path"));
    let known = match tool {
        "bash" | "Bash" | "shell" | "exec" => text("command").map(|command| Act::Shell { command }),
        "edit" | "Edit" => match (path(), text("old_string"), text("new_string")) {
            (Some(path), Some(old), Some(new)) => Some(Act::Edit { path, old, new }),
            (_, _, _) => None,
        },
        "write" | "Write" => match (path(), text("content")) {
            (Some(path), Some(content)) => Some(Act::Write { path, content }),
            (_, _) => None,
        },
        _ => None,
    };
    known.unwrap_or(Act::Other)
}

/// The string under a key, unless it is in doubt which one the agent will take.
///
/// Nebo's agents are written in Go, whose JSON takes the last of several equal keys and does not
/// mind upper and lower case. A command beside a second one under `Command` is therefore not shown
/// as the command.
fn text_under(object: &[(String, Box<RawValue>)], key: &str) -> Option<String> {
    let mut same = object.iter().filter(|(have, _)| folded(have) == key);
    match (same.next(), same.next()) {
        (Some((have, value)), None) if have == key => serde_json::from_str(value.get()).ok(),
        (_, _) => None,
    }
}

fn folded(key: &str) -> String {
    key.to_lowercase().replace('ſ', "s")
}
