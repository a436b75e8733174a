//! `unsafe` only in testkit, whose lossy disk stands below SQLite.

use crate::tidy::Finding;
use crate::tidy::tree::Tree;

const HOME: &str = "crates/testkit/";

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for (file, scan) in tree.rust().filter(|(file, _)| !file.path.starts_with(HOME)) {
        for token in scan.tokens.iter().filter(|token| token.is_word("unsafe")) {
            found.push(file.finding(token.line, "`unsafe` is only for crates/testkit"));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsafe_is_found_outside_testkit_only() {
        let text = "//! unsafe\n#![deny(unsafe_code)]\nfn f() { \"unsafe\"; unsafe {} }\n";
        let tree = Tree::of(&[
            ("crates/hub/src/a.rs", text),
            ("crates/testkit/src/a.rs", text),
        ]);
        let places: Vec<(String, usize)> = check(&tree)
            .into_iter()
            .map(|finding| (finding.path, finding.line))
            .collect();
        assert_eq!(places, [("crates/hub/src/a.rs".to_owned(), 3)]);
    }
}
