//! How dangerous an act is, in our own eyes. An agent's hint can only raise it.

use super::facts::Facts;
use super::input::Value;
use super::predicate::{absolute, below};
use super::shell::programs;
use crate::action::{Act, Action, Rated, Risk};
use crate::id::Workspace;

/// Parts of tool names that say that something is run, sent or destroyed.
const HIGH_WORDS: &[&str] = &[
    "bash", "delete", "deploy", "drop", "email", "exec", "execute", "fetch", "http", "kill",
    "mail", "pay", "publish", "push", "remove", "run", "send", "shell", "terminal", "transfer",
    "web",
];

/// Names in an input that lead to another machine.
const FAR_NAMES: &[&str] = &["endpoint", "host", "uri", "url", "webhook"];

/// Names in an input that say what is run.
const RUN_NAMES: &[&str] = &["argv", "cmd", "command", "script"];

/// Folders of the system, in lower case: what is written there acts for everybody, wherever the agent
/// says it works.
const SYSTEM: &[&str] = &[
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/lib",
    "/lib32",
    "/lib64",
    "/library",
    "/private/etc",
    "/proc",
    "/run",
    "/sbin",
    "/sys",
    "/system",
    "/usr/bin",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/libexec",
    "/usr/local/bin",
    "/usr/local/etc",
    "/usr/local/lib",
    "/usr/local/sbin",
    "/usr/sbin",
    "/usr/share",
    "/var/run",
    "/var/spool",
];

/// How dangerous an action is: high when it cannot be told what it does, when the input says
/// something else than what is shown, when it may destroy, and when it may reach the network.
pub fn rate(action: &Action, _workspace: Option<&Workspace>) -> Rated {
    let facts = Facts::of_action(action);
    let high = match (&action.act, &facts.line) {
        _ if !facts.is_shown_whole() => true,
        (Act::Shell { .. }, Some(Ok(line))) => line
            .parts
            .iter()
            .any(|part| programs::care(&part.argv).is_some()),
        (Act::Shell { .. }, Some(Err(_)) | None) => true,
        (Act::Edit { path, .. } | Act::Write { path, .. }, _) => {
            far_file(path, action.cwd.as_deref()) || far_tool(&facts)
        }
        (Act::Other, _) => far_tool(&facts) || runs_something(&facts),
    };
    Rated::hint(if high {
        Risk::High
    } else {
        action.risk.level.max(Risk::Medium)
    })
}

/// Whether a file is hidden, belongs to the system, or lies outside where the agent works, as far as
/// that is known. A whole machine is not where somebody works.
fn far_file(path: &str, cwd: Option<&str>) -> bool {
    let hidden = |path: &str| {
        let step_is_hidden = |step: &str| step.starts_with('.') && step != ".";
        path.split('/').any(step_is_hidden)
    };
    // A folder that does not begin at the root says where only to somebody who is there.
    let Some(cwd) = cwd.filter(|cwd| cwd.starts_with('/')) else {
        let of_system = absolute(path, None).is_some_and(|whole| is_of_system(&whole));
        return of_system
            || path.starts_with('~')
            || path.contains(char::is_control)
            || hidden(path);
    };
    let (Some(cwd), Some(whole)) = (absolute(cwd, None), absolute(path, Some(cwd))) else {
        return true;
    };
    is_of_system(&whole) || is_wide(&cwd) || below(&whole, &cwd).is_none_or(hidden)
}

/// Some file systems do not tell upper from lower case, so neither does this.
fn is_of_system(whole: &str) -> bool {
    let whole = whole.to_ascii_lowercase();
    SYSTEM
        .iter()
        .any(|folder| whole == *folder || below(&whole, folder).is_some())
}

/// Whether a folder is a whole machine, or the homes of everybody on it.
fn is_wide(folder: &str) -> bool {
    let folder = folder.to_ascii_lowercase();
    let steps: Vec<&str> = folder.split('/').filter(|step| !step.is_empty()).collect();
    matches!(steps.as_slice(), [] | ["home" | "users"])
}

/// Whether a tool says by its name, or by names in its input, that it does more than work here.
fn far_tool(facts: &Facts<'_>) -> bool {
    let name = facts.action.tool.to_ascii_lowercase();
    let mut words = name.split(|char: char| !char.is_ascii_alphanumeric());
    words.any(|word| HIGH_WORDS.contains(&word))
        || match &facts.input {
            None => !facts.action.input.is_empty(),
            Some(input) => has_name(input, FAR_NAMES),
        }
}

/// Whether the input of a tool that is not known names something to run.
fn runs_something(facts: &Facts<'_>) -> bool {
    facts
        .input
        .as_ref()
        .is_some_and(|input| has_name(input, RUN_NAMES))
}

/// Whether a value has one of these names in it, however deep; the reader of values bounds how deep
/// that can be.
fn has_name(value: &Value, names: &[&str]) -> bool {
    match value {
        Value::Map(entries) => entries.iter().any(|(name, value)| {
            names.contains(&name.to_ascii_lowercase().as_str()) || has_name(value, names)
        }),
        Value::List(items) => items.iter().any(|item| has_name(item, names)),
        Value::Null | Value::Boolean(_) | Value::Number(_) | Value::Text(_) => false,
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
            links: None,
            cwd: Some("/w".to_owned()),
            reason: None,
            act,
            risk: Rated::default(),
            flags: Vec::new(),
        }
    }

    fn shell(command: &str) -> Act {
        Act::Shell {
            command: command.to_owned(),
        }
    }

    fn write(path: &str, cwd: Option<&str>) -> Action {
        let act = Act::Write {
            path: path.to_owned(),
            content: String::new(),
        };
        Action {
            cwd: cwd.map(str::to_owned),
            ..action(
                "Write",
                &format!(r#"{{"file_path":"{path}","content":""}}"#),
                act,
            )
        }
    }

    const fn risk(high: bool) -> Risk {
        if high { Risk::High } else { Risk::Medium }
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
            let input = format!(r#"{{"command":"{command}"}}"#);
            let action = action("Bash", &input, shell(command));
            assert_eq!(rate(&action, None).level, risk(high), "{command}");
        }
        for (tool, input, high) in [
            ("Read", r#"{"file_path":"a"}"#, false),
            ("TodoWrite", r#"{"todos":[{"content":"x"}]}"#, false),
            ("WebFetch", r#"{"url":"https://example.org"}"#, true),
            ("mcp__db__drop_table", "{}", true),
            ("lookup", r#"{"a":1,"a":2}"#, true),
            ("lookup", r#"{"to":[{"url":"https://example.org"}]}"#, true),
            ("helper", r#"{"command":"rm -rf /home/ann"}"#, true),
            ("helper", r#"{"args":{"argv":["rm","x"]}}"#, true),
        ] {
            let action = action(tool, input, Act::Other);
            assert_eq!(rate(&action, None).level, risk(high), "{tool} {input}");
        }
    }

    #[test]
    fn an_input_that_says_something_else_is_high() {
        for (input, high) in [
            (r#"{"command":"git status"}"#, false),
            (
                r#"{"command":"git status","description":"look","timeout":9}"#,
                false,
            ),
            (
                r#"{"command":"git status","run_in_background":true}"#,
                false,
            ),
            (
                r#"{"command":"git status","workdir":"/w","yieldMs":5}"#,
                false,
            ),
            (
                r#"{"resource":"shell","action":"exec","command":"git status"}"#,
                false,
            ),
            (r#"{"command":["git","status"]}"#, false),
            ("git status", false),
            (r#"{"command":"rm -rf /home/ann"}"#, true),
            (r#"{"command":"git status","env":{"PATH":"/x"}}"#, true),
            (r#"{"command":"git status","elevated":true}"#, true),
            (
                r#"{"command":"git status","dangerouslyDisableSandbox":true}"#,
                true,
            ),
            (r#"{"command":"git status","cwd":"/"}"#, true),
            ("{}", true),
        ] {
            let action = action("Bash", input, shell("git status"));
            assert_eq!(rate(&action, None).level, risk(high), "{input}");
        }
        let file = |tool: &str, input: &str| Action {
            tool: tool.to_owned(),
            input: input.to_owned(),
            ..write("src/a.rs", Some("/w"))
        };
        for (tool, input, high) in [
            ("write_file", r#"{"path":"src/a.rs","content":""}"#, false),
            ("Write", r#"{"path":"src/a.rs","content":"x"}"#, true),
            ("Write", r#"{"file_path":"/etc/cron.d/x"}"#, true),
            ("Write", "{}", true),
            ("deploy", r#"{"path":"src/a.rs"}"#, true),
            (
                "Write",
                r#"{"path":"src/a.rs","url":"https://example.org"}"#,
                true,
            ),
        ] {
            assert_eq!(
                rate(&file(tool, input), None).level,
                risk(high),
                "{tool} {input}"
            );
        }
    }

    #[test]
    fn a_file_is_near_only_below_a_known_folder() {
        for (path, cwd, high) in [
            ("src/a.rs", Some("/w"), false),
            ("/w/src/a.rs", Some("/w"), false),
            ("/w/src/a.rs", Some("/w/"), false),
            ("/home/ann/shop/a.rs", Some("/home/ann/shop"), false),
            ("/tmp/x", Some("/tmp"), false),
            ("/usr/src/app/a.js", Some("/usr/src/app"), false),
            ("/etc/hosts", Some("/w"), true),
            (".github/x.yml", Some("/w"), true),
            ("../x", Some("/w"), true),
            ("/w/../etc/x", Some("/w"), true),
            ("~/.bashrc", Some("/w"), true),
            ("~/x", Some("/w"), true),
            ("/w", Some("/w"), true),
            // Where it works is not known.
            ("src/a.rs", None, false),
            ("src/a.rs", Some("~/work"), false),
            ("/etc/cron.d/x", None, true),
            ("/w/src/a.rs", None, false),
            ("/w/../etc/x", None, true),
            ("/home/ann/.ssh/x", None, true),
            ("/etc/cron.d/x", Some("etc"), true),
            ("../x", None, true),
            ("src/../../x", None, true),
            ("~/x", None, true),
            // Everywhere is not where somebody works.
            ("/etc/cron.d/x", Some("/"), true),
            ("etc/cron.d/x", Some("/"), true),
            ("etc/cron.d/x", Some("//"), true),
            ("etc/cron.d/x", Some("/."), true),
            ("etc/cron.d/x", Some("/w/.."), true),
            ("cron.d/x", Some("/etc"), true),
            ("cron.d/x", Some("/ETC"), true),
            ("ann/bin/x", Some("/home"), true),
            ("notes.md", Some("/home/ann"), false),
            (".bashrc", Some("/home/ann"), true),
        ] {
            assert_eq!(
                rate(&write(path, cwd), None).level,
                risk(high),
                "{path} in {cwd:?}"
            );
        }
    }

    #[test]
    fn a_hint_only_raises() {
        let mut hinted = action("Read", "{}", Act::Other);
        hinted.risk = Rated::hint(Risk::High);
        assert_eq!(rate(&hinted, None).level, Risk::High);
    }
}
