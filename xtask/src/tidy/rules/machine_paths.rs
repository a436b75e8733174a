//! No path of anyone's machine in any text we keep, what we built included: it tells who built
//! it, and works nowhere else.

use crate::tidy::Finding;
use crate::tidy::tree::Tree;

/// Folders that hold one folder for each person.
const HOMES: &[&str] = &["home", "Users"];

/// Folders that are one machine's own.
const OWN: &[&str] = &["root", "work"];

/// The person of every example, who has no machine.
const NOBODY: &str = "ann";

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in &tree.files {
        for (at, line) in file.text.lines().enumerate() {
            if let Some(path) = machine_path(line) {
                found.push(file.finding(
                    at + 1,
                    format!(
                        "`{path}` is a path of somebody's machine (an example is /home/{NOBODY})"
                    ),
                ));
            }
        }
    }
    found
}

/// The first such path in a line, as far as it says whose.
fn machine_path(line: &str) -> Option<String> {
    // A backslash may be written twice in a string; both ways are one path.
    let line = line.replace("\\\\", "\\");
    let starts = |mark: char| line.match_indices(mark).map(|(at, _)| line.split_at(at));
    starts('/')
        .find_map(|(before, path)| unix_path(before, path))
        .or_else(|| starts(':').find_map(|(before, path)| windows_path(before, path)))
}

fn unix_path(before: &str, path: &str) -> Option<String> {
    // Inside a longer path or an address it is a folder like any other.
    if before.chars().next_back().is_some_and(is_path_part) {
        return None;
    }
    let mut parts = path.split('/').skip(1);
    let (first, second) = (parts.next()?, parts.next()?);
    if OWN.contains(&first) {
        return Some(format!("/{first}/"));
    }
    let name = somebody(second)?;
    HOMES.contains(&first).then(|| format!("/{first}/{name}"))
}

fn windows_path(before: &str, path: &str) -> Option<String> {
    let letter = before.chars().next_back()?;
    let mut parts = path.split('\\').skip(1);
    let (first, second) = (parts.next()?, parts.next()?);
    let name = somebody(second)?;
    (letter.is_ascii_alphabetic() && HOMES.contains(&first))
        .then(|| format!("{letter}:\\{first}\\{name}"))
}

/// The name a folder starts with, when it is one and not nobody's.
fn somebody(folder: &str) -> Option<&str> {
    let end = folder.find(|char| !is_name(char)).unwrap_or(folder.len());
    let name = folder.get(..end)?;
    (!name.is_empty() && name != NOBODY).then_some(name)
}

fn is_path_part(char: char) -> bool {
    is_name(char) || matches!(char, '~' | '}' | '>' | ')' | '*')
}

fn is_name(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '-' | '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_a_machine_is_found_in_any_text() {
        let unix = |parts: &[&str]| format!("/{}", parts.join("/"));
        let windows = |between: &str| ["C:", "Users", "bob", "x"].join(between);
        let cases = [
            (unix(&["home", "bob", "x"]), unix(&["home", "bob"])),
            (unix(&["Users", "bob"]), unix(&["Users", "bob"])),
            (unix(&["root", ".cargo"]), unix(&["root", ""])),
            (unix(&["work", "main\""]), unix(&["work", ""])),
            (windows("\\"), ["C:", "Users", "bob"].join("\\")),
            (windows("\\\\"), ["C:", "Users", "bob"].join("\\")),
        ];
        for (path, shown) in cases {
            let text = format!("one\ncd \"{path}\n");
            let expected = Finding {
                path: "web/dist/app.js".to_owned(),
                line: 2,
                sentence: format!(
                    "`{shown}` is a path of somebody's machine (an example is /home/ann)"
                ),
            };
            let found = check(&Tree::of(&[("web/dist/app.js", &text)]));
            assert_eq!(found, [expected], "{path}");
        }
    }

    #[test]
    fn folders_that_only_look_like_it_are_free() {
        for text in [
            "https://example.org/work/root/x",
            "src/home/page.rs",
            "~/work/x",
            "$STATE/root/x",
            "${DIR}/work/x",
            "cwd is /home/ann/shop",
            "cwd is C:\\Users\\ann",
            "/homework/x",
            "the /home/ folder",
        ] {
            assert_eq!(machine_path(text), None, "{text}");
        }
    }
}
