//! Every Rust file starts by saying what it is for.

use crate::tidy::Finding;
use crate::tidy::tree::Tree;

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    tree.rust()
        .filter(|(file, _)| !starts_with_doc(&file.text))
        .map(|(file, _)| file.finding(1, "starts without a `//!` module doc"))
        .collect()
}

/// Whether the first thing said is a module doc with words in it; a shebang, blank lines and
/// inner attributes may stand before it.
fn starts_with_doc(text: &str) -> bool {
    let mut open_brackets = 0_usize;
    for line in text.lines().map(str::trim) {
        if open_brackets == 0 {
            if let Some(words) = line.strip_prefix("//!") {
                return !words.trim().is_empty();
            }
            if !line.is_empty() && !line.starts_with("#!") {
                return false;
            }
        }
        open_brackets += line.matches('[').count();
        open_brackets = open_brackets.saturating_sub(line.matches(']').count());
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_a_doc_is_found() {
        let tree = Tree::of(&[
            ("a.rs", "//! Fine.\n"),
            ("b.rs", "use std::fmt;\n//! Too late.\n"),
            ("c.rs", "// Not a doc.\n"),
            ("d.rs", "//!\n"),
            ("e.rs", ""),
            ("f.md", "no Rust"),
        ]);
        let paths: Vec<String> = check(&tree).into_iter().map(|f| f.path).collect();
        assert_eq!(paths, ["b.rs", "c.rs", "d.rs", "e.rs"]);
    }

    #[test]
    fn attributes_and_a_shebang_may_come_first() {
        assert!(starts_with_doc("#!/usr/bin/env cargo\n\n//! Fine.\n"));
        assert!(starts_with_doc(
            "#![expect(\n    lint,\n    reason = \"so\"\n)]\n//! Fine.\n"
        ));
        assert!(!starts_with_doc("#[cfg(test)]\n//! Not an inner one.\n"));
    }
}
