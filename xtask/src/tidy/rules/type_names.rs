//! A type name means one thing in the whole workspace: it is defined once.
//!
//! Types that only their own file sees, tests, and the wire types of dialects are free.

use std::collections::BTreeMap;

use crate::tidy::Finding;
use crate::tidy::scan::{Scan, SourceToken, SourceTokenKind};
use crate::tidy::source::SourceFile;
use crate::tidy::tree::Tree;

/// Rooms of the dialects whose names are free, and why.
const FREE: &[(&str, &str)] = &[(
    "wire",
    "its words are those of the document, and several documents use the same one",
)];

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut homes: BTreeMap<&str, Vec<(&SourceFile, usize)>> = BTreeMap::new();
    for (file, scan) in tree.rust().filter(|(file, _)| is_looked_at(file)) {
        for token in defined(scan) {
            let home = (file, token.line);
            homes.entry(&token.text).or_default().push(home);
        }
    }
    homes
        .iter()
        .flat_map(|(name, homes)| complaints(name, homes))
        .collect()
}

fn complaints(name: &str, homes: &[(&SourceFile, usize)]) -> Vec<Finding> {
    let Some(((first, _), others)) = homes.split_first() else {
        return Vec::new();
    };
    let again = |(file, line): &(&SourceFile, usize)| {
        let sentence = format!(
            "`{name}` is defined in {} too: name each for what it is",
            first.path
        );
        file.finding(*line, sentence)
    };
    others.iter().map(again).collect()
}

fn is_looked_at(file: &SourceFile) -> bool {
    let is_ours = file.path.starts_with("crates/") || file.path.starts_with("xtask/");
    let is_free = file.path.starts_with("crates/dialects/src/")
        && FREE.iter().any(|(room, _)| file.is_room(room));
    is_ours && !file.is_test() && !is_free
}

/// The names of the types that more than their own file can see.
fn defined(scan: &Scan) -> impl Iterator<Item = &SourceToken> {
    let pairs = scan.tokens.windows(2).enumerate();
    pairs.filter_map(|(at, pair)| {
        let [keyword, name] = pair else { return None };
        let defines = ["enum", "struct", "trait", "type", "union"]
            .iter()
            .any(|word| keyword.is_word(word));
        let is_name = name.kind == SourceTokenKind::Word;
        let before = scan.tokens.get(..at).unwrap_or_default();
        (defines && is_name && is_public(before)).then_some(name)
    })
}

/// Whether what was read last is `pub`, or `pub` with how far it goes.
fn is_public(before: &[SourceToken]) -> bool {
    match before {
        [.., last] if last.is_word("pub") => true,
        [rest @ .., last] if last.is_mark(')') => {
            let open = rest.iter().rposition(|token| token.is_mark('('));
            let front = open.and_then(|open| rest.get(..open)).unwrap_or_default();
            front.last().is_some_and(|token| token.is_word("pub"))
        }
        [..] => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(files: &[(&str, &str)]) -> Vec<String> {
        let line = |finding: Finding| format!("{}:{}", finding.path, finding.line);
        check(&Tree::of(files)).into_iter().map(line).collect()
    }

    #[test]
    fn a_name_with_two_homes_is_found() {
        let files = [
            ("crates/a/src/x.rs", "pub struct Slip;"),
            (
                "crates/b/src/y.rs",
                "\npub(in crate::y) enum Slip {}\npub(crate) type Tag = u8;",
            ),
            ("xtask/src/z.rs", "pub(crate) trait Tag {}"),
        ];
        assert_eq!(lines(&files), ["crates/b/src/y.rs:2", "xtask/src/z.rs:1"]);
    }

    #[test]
    fn what_only_one_file_sees_is_free_and_so_are_tests_and_wire_words() {
        let files = [
            ("crates/a/src/x.rs", "pub struct Slip;"),
            ("crates/b/src/y.rs", "struct Slip; fn f(pub_: Slip) {}"),
            ("crates/b/src/y_tests.rs", "pub struct Slip;"),
            ("crates/dialects/src/nebo/wire.rs", "pub struct Slip;"),
            ("crates/dialects/src/nebo/wire/ask.rs", "pub struct Slip;"),
        ];
        assert_eq!(lines(&files), [""; 0]);
        let elsewhere = [
            ("crates/a/src/x.rs", "pub struct Slip;"),
            ("crates/server/src/wire.rs", "pub struct Slip;"),
        ];
        assert_eq!(lines(&elsewhere), ["crates/server/src/wire.rs:1"]);
    }
}
