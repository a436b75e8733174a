//! What a tool call does, as far as the tool is known: the names and inputs that coding agents share,
//! whichever wire language they speak. Asks, tests of rules and the examples in files of rules are all
//! read by this.

use super::input::InputValue;
use crate::action::Act;
use crate::limits;

/// Tools that run the command they are given, in lower case.
const SHELL_TOOLS: &[&str] = &["bash", "exec", "shell"];

/// Other names of such tools: none of their inputs is mere data.
const MORE_SHELL_TOOLS: &[&str] = &[
    "cmd",
    "execute_command",
    "local_shell",
    "powershell",
    "run_command",
    "run_shell_command",
    "run_terminal_cmd",
    "sh",
    "terminal",
    "zsh",
];

/// Whether a tool of this name is everywhere one that runs the command it is given.
pub(super) fn is_shell_tool(tool: &str) -> bool {
    SHELL_TOOLS.contains(&tool.to_ascii_lowercase().as_str())
}

/// Whether a tool says by its name that it is a shell, so that its input is never mere data.
pub(super) fn is_like_shell(tool: &str) -> bool {
    is_shell_tool(tool) || MORE_SHELL_TOOLS.contains(&tool.to_ascii_lowercase().as_str())
}

/// The act in a tool's input. Input that does not fit its tool is shown as it is.
pub fn act_of(tool: &str, input: &str) -> Act {
    let Some(said) = InputValue::read(input) else {
        return Act::Other;
    };
    let text = |name: &str| {
        let mut entries = said.entries().iter();
        let (_, value) = entries.find(|(key, _)| key == name)?;
        value.text().map(str::to_owned)
    };
    let path = || {
        text("file_path")
            .filter(|path| !path.is_empty() && path.len() <= limits::WORKSPACE_BYTES_MAX)
    };
    let act = match tool {
        "Bash" | "bash" | "exec" | "shell" => text("command").map(|command| Act::Shell { command }),
        "Edit" => path()
            .zip(text("old_string"))
            .zip(text("new_string"))
            .map(|((path, old), new)| Act::Edit { path, old, new }),
        "Write" => path()
            .zip(text("content"))
            .map(|(path, content)| Act::Write { path, content }),
        _ => None,
    };
    act.unwrap_or(Act::Other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_tools_are_recognised_by_their_input() {
        let shell = |command: &str| Act::Shell {
            command: command.to_owned(),
        };
        for (tool, input, act) in [
            ("Bash", r#"{"command":"ls","timeout":9}"#, shell("ls")),
            ("exec", r#"{"command":"ls"}"#, shell("ls")),
            (
                "Edit",
                r#"{"file_path":"a","old_string":"x","new_string":""}"#,
                Act::Edit {
                    path: "a".to_owned(),
                    old: "x".to_owned(),
                    new: String::new(),
                },
            ),
            (
                "Write",
                r#"{"file_path":"a","content":"c"}"#,
                Act::Write {
                    path: "a".to_owned(),
                    content: "c".to_owned(),
                },
            ),
        ] {
            assert_eq!(act_of(tool, input), act, "{tool} {input}");
        }
    }

    #[test]
    fn what_does_not_fit_its_tool_is_only_its_input() {
        for (tool, input) in [
            ("Bash", r#"{"command":["ls"]}"#),
            ("Bash", r#"{"command":"ls","command":"rm"}"#),
            ("Bash", r#"{"command":"ls","Command":"rm"}"#),
            ("Bash", r#"{"cmd":"ls"}"#),
            ("Edit", r#"{"file_path":"a","old_string":"x"}"#),
            ("Write", r#"{"file_path":"","content":"c"}"#),
            ("WebFetch", r#"{"command":"ls"}"#),
            ("Bash", r#"["ls"]"#),
            ("Bash", "ls"),
        ] {
            assert_eq!(act_of(tool, input), Act::Other, "{tool} {input}");
        }
    }
}
