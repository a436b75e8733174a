//! No file is long. A test module inside it does not count, wherever it stands.

use crate::tidy::Finding;
use crate::tidy::scan::{Scan, SourceToken, enclosed};
use crate::tidy::tree::Tree;

const MOST: usize = 500;

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    tree.rust()
        .filter(|(file, _)| !file.is_test())
        .filter_map(|(file, scan)| {
            let lines = file.text.lines().count() - test_lines(scan);
            (lines > MOST).then(|| {
                file.finding(
                    MOST + 1,
                    format!("{lines} lines without tests, the most is {MOST}: split it by noun"),
                )
            })
        })
        .collect()
}

/// The lines of every `#[cfg(test)] mod name { ... }`.
fn test_lines(scan: &Scan) -> usize {
    let mut lines = 0;
    let mut rest: &[SourceToken] = &scan.tokens;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        let Some(attribute) = enclosed(after, '[', ']') else {
            continue;
        };
        let is_test = first.is_mark('#') && {
            let texts: Vec<&str> = attribute.iter().map(|token| token.text.as_str()).collect();
            texts == ["cfg", "(", "test", ")"]
        };
        if !is_test {
            continue;
        }
        let behind = after.get(attribute.len() + 2..).unwrap_or_default();
        if let Some((last, left)) = module_end(behind) {
            lines += last - first.line + 1;
            rest = left;
        }
    }
    lines
}

/// After `#[cfg(test)]`: the last line of an inline module, and the tokens behind it.
fn module_end(mut tokens: &[SourceToken]) -> Option<(usize, &[SourceToken])> {
    while tokens.first()?.is_mark('#') {
        let inside = enclosed(tokens.get(1..)?, '[', ']')?;
        tokens = tokens.get(inside.len() + 3..)?;
    }
    if !tokens.first()?.is_word("mod") {
        return None;
    }
    let body = tokens.get(2..)?;
    let inside = enclosed(body, '{', '}')?;
    let close = body.get(inside.len() + 1)?;
    Some((close.line, body.get(inside.len() + 2..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(path: &str, text: &str) -> Vec<String> {
        check(&Tree::of(&[(path, text)]))
            .into_iter()
            .map(|finding| finding.sentence)
            .collect()
    }

    #[test]
    fn a_long_file_is_found() {
        assert_eq!(sizes("src/ask.rs", &"x\n".repeat(500)), [""; 0]);
        assert_eq!(
            sizes("src/ask.rs", &"x\n".repeat(501)),
            ["501 lines without tests, the most is 500: split it by noun"]
        );
    }

    #[test]
    fn tests_do_not_count() {
        let long = "x\n".repeat(501);
        assert_eq!(sizes("src/ask_tests.rs", &long), [""; 0]);
        assert_eq!(sizes("tests/ask.rs", &long), [""; 0]);
        let inline =
            format!("fn f() {{}}\n#[cfg(test)]\n#[path = \"x\"]\nmod tests {{\n{long}}}\n");
        assert_eq!(sizes("src/ask.rs", &inline), [""; 0]);
    }

    #[test]
    fn code_behind_a_test_module_counts() {
        let text = format!("#[cfg(test)]\nmod tests {{\n}}\n{}", "x\n".repeat(501));
        assert_eq!(
            sizes("src/ask.rs", &text),
            ["501 lines without tests, the most is 500: split it by noun"]
        );
        let elsewhere = format!("#[cfg(test)]\nmod tests;\n{}", "x\n".repeat(500));
        assert_eq!(
            sizes("src/ask.rs", &elsewhere),
            ["502 lines without tests, the most is 500: split it by noun"]
        );
    }
}
