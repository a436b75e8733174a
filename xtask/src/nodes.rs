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
    /// What can be said about it, and the variables that carry it, each so many times as large.
    flags: &'static [(&'static str, &'static [(&'static str, u64)])],
    /// What cargo is told to test.
    tests: &'static [&'static [&'static str]],
}

const NODES: [&str; 6] = ["-p", "sayso", "--features", "faults", "--test", "nodes"];

const PARTS: [NodesPart; 5] = [
    NodesPart {
        name: "kill",
        flags: &[
            ("--nodes", &[("SAYSO_NODES", 1)]),
            ("--kills", &[("SAYSO_NODE_KILLS", 1)]),
            ("--seed", &[("SAYSO_SEED", 1)]),
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
    },
    NodesPart {
        name: "cut",
        flags: &[("--rounds", &[("SAYSO_NODE_CUTS", 1)])],
        tests: &[&[
            NODES[0], NODES[1], NODES[2], NODES[3], NODES[4], NODES[5], "--", "cut::",
        ]],
    },
    NodesPart {
        name: "failover",
        flags: &[("--rounds", &[("SAYSO_NODE_FAILOVERS", 1)])],
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
    },
    NodesPart {
        name: "race",
        // In process there is room for a hundred times as many.
        flags: &[(
            "--histories",
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
                "all",
                "--",
                "racing::",
            ],
            &["-p", "sayso-store-postgres", "--lib", "--", "witness::"],
        ],
    },
    NodesPart {
        name: "soak",
        flags: &[
            ("--minutes", &[("SAYSO_NODE_SECONDS", 60)]),
            ("--feeds", &[("SAYSO_NODE_FEEDS", 1)]),
        ],
        tests: &[&[
            NODES[0], NODES[1], NODES[2], NODES[3], NODES[4], NODES[5], "--", "soak::",
        ]],
    },
];

impl NodesPlan {
    /// Reads what stands after `nodes`; the error is a sentence.
    pub(crate) fn read<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Self, String> {
        let names = PARTS.each_ref().map(|part| part.name).join(", ");
        let name = words.next().unwrap_or_default();
        let part = PARTS.iter().find(|part| part.name == name);
        let part = part.ok_or_else(|| format!("nodes takes one of {names}"))?;
        let mut env = Vec::new();
        while let Some(word) = words.next() {
            let flag = part.flags.iter().find(|(flag, _)| *flag == word);
            let (flag, carried) =
                flag.ok_or_else(|| format!("nodes {name} does not take {word:?}"))?;
            let number: Option<u64> = words.next().and_then(|word| word.parse().ok());
            let number = number.filter(|number| *number > 0);
            let number =
                number.ok_or_else(|| format!("{flag} takes a number, such as {flag} 50"))?;
            let carried = carried.iter();
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
        let status = cargo()
            .arg("test")
            .args(*words)
            .args(["--nocapture", "--test-threads", "1"])
            .envs(plan.env.iter().map(|(key, value)| (key, value)))
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
        assert_eq!(env("failover"), []);
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(
            read("fly"),
            Err("nodes takes one of kill, cut, failover, race, soak".to_owned())
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
