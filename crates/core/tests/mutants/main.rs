//! Rules that the product itself offers, against asks that differ from the one they were made of.
//!
//! A harmless ask is made up, every offer for it becomes a rule, and the ask is changed in one way at
//! a time: its folder, tool, agent, content, input, environment, spelling and more. Each change is
//! labelled by whether it does something else than the rule says. No rule may answer such a mutant.
//! The rule must answer the ask it was made of, every kind of change must be reached, and matchers
//! that are blind to one of them must be caught.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot set up its world stops at once and says where"
)]

mod change;
#[path = "../chance/dice.rs"]
mod dice;
mod harmless;
mod seen;

use std::collections::BTreeMap;
use std::sync::Arc;

use change::{Kind, Made, change};
use dice::Dice;
use sayso_core::id::{PersonName, RuleId, TokenName};
use sayso_core::policy::{
    AppliesTo, Authority, Facts, Folder, Maker, Policy, Rule, Ruling, Says, Subject, Width, offers,
};
use sayso_core::time::Time;
use seen::{Does, Seen};

const SEED: u64 = 0x5eed_1001;

/// How many mutants are tried; `cargo xtask test --mutants 1000000` is the long run.
#[expect(
    clippy::disallowed_methods,
    reason = "this is how a long run is asked for"
)]
fn mutants() -> usize {
    std::env::var("SAYSO_MUTANTS").map_or(20_000, |text| text.parse().unwrap())
}

fn rule(id: u32, by: Maker, says: Says, applies_to: AppliesTo) -> Arc<Rule> {
    Arc::new(Rule {
        id: RuleId(id),
        version: 1,
        says,
        applies_to,
        expires: None,
        by,
        made_at: Time::default(),
        note: None,
        shadow: false,
    })
}

/// The rule under test, beside one that lets anything be printed: a pipe into it must not be covered
/// because what is piped may be printed.
fn policy(subject: Subject, applies_to: AppliesTo) -> Policy {
    let person = Maker::Person {
        person: PersonName::new("ann").unwrap(),
        device: TokenName::new("laptop").unwrap(),
    };
    let mut policy = Policy::default();
    policy.put(rule(1, person, Says::Allow(subject), applies_to));
    for (id, name) in [(2, "cat"), (3, "echo")] {
        let beside = Subject::Preset {
            name: name.to_owned(),
            revision: 1,
            folder: Folder::Anywhere,
            tool: None,
        };
        let admin = Maker::Admin(TokenName::new("root").unwrap());
        policy.put(rule(id, admin, Says::Allow(beside), AppliesTo::default()));
    }
    policy
}

/// Whether the rule under test answers an ask.
fn answers(policy: &Policy, seen: &Seen) -> bool {
    let (ask, agent) = seen.ask();
    let facts = Facts::of(&ask, &agent).unwrap();
    let ruled = policy.rule_on(&facts, Time::default());
    let mine = ruled.because.iter().any(|one| one.rule == Some(RuleId(1)));
    matches!(ruled.ruling, Ruling::Allow { .. }) && mine
}

/// Every rule that may be made of an ask.
fn rules(seen: &Seen) -> Vec<(String, Width, Policy)> {
    let (ask, _) = seen.ask();
    let mut rules = Vec::new();
    for offer in offers(&ask) {
        for width in Width::ALL {
            let Some(applies_to) = width.applies_to(&ask) else {
                continue;
            };
            let says = Says::Allow(offer.subject.clone());
            if Authority::Person.may_make(&says, &applies_to).is_ok() {
                let policy = policy(offer.subject.clone(), applies_to);
                rules.push((offer.preset.clone(), width, policy));
            }
        }
    }
    rules
}

/// What looks at a mutant: the rules as they are, or with something put back that they should see.
type Matcher = dyn Fn(&Seen, Seen) -> Seen;

#[derive(Debug, Default)]
struct Tally {
    mutants: usize,
    kinds: BTreeMap<Kind, (usize, usize)>,
    offers: BTreeMap<String, usize>,
    answered_rightly: usize,
}

/// Tries mutants; gives back the first that is answered although it does something else.
fn run(matcher: &Matcher, start: u64, count: usize, tally: &mut Tally) -> Option<String> {
    let mut dice = Dice::new(start);
    let end = tally.mutants + count;
    while tally.mutants < end {
        let seen = dice.seen();
        for (preset, width, policy) in rules(&seen) {
            assert!(
                answers(&policy, &seen),
                "{preset} does not answer its own ask: {seen:?}"
            );
            *tally.offers.entry(preset.clone()).or_default() += 1;
            let made = Made {
                preset: &preset,
                width,
            };
            for kind in Kind::ALL {
                let Some((mutant, differs)) = change(&mut dice, kind, &seen, made) else {
                    continue;
                };
                if mutant == seen {
                    continue;
                }
                tally.mutants += 1;
                let counts = tally.kinds.entry(kind).or_default();
                counts.0 += 1;
                counts.1 += usize::from(differs);
                let answered = answers(&policy, &matcher(&seen, mutant.clone()));
                tally.answered_rightly += usize::from(answered && !differs);
                if answered && differs {
                    return Some(format!(
                        "{preset} for {width:?}, {kind:?}: {seen:#?} became {mutant:#?}"
                    ));
                }
            }
        }
    }
    None
}

#[test]
fn no_rule_answers_what_it_was_not_made_for() {
    let mut tally = Tally::default();
    let mut left = mutants();
    for seed in SEED.. {
        let block = left.min(100_000);
        let found = run(&|_, mutant| mutant, seed, block, &mut tally);
        assert_eq!(found, None, "seed {seed:#x}");
        left -= block;
        if left == 0 {
            break;
        }
    }
    println!("{tally:#?}");
    for kind in Kind::ALL {
        let (all, differing) = tally.kinds.get(&kind).copied().unwrap_or_default();
        assert!(all >= 20, "{kind:?} is not reached: {all}");
        assert!(
            differing >= 20 || kind == Kind::Nothing,
            "{kind:?} never differs"
        );
    }
    for offer in [
        "exact",
        "this-file",
        "folder",
        "host",
        "git-status",
        "cat",
        "cargo-test",
    ] {
        assert!(tally.offers.contains_key(offer), "{offer} is never offered");
    }
    assert!(tally.answered_rightly > 500, "{}", tally.answered_rightly);
}

/// Puts back what a change did to a command, as a matcher would that looks past it.
fn recommand(seen: &Seen, mut mutant: Seen, strip: impl Fn(&str) -> String) -> Seen {
    if let (Does::Shell(_), Does::Shell(command)) = (&seen.shown, &mutant.shown) {
        mutant.shown = Does::Shell(strip(command));
        mutant.said = mutant.shown.clone();
    }
    mutant
}

fn original(seen: &Seen, command: &str) -> String {
    match &seen.shown {
        Does::Shell(first) if command.contains(first.as_str()) => first.clone(),
        _ => command.to_owned(),
    }
}

/// Each of these is a mistake that somebody could make in a matcher.
#[test]
#[expect(clippy::too_many_lines, reason = "a table of mistakes")]
fn a_matcher_that_is_blind_is_caught() {
    let blind: Vec<(&str, Box<Matcher>)> = vec![
        (
            "the folder",
            Box::new(|seen, mutant| Seen {
                cwd: seen.cwd.clone(),
                ..mutant
            }),
        ),
        (
            "the workspace",
            Box::new(|seen, mutant| Seen {
                workspace: seen.workspace.clone(),
                ..mutant
            }),
        ),
        (
            "the tool",
            Box::new(|seen, mutant| Seen {
                tool: seen.tool.clone(),
                ..mutant
            }),
        ),
        (
            "the agent",
            Box::new(|seen, mutant| Seen {
                agent: seen.agent,
                ..mutant
            }),
        ),
        (
            "the conversation",
            Box::new(|seen, mutant| Seen {
                conversation: seen.conversation,
                ..mutant
            }),
        ),
        (
            "links",
            Box::new(|seen, mutant| Seen {
                links: seen.links.clone(),
                ..mutant
            }),
        ),
        (
            "whether anybody followed links",
            Box::new(|seen, mutant| Seen {
                links: mutant.links.or_else(|| seen.links.clone()),
                ..mutant
            }),
        ),
        (
            "the schema",
            Box::new(|seen, mutant| Seen {
                schema: seen.schema,
                ..mutant
            }),
        ),
        (
            "what the asker calls it",
            Box::new(|seen, mutant| Seen {
                disguised: seen.disguised,
                ..mutant
            }),
        ),
        (
            "further keys",
            Box::new(|seen, mutant| Seen {
                extra: seen.extra.clone(),
                ..mutant
            }),
        ),
        (
            "the input",
            Box::new(|_, mutant| Seen {
                said: mutant.shown.clone(),
                ..mutant
            }),
        ),
        (
            "the content",
            Box::new(|seen, mutant| match (&seen.shown, &mutant.shown) {
                (Does::Write { .. }, Does::Write { .. })
                | (Does::Edit { .. }, Does::Edit { .. }) => Seen {
                    shown: seen.shown.clone(),
                    said: seen.said.clone(),
                    ..mutant
                },
                _ => mutant,
            }),
        ),
        (
            "what is piped in",
            Box::new(|seen, mutant| {
                recommand(seen, mutant, |text| {
                    text.rsplit(" | ").next().unwrap_or(text).to_owned()
                })
            }),
        ),
        (
            "what is joined behind it",
            Box::new(|seen, mutant| {
                recommand(seen, mutant, |text| {
                    text.split([';', '|', '&', '\n'])
                        .next()
                        .unwrap_or(text)
                        .to_owned()
                })
            }),
        ),
        (
            "redirections",
            Box::new(|seen, mutant| {
                recommand(seen, mutant, |text| {
                    text.split([' '])
                        .take_while(|word| !word.contains(['<', '>']))
                        .collect::<Vec<_>>()
                        .join(" ")
                })
            }),
        ),
        (
            "the environment",
            Box::new(|seen, mutant| {
                recommand(seen, mutant, |text| {
                    text.split(' ')
                        .skip_while(|word| word.contains('='))
                        .collect::<Vec<_>>()
                        .join(" ")
                })
            }),
        ),
        (
            "wrappers",
            Box::new(|seen, mutant| {
                let seen_ = seen.clone();
                recommand(seen, mutant, move |text| original(&seen_, text))
            }),
        ),
        (
            "options it does not know",
            Box::new(|seen, mutant| {
                recommand(seen, mutant, |text| {
                    text.split(' ')
                        .filter(|word| !word.starts_with("--e"))
                        .collect::<Vec<_>>()
                        .join(" ")
                })
            }),
        ),
        (
            "folders in the name of a program",
            Box::new(|seen, mutant| {
                recommand(seen, mutant, |text| {
                    text.trim_start_matches("/tmp/")
                        .trim_start_matches("./")
                        .to_owned()
                })
            }),
        ),
        (
            "upper and lower case",
            Box::new(|seen, mutant| recommand(seen, mutant, str::to_lowercase)),
        ),
        (
            "hidden files",
            Box::new(|seen, mutant| {
                recommand(seen, mutant, |text| {
                    text.replace(".env", "env").replace(".netrc", "x")
                })
            }),
        ),
        (
            "names of secrets",
            Box::new(|seen, mutant| {
                recommand(seen, mutant, |text| {
                    text.replace("secrets", "x")
                        .replace(".pem", ".x")
                        .replace("credentials", "x")
                })
            }),
        ),
        (
            "where a path leads",
            Box::new(|seen, mutant| {
                recommand(seen, mutant, |text| {
                    text.replace("../", "").replace("/etc/", "etc/")
                })
            }),
        ),
        (
            "ports and schemes",
            Box::new(|_, mut mutant| {
                if let Does::Data(values) = &mut mutant.shown {
                    for (_, value) in values {
                        *value = value.replace("http://", "https://").replace(":8443", "");
                    }
                    mutant.said = mutant.shown.clone();
                }
                mutant
            }),
        ),
    ];
    for (to, matcher) in &blind {
        let found = run(matcher, SEED, 20_000, &mut Tally::default());
        assert!(
            found.is_some(),
            "nobody notices that a matcher is blind to {to}"
        );
    }
}
