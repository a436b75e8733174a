//! Examples that stand beside a rule in a file: what it must cover, and what it must not.

use std::sync::Arc;

use super::facts::Facts;
use super::folder::Folder;
use super::input::InputValue;
use super::predicate::{PathMust, Predicate, absolute};
use super::rule::{Rule, Says, Subject};
use super::ruling::Ruling;
use super::set::Policy;
use super::trial::Tried;
use crate::action::{Act, Action};
use crate::time::Time;

/// An example that does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    /// The rule does not cover this one of those it must.
    Match(usize),
    /// The rule covers this one of those it must not.
    NotMatch(usize),
    /// This one of those it must not cover is no use of the tool, so it would say nothing.
    Vacuous(usize),
}

/// Holds a rule against its examples, as asks of whom it is for, in the folder it is for. For a rule
/// about a tool they are inputs, else commands.
pub fn check_examples(
    rule: &Rule,
    matches: &[String],
    not_matches: &[String],
) -> Result<(), Broken> {
    let mut policy = Policy::default();
    policy.put(Arc::new(Rule {
        shadow: false,
        expires: None,
        ..rule.clone()
    }));
    let covers = |example: &String| {
        let action = action(rule, example);
        let facts = Facts::of_action(&action).asked_by(&rule.applies_to);
        policy.rule_on(&facts, Time::default()).ruling != Ruling::Ask
    };
    if let Some(at) = matches.iter().position(|example| !covers(example)) {
        return Err(Broken::Match(at));
    }
    if let Some(at) = not_matches
        .iter()
        .position(|one| is_vacuous(&rule.says, one))
    {
        return Err(Broken::Vacuous(at));
    }
    match not_matches.iter().position(covers) {
        Some(at) => Err(Broken::NotMatch(at)),
        None => Ok(()),
    }
}

fn subject(says: &Says) -> Option<&Subject> {
    match says {
        Says::Allow(subject) | Says::Deny(subject) => Some(subject),
        Says::Level { .. } => None,
    }
}

fn action(rule: &Rule, example: &str) -> Action {
    let workspace = rule.applies_to.workspace.as_ref();
    let workspace = workspace.and_then(|workspace| absolute(workspace.as_str(), None));
    let command = |tool: &Option<String>, folder: &Folder| {
        let cwd = match folder {
            Folder::Anywhere => workspace.clone(),
            Folder::Untold => None,
            Folder::In(folder) => Some(folder.clone()),
        };
        Tried::Command(example).action(tool.as_deref().unwrap_or("Bash"), cwd, None)
    };
    match subject(&rule.says) {
        Some(Subject::Tool { tool, only }) => {
            let folder = only
                .iter()
                .find_map(folder_of)
                .or_else(|| workspace.clone());
            Tried::Input(example).action(tool, folder, only.iter().find_map(schema_of))
        }
        Some(Subject::Command { folder, tool, .. } | Subject::Preset { folder, tool, .. }) => {
            command(tool, folder)
        }
        Some(Subject::Words(_)) | None => command(&None, &Folder::Anywhere),
    }
}

/// Examples say nothing of the schema: they are uses of the tool as it was.
fn schema_of(predicate: &Predicate) -> Option<crate::digest::Digest> {
    match predicate {
        Predicate::Schema(schema) => Some(*schema),
        Predicate::Input(_) | Predicate::File(_) | Predicate::Value { .. } => None,
    }
}

fn folder_of(predicate: &Predicate) -> Option<String> {
    match predicate {
        Predicate::File(PathMust::Below(folder)) => Some(folder.clone()),
        Predicate::File(PathMust::Is(_))
        | Predicate::Input(_)
        | Predicate::Schema(_)
        | Predicate::Value { .. } => None,
    }
}

/// Whether nothing could be learned from an example that is not covered.
fn is_vacuous(says: &Says, example: &str) -> bool {
    let Some(Subject::Tool { tool, only }) = subject(says) else {
        return false;
    };
    let about_file = only
        .iter()
        .any(|predicate| matches!(predicate, Predicate::File(_)));
    let act = Tried::Input(example).action(tool, None, None).act;
    match act {
        Act::Edit { .. } | Act::Write { .. } => false,
        Act::Shell { .. } | Act::Other => about_file || InputValue::read(example).is_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{exact_in, preset_in, rule};
    use super::*;
    use crate::policy::AppliesTo;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    fn check(says: Says, yes: &[&str], no: &[&str]) -> Result<(), Broken> {
        let applies_to = AppliesTo {
            agent: Some(crate::id::AgentId(7)),
            ..AppliesTo::default()
        };
        check_examples(&rule(1, says, applies_to), &texts(yes), &texts(no))
    }

    #[test]
    fn an_example_that_does_not_hold_is_named() {
        let says = || Says::Allow(preset_in("git-status", "/w"));
        assert_eq!(
            check(says(), &["git status", "git status -s"], &["git push"]),
            Ok(())
        );
        let lacks = check(says(), &["git status", "git log"], &[]);
        assert_eq!(lacks, Err(Broken::Match(1)));
        let covers = check(says(), &[], &["git push", "git status"]);
        assert_eq!(covers, Err(Broken::NotMatch(1)));
        let exactly = Says::Allow(exact_in("ls -la", "/w"));
        assert_eq!(check(exactly, &["ls -la"], &["ls", "ls | ls -la"]), Ok(()));
    }

    #[test]
    fn an_example_of_a_file_rule_is_an_ask_about_a_file() {
        let says = || {
            Says::Allow(Subject::Tool {
                tool: "Write".to_owned(),
                only: vec![Predicate::File(PathMust::Below("/w".to_owned()))],
            })
        };
        let inside = r#"{"file_path":"src/a.rs","content":"x"}"#;
        let outside = r#"{"file_path":"/etc/passwd","content":"x"}"#;
        let hidden = r#"{"file_path":"/w/.env","content":"x"}"#;
        assert_eq!(check(says(), &[inside], &[outside, hidden]), Ok(()));
        assert_eq!(check(says(), &[outside], &[]), Err(Broken::Match(0)));
        assert_eq!(
            check(says(), &[], &[outside, inside]),
            Err(Broken::NotMatch(1))
        );
        for nothing in ["/etc/passwd", r#"{"path":"/etc/passwd"}"#, "{}"] {
            let broken = check(says(), &[], &[nothing]);
            assert_eq!(broken, Err(Broken::Vacuous(0)), "{nothing}");
        }
    }
}
