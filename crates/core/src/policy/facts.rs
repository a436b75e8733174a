//! What rules look at in one ask: worked out once, before any rule is held against it.

use super::input::Value;
use super::rule::Reach;
use super::shell::{Line, NotPlain};
use crate::action::{Act, Action};
use crate::agent::Agent;
use crate::ask::{Ask, Matter};
use crate::id::{AgentId, ConversationId, DialectName, Workspace};

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

/// What rules look at.
#[derive(Debug)]
pub struct Facts<'a> {
    /// What is to be done.
    pub action: &'a Action,
    /// Who asks.
    pub agent: Option<AgentId>,
    /// In which language.
    pub dialect: Option<&'a DialectName>,
    /// In which conversation.
    pub conversation: Option<ConversationId>,
    /// Where, as the agent claims.
    pub workspace: Option<&'a Workspace>,
    /// The shell command as plain words, or why it is not plain; nothing when it is no shell command.
    pub line: Option<Result<Line, NotPlain>>,
    /// The input as values, when it can be read in one way only.
    pub input: Option<Value>,
    /// Whether the input says the same as the act that was recognised in it.
    pub agrees: bool,
}

impl<'a> Facts<'a> {
    /// The facts of an ask, when it asks leave to act.
    pub fn of(ask: &'a Ask, agent: &'a Agent) -> Option<Self> {
        let Matter::Approval(action) = &ask.matter else {
            return None;
        };
        Some(Self {
            agent: Some(ask.agent),
            dialect: Some(&agent.dialect),
            conversation: ask.conversation,
            workspace: ask.workspace.as_ref(),
            ..Self::of_action(action)
        })
    }

    /// The facts of an action that nobody in particular wants to take.
    pub fn of_action(action: &'a Action) -> Self {
        let input = Value::read(&action.input);
        let line = match &action.act {
            Act::Shell { command } => Some(Line::read(command)),
            Act::Edit { .. } | Act::Write { .. } | Act::Other => None,
        };
        let agrees = agrees(action, input.as_ref(), line.as_ref(), &[]);
        Self {
            action,
            agent: None,
            dialect: None,
            conversation: None,
            workspace: None,
            line,
            input,
            agrees,
        }
    }

    /// Whether what is shown is all that the input says, but for how it is waited for.
    pub(super) fn is_shown_whole(&self) -> bool {
        self.agrees
            || agrees(
                self.action,
                self.input.as_ref(),
                self.line.as_ref(),
                WAITING_FOR_A_COMMAND,
            )
    }

    /// Every reach that a rule could have and still cover this ask.
    pub(super) fn reaches(&self) -> impl Iterator<Item = Reach> + '_ {
        (0_u8..16).filter_map(|bits| {
            let has = |bit: u8| bits & bit != 0;
            let reach = Reach {
                agent: self.agent.filter(|_| has(1)),
                conversation: self.conversation.filter(|_| has(2)),
                workspace: self.workspace.filter(|_| has(4)).cloned(),
                dialect: self.dialect.filter(|_| has(8)).cloned(),
            };
            let whole = has(1) == reach.agent.is_some()
                && has(2) == reach.conversation.is_some()
                && has(4) == reach.workspace.is_some()
                && has(8) == reach.dialect.is_some();
            whole.then_some(reach)
        })
    }
}

/// `more` are names that a command may have beside it, further to the usual ones.
fn agrees(
    action: &Action,
    input: Option<&Value>,
    line: Option<&Result<Line, NotPlain>>,
    more: &[&str],
) -> bool {
    match &action.act {
        Act::Other => true,
        Act::Shell { command } => match input {
            Some(Value::Text(text)) => text == command,
            Some(input @ Value::Map(_)) => command_agrees(action, input, command, line, more),
            Some(Value::Null | Value::Boolean(_) | Value::Number(_) | Value::List(_)) => false,
            None => action.input == *command,
        },
        Act::Edit { path, .. } | Act::Write { path, .. } => input.is_some_and(|input| {
            let named = input.entries().iter().filter(|(name, _)| {
                matches!(name.as_str(), "file_path" | "filePath" | "path" | "file")
            });
            let mut paths = named.map(|(_, value)| value.text());
            paths.next() == Some(Some(path)) && paths.next().is_none()
        }),
    }
}

fn command_agrees(
    action: &Action,
    input: &Value,
    command: &str,
    line: Option<&Result<Line, NotPlain>>,
    more: &[&str],
) -> bool {
    let mut said = false;
    for (name, value) in input.entries() {
        let known = |list: &[&str]| list.contains(&name.as_str());
        if !known(BESIDE_A_COMMAND) && !known(more) {
            return false;
        }
        match (name.as_str(), value) {
            ("command" | "cmd", Value::Text(text)) if text == command => said = true,
            ("command" | "cmd" | "argv", Value::List(words)) => {
                let alone = line
                    .and_then(|line| line.as_ref().ok())
                    .and_then(Line::alone);
                let same = alone.is_some_and(|part| {
                    words
                        .iter()
                        .map(Value::text)
                        .eq(part.argv.iter().map(|word| Some(word.as_str())))
                });
                if !same {
                    return false;
                }
                said = true;
            }
            ("command" | "cmd" | "argv", _) => return false,
            // Tools that do several things say here which; anything but running is another act.
            ("action", word) if !matches!(word.text(), Some("exec" | "run")) => return false,
            ("resource", word) if !matches!(word.text(), Some("bash" | "shell")) => return false,
            ("cwd" | "workdir", place) if place.text() != action.cwd.as_deref() => return false,
            (_, _) => {}
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Rated;

    fn action(command: &str, input: &str) -> Action {
        Action {
            tool: "Bash".to_owned(),
            input: input.to_owned(),
            tool_schema: None,
            cwd: Some("/w".to_owned()),
            reason: None,
            act: Act::Shell {
                command: command.to_owned(),
            },
            risk: Rated::default(),
            flags: Vec::new(),
        }
    }

    #[test]
    fn an_input_agrees_only_when_it_says_the_same_and_nothing_unknown() {
        for (input, expected) in [
            (r#"{"command":"git status"}"#, true),
            (
                r#"{"command":"git status","description":"look","timeout":5}"#,
                true,
            ),
            (r#"{"command":"git status","argv":["git","status"]}"#, true),
            (r#"{"command":["git","status"],"workdir":"/w"}"#, true),
            ("git status", true),
            ("\"git status\"", true),
            (
                r#"{"resource":"shell","action":"exec","command":"git status"}"#,
                true,
            ),
            (r#"{"action":"kill","command":"git status"}"#, false),
            (r#"{"command":"rm -rf x"}"#, false),
            (r#"{"command":"git status","env":{"PATH":"x"}}"#, false),
            (r#"{"command":"git status","cwd":"/other"}"#, false),
            (r#"{"command":"git status","argv":["rm"]}"#, false),
            (r#"{"command":"git status","Command":"rm"}"#, false),
            (r#"{"description":"git status"}"#, false),
            ("{}", false),
            ("null", false),
        ] {
            let action = action("git status", input);
            assert_eq!(Facts::of_action(&action).agrees, expected, "{input}");
        }
    }
}
