//! A dialect is one folder with the same rooms as every other, and knows none of the others:
//! that is what makes the next one cost one folder.

use std::collections::BTreeSet;

use crate::tidy::Finding;
use crate::tidy::scan::{Scan, SourceToken, enclosed};
use crate::tidy::source::SourceFile;
use crate::tidy::tree::Tree;

const SRC: &str = "crates/dialects/src/";

/// What each folder holds; the second way is the folder that a file grows into.
const ROOMS: &[(&str, &str)] = &[
    ("mod.rs", "mod.rs"),
    ("wire.rs", "wire/"),
    ("map.rs", "map/"),
    ("README.md", "README.md"),
];

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let dialects: BTreeSet<&str> = tree.files.iter().filter_map(dialect_of).collect();
    let mut found: Vec<Finding> = dialects
        .iter()
        .flat_map(|name| missing_rooms(tree, name))
        .collect();
    for (file, scan) in tree.rust() {
        if let Some(own) = dialect_of(file) {
            found.extend(foreign_names(file, scan, own, &dialects));
        }
    }
    found
}

/// The folder a file lies in; `None` for what the dialects share.
fn dialect_of(file: &SourceFile) -> Option<&str> {
    let (name, _) = file.path.strip_prefix(SRC)?.split_once('/')?;
    Some(name)
}

fn missing_rooms(tree: &Tree, name: &str) -> Vec<Finding> {
    let has = |room: &str| {
        let path = format!("{SRC}{name}/{room}");
        tree.files
            .iter()
            .any(|file| file.path == path || (room.ends_with('/') && file.path.starts_with(&path)))
    };
    ROOMS
        .iter()
        .filter(|(file, folder)| !has(file) && !has(folder))
        .map(|(file, folder)| Finding {
            path: format!("{SRC}{name}"),
            line: 1,
            sentence: if file == folder {
                format!("the dialect has no {file}")
            } else {
                format!("the dialect has no {file} and no {folder}")
            },
        })
        .collect()
}

/// `crate::other`, `super::other`, and the same in a `use crate::{..}` list.
fn foreign_names(
    file: &SourceFile,
    scan: &Scan,
    own: &str,
    dialects: &BTreeSet<&str>,
) -> Vec<Finding> {
    let is_foreign = |token: &&SourceToken| {
        token.text != own && dialects.contains(token.text.as_str()) && token.is_word(&token.text)
    };
    let mut found = Vec::new();
    for (at, token) in scan.tokens.iter().enumerate() {
        let is_lead = ["crate", "super", "sayso_dialects"]
            .iter()
            .any(|lead| token.is_word(lead));
        let Some([first, second, behind @ ..]) = scan.tokens.get(at + 1..) else {
            continue;
        };
        if !(is_lead && first.is_mark(':') && second.is_mark(':')) {
            continue;
        }
        let named: Vec<&SourceToken> = match enclosed(behind, '{', '}') {
            Some(list) => heads(list),
            None => behind.first().into_iter().collect(),
        };
        for token in named.into_iter().filter(is_foreign) {
            found.push(file.finding(
                token.line,
                format!("the dialect {own} may not know the dialect {}", token.text),
            ));
        }
    }
    found
}

/// The first word of each entry of a `use` list.
fn heads(list: &[SourceToken]) -> Vec<&SourceToken> {
    let mut heads = Vec::new();
    let mut depth = 0_usize;
    let mut at_start = true;
    for token in list {
        if at_start {
            heads.push(token);
        }
        if token.is_mark('{') {
            depth += 1;
        } else if token.is_mark('}') {
            depth = depth.saturating_sub(1);
        }
        at_start = depth == 0 && token.is_mark(',');
    }
    heads
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two whole dialects and a shared file, and one more file.
    fn with(path: &str, text: &str) -> Vec<String> {
        let mut files = vec![("crates/dialects/src/envelope.rs", "//! Shared.")];
        files.extend([
            ("crates/dialects/src/nebo/mod.rs", "use crate::envelope;"),
            ("crates/dialects/src/nebo/wire.rs", ""),
            ("crates/dialects/src/nebo/map.rs", ""),
            ("crates/dialects/src/nebo/README.md", ""),
            ("crates/dialects/src/native/mod.rs", "use super::Face;"),
            ("crates/dialects/src/native/wire/ask.rs", ""),
            ("crates/dialects/src/native/map/ask.rs", ""),
            ("crates/dialects/src/native/README.md", ""),
        ]);
        files.push((path, text));
        check(&Tree::of(&files))
            .into_iter()
            .map(|finding| format!("{}:{}: {}", finding.path, finding.line, finding.sentence))
            .collect()
    }

    #[test]
    fn whole_dialects_that_share_a_file_are_fine() {
        let text = "use crate::{envelope, nebo::wire};\nlet native = self.native;";
        assert_eq!(with("crates/dialects/src/nebo/ask.rs", text), [""; 0]);
        let table = "pub mod native;\nuse crate::nebo;";
        assert_eq!(with("crates/dialects/src/lib.rs", table), [""; 0]);
    }

    #[test]
    fn a_dialect_that_knows_another_is_found() {
        let path = "crates/dialects/src/nebo/ask.rs";
        for text in [
            "\nuse crate::native::wire::Ask;",
            "\nuse super::super::native;",
            "\nfn f() { crate::native::map(); }",
            "\nuse crate::{envelope::{a, b}, native};",
        ] {
            assert_eq!(
                with(path, text),
                [format!(
                    "{path}:2: the dialect nebo may not know the dialect native"
                )],
                "{text}"
            );
        }
    }

    #[test]
    fn a_missing_room_is_found() {
        assert_eq!(
            with("crates/dialects/src/acp/map.rs", ""),
            [
                "crates/dialects/src/acp:1: the dialect has no mod.rs",
                "crates/dialects/src/acp:1: the dialect has no wire.rs and no wire/",
                "crates/dialects/src/acp:1: the dialect has no README.md",
            ]
        );
    }
}
