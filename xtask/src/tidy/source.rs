//! One text file of the repository, and what kind of room it lies in.

use super::Finding;
use super::scan::Scan;

#[derive(Debug, Clone)]
pub(super) struct SourceFile {
    /// From the root of the repository, with `/`.
    pub(super) path: String,
    /// Empty for a file that is not text: only its name is looked at.
    pub(super) text: String,
    /// Present for Rust files.
    pub(super) rust: Option<Scan>,
}

impl SourceFile {
    pub(super) fn new(path: &str, text: &str) -> Self {
        Self {
            path: path.to_owned(),
            text: text.to_owned(),
            rust: has_ending(path, "rs").then(|| Scan::of(text)),
        }
    }

    pub(super) fn finding(&self, line: usize, sentence: impl Into<String>) -> Finding {
        Finding {
            path: self.path.clone(),
            line,
            sentence: sentence.into(),
        }
    }

    /// Built by a program of ours and committed; nobody reads it as source.
    pub(super) fn is_generated(&self) -> bool {
        self.path.starts_with("web/dist/")
    }

    /// A file that holds nothing but tests or benchmarks.
    pub(super) fn is_test(&self) -> bool {
        let mut folders: Vec<&str> = self.path.split('/').collect();
        let name = folders.pop().unwrap_or_default();
        name == "tests.rs"
            || name.ends_with("_tests.rs")
            || folders
                .iter()
                .any(|folder| matches!(*folder, "tests" | "benches"))
    }

    /// Whether a folder or the file itself is called `noun`: `settings.rs`, `settings/a.rs`.
    pub(super) fn is_room(&self, noun: &str) -> bool {
        self.path
            .split('/')
            .any(|part| part == noun || part.strip_suffix(".rs") == Some(noun))
    }
}

/// Whether the file name ends in `.ending`.
pub(super) fn has_ending(path: &str, ending: &str) -> bool {
    path.strip_suffix(ending)
        .is_some_and(|stem| stem.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_files_are_known_by_name_and_place() {
        let is_test = |path: &str| SourceFile::new(path, "").is_test();
        assert!(is_test("crates/core/src/machine/tests.rs"));
        assert!(is_test("crates/core/src/ask_tests.rs"));
        assert!(is_test("crates/cli/tests/ask.rs"));
        assert!(is_test("crates/hub/benches/commit.rs"));
        assert!(!is_test("crates/testkit/src/contests.rs"));
    }

    #[test]
    fn a_room_is_a_file_or_a_folder() {
        assert!(SourceFile::new("a/wire.rs", "").is_room("wire"));
        assert!(SourceFile::new("a/wire/ask.rs", "").is_room("wire"));
        assert!(!SourceFile::new("a/wired.rs", "").is_room("wire"));
    }
}
