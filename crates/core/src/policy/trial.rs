//! An action that nobody requests approval for: what rules are tried with. It is built as an agent's dialect
//! would build it, so that a trial and an ask are the same to every rule.

use super::recognise::act_of;
use crate::action::{Act, Action};
use crate::canon;
use crate::digest::Digest;

/// What is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tried<'a> {
    /// A shell command.
    Command(&'a str),
    /// A tool's input, as its exact text.
    Input(&'a str),
}

impl Tried<'_> {
    /// The action that a tool would ask for.
    pub fn action(self, tool: &str, cwd: Option<String>, tool_schema: Option<Digest>) -> Action {
        let (input, act) = match self {
            Self::Command(command) => {
                let mut input = Vec::new();
                canon::map(&mut input, |map| map.text("command", command));
                let act = Act::Shell {
                    command: command.to_owned(),
                };
                (String::from_utf8_lossy(&input).into_owned(), act)
            }
            Self::Input(input) => (input.to_owned(), act_of(tool, input)),
        };
        Action {
            tool_schema,
            cwd,
            ..Action::new(tool, input, act)
        }
    }
}
