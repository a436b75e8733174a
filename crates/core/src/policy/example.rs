//! Examples that stand beside a rule in a file: what it must cover, and what it must not.

use std::sync::Arc;

use super::facts::Facts;
use super::predicate::Predicate;
use super::rule::{Maker, Reach, Rule, Says, Subject};
use super::ruling::Ruling;
use super::set::Policy;
use crate::action::{Act, Action, Rated};
use crate::id::RuleId;
use crate::time::Time;

/// An example that does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    /// The rule does not cover this one of those it must.
    Match(usize),
    /// The rule covers this one of those it must not.
    NotMatch(usize),
}

/// Holds a rule against its examples. For a rule about a tool they are inputs, else commands.
pub fn check_examples(
    says: &Says,
    by: &Maker,
    matches: &[String],
    not_matches: &[String],
) -> Result<(), Broken> {
    let mut policy = Policy::default();
    policy.put(Arc::new(Rule {
        id: RuleId(1),
        version: 1,
        says: says.clone(),
        reach: Reach::default(),
        expires: None,
        by: by.clone(),
        made_at: Time::default(),
        note: None,
        shadow: false,
    }));
    let covers = |example: &String| {
        let action = action(says, example);
        policy
            .rule_on(&Facts::of_action(&action), Time::default())
            .ruling
            != Ruling::Ask
    };
    if let Some(at) = matches.iter().position(|example| !covers(example)) {
        return Err(Broken::Match(at));
    }
    match not_matches.iter().position(covers) {
        Some(at) => Err(Broken::NotMatch(at)),
        None => Ok(()),
    }
}

fn action(says: &Says, example: &str) -> Action {
    let subject = match says {
        Says::Allow(subject) | Says::Deny(subject) => Some(subject),
        Says::Level { .. } => None,
    };
    // Examples say nothing of the schema: they are uses of the tool as it was.
    let tool_schema = match subject {
        Some(Subject::Tool { only, .. }) => only.iter().find_map(|predicate| match predicate {
            Predicate::Schema(schema) => Some(*schema),
            Predicate::Input(_) | Predicate::File(_) | Predicate::Value { .. } => None,
        }),
        Some(Subject::Command { .. } | Subject::Form { .. } | Subject::Words(_)) | None => None,
    };
    let (tool, act, cwd) = match subject {
        Some(Subject::Tool { tool, .. }) => (tool.clone(), Act::Other, None),
        Some(Subject::Command { cwd, tool, .. }) => (
            tool.clone().unwrap_or_else(|| "Bash".to_owned()),
            shell(example),
            cwd.clone(),
        ),
        Some(Subject::Form { .. } | Subject::Words(_)) | None => {
            ("Bash".to_owned(), shell(example), None)
        }
    };
    Action {
        tool,
        input: example.to_owned(),
        tool_schema,
        cwd,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::TokenName;

    #[test]
    fn an_example_that_does_not_hold_is_named() {
        let by = Maker::Admin(TokenName::new("root").unwrap());
        let texts = |texts: &[&str]| {
            texts
                .iter()
                .map(|text| (*text).to_owned())
                .collect::<Vec<_>>()
        };
        let says = Says::Allow(Subject::Form {
            name: "git-status".to_owned(),
            revision: 1,
        });
        let check = |yes: &[&str], no: &[&str]| check_examples(&says, &by, &texts(yes), &texts(no));
        assert_eq!(
            check(&["git status", "git status -s"], &["git push"]),
            Ok(())
        );
        assert_eq!(
            check(&["git status", "git log"], &[]),
            Err(Broken::Match(1))
        );
        assert_eq!(
            check(&[], &["git push", "git status"]),
            Err(Broken::NotMatch(1))
        );
    }
}
