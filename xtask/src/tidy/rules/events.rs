//! A kind of event is named in few files: its definition, its record, its part of the state, where it is
//! decided, its news and what follows from it. Projections that show it come on top.

use std::collections::{BTreeMap, BTreeSet};

use crate::tidy::Finding;
use crate::tidy::tree::Tree;

/// Files that may name one kind, the definition among them.
const MOST: usize = 6;

/// Where the kinds are defined.
const DEFINITION: &str = "crates/core/src/journal.rs";

/// Crates in which an event of the journal can be named.
const CRATES: [&str; 6] = [
    "crates/core/src/",
    "crates/hub/src/",
    "crates/store/src/",
    "crates/store-sql/src/",
    "crates/store-postgres/src/",
    "crates/store-sqlite/src/",
];

/// Projections: what is shown of events, and what stands at the end of a journal for a restore.
const PROJECTIONS: [&str; 2] = [
    "crates/store-sql/src/views/",
    "crates/store-sql/src/standing.rs",
];

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut named: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (file, scan) in tree.rust() {
        let path = file.path.as_str();
        let counts = CRATES.iter().any(|folder| path.starts_with(folder))
            && !PROJECTIONS.iter().any(|folder| path.starts_with(folder));
        if !counts || file.is_test() || path.contains("/story") || path == DEFINITION {
            continue;
        }
        for four in scan.tokens.windows(4) {
            if let [event, one, two, kind] = four
                && event.is_word("Event")
                && one.is_mark(':')
                && two.is_mark(':')
                && kind.text.starts_with(char::is_uppercase)
            {
                named.entry(&kind.text).or_default().insert(path);
            }
        }
    }
    let too_many = named
        .into_iter()
        .filter(|(_, files)| files.len() + 1 > MOST);
    too_many
        .map(|(kind, files)| Finding {
            path: DEFINITION.to_owned(),
            line: 1,
            sentence: format!(
                "`{kind}` is named in {} more files, the most is {}: {}",
                files.len(),
                MOST - 1,
                files.into_iter().collect::<Vec<_>>().join(", ")
            ),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_that_is_named_everywhere_is_found_and_projections_do_not_count() {
        let text = "//! x\nfn f(e: Event) -> bool { matches!(e, Event::Asked(_)) }\n";
        let file = |name: &str| format!("crates/hub/src/{name}.rs");
        let names = ["a", "b", "c", "d", "e"].map(file);
        let mut files: Vec<(&str, &str)> = names.iter().map(|name| (&**name, text)).collect();
        files.push(("crates/store-sql/src/views/rows.rs", text));
        files.push(("crates/hub/src/a_tests.rs", text));
        assert_eq!(check(&Tree::of(&files)), []);
        files.push(("crates/hub/src/f.rs", text));
        let found = check(&Tree::of(&files));
        assert_eq!(found.len(), 1);
        assert!(
            found[0].sentence.contains("`Asked` is named in 6 more"),
            "{found:?}"
        );
    }
}
