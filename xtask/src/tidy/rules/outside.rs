//! Which crates of others each of ours may use: core stays words and checks, dialects stay
//! without IO, the hub stays without JSON and SQL. Dev-dependencies are free except for the
//! crates that have one home.

use crate::tidy::Finding;
use crate::tidy::crates::{Crate, Dependency, DependencyKind};
use crate::tidy::tree::Tree;

/// All that core may use. A name that ends in `*` stands for every crate that starts so.
const CORE: &str = "sayso-core";
const CORE_MAY: &[&str] = &["hashbrown", "sha2", "thiserror", "unicode-*", "uuid"];

struct Ban {
    name: &'static str,
    never: &'static [&'static str],
    why: &'static str,
}

const BANS: &[Ban] = &[
    Ban {
        name: "sayso-dialects",
        never: &[
            "anyhow", "axum", "hyper*", "mio", "reqwest", "tokio*", "tower*",
        ],
        why: "a dialect turns text into core values and back, without IO",
    },
    Ban {
        name: "sayso-store",
        never: &["anyhow", "axum", "hyper*", "tokio*", "tower*"],
        why: "the trait and the records must fit every engine",
    },
    Ban {
        name: "sayso-hub",
        never: &["anyhow", "axum", "hyper*", "serde_json", "tower*"],
        why: "the hub knows no door, no JSON and no SQL",
    },
    Ban {
        name: "sayso-store-sql",
        never: &["anyhow", "axum", "hyper*", "tokio*", "tower*"],
        why: "what the stores share must fit every engine",
    },
    Ban {
        name: "sayso-store-postgres",
        never: &["anyhow", "axum", "hyper*", "tower*"],
        why: "a store opens no door, and its errors are typed",
    },
    Ban {
        name: "sayso-store-sqlite",
        never: &["anyhow", "axum", "hyper*", "tower*"],
        why: "a store opens no door, and its errors are typed",
    },
    Ban {
        name: "sayso-client",
        never: &["anyhow", "axum"],
        why: "a library gives typed errors, and a client opens no door",
    },
];

/// Crates that live in one place, tests included.
struct Home {
    of: &'static str,
    homes: &'static [&'static str],
}

const HOMES: &[Home] = &[
    Home {
        of: "rusqlite",
        homes: &["sayso-store-sqlite"],
    },
    // The lossy disk of testkit stands below SQLite, where only its C interface reaches.
    Home {
        of: "libsqlite3-sys",
        homes: &["sayso-store-sqlite", "sayso-testkit"],
    },
    Home {
        of: "tokio-postgres",
        homes: &["sayso-store-postgres"],
    },
];

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    tree.crates.iter().flat_map(of_crate).collect()
}

fn of_crate(one: &Crate) -> Vec<Finding> {
    one.dependencies
        .iter()
        .filter(|dependency| !dependency.ours)
        .filter_map(|dependency| complaint(&one.name, dependency))
        .map(|sentence| one.finding(sentence))
        .collect()
}

fn complaint(name: &str, dependency: &Dependency) -> Option<String> {
    let other = dependency.name.as_str();
    if let Some(home) = HOMES.iter().find(|home| home.of == other)
        && !home.homes.contains(&name)
    {
        return Some(format!("{other} belongs to {} only", home.homes.join(", ")));
    }
    if dependency.kind == DependencyKind::Dev {
        return None;
    }
    if name == CORE && !CORE_MAY.iter().any(|pattern| fits(pattern, other)) {
        return Some(format!(
            "core may use {} and nothing else, not {other}",
            CORE_MAY.join(", ")
        ));
    }
    BANS.iter()
        .find(|ban| ban.name == name && ban.never.iter().any(|pattern| fits(pattern, other)))
        .map(|ban| format!("{name} may not use {other}: {}", ban.why))
}

fn fits(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
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
    fn core_has_a_short_list() {
        assert_eq!(
            sentences("sayso-core", &["sha2", "unicode-width", "dev serde_json"]),
            [""; 0]
        );
        let may = "core may use hashbrown, sha2, thiserror, unicode-*, uuid and nothing else, not";
        assert_eq!(
            sentences("sayso-core", &["serde", "tokio", "build cc"]),
            [
                format!("{may} serde"),
                format!("{may} tokio"),
                format!("{may} cc")
            ]
        );
    }

    #[test]
    fn a_ban_is_found_with_its_reason() {
        assert_eq!(
            sentences("sayso-hub", &["tokio", "serde_json"]),
            ["sayso-hub may not use serde_json: the hub knows no door, no JSON and no SQL"]
        );
        assert_eq!(
            sentences("sayso-dialects", &["serde_json", "tokio-rustls"]),
            [
                "sayso-dialects may not use tokio-rustls: a dialect turns text into core values \
                 and back, without IO"
            ]
        );
    }

    #[test]
    fn sqlite_has_one_home_even_in_tests() {
        assert_eq!(sentences("sayso-store-sqlite", &["rusqlite"]), [""; 0]);
        assert_eq!(
            sentences("sayso", &["dev rusqlite"]),
            ["rusqlite belongs to sayso-store-sqlite only"]
        );
    }
}
