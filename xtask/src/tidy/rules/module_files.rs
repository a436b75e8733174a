//! A module with children is the `mod.rs` of their folder, never a file beside it.

use crate::tidy::Finding;
use crate::tidy::source::SourceFile;
use crate::tidy::tree::Tree;

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    tree.rust()
        .map(|(file, _)| file)
        // The root of a test crate must stand beside its folder.
        .filter(|file| file.path.contains("/src/") && !file.is_test())
        .filter_map(|file| {
            let stem = file.path.strip_suffix(".rs")?;
            let folder = format!("{stem}/");
            let is_child = |other: &SourceFile| other.path.starts_with(&folder);
            let has_children = tree.rust().any(|(other, _)| is_child(other));
            has_children
                .then(|| file.finding(1, format!("has children: move it to {folder}mod.rs")))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_beside_its_folder_is_found() {
        let tree = Tree::of(&[
            ("crates/a/src/ask.rs", ""),
            ("crates/a/src/ask/kind.rs", ""),
            ("crates/a/src/answer/mod.rs", ""),
            ("crates/a/src/answer/kind.rs", ""),
            ("crates/a/src/page.rs", ""),
            ("crates/a/src/page/style.css", ""),
            ("crates/a/tests/suite.rs", ""),
            ("crates/a/tests/suite/asking.rs", ""),
        ]);
        let found: Vec<String> = check(&tree).into_iter().map(|one| one.sentence).collect();
        assert_eq!(found, ["has children: move it to crates/a/src/ask/mod.rs"]);
    }
}
