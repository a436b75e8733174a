//! `cargo xtask nodes`: what holds for several nodes on one PostgreSQL, for as long as is asked for.
//!
//! The tests are the ordinary ones; variables of the environment say how much of each.

use anyhow::{Context, Result, bail};

use crate::needs;
use crate::test::cargo;

/// One thing that is shown, and how much of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NodesPlan {
    part: &'static NodesPart,
    /// Variables that say how much.
    env: Vec<(&'static str, String)>,
}

/// A part of the proof.
#[derive(Debug, PartialEq, Eq)]
struct NodesPart {
    name: &'static str,
    flags: &'static [NodesFlag],
    /// What cargo is told to test.
    tests: &'static [&'static [&'static str]],
    /// Whether the build is an optimised one: how long something takes is part of the proof.
    is_timed: bool,
}

/// How much of something.
#[derive(Debug, PartialEq, Eq)]
struct NodesFlag {
    name: &'static str,
    /// What counts when nothing is said; nothing leaves it to chance.
    default: Option<u64>,
    /// The variables that carry it, each so many times as large.
    carried: &'static [(&'static str, u64)],
}

const fn flag(
    name: &'static str,
    default: u64,
    carried: &'static [(&'static str, u64)],
) -> NodesFlag {
    NodesFlag {
        name,
        default: Some(default),
        carried,
    }
}

const NODES: [&str; 6] = ["-p", "sayso", "--features", "faults", "--test", "nodes"];

const PARTS: [NodesPart; 6] = [
    NodesPart {
        name: "kill",
        flags: &[
            flag("--nodes", 3, &[("SAYSO_NODES", 1)]),
            flag("--kills", 2000, &[("SAYSO_NODE_KILLS", 1)]),
            NodesFlag {
                name: "--seed",
                default: None,
                carried: &[("SAYSO_SEED", 1)],
            },
        ],
        tests: &[&[
            "-p",
            "sayso",
            "--features",
            "faults",
            "--test",
            "kills",
            "--",
            "nodes::",
        ]],
        is_timed: false,
    },
    NodesPart {
        name: "cut",
        flags: &[flag("--rounds", 500, &[("SAYSO_NODE_CUTS", 1)])],
        tests: &[&[
            NODES[0], NODES[1], NODES[2], NODES[3], NODES[4], NODES[5], "--", "cut::",
        ]],
        is_timed: false,
    },
    NodesPart {
        name: "failover",
        flags: &[flag("--rounds", 50, &[("SAYSO_NODE_FAILOVERS", 1)])],
        tests: &[&[
            NODES[0],
            NODES[1],
            NODES[2],
            NODES[3],
            NODES[4],
            NODES[5],
            "--",
            "failover::",
        ]],
        is_timed: false,
    },
    NodesPart {
        name: "race",
        // In process there is room for a hundred times as many.
        flags: &[flag(
            "--histories",
            10_000,
            &[("SAYSO_NODE_HISTORIES", 1), ("SAYSO_HUB_HISTORIES", 100)],
        )],
        tests: &[
            &[
                NODES[0], NODES[1], NODES[2], NODES[3], NODES[4], NODES[5], "--", "race::",
            ],
            &[
                "-p",
                "sayso-hub",
                "--release",
                "--test",
                "two_hubs",
                "--",
                "racing::",
            ],
            &["-p", "sayso-store-postgres", "--lib", "--", "witness::"],
        ],
        is_timed: false,
    },
    NodesPart {
        name: "soak",
        flags: &[
            flag("--minutes", 60, &[("SAYSO_NODE_SECONDS", 60)]),
            flag("--feeds", 100, &[("SAYSO_NODE_FEEDS", 1)]),
        ],
        tests: &[&[
            NODES[0], NODES[1], NODES[2], NODES[3], NODES[4], NODES[5], "--", "soak::",
        ]],
        is_timed: false,
    },
    NodesPart {
        name: "migrate",
        flags: &[flag("--events", 1_000_000, &[("SAYSO_MIGRATE_EVENTS", 1)])],
        tests: &[&[
            "-p",
            "sayso",
            "--features",
            "faults",
            "--test",
            "moving",
            // Beside the ordinary build, which stays warm.
            "--target-dir",
            "target/timed",
            "--",
            "killing::",
        ]],
        is_timed: true,
    },
];

/// An optimised build that can still be killed at a fail point: a release refuses that.
const TIMED: [(&str, &str); 2] = [
    ("CARGO_PROFILE_DEV_OPT_LEVEL", "2"),
    ("CARGO_PROFILE_TEST_OPT_LEVEL", "2"),
];

impl NodesPlan {
    /// Reads what stands after `nodes`; the error is a sentence.
    pub(crate) fn read<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Self, String> {
        let names = PARTS.each_ref().map(|part| part.name).join(", ");
        let name = words.next().unwrap_or_default();
        let part = PARTS.iter().find(|part| part.name == name);
        let part = part.ok_or_else(|| format!("nodes takes one of {names}"))?;
        let mut numbers: Vec<Option<u64>> = part.flags.iter().map(|flag| flag.default).collect();
        while let Some(word) = words.next() {
            let at = part.flags.iter().position(|flag| flag.name == word);
            let slot = at.and_then(|at| numbers.get_mut(at));
            let slot = slot.ok_or_else(|| format!("nodes {name} does not take {word:?}"))?;
            let number: Option<u64> = words.next().and_then(|word| word.parse().ok());
            let number = number.filter(|number| *number > 0);
            *slot =
                Some(number.ok_or_else(|| format!("{word} takes a number, such as {word} 50"))?);
        }
        let mut env = Vec::new();
        for (flag, number) in part.flags.iter().zip(numbers) {
            let Some(number) = number else { continue };
            let carried = flag.carried.iter();
            env.extend(
                carried.map(|(key, times)| (*key, number.saturating_mul(*times).to_string())),
            );
        }
        Ok(Self { part, env })
    }
}

pub(crate) fn run(plan: &NodesPlan) -> Result<()> {
    needs::meet(needs::NeededBy::Everything)?;
    for words in plan.part.tests {
        let timed: &[_] = if plan.part.is_timed { &TIMED } else { &[] };
        let status = cargo()
            .arg("test")
            .args(*words)
            .args(["--nocapture", "--test-threads", "1"])
            .envs(plan.env.iter().map(|(key, value)| (key, value)))
            .envs(timed.iter().copied())
            .status()
            .context("could not start cargo")?;
        if !status.success() {
            bail!("nodes {} does not hold: {status}", plan.part.name);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<NodesPlan, String> {
        NodesPlan::read(line.split_whitespace())
    }

    #[test]
    fn numbers_reach_the_tests() {
        let env = |line: &str| read(line).unwrap().env;
        let number = |key, number: &str| (key, number.to_owned());
        assert_eq!(
            env("kill --nodes 3 --kills 2000"),
            [
                number("SAYSO_NODES", "3"),
                number("SAYSO_NODE_KILLS", "2000")
            ]
        );
        assert_eq!(
            env("race --histories 10000"),
            [
                number("SAYSO_NODE_HISTORIES", "10000"),
                number("SAYSO_HUB_HISTORIES", "1000000")
            ]
        );
        assert_eq!(
            env("soak --minutes 60 --feeds 100"),
            [
                number("SAYSO_NODE_SECONDS", "3600"),
                number("SAYSO_NODE_FEEDS", "100")
            ]
        );
        assert_eq!(
            env("kill --seed 7 --nodes 5"),
            [
                number("SAYSO_NODES", "5"),
                number("SAYSO_NODE_KILLS", "2000"),
                number("SAYSO_SEED", "7")
            ]
        );
    }

    #[test]
    fn what_is_not_said_is_what_the_help_says() {
        let env = |line: &str| {
            let env = read(line).unwrap().env;
            let said: Vec<_> = env
                .iter()
                .map(|(key, value)| format!("{key}={value}"))
                .collect();
            said.join(" ")
        };
        assert_eq!(env("kill"), "SAYSO_NODES=3 SAYSO_NODE_KILLS=2000");
        assert_eq!(env("cut"), "SAYSO_NODE_CUTS=500");
        assert_eq!(env("failover"), "SAYSO_NODE_FAILOVERS=50");
        assert_eq!(
            env("race"),
            "SAYSO_NODE_HISTORIES=10000 SAYSO_HUB_HISTORIES=1000000"
        );
        assert_eq!(env("soak"), "SAYSO_NODE_SECONDS=3600 SAYSO_NODE_FEEDS=100");
        assert_eq!(env("migrate"), "SAYSO_MIGRATE_EVENTS=1000000");
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(
            read("fly"),
            Err("nodes takes one of kill, cut, failover, race, soak, migrate".to_owned())
        );
        assert_eq!(
            read("cut --kills 3"),
            Err("nodes cut does not take \"--kills\"".to_owned())
        );
        assert_eq!(
            read("cut --rounds no"),
            Err("--rounds takes a number, such as --rounds 50".to_owned())
        );
    }
}
