//! What the rules look at: every file that git keeps or would keep, and the crates.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::crates::{Crate, read_crates};
use super::source::SourceFile;

/// Folders that hold what was built or fetched; passed over when there is no git to ask.
const NOT_OURS: &[&str] = &[".git", "target", "node_modules", ".venv", "__pycache__"];

#[derive(Debug, Clone, Default)]
pub(super) struct Tree {
    pub(super) files: Vec<SourceFile>,
    pub(super) crates: Vec<Crate>,
}

impl Tree {
    pub(super) fn read(root: &Path) -> Result<Self> {
        let mut paths = match git_files(root) {
            Some(paths) => paths,
            None => walked_files(root)?,
        };
        paths.sort();
        let mut files = Vec::new();
        for path in paths {
            let full = root.join(&path);
            // A file that was deleted but not yet committed, and a link to a folder.
            if !full.is_file() {
                continue;
            }
            let bytes = std::fs::read(&full)
                .with_context(|| format!("could not read {}", full.display()))?;
            let text = String::from_utf8(bytes).unwrap_or_default();
            let text = if text.contains('\0') { "" } else { &text };
            files.push(SourceFile::new(&path, text));
        }
        let crates = read_crates(root)?;
        Ok(Self { files, crates })
    }

    /// The files people write, in Rust, with their tokens.
    pub(super) fn rust(&self) -> impl Iterator<Item = (&SourceFile, &super::scan::Scan)> {
        self.files
            .iter()
            .filter(|file| !file.is_generated())
            .filter_map(|file| file.rust.as_ref().map(|scan| (file, scan)))
    }

    #[cfg(test)]
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        Self {
            files: files
                .iter()
                .map(|(path, text)| SourceFile::new(path, text))
                .collect(),
            crates: Vec::new(),
        }
    }
}

/// Tracked files and new ones that are not ignored; `None` where git cannot say.
fn git_files(root: &Path) -> Option<Vec<String>> {
    let output = Command::new("git")
        .args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .current_dir(root)
        .output()
        .ok()?;
    if !output.status.success() {
        return None;
    }
    let text = String::from_utf8(output.stdout).ok()?;
    let paths: Vec<String> = text
        .split('\0')
        .filter(|path| !path.is_empty())
        .map(str::to_owned)
        .collect();
    (!paths.is_empty()).then_some(paths)
}

fn walked_files(root: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        let full = root.join(&folder);
        let entries = std::fs::read_dir(&full)
            .with_context(|| format!("could not list {}", full.display()))?;
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if folder.is_empty() {
                name.clone()
            } else {
                format!("{folder}/{name}")
            };
            if !entry.file_type()?.is_dir() {
                found.push(path);
            } else if !NOT_OURS.contains(&name.as_str()) {
                folders.push(path);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::root;

    #[test]
    fn git_and_the_walk_both_see_this_file() {
        let here = "xtask/src/tidy/tree.rs".to_owned();
        let walked = walked_files(&root()).unwrap();
        assert!(walked.contains(&here));
        assert!(walked.iter().all(|path| !path.starts_with("target/")));
        if let Some(kept) = git_files(&root()) {
            assert!(kept.contains(&here));
        }
    }

    #[test]
    fn the_real_tree_has_files_and_crates() {
        let tree = Tree::read(&root()).unwrap();
        assert!(
            tree.rust()
                .any(|(file, _)| file.path == "xtask/src/main.rs")
        );
        assert!(tree.crates.iter().any(|one| one.name == "xtask"));
    }
}
