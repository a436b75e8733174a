//! Where the asker works: the git root above the working directory, else that directory.
//!
//! Only names of folders are looked at; no file there is ever read.

use std::path::Path;

/// The working directory and the workspace it belongs to, as far as they can be written as text.
pub(crate) fn here() -> (Option<String>, Option<String>) {
    let Ok(cwd) = std::env::current_dir() else {
        return (None, None);
    };
    let text = |path: &Path| path.to_str().map(str::to_owned);
    (text(&cwd), text(above(&cwd)))
}

/// The workspace that a folder belongs to.
pub(crate) fn above(folder: &Path) -> &Path {
    folder
        .ancestors()
        .find(|folder| folder.join(".git").exists())
        .unwrap_or(folder)
}
