//! What could be a rule, going by what people decided: only where they said yes again and again,
//! and never no to anything like it. Nothing here makes a rule.

use std::collections::HashMap;
use std::sync::Arc;

use super::facts::Facts;
use super::offer::{EXACT, Offer, Width, offers};
use super::rule::{Reach, Subject};
use super::ruling::Ruling;
use super::set::Policy;
use super::shell::loose;
use crate::action::{Act, Action};
use crate::agent::Agent;
use crate::ask::{Ask, Matter};
use crate::id::AskId;
use crate::limits;
use crate::time::Time;

/// Programs whose first word says what they do; of the others every use is like every other.
const WITH_SUBCOMMANDS: &[&str] = &[
    "cargo", "docker", "gh", "git", "go", "kubectl", "npm", "pip", "pip3", "pnpm", "yarn",
];

/// An ask that a person decided.
#[derive(Debug, Clone)]
pub struct Decided {
    /// What was asked.
    pub ask: Arc<Ask>,
    /// By whom.
    pub agent: Arc<Agent>,
    /// Whether the person said yes.
    pub allowed: bool,
}

/// Something that could be a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// What it would allow.
    pub offer: Offer,
    /// Whom and where it would reach.
    pub reach: Reach,
    /// The asks to which a person said yes and that it would have answered.
    pub asks: Vec<AskId>,
}

/// What people keep saying yes to, most often first.
pub fn suggestions(past: &[Decided], policy: &Policy, now: Time) -> Vec<Suggestion> {
    let denied: Vec<Like> = past
        .iter()
        .filter(|one| !one.allowed)
        .filter_map(|one| action_of(&one.ask))
        .flat_map(likes)
        .collect();
    let mut found: Vec<Suggestion> = Vec::new();
    let mut places: HashMap<(Subject, Reach), usize> = HashMap::new();
    for one in past.iter().filter(|one| one.allowed) {
        let Some(facts) = Facts::of(&one.ask, &one.agent) else {
            continue;
        };
        let was_denied = likes(facts.action)
            .iter()
            .any(|like| denied.iter().any(|other| like.is_like(other)));
        if was_denied || policy.rule_on(&facts, now).ruling != Ruling::Ask {
            continue;
        }
        let Some(reach) = Width::Agent.reach(&one.ask) else {
            continue;
        };
        for offer in offers(&one.ask) {
            let key = (offer.subject.clone(), reach.clone());
            let at = *places.entry(key).or_insert_with(|| {
                found.push(Suggestion {
                    offer,
                    reach: reach.clone(),
                    asks: Vec::new(),
                });
                found.len() - 1
            });
            if let Some(suggestion) = found.get_mut(at) {
                suggestion.asks.push(one.ask.id);
            }
        }
    }
    found.retain(|one| one.asks.len() >= limits::SUGGESTION_ASKS_MIN);
    let exact: Vec<Vec<AskId>> = found
        .iter()
        .filter(|one| one.offer.form == EXACT)
        .map(|one| one.asks.clone())
        .collect();
    // What is wider is worth a word only where it would have spared somebody more.
    found.retain(|one| one.offer.form == EXACT || !exact.contains(&one.asks));
    found.sort_by_key(|one| std::cmp::Reverse(one.asks.len()));
    found.truncate(limits::SUGGESTIONS_MAX);
    found
}

fn action_of(ask: &Ask) -> Option<&Action> {
    match &ask.matter {
        Matter::Approval(action) => Some(action),
        Matter::Questions(_) | Matter::Form(_) => None,
    }
}

/// What an act is like, coarsely.
#[derive(Debug, PartialEq, Eq)]
enum Like {
    /// A program, and what it does where its first word says so.
    Program(String, Option<String>),
    /// Any use of a tool.
    Tool(String),
}

impl Like {
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Tool(one), Self::Tool(other)) => one == other,
            (Self::Program(one, does), Self::Program(other, others)) => {
                let same = does.is_none() || others.is_none() || does == others;
                one == other && same
            }
            (Self::Tool(_), Self::Program(..)) | (Self::Program(..), Self::Tool(_)) => false,
        }
    }
}

/// Everything that an act is like: each command that can be found in it, however it hides.
fn likes(action: &Action) -> Vec<Like> {
    let Act::Shell { command } = &action.act else {
        return vec![Like::Tool(action.tool.clone())];
    };
    let mut found = Vec::new();
    for run in loose::runs(command) {
        for words in run.commands() {
            let Some((program, rest)) = words.split_first() else {
                continue;
            };
            let program = loose::base(program);
            let does = rest
                .first()
                .filter(|word| WITH_SUBCOMMANDS.contains(&program) && !word.starts_with('-'));
            found.push(Like::Program(program.to_owned(), does.cloned()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Risk;

    fn like(command: &str) -> Vec<Like> {
        likes(&Action {
            tool: "Bash".to_owned(),
            input: String::new(),
            cwd: None,
            reason: None,
            act: Act::Shell {
                command: command.to_owned(),
            },
            risk: Risk::Normal,
            flags: Vec::new(),
        })
    }

    #[test]
    fn what_is_alike_is_told_coarsely() {
        for (one, other, alike) in [
            ("git status", "git status -s", true),
            ("git status", "git push", false),
            ("git status", "git -c core.pager=x status", true),
            ("cat a", "cat b", true),
            ("cat a", "sudo cat /etc/shadow", true),
            ("cat a", "echo $(cat b)", true),
            ("ls", "/bin/ls -la", true),
            ("ls", "cat a", false),
            ("ls && pwd", "pwd", true),
        ] {
            let (one_is, other_is) = (like(one), like(other));
            let found = one_is
                .iter()
                .any(|one| other_is.iter().any(|other| one.is_like(other)));
            assert_eq!(found, alike, "{one} and {other}");
        }
    }
}
