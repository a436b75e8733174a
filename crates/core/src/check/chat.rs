//! Whether what is said in a conversation makes sense.

use super::Violations;
use super::found::{At, Checker};
use crate::limits;

/// Whether a person's message says something, within its length.
pub fn check_message(text: &str) -> Result<(), Violations> {
    let mut found = Checker::default();
    found.filled(At::Root.key("text"), text, limits::TEXT_BYTES_MAX);
    found.finish()
}

/// Whether a piece of what an agent says is within its length; it may be empty.
pub fn check_said(text: &str) -> Result<(), Violations> {
    let mut found = Checker::default();
    found.length(At::Root.key("text"), text, limits::TEXT_BYTES_MAX);
    found.finish()
}

/// Whether what an agent notes of a tool names the tool, within its length.
pub fn check_tool_note(tool: &str, text: &str) -> Result<(), Violations> {
    let mut found = Checker::default();
    found.filled(At::Root.key("tool"), tool, limits::NAME_BYTES_MAX);
    found.length(At::Root.key("text"), text, limits::TEXT_BYTES_MAX);
    found.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(checked: Result<(), Violations>) -> Vec<String> {
        let list = checked.err().map(Violations::into_vec).unwrap_or_default();
        list.into_iter().map(|violation| violation.path).collect()
    }

    #[test]
    fn only_a_piece_may_be_empty() {
        let long = "x".repeat(limits::TEXT_BYTES_MAX + 1);
        assert_eq!(paths(check_message("go on")), [""; 0]);
        assert_eq!(paths(check_message(" ")), ["/text"]);
        assert_eq!(paths(check_message(&long)), ["/text"]);
        assert_eq!(paths(check_said("")), [""; 0]);
        assert_eq!(paths(check_said(&long)), ["/text"]);
        assert_eq!(paths(check_tool_note("Bash", "")), [""; 0]);
        assert_eq!(paths(check_tool_note("", &long)), ["/tool", "/text"]);
    }
}
