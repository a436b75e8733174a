//! Where an agent works: the git root above its folder.

use std::path::Path;

use sayso_core::id::Workspace;

/// The git root above a folder, else the folder itself. Only names are looked at.
pub(crate) fn root_of(folder: Workspace) -> Workspace {
    let root = Path::new(folder.as_str())
        .ancestors()
        .find(|folder| folder.join(".git").exists())
        .and_then(Path::to_str)
        .and_then(|root| Workspace::new(root).ok());
    root.unwrap_or(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_is_the_root_above_the_folder() {
        let root = tempfile::tempdir().unwrap();
        let deep = root.path().join("a/b");
        std::fs::create_dir_all(&deep).unwrap();
        let name = |path: &Path| Workspace::new(path.to_str().unwrap()).unwrap();
        assert_eq!(root_of(name(&deep)), name(&deep));
        std::fs::create_dir(root.path().join(".git")).unwrap();
        assert_eq!(root_of(name(&deep)), name(root.path()));
    }
}
