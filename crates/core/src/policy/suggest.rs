//! What could be a rule, going by what people decided: only where they said yes again and again,
//! and never no to anything like it. Nothing here makes a rule.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::facts::Facts;
use super::offer::{EXACT, Offer, Width, offers};
use super::rule::{AppliesTo, Subject};
use super::ruling::Ruling;
use super::set::Policy;
use super::shell::loose;
use crate::action::{Act, Action};
use crate::agent::Agent;
use crate::ask::{Ask, Matter};
use crate::id::AskId;
use crate::limits;
use crate::text::beginning;
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
    pub applies_to: AppliesTo,
    /// The asks to which a person said yes and that it would have answered.
    pub asks: Vec<AskId>,
}

/// What people keep saying yes to, most often first. What was denied before all of this is looked
/// up in `denied`, by what [`wanted_likes`] gave.
pub fn suggestions(
    past: &[Decided],
    denied: &BTreeSet<String>,
    policy: &Policy,
    now: Time,
) -> Vec<Suggestion> {
    let lately: HashSet<String> = past
        .iter()
        .filter(|one| !one.allowed)
        .flat_map(|one| denied_likes(&one.ask.matter))
        .collect();
    let mut found: Vec<Suggestion> = Vec::new();
    let mut places: HashMap<(Subject, AppliesTo), usize> = HashMap::new();
    for one in past.iter().filter(|one| one.allowed) {
        let Some(facts) = Facts::of(&one.ask, &one.agent) else {
            continue;
        };
        let was_denied = likes(facts.action)
            .iter()
            .flat_map(Like::wanted)
            .any(|key| denied.contains(&key) || lately.contains(&key));
        if was_denied || policy.rule_on(&facts, now).ruling != Ruling::Ask {
            continue;
        }
        let Some(applies_to) = Width::Agent.applies_to(&one.ask) else {
            continue;
        };
        for offer in offers(&one.ask) {
            let key = (offer.subject.clone(), applies_to.clone());
            let at = *places.entry(key).or_insert_with(|| {
                found.push(Suggestion {
                    offer,
                    applies_to: applies_to.clone(),
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
        .filter(|one| one.offer.preset == EXACT)
        .map(|one| one.asks.clone())
        .collect();
    // What is wider is worth a word only where it would have spared somebody more.
    found.retain(|one| one.offer.preset == EXACT || !exact.contains(&one.asks));
    found.sort_by_key(|one| std::cmp::Reverse(one.asks.len()));
    found.truncate(limits::SUGGESTIONS_MAX);
    found
}

/// What to remember of a matter that a person denied, or allowed with another input only; nothing of
/// one that requests no approval.
pub fn denied_likes(matter: &Matter) -> BTreeSet<String> {
    let kept = matter.action().map(likes).unwrap_or_default();
    kept.iter()
        .flat_map(Like::denied)
        .take(limits::LIKES_MAX)
        .collect()
}

/// What must be looked up among all that was ever denied, before anything is suggested.
pub fn wanted_likes(past: &[Decided]) -> BTreeSet<String> {
    let allowed = past.iter().filter(|one| one.allowed);
    allowed
        .filter_map(|one| one.ask.matter.action())
        .flat_map(likes)
        .flat_map(|like| like.wanted())
        .collect()
}

/// What an act is like, coarsely.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Like {
    /// A program, and what it does where its first word says so.
    Program(String, Option<String>),
    /// Any use of a tool.
    Tool(String),
}

impl Like {
    /// What is remembered of it when it is denied. A program without a word that says what it does is
    /// like each of its uses, and each of them is like it.
    fn denied(&self) -> Vec<String> {
        match self {
            Self::Tool(tool) => vec![format!("tool {tool}")],
            Self::Program(program, does) => {
                vec![format!("any {program}"), just(program, does.as_deref())]
            }
        }
    }

    /// What must not have been remembered if nothing like it was ever denied.
    fn wanted(&self) -> Vec<String> {
        match self {
            Self::Tool(tool) => vec![format!("tool {tool}")],
            Self::Program(program, None) => vec![format!("any {program}")],
            Self::Program(program, does) => {
                vec![just(program, does.as_deref()), just(program, None)]
            }
        }
    }
}

/// A program with the word that says what it does. No such word has a blank in it.
fn just(program: &str, does: Option<&str>) -> String {
    match does {
        Some(does) => format!("does {does} {program}"),
        None => format!("just {program}"),
    }
}

/// Everything that an act is like, each once: every command that can be found in it, however it
/// hides, as far as commands are read at all.
fn likes(action: &Action) -> HashSet<Like> {
    // Nothing here is shown; a control character may tell entries apart.
    let short = |name: &str| {
        name.chars()
            .filter(|char| !char.is_control())
            .take(limits::LIKE_CHARS_MAX)
            .collect::<String>()
    };
    let Act::Shell { command } = &action.act else {
        return HashSet::from([Like::Tool(short(&action.tool))]);
    };
    let mut found = HashSet::new();
    let command = beginning(command, limits::COMMAND_READ_BYTES_MAX);
    for run in loose::read(command).runs {
        for one in run.commands() {
            let program = loose::base(one.program);
            let does = one.rest.first().filter(|word| {
                WITH_SUBCOMMANDS.contains(&program)
                    && !word.starts_with('-')
                    && !word.contains(char::is_whitespace)
            });
            found.insert(Like::Program(short(program), does.map(|word| short(word))));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Rated;

    fn action(command: &str) -> Action {
        Action {
            tool: "Bash".to_owned(),
            input: String::new(),
            tool_schema: None,
            links: None,
            cwd: None,
            reason: None,
            act: Act::Shell {
                command: command.to_owned(),
            },
            risk: Rated::default(),
            flags: Vec::new(),
        }
    }

    #[test]
    fn what_was_allowed_again_and_again_is_suggested() {
        let agent = Arc::new(crate::policy::tests::agent());
        let decided = |number: u8, command: &str, allowed| Decided {
            ask: Arc::new(Ask {
                id: AskId::from_bytes([number; 16]),
                ..crate::policy::tests::ask(crate::policy::tests::shell(command))
            }),
            agent: Arc::clone(&agent),
            allowed,
        };
        let ids = |numbers: &[u8]| -> Vec<AskId> {
            let numbers = numbers.iter();
            numbers
                .map(|number| AskId::from_bytes([*number; 16]))
                .collect()
        };
        let suggested = |past: &[Decided]| -> Vec<(String, Vec<AskId>)> {
            let found = suggestions(past, &BTreeSet::new(), &Policy::default(), Time::default());
            let found = found.into_iter();
            found.map(|one| (one.offer.preset, one.asks)).collect()
        };
        let mut past = vec![
            decided(1, "git status", true),
            decided(2, "mytool go", true),
            decided(3, "git status", true),
            decided(4, "git status", true),
        ];
        // The preset would have spared nobody more than the command itself.
        let exact = |numbers| (EXACT.to_owned(), ids(numbers));
        assert_eq!(suggested(&past), [exact(&[1, 3, 4])]);
        past.push(decided(5, "git status -s", true));
        let preset = ("git-status".to_owned(), ids(&[1, 3, 4, 5]));
        assert_eq!(suggested(&past), [preset, exact(&[1, 3, 4])]);
        past.push(decided(6, "git status -b", false));
        assert_eq!(suggested(&past), []);
    }

    #[test]
    fn what_is_alike_is_told_coarsely() {
        for (one, other, alike) in [
            ("git status", "git status -s", true),
            ("git status", "git push", false),
            ("git status", "git -c core.pager=x status", true),
            ("git 'status push'", "git status", true),
            ("cat a", "cat b", true),
            ("cat a", "sudo cat /etc/shadow", true),
            ("cat a", "echo $(cat b)", true),
            ("ls", "/bin/ls -la", true),
            ("ls", "cat a", false),
            ("ls && pwd", "pwd", true),
        ] {
            for (allowed, denied) in [(one, other), (other, one)] {
                let kept = denied_likes(&Matter::Approval(action(denied)));
                let found = likes(&action(allowed))
                    .iter()
                    .flat_map(Like::wanted)
                    .any(|key| kept.contains(&key));
                assert_eq!(found, alike, "{allowed} after {denied}");
            }
        }
    }
}
