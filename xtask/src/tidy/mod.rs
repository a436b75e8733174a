//! `cargo xtask tidy`: proves from the source text and `cargo metadata` that the architecture is
//! what ARCHITECTURE.md says.
//!
//! A rule is one file under `rules/`, one row of [`RULES`], and a test that shows it can fail.
//! Rules read; they never change a file.

mod crates;
mod rules;
mod scan;
mod source;
mod tree;

use anyhow::{Result, bail};

use tree::Tree;

use crate::root::root;

/// One thing that is not as it should be, and where.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    path: String,
    line: usize,
    sentence: String,
}

/// A rule: its name in the output, and what it looks for.
#[derive(Debug, Clone, Copy)]
struct Rule {
    name: &'static str,
    check: fn(&Tree) -> Vec<Finding>,
}

const RULES: &[Rule] = &[
    Rule {
        name: "arrows",
        check: rules::arrows::check,
    },
    Rule {
        name: "outside",
        check: rules::outside::check,
    },
    Rule {
        name: "module-doc",
        check: rules::module_doc::check,
    },
    Rule {
        name: "module-file",
        check: rules::module_files::check,
    },
    Rule {
        name: "type-name",
        check: rules::type_names::check,
    },
    Rule {
        name: "size",
        check: rules::size::check,
    },
    Rule {
        name: "words",
        check: rules::words::check,
    },
    Rule {
        name: "serde",
        check: rules::serde_derives::check,
    },
    Rule {
        name: "machine-path",
        check: rules::machine_paths::check,
    },
    Rule {
        name: "marks",
        check: rules::marks::check,
    },
    Rule {
        name: "dialects",
        check: rules::dialect_rooms::check,
    },
    Rule {
        name: "events",
        check: rules::events::check,
    },
    Rule {
        name: "unsafe",
        check: rules::unsafe_code::check,
    },
];

/// Reads the repository and prints every finding; an error when there is one.
pub(crate) fn run() -> Result<()> {
    let tree = Tree::read(&root())?;
    let lines = findings(&tree);
    for line in &lines {
        println!("{line}");
    }
    let files = tree.files.len();
    let rules = RULES.len();
    if lines.is_empty() {
        println!("tidy: {files} files, {rules} rules, nothing to say");
        return Ok(());
    }
    bail!(
        "tidy: {files} files, {rules} rules, {} findings",
        lines.len()
    );
}

/// Every finding of every rule, as `path:line: rule: sentence`.
fn findings(tree: &Tree) -> Vec<String> {
    let mut all: Vec<(Finding, &str)> = RULES
        .iter()
        .flat_map(|rule| {
            (rule.check)(tree)
                .into_iter()
                .map(|finding| (finding, rule.name))
        })
        .collect();
    all.sort();
    all.iter()
        .map(|(finding, rule)| {
            let Finding {
                path,
                line,
                sentence,
            } = finding;
            format!("{path}:{line}: {rule}: {sentence}")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_sorted_and_carry_their_rule() {
        let tree = Tree::of(&[
            ("crates/hub/src/b.rs", "//! B.\nfn f() { unsafe {} }\n"),
            ("crates/hub/src/a.rs", "fn f() {}\n"),
        ]);
        assert_eq!(
            findings(&tree),
            [
                "crates/hub/src/a.rs:1: module-doc: starts without a `//!` module doc",
                "crates/hub/src/b.rs:2: unsafe: `unsafe` is only for crates/testkit",
            ]
        );
    }

    #[test]
    fn a_clean_tree_has_nothing_to_say() {
        let tree = Tree::of(&[("crates/hub/src/lib.rs", "//! The hub.\n")]);
        assert_eq!(findings(&tree), Vec::<String>::new());
    }
}
