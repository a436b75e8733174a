//! No marks of unfinished work, no test that does not run, no lint that is silenced without a
//! reason.

use crate::tidy::Finding;
use crate::tidy::source::{SourceFile, has_ending};
use crate::tidy::tree::Tree;

const MARKS: &[&str] = &["TODO", "FIXME", "XXX"];

/// Data, where such a word is somebody's text and not a note of ours.
const DATA: &[&str] = &["json", "jsonl", "snap", "svg", "lock", "txt"];

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    tree.files
        .iter()
        .filter(|file| !file.is_generated())
        .flat_map(|file| {
            let mut found = unfinished(file);
            found.extend(silenced(file));
            found
        })
        .collect()
}

/// Marks in the comments of Rust, and anywhere in other text.
fn unfinished(file: &SourceFile) -> Vec<Finding> {
    if DATA.iter().any(|ending| has_ending(&file.path, ending)) {
        return Vec::new();
    }
    let texts: Vec<(usize, &str)> = match &file.rust {
        Some(scan) => scan
            .comments
            .iter()
            .map(|comment| (comment.line, comment.text.as_str()))
            .collect(),
        None => vec![(1, file.text.as_str())],
    };
    let mut found = Vec::new();
    for (start, text) in texts {
        for (at, line) in text.lines().enumerate() {
            let mut words = line.split(|char: char| !char.is_alphanumeric() && char != '_');
            if let Some(mark) = words.find(|word| MARKS.contains(word)) {
                found.push(file.finding(
                    start + at,
                    format!("{mark}: finish it, or open an issue for it"),
                ));
            }
        }
    }
    found
}

fn silenced(file: &SourceFile) -> Vec<Finding> {
    let Some(scan) = &file.rust else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for attribute in scan.attributes() {
        let starts = attribute.first();
        if let Some(token) = starts.filter(|token| token.is_word("ignore")) {
            found.push(file.finding(
                token.line,
                "an ignored test proves nothing: run or remove it",
            ));
        }
        for pair in attribute.windows(2) {
            if let [word, open] = pair
                && word.is_word("allow")
                && open.is_mark('(')
            {
                found.push(file.finding(
                    word.line,
                    "`allow` stays when its cause is gone: use `#[expect(.., reason = \"..\")]`",
                ));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentences(path: &str, text: &str) -> Vec<(usize, String)> {
        check(&Tree::of(&[(path, text)]))
            .into_iter()
            .map(|finding| (finding.line, finding.sentence))
            .collect()
    }

    #[test]
    fn a_mark_of_unfinished_work_is_found() {
        for mark in MARKS {
            let expected = [(2, format!("{mark}: finish it, or open an issue for it"))];
            assert_eq!(sentences("a.rs", &format!("x\n// {mark}: y\n")), expected);
            assert_eq!(sentences("a.rs", &format!("/* a\n {mark} */")), expected);
            assert_eq!(sentences("a.toml", &format!("x\n# {mark} y")), expected);
        }
    }

    #[test]
    fn a_mark_in_data_or_in_a_longer_word_is_free() {
        assert_eq!(sentences("a.rs", "let x = \"TODO\";"), []);
        assert_eq!(sentences("a.json", "\"TODO\""), []);
        assert_eq!(sentences("a.sh", "mktemp -d sayso.XXXXXX"), []);
    }

    #[test]
    fn a_test_that_does_not_run_is_found() {
        let sentence = "an ignored test proves nothing: run or remove it".to_owned();
        for text in [
            "#[test]\n#[ignore]\nfn f() {}",
            "#[test]\n#[ignore = \"slow\"]\nfn f() {}",
        ] {
            assert_eq!(sentences("a.rs", text), [(2, sentence.clone())]);
        }
        assert_eq!(sentences("a.rs", "// #[ignore]\nfn ignore() {}"), []);
    }

    #[test]
    fn a_silenced_lint_is_found() {
        let sentence = "`allow` stays when its cause is gone: use `#[expect(.., reason = \"..\")]`";
        for text in [
            "#[allow(dead_code)]",
            "#![allow(dead_code)]",
            "#[cfg_attr(test, allow(dead_code))]",
        ] {
            assert_eq!(sentences("a.rs", text), [(1, sentence.to_owned())]);
        }
        assert_eq!(
            sentences("a.rs", "#[expect(x, reason = \"y\")]\nfn allow() {}"),
            []
        );
    }
}
