//! Serde derives only where text of others or of the disk is read: a wire type is never a domain
//! type, so that a change of either never changes the other.

use crate::tidy::Finding;
use crate::tidy::source::SourceFile;
use crate::tidy::tree::Tree;

/// Where a derive may stand, and why: below a folder, in a file or folder of that name.
const HOMES: &[(&str, &str, &str)] = &[
    ("crates/dialects/", "wire", "the words of a wire language"),
    (
        "crates/server/src/",
        "wire",
        "what only the server says: admin, health",
    ),
    (
        "crates/server/src/",
        "grants",
        "what codes are good for, as nodes keep it",
    ),
    (
        "crates/bridges/src/",
        "wire",
        "the words of programs that have no dialect, and what a bridge keeps",
    ),
    ("crates/store/src/", "record", "what stands on the disk"),
    ("crates/couriers/src/", "record", "what stands on the disk"),
    (
        "crates/cli/src/",
        "server_file",
        "server.json, by which commands find the server",
    ),
    ("xtask/", "src", "chores are not the product"),
];

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for (file, scan) in tree.rust().filter(|(file, _)| !is_home(file)) {
        for attribute in scan.attributes() {
            let derives = attribute.iter().any(|token| token.is_word("derive"));
            let serde = attribute
                .iter()
                .find(|token| token.is_word("Serialize") || token.is_word("Deserialize"));
            if let Some(token) = serde.filter(|_| derives) {
                found.push(file.finding(
                    token.line,
                    format!(
                        "derives {} outside wire types and records \
                         (HOMES in xtask/src/tidy/rules/serde_derives.rs)",
                        token.text
                    ),
                ));
            }
        }
    }
    found
}

fn is_home(file: &SourceFile) -> bool {
    // Tests read vectors; what they derive for that is in nobody's binary.
    file.path.ends_with("_tests.rs")
        || HOMES
            .iter()
            .any(|(under, noun, _)| file.path.starts_with(under) && file.is_room(noun))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(path: &str, text: &str) -> Vec<(String, usize)> {
        check(&Tree::of(&[(path, text)]))
            .into_iter()
            .map(|finding| (finding.path, finding.line))
            .collect()
    }

    const DERIVE: &str = "#[derive(\n    Debug,\n    serde::Serialize,\n)]\nstruct A;\n";

    #[test]
    fn a_derive_on_a_domain_type_is_found() {
        for path in [
            "crates/core/src/ask.rs",
            "crates/dialects/src/native/map.rs",
            "crates/store/src/story.rs",
            "crates/hub/src/wire.rs",
        ] {
            assert_eq!(places(path, DERIVE), [(path.to_owned(), 3)]);
        }
        let hidden = "#[cfg_attr(feature = \"x\", derive(Deserialize))]\nstruct A;\n";
        let path = "crates/core/src/ask.rs";
        assert_eq!(places(path, hidden), [(path.to_owned(), 1)]);
    }

    #[test]
    fn a_derive_in_its_home_is_fine() {
        for path in [
            "crates/dialects/src/native/wire.rs",
            "crates/dialects/src/native/wire/ask.rs",
            "crates/server/src/admin/wire.rs",
            "crates/store/src/record/event.rs",
            "crates/cli/src/server_file.rs",
            "crates/dialects/src/native/vectors_tests.rs",
            "xtask/src/bench/report.rs",
        ] {
            assert_eq!(places(path, DERIVE), []);
        }
    }

    #[test]
    fn other_derives_are_free() {
        let text = "#[derive(Debug)]\nstruct A;\nimpl Serialize for A {}\n";
        assert_eq!(places("crates/core/src/ask.rs", text), []);
    }
}
