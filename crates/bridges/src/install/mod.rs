//! Our hooks in the settings of Claude Code, as text in and text out.
//!
//! Everything that is there stays, in its order and as it was written. Nothing secret is ever put in.

mod json;

use serde_json::Value;
use serde_json::value::RawValue;

use self::json::{OrderedObject, write_list, write_object};

/// How long Claude Code waits for a hook that asks, in seconds: a week. It honours more than its own
/// 600, and its timers end at 24 days.
pub const ASK_TIMEOUT_S: u64 = 7 * 24 * 3600;
/// The same for a hook that only tells.
const TELL_TIMEOUT_S: u64 = 10;

/// The events we want to hear of, and whether they ask.
const EVENTS: [(&str, bool); 6] = [
    ("PermissionRequest", true),
    ("Elicitation", true),
    ("Notification", false),
    ("PostToolUse", false),
    ("Stop", false),
    ("SessionEnd", false),
];

/// Settings that cannot be edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path} is not {expected}")]
pub struct BadSettings {
    pub path: &'static str,
    /// What it should be.
    pub expected: &'static str,
}

/// How far our hooks are in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InPlace {
    /// All of them.
    All,
    /// Some of them, or older ones.
    Some,
    /// None.
    None,
}

/// The settings with our hooks, which run this shell command; the same text when they are there.
pub fn with_hooks(settings: Option<&str>, command: &str) -> Result<String, BadSettings> {
    edited(settings.unwrap_or("{}"), Some(command))
}

/// The settings without our hooks; the same text when there are none.
pub fn without_hooks(settings: &str) -> Result<String, BadSettings> {
    edited(settings, None)
}

/// How far our hooks are in place, whatever the command is called by.
pub fn in_place(settings: &str) -> Result<InPlace, BadSettings> {
    let hooks = hooks_of(&object(settings)?)?;
    let mut found = 0;
    for (event, _) in EVENTS {
        let groups = groups_of(&hooks, event)?;
        found += usize::from(groups.iter().any(|group| is_ours(group)));
    }
    Ok(match found {
        0 => InPlace::None,
        all if all == EVENTS.len() => InPlace::All,
        _ => InPlace::Some,
    })
}

/// What in the settings keeps people from being asked, in sentences.
pub fn obstacles(settings: &str) -> Vec<String> {
    let Ok(settings) = serde_json::from_str::<Value>(settings) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    if settings.get("disableAllHooks").and_then(Value::as_bool) == Some(true) {
        found
            .push("`disableAllHooks` is set: hooks don't run, so sayso is never asked.".to_owned());
    }
    let mode = settings.pointer("/permissions/defaultMode");
    if let Some(mode @ ("auto" | "bypassPermissions" | "dontAsk")) = mode.and_then(Value::as_str) {
        found.push(format!(
            "`permissions.defaultMode` is `{mode}`: Claude Code runs or refuses commands without \
             asking."
        ));
    }
    found
}

fn object(settings: &str) -> Result<OrderedObject, BadSettings> {
    serde_json::from_str(settings).map_err(|_| BadSettings {
        path: "the file",
        expected: "one JSON object with each key once",
    })
}

fn hooks_of(settings: &OrderedObject) -> Result<OrderedObject, BadSettings> {
    settings
        .get("hooks")
        .map_or(Ok(OrderedObject::default()), |raw| {
            serde_json::from_str(raw.get()).map_err(|_| BadSettings {
                path: "`hooks`",
                expected: "an object with each event once",
            })
        })
}

fn groups_of(hooks: &OrderedObject, event: &str) -> Result<Vec<Box<RawValue>>, BadSettings> {
    hooks.get(event).map_or(Ok(Vec::new()), |raw| {
        serde_json::from_str(raw.get()).map_err(|_| BadSettings {
            path: "an event in `hooks`",
            expected: "a list",
        })
    })
}

fn edited(text: &str, command: Option<&str>) -> Result<String, BadSettings> {
    let mut settings = object(text)?;
    let mut hooks = hooks_of(&settings)?;
    let mut changed = false;
    for (event, asks) in EVENTS {
        let mut groups = groups_of(&hooks, event)?;
        let wanted = command.map(|command| group(command, asks));
        let before = groups.len();
        let mut kept = false;
        groups.retain(|one| {
            let same = wanted.as_deref() == Some(one.get()) && !kept;
            kept |= same;
            same || !is_ours(one)
        });
        changed |= groups.len() != before;
        if let Some(wanted) = wanted.filter(|_| !kept) {
            groups.extend(RawValue::from_string(wanted).ok());
            changed = true;
        }
        if groups.is_empty() {
            if before > 0 {
                hooks.remove(event);
            }
        } else {
            hooks.set(event, write_list(&groups, 4));
        }
    }
    if !changed {
        return Ok(text.to_owned());
    }
    if hooks.is_empty() {
        settings.remove("hooks");
    } else {
        settings.set("hooks", write_object(&hooks, 2));
    }
    let mut text = write_object(&settings, 0);
    text.push('\n');
    Ok(text)
}

/// What we put under an event.
fn group(command: &str, asks: bool) -> String {
    let (command, timeout) = if asks {
        (
            format!("{command} --timeout {ASK_TIMEOUT_S}"),
            ASK_TIMEOUT_S,
        )
    } else {
        (command.to_owned(), TELL_TIMEOUT_S)
    };
    let command = Value::String(command);
    format!(r#"{{"hooks": [{{"type": "command", "command": {command}, "timeout": {timeout}}}]}}"#)
}

/// Whether a group holds our hook and nothing else.
fn is_ours(group: &RawValue) -> bool {
    let Ok(group) = serde_json::from_str::<Value>(group.get()) else {
        return false;
    };
    let hooks = group.get("hooks").and_then(Value::as_array);
    let Some([hook]) = hooks.map(Vec::as_slice) else {
        return false;
    };
    let command = hook.get("command").and_then(Value::as_str);
    command.is_some_and(|command| {
        let Some((program, rest)) = command.split_once(" hook") else {
            return false;
        };
        let name = program.trim_matches(['\'', '"']).rsplit('/').next();
        name == Some("sayso") && (rest.is_empty() || rest.starts_with(' '))
    })
}

#[cfg(test)]
#[path = "install_tests.rs"]
mod tests;
