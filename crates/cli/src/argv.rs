//! A command as an action to be approved: the exact argv, and a line for people to read.

use sayso_core::escape::escape_line;
use serde_json::{Value, json};

use crate::failure::Failure;

/// The line a person would type in a shell for this argv.
pub(crate) fn shell_line(argv: &[String]) -> String {
    argv.iter()
        .map(|word| quoted(word))
        .collect::<Vec<_>>()
        .join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(
                byte,
                b'-' | b'_' | b'.' | b'/' | b':' | b'=' | b'+' | b'@' | b'%' | b','
            )
    };
    if !word.is_empty() && word.bytes().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The input of the action.
pub(crate) fn input(argv: &[String]) -> String {
    json!({ "command": shell_line(argv), "argv": argv }).to_string()
}

/// The argv of an input that a person edited. What does not say plainly what to run is refused.
pub(crate) fn edited(input: &str, original: &[String]) -> Result<Vec<String>, Failure> {
    let refused = |why: &str| {
        Failure::unexpected(format!(
            "the command was allowed with an edit that can't be run: {why}"
        ))
        .hint(format!(
            "nothing was run; the edited input is {}",
            escape_line(input)
        ))
    };
    let value: Value = serde_json::from_str(input).map_err(|_| refused("it is not JSON"))?;
    let words = value
        .get("argv")
        .and_then(Value::as_array)
        .ok_or_else(|| refused("it has no `argv` list"))?;
    let argv: Option<Vec<String>> = words
        .iter()
        .map(|word| word.as_str().map(str::to_owned))
        .collect();
    let argv = argv.ok_or_else(|| refused("`argv` must contain only strings"))?;
    if argv.first().is_none_or(String::is_empty) {
        return Err(refused("`argv` is empty"));
    }
    if argv.iter().any(|word| word.contains('\0')) {
        return Err(refused("`argv` contains a NUL"));
    }
    // A person who edits the line but not the argv means the line: never run the other one.
    let line = value.get("command").and_then(Value::as_str);
    if line.is_some_and(|line| line != shell_line(&argv) && line != shell_line(original)) {
        return Err(refused(
            "`command` and `argv` say different things; `argv` is what runs",
        ));
    }
    Ok(argv)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn a_line_can_be_pasted_into_a_shell() {
        assert_eq!(
            shell_line(&words(&["git", "push", "--force"])),
            "git push --force"
        );
        assert_eq!(
            shell_line(&words(&["echo", "", "a b", "it's", "$HOME", "~", "*"])),
            r"echo '' 'a b' 'it'\''s' '$HOME' '~' '*'"
        );
    }

    #[test]
    fn the_input_keeps_the_exact_argv() {
        assert_eq!(
            input(&words(&["echo", "a b"])),
            r#"{"argv":["echo","a b"],"command":"echo 'a b'"}"#
        );
    }

    #[test]
    fn an_edit_runs_its_argv_and_nothing_else() {
        let original = words(&["git", "push"]);
        let run = |input: &str| edited(input, &original).ok();
        assert_eq!(
            run(r#"{"command":"git push","argv":["git","status"]}"#),
            Some(words(&["git", "status"]))
        );
        assert_eq!(
            run(r#"{"command":"git status","argv":["git","status"]}"#),
            Some(words(&["git", "status"]))
        );
        assert_eq!(
            run(r#"{"argv":["git","status"]}"#),
            Some(words(&["git", "status"]))
        );
        for bad in [
            "git status",
            "{}",
            r#"{"argv":[]}"#,
            r#"{"argv":[""]}"#,
            r#"{"argv":["git",1]}"#,
            r#"{"argv":["git","\u0000"]}"#,
            r#"{"command":"git status","argv":["git","push"]}"#,
            r#"{"command":"rm x","argv":["git","status"]}"#,
        ] {
            assert_eq!(run(bad), None, "{bad}");
        }
    }
}
