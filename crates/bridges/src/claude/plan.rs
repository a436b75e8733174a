//! What the words of a command line mean for whoever stands in for the CLI.

use std::ffi::{OsStr, OsString};

const PROMPT_TOOL: &str = "--permission-prompt-tool";

/// What to do with a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LaunchPlan {
    /// Become the CLI: there is no pipe to stand at, or its questions go elsewhere.
    Become,
    /// Stand at its pipe.
    Stand {
        /// The words for the CLI.
        words: Vec<OsString>,
        /// Whether the app wants to answer too.
        app_answers: bool,
    },
}

impl LaunchPlan {
    /// The plan for these words.
    pub fn of(words: &[OsString]) -> Self {
        let is_json = |name| value(words, name).is_some_and(|value| value == "stream-json");
        if !(is_json("--input-format") && is_json("--output-format")) {
            return Self::Become;
        }
        match value(words, PROMPT_TOOL) {
            // Nobody would answer: now somebody does.
            None => {
                let added = [PROMPT_TOOL, "stdio"].map(OsString::from);
                Self::Stand {
                    words: added.into_iter().chain(words.iter().cloned()).collect(),
                    app_answers: false,
                }
            }
            Some(tool) if tool == "stdio" => Self::Stand {
                words: words.to_vec(),
                app_answers: true,
            },
            Some(_) => Self::Become,
        }
    }
}

/// The value of a flag, as `--flag value` or `--flag=value`; the last one counts.
fn value<'a>(words: &'a [OsString], name: &str) -> Option<&'a OsStr> {
    let apart = words
        .windows(2)
        .enumerate()
        .filter_map(|(at, pair)| match pair {
            [flag, value] if flag == name => Some((at, value.as_os_str())),
            _ => None,
        });
    let joined = words.iter().enumerate().filter_map(|(at, word)| {
        let (flag, value) = word.to_str()?.split_once('=')?;
        (flag == name).then_some((at, OsStr::new(value)))
    });
    apart
        .chain(joined)
        .max_by_key(|(at, _)| *at)
        .map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    fn plan(line: &str) -> LaunchPlan {
        LaunchPlan::of(&words(line))
    }

    #[test]
    fn only_a_pipe_with_nobody_else_at_it_is_stood_at() {
        for line in [
            "",
            "--version",
            "-p hello",
            "--output-format stream-json --verbose",
            "--input-format stream-json --output-format json",
            "--input-format stream-json --output-format stream-json --permission-prompt-tool mcp__a__b",
        ] {
            assert_eq!(plan(line), LaunchPlan::Become, "{line}");
        }
        let pipe = "--input-format stream-json --output-format=stream-json --verbose";
        assert_eq!(
            plan(pipe),
            LaunchPlan::Stand {
                words: words(&format!("--permission-prompt-tool stdio {pipe}")),
                app_answers: false,
            }
        );
        for tool in [
            "--permission-prompt-tool stdio",
            "--permission-prompt-tool=stdio",
        ] {
            let line = format!("{pipe} {tool}");
            assert_eq!(
                plan(&line),
                LaunchPlan::Stand {
                    words: words(&line),
                    app_answers: true,
                }
            );
        }
    }
}
