//! How dangerous an act is, in our own eyes. An agent's hint can only raise it.

use super::facts::Facts;
use super::predicate::{absolute, below};
use super::shell::{Line, programs};
use crate::action::{Act, Action, Risk};

/// Parts of tool names that say that something is run, sent or destroyed.
const HIGH_WORDS: &[&str] = &[
    "bash", "delete", "deploy", "drop", "email", "exec", "execute", "fetch", "http", "kill",
    "mail", "pay", "publish", "push", "remove", "run", "send", "shell", "terminal", "transfer",
    "web",
];

/// Names in an input that lead to another machine.
const FAR_NAMES: &[&str] = &["endpoint", "host", "uri", "url", "webhook"];

/// How dangerous an action is: high when it cannot be told what it does, when it may destroy, and
/// when it may reach the network.
pub fn risk_of(action: &Action) -> Risk {
    let high = match &action.act {
        Act::Shell { command } => match Line::read(command) {
            Ok(line) => line
                .parts
                .iter()
                .any(|part| programs::care(&part.argv).is_some()),
            Err(_) => true,
        },
        Act::Edit { path, .. } | Act::Write { path, .. } => far_file(path, action.cwd.as_deref()),
        Act::Other => other_is_high(action),
    };
    if high { Risk::High } else { action.risk }
}

/// Whether a file is hidden or lies outside where the agent works.
fn far_file(path: &str, cwd: Option<&str>) -> bool {
    let hidden = |path: &str| {
        let step_is_hidden = |step: &str| step.starts_with('.') && step != ".";
        path.split('/').any(step_is_hidden)
    };
    match (absolute(path, cwd), cwd) {
        (Some(whole), Some(cwd)) => below(&whole, cwd).is_none_or(hidden),
        (Some(_), None) | (None, _) => path.starts_with('~') || hidden(path),
    }
}

fn other_is_high(action: &Action) -> bool {
    let name = action.tool.to_ascii_lowercase();
    let mut words = name.split(|char: char| !char.is_ascii_alphanumeric());
    if words.any(|word| HIGH_WORDS.contains(&word)) {
        return true;
    }
    let facts = Facts::of_action(action);
    match facts.input {
        None => !action.input.is_empty(),
        Some(input) => input
            .entries()
            .iter()
            .any(|(name, _)| FAR_NAMES.contains(&name.to_ascii_lowercase().as_str())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(tool: &str, input: &str, act: Act) -> Action {
        Action {
            tool: tool.to_owned(),
            input: input.to_owned(),
            tool_schema: None,
            cwd: Some("/w".to_owned()),
            reason: None,
            act,
            risk: Risk::Normal,
            flags: Vec::new(),
        }
    }

    #[test]
    fn what_cannot_be_told_destroys_or_reaches_out_is_high() {
        for (command, high) in [
            ("git status", false),
            ("cargo test -p core | tail -5", false),
            ("mytool --go", false),
            ("git push", true),
            ("rm -rf build", true),
            ("ls > out", true),
            ("ls $HOME", true),
            ("python3 x.py", true),
            ("sudo ls", true),
            ("ls; curl example.org", true),
            ("./run", true),
        ] {
            let act = Act::Shell {
                command: command.to_owned(),
            };
            let expected = if high { Risk::High } else { Risk::Normal };
            assert_eq!(risk_of(&action("Bash", "{}", act)), expected, "{command}");
        }
        for (path, high) in [
            ("src/a.rs", false),
            ("/w/src/a.rs", false),
            ("/etc/hosts", true),
            (".github/x.yml", true),
            ("../x", true),
            ("~/.bashrc", true),
        ] {
            let act = Act::Write {
                path: path.to_owned(),
                content: String::new(),
            };
            let expected = if high { Risk::High } else { Risk::Normal };
            assert_eq!(risk_of(&action("Write", "{}", act)), expected, "{path}");
        }
        for (tool, input, high) in [
            ("Read", r#"{"file_path":"a"}"#, false),
            ("TodoWrite", "{}", false),
            ("WebFetch", r#"{"url":"https://example.org"}"#, true),
            ("mcp__db__drop_table", "{}", true),
            ("lookup", r#"{"a":1,"a":2}"#, true),
        ] {
            let expected = if high { Risk::High } else { Risk::Normal };
            assert_eq!(
                risk_of(&action(tool, input, Act::Other)),
                expected,
                "{tool}"
            );
        }
    }

    #[test]
    fn a_hint_only_raises() {
        let mut hinted = action("Read", "{}", Act::Other);
        hinted.risk = Risk::High;
        assert_eq!(risk_of(&hinted), Risk::High);
    }
}
