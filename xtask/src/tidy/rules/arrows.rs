//! Which of our crates may know which. Arrows go one way, from the command down to core; the table
//! has a row for every crate and none for others.

use crate::tidy::Finding;
use crate::tidy::crates::{Crate, Dependency, DependencyKind};
use crate::tidy::tree::Tree;

/// A crate and the crates it may name, in its code and in its tests.
struct Row {
    name: &'static str,
    may: &'static [&'static str],
}

const TESTKIT: &str = "sayso-testkit";
const COMMAND: &str = "sayso";
const FUZZ: &str = "sayso-fuzz";

/// The arrows. Only `sayso` and testkit name a concrete store.
const ARROWS: &[Row] = &[
    Row {
        name: "sayso-core",
        may: &[],
    },
    Row {
        name: "sayso-dialects",
        may: &["sayso-core"],
    },
    Row {
        name: "sayso-store",
        may: &["sayso-core"],
    },
    // What every store on an SQL database shares.
    Row {
        name: "sayso-store-sql",
        may: &["sayso-core", "sayso-store"],
    },
    Row {
        name: "sayso-store-postgres",
        may: &["sayso-core", "sayso-store", "sayso-store-sql"],
    },
    Row {
        name: "sayso-store-sqlite",
        may: &["sayso-core", "sayso-store", "sayso-store-sql"],
    },
    Row {
        name: "sayso-hub",
        may: &["sayso-core", "sayso-store"],
    },
    Row {
        name: "sayso-couriers",
        may: &["sayso-core"],
    },
    Row {
        name: "sayso-client",
        may: &["sayso-dialects"],
    },
    // The tools that the server's door and the command on standard input both serve.
    Row {
        name: "sayso-mcp",
        may: &["sayso-core", "sayso-dialects"],
    },
    Row {
        name: "sayso-bridges",
        may: &["sayso-client", "sayso-core", "sayso-dialects", "sayso-mcp"],
    },
    Row {
        name: "sayso-server",
        may: &[
            "sayso-core",
            "sayso-couriers",
            "sayso-dialects",
            "sayso-hub",
            "sayso-mcp",
            "sayso-store",
        ],
    },
    Row {
        name: "sayso",
        may: &[
            "sayso-bridges",
            "sayso-client",
            "sayso-core",
            "sayso-couriers",
            "sayso-dialects",
            "sayso-hub",
            "sayso-server",
            "sayso-store",
            "sayso-store-postgres",
            // To move a journal from one store to the other.
            "sayso-store-sql",
            "sayso-store-sqlite",
        ],
    },
    Row {
        name: TESTKIT,
        may: &[
            "sayso-client",
            "sayso-core",
            "sayso-couriers",
            "sayso-dialects",
            "sayso-hub",
            "sayso-server",
            "sayso-store",
            "sayso-store-postgres",
            "sayso-store-sqlite",
        ],
    },
    // What a fuzzer feeds is a test, and the bodies of those targets are tests already.
    Row {
        name: FUZZ,
        may: &[TESTKIT],
    },
    // The benchmark stands outside, like any other program that asks.
    Row {
        name: "xtask",
        may: &["sayso-client"],
    },
];

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    tree.crates.iter().flat_map(of_crate).collect()
}

fn of_crate(one: &Crate) -> Vec<Finding> {
    let Some(row) = ARROWS.iter().find(|row| row.name == one.name) else {
        return vec![one.finding(format!(
            "{} is in no row of ARROWS (xtask/src/tidy/rules/arrows.rs): say there what it may know",
            one.name
        ))];
    };
    one.dependencies
        .iter()
        .filter(|dependency| dependency.ours && !is_allowed(row, dependency))
        .map(|dependency| {
            if dependency.name == TESTKIT {
                one.finding(format!(
                    "{} may use {TESTKIT} only as a dev-dependency",
                    one.name
                ))
            } else {
                one.finding(format!("{} may not know {}", one.name, dependency.name))
            }
        })
        .collect()
}

fn is_allowed(row: &Row, dependency: &Dependency) -> bool {
    if dependency.name != TESTKIT || row.name == FUZZ {
        return row.may.contains(&dependency.name.as_str());
    }
    // The test build of the command can be killed at a named point; no other build has testkit.
    let test_build =
        row.name == COMMAND && dependency.kind == DependencyKind::Normal && dependency.optional;
    dependency.kind == DependencyKind::Dev || test_build
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentences(name: &str, dependencies: &[&str]) -> Vec<String> {
        of_crate(&Crate::of(name, dependencies))
            .into_iter()
            .map(|finding| finding.sentence)
            .collect()
    }

    #[test]
    fn an_arrow_against_the_table_is_found() {
        assert_eq!(
            sentences("sayso-core", &["sayso-store", "sha2"]),
            ["sayso-core may not know sayso-store"]
        );
        assert_eq!(
            sentences("sayso-dialects", &["sayso-core", "sayso-hub"]),
            ["sayso-dialects may not know sayso-hub"]
        );
        assert_eq!(
            sentences("sayso-client", &["sayso-dialects", "sayso-core"]),
            ["sayso-client may not know sayso-core"]
        );
    }

    #[test]
    fn only_the_command_and_testkit_name_a_concrete_store() {
        let who: Vec<&str> = ARROWS
            .iter()
            .filter(|row| row.may.contains(&"sayso-store-sqlite"))
            .map(|row| row.name)
            .collect();
        assert_eq!(who, ["sayso", TESTKIT]);
        assert_eq!(
            sentences("sayso-hub", &["dev sayso-store-sqlite"]),
            ["sayso-hub may not know sayso-store-sqlite"]
        );
    }

    #[test]
    fn testkit_is_for_tests() {
        assert_eq!(sentences("sayso", &["dev sayso-testkit"]), [""; 0]);
        assert_eq!(sentences("sayso", &["optional sayso-testkit"]), [""; 0]);
        assert_eq!(
            sentences("sayso-server", &["optional sayso-testkit"]),
            ["sayso-server may use sayso-testkit only as a dev-dependency"]
        );
        assert_eq!(
            sentences("sayso", &["sayso-testkit"]),
            ["sayso may use sayso-testkit only as a dev-dependency"]
        );
        assert_eq!(
            sentences("sayso", &["build sayso-testkit"]),
            ["sayso may use sayso-testkit only as a dev-dependency"]
        );
    }

    #[test]
    fn an_unknown_crate_is_sent_to_the_table() {
        assert_eq!(
            sentences("sayso-extra", &[]),
            [
                "sayso-extra is in no row of ARROWS (xtask/src/tidy/rules/arrows.rs): \
                 say there what it may know"
            ]
        );
    }

    #[test]
    fn every_row_is_a_crate_that_exists() {
        let tree = Tree::read(&crate::root::root()).unwrap();
        for row in ARROWS {
            let exists = tree.crates.iter().any(|one| one.name == row.name);
            assert!(exists, "{} does not exist", row.name);
        }
    }

    #[test]
    fn the_arrows_make_no_circle() {
        // A crate may be removed once all it may know is removed; a circle never empties.
        let mut left: Vec<&Row> = ARROWS.iter().collect();
        while !left.is_empty() {
            let names: Vec<&str> = left.iter().map(|row| row.name).collect();
            let before = left.len();
            left.retain(|row| row.may.iter().any(|name| names.contains(name)));
            assert!(left.len() < before, "a circle among {names:?}");
        }
    }
}
