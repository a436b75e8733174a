//! What a tool call does, as far as the tool is known.

use sayso_core::action::Act;
use sayso_core::limits;

use super::super::wire::ToolInput;

/// The act in a tool's input. Input that does not fit its tool is shown as it is.
pub(super) fn act_of(tool: &str, input: &str) -> Act {
    let Ok(said) = serde_json::from_str::<ToolInput>(input) else {
        return Act::Other;
    };
    let path = said
        .file_path
        .filter(|path| !path.is_empty() && path.len() <= limits::WORKSPACE_BYTES_MAX);
    match (tool, said.command, path) {
        ("Bash" | "bash" | "exec" | "shell", Some(command), _) => Act::Shell { command },
        ("Edit", _, Some(path)) => match (said.old_string, said.new_string) {
            (Some(old), Some(new)) => Act::Edit { path, old, new },
            (_, _) => Act::Other,
        },
        ("Write", _, Some(path)) => said
            .content
            .map_or(Act::Other, |content| Act::Write { path, content }),
        (_, _, _) => Act::Other,
    }
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
            ("Bash", r#"{"cmd":"ls"}"#),
            ("Edit", r#"{"file_path":"a","old_string":"x"}"#),
            ("Write", r#"{"file_path":"","content":"c"}"#),
            ("WebFetch", r#"{"command":"ls"}"#),
        ] {
            assert_eq!(act_of(tool, input), Act::Other, "{tool} {input}");
        }
    }
}
