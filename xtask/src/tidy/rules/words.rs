//! Words that name nothing are in no name of a file or of code. Comments and strings are free.

use crate::tidy::Finding;
use crate::tidy::scan::{Scan, SourceToken, SourceTokenKind};
use crate::tidy::source::SourceFile;
use crate::tidy::tree::Tree;

const NEVER: &[&str] = &["common", "helper", "manager", "misc", "util"];

/// Names that others chose, with why we say them. `a::b` lets `b` through behind `a::` only.
const THEIRS: &[(&str, &str)] = &[
    ("futures_util", "a crate"),
    ("http_body_util", "a crate"),
    ("hyper_util", "a crate"),
    ("tokio_util", "a crate"),
    (
        "deadpool_postgres::Manager",
        "deadpool's word for what opens connections",
    ),
    (
        "deadpool_postgres::ManagerConfig",
        "deadpool's word for the settings of that",
    ),
    ("NeverSessionManager", "rmcp's word that no session is kept"),
    ("tower::util", "tower's module of small services"),
];

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let names = tree
        .files
        .iter()
        .filter(|file| !file.is_generated())
        .flat_map(in_path);
    let code = tree.rust().flat_map(|(file, scan)| in_code(file, scan));
    names.chain(code).collect()
}

fn in_path(file: &SourceFile) -> Vec<Finding> {
    file.path
        .split(['/', '.'])
        .filter_map(|part| Some((part, banned(part)?)))
        .map(|(part, word)| file.finding(1, format!("the name {part:?} says {word:?}")))
        .collect()
}

fn in_code(file: &SourceFile, scan: &Scan) -> Vec<Finding> {
    let mut found = Vec::new();
    for (at, token) in scan.tokens.iter().enumerate() {
        let before = scan.tokens.get(..at).unwrap_or_default();
        if token.kind == SourceTokenKind::Word
            && !is_theirs(&token.text, before)
            && let Some(word) = banned(&token.text)
        {
            found.push(file.finding(token.line, format!("`{}` says {word:?}", token.text)));
        }
    }
    found
}

/// The first banned word in a name, singular or plural.
fn banned(name: &str) -> Option<&'static str> {
    parts(name).iter().find_map(|part| {
        let fits = |word: &&&str| part == **word || part.strip_suffix('s') == Some(**word);
        NEVER.iter().find(fits).copied()
    })
}

fn is_theirs(name: &str, before: &[SourceToken]) -> bool {
    let parent = match before {
        [.., parent, first, second] if first.is_mark(':') && second.is_mark(':') => {
            Some(parent.text.as_str())
        }
        _ => None,
    };
    THEIRS
        .iter()
        .any(|(theirs, _)| match theirs.split_once("::") {
            Some((module, item)) => item == name && parent == Some(module),
            None => *theirs == name,
        })
}

/// The lower-case words of a `snake_case`, `kebab-case`, `CamelCase` or `SCREAMING_CASE` name.
fn parts(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut previous = ' ';
    let mut chars = name.chars().peekable();
    while let Some(char) = chars.next() {
        let next_is_lower = chars.peek().is_some_and(|next| next.is_lowercase());
        // `askId` breaks before I; `HTTPDoor` breaks before D, which a lower letter follows.
        let breaks =
            char.is_uppercase() && (!previous.is_uppercase() || next_is_lower) && !word.is_empty();
        if breaks || !char.is_alphanumeric() {
            parts.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
        }
        if char.is_alphanumeric() {
            word.extend(char.to_lowercase());
        }
        previous = char;
    }
    parts.extend((!word.is_empty()).then_some(word));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentences(path: &str, text: &str) -> Vec<String> {
        check(&Tree::of(&[(path, text)]))
            .into_iter()
            .map(|finding| finding.sentence)
            .collect()
    }

    #[test]
    fn names_fall_into_their_words() {
        assert_eq!(parts("ask_id"), ["ask", "id"]);
        assert_eq!(parts("AskId"), ["ask", "id"]);
        assert_eq!(parts("HTTPDoor"), ["http", "door"]);
        assert_eq!(parts("MAX_LEN-x"), ["max", "len", "x"]);
        assert_eq!(parts("__"), [""; 0]);
    }

    #[test]
    fn a_word_that_names_nothing_is_found_everywhere() {
        assert_eq!(
            sentences(
                "crates/hub/src/a.rs",
                "struct AskManager;\nfn ask_utils() {}"
            ),
            ["`AskManager` says \"manager\"", "`ask_utils` says \"util\""]
        );
        assert_eq!(
            sentences("crates/hub/src/helpers/a.txt", ""),
            ["the name \"helpers\" says \"helper\""]
        );
    }

    #[test]
    fn comments_strings_and_longer_words_are_free() {
        let text = "// manager\nfn f() { \"helper\"; commonly(); utility(); }";
        assert_eq!(sentences("crates/hub/src/a.rs", text), [""; 0]);
    }

    #[test]
    fn the_names_of_others_are_free_where_they_are_theirs() {
        let text = "use hyper_util::rt;\nuse tower::util::ServiceExt;";
        assert_eq!(sentences("crates/server/src/a.rs", text), [""; 0]);
        assert_eq!(
            sentences("crates/server/src/a.rs", "use crate::util;"),
            ["`util` says \"util\""]
        );
    }

    #[test]
    fn ordinary_words_are_free_everywhere() {
        let text = "struct UserSession;\nfn request_handler(client: Response) {}";
        assert_eq!(sentences("crates/core/src/a.rs", text), [""; 0]);
    }
}
