//! Where links lead: a program that stands beside the agent follows the working folder and the paths
//! that an action names, and says with the ask which of them leave the workspace through a link.
//!
//! It looks at names only and reads no file. What it finds may change before the action runs; it
//! makes rules narrower, never wider.

use std::path::{Component, Path, PathBuf};

use sayso_core::action::{Act, Links};
use sayso_core::ask::{Draft, Matter};
use sayso_core::id::Workspace;
use sayso_core::limits;
use sayso_core::policy::shell::Line;

/// Follows the links in the paths of an ask, where it is one for an act of which the paths are known.
pub(crate) fn follow(draft: &mut Draft) {
    if let Matter::Approval(action) = &mut draft.matter {
        let workspace = draft.workspace.as_ref().map(Workspace::as_str);
        let links = links_of(&action.act, action.cwd.as_deref(), workspace);
        action.links = links.map(Box::new);
    }
}

/// What becomes of links in the paths of an action; nothing where its paths are not known.
pub fn links_of(act: &Act, cwd: Option<&str>, workspace: Option<&str>) -> Option<Links> {
    let cwd = Path::new(cwd?);
    let root = Path::new(workspace?);
    let real_root = root.canonicalize().ok()?;
    if !cwd.is_absolute() || !root.is_absolute() || cwd.canonicalize().is_err() {
        return None;
    }
    let mut paths = vec![String::new()];
    match act {
        Act::Shell { command } => paths.extend(words(&Line::read(command).ok()?)),
        Act::Edit { path, .. } | Act::Write { path, .. } => paths.push(path.clone()),
        Act::Other => return None,
    }
    let leaves = |path: &str| {
        let whole = cwd.join(path);
        is_below(&whole, root) && real(&whole).is_none_or(|real| !real.starts_with(&real_root))
    };
    let mut escapes: Vec<String> = paths
        .iter()
        .filter(|path| leaves(path))
        .map(|path| {
            if path.is_empty() {
                cwd.display().to_string()
            } else {
                path.clone()
            }
        })
        .collect();
    // A workspace inside another one may itself be a link out of it.
    let outer = root
        .ancestors()
        .skip(1)
        .filter(|above| above.join(".git").exists())
        .filter_map(|above| above.canonicalize().ok());
    if outer.into_iter().any(|above| !real_root.starts_with(above)) {
        escapes.push(root.display().to_string());
    }
    escapes.retain(|path| path.len() <= limits::WORKSPACE_BYTES_MAX);
    escapes.truncate(limits::LINK_ESCAPES_MAX);
    Some(Links { escapes })
}

/// The words of a line that may be paths, values of options among them.
fn words(line: &Line) -> Vec<String> {
    let words = line.parts.iter().flat_map(|part| part.argv.iter().skip(1));
    words
        .flat_map(|word| {
            let value = word.split_once('=').map(|(_, value)| value.to_owned());
            let whole = (!word.starts_with('-')).then(|| word.clone());
            [whole, value].into_iter().flatten()
        })
        .filter(|word| !word.is_empty())
        .collect()
}

/// Whether a path lies in a folder by its text, without a step up.
fn is_below(path: &Path, folder: &Path) -> bool {
    let up = path.components().any(|step| step == Component::ParentDir);
    !up && path.starts_with(folder)
}

/// Where a path leads: what is there of it with links followed, and the rest as it is.
fn real(path: &Path) -> Option<PathBuf> {
    for above in path.ancestors() {
        // A link to nothing is a link all the same.
        if above.symlink_metadata().is_err() {
            continue;
        }
        let rest = path.strip_prefix(above).ok()?;
        return Some(above.canonicalize().ok()?.join(rest));
    }
    None
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use sayso_core::policy::Tried;

    use super::*;

    fn escapes(root: &Path, cwd: &str, tried: Tried<'_>, tool: &str) -> Option<Vec<String>> {
        let cwd = root.join(cwd).to_str().unwrap().to_owned();
        let act = tried.action(tool, None, None).act;
        let links = links_of(&act, Some(&cwd), Some(root.to_str().unwrap()));
        links.map(|links| links.escapes)
    }

    #[test]
    fn a_path_that_leaves_the_workspace_through_a_link_is_named() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("shop");
        for folder in ["shop/src", "elsewhere"] {
            std::fs::create_dir_all(place.path().join(folder)).unwrap();
        }
        std::fs::write(place.path().join("elsewhere/key"), "x").unwrap();
        symlink("../elsewhere", root.join("out")).unwrap();
        symlink("src", root.join("in")).unwrap();
        symlink("../nowhere", root.join("dangling")).unwrap();
        let shell = |command: &str| escapes(&root, "", Tried::Command(command), "Bash");
        for (command, expected) in [
            ("cat src/a", Some(vec![])),
            ("cat in/a new/b", Some(vec![])),
            ("cat out/key", Some(vec!["out/key".to_owned()])),
            ("cat out/key | grep x", Some(vec!["out/key".to_owned()])),
            ("git status --work=out", Some(vec!["out".to_owned()])),
            ("cat dangling", Some(vec!["dangling".to_owned()])),
            // What leaves by its text alone needs no link, and no preset covers it.
            ("cat ../elsewhere/key", Some(vec![])),
            ("cat $X", None),
        ] {
            assert_eq!(shell(command), expected, "{command}");
        }
        let write = |path: &str| {
            let input = format!(r#"{{"file_path":"{path}","content":""}}"#);
            escapes(&root, "", Tried::Input(&input), "Write")
        };
        assert_eq!(write("src/new.rs"), Some(vec![]));
        assert_eq!(write("out/new.rs"), Some(vec!["out/new.rs".to_owned()]));
        let below = escapes(&root, "out", Tried::Command("ls"), "Bash").unwrap();
        assert_eq!(below.len(), 1, "{below:?}");
        assert_eq!(escapes(&root, "", Tried::Input("{}"), "Read"), None);
        assert_eq!(
            escapes(&root, "missing", Tried::Command("ls"), "Bash"),
            None
        );
    }

    #[test]
    fn a_workspace_that_is_a_link_out_of_another_is_named() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("shop");
        for folder in ["shop/.git", "trap/.git"] {
            std::fs::create_dir_all(place.path().join(folder)).unwrap();
        }
        symlink("../trap", root.join("sub")).unwrap();
        let sub = root.join("sub");
        let found = escapes(&sub, "", Tried::Command("git status"), "Bash").unwrap();
        assert_eq!(found, [sub.to_str().unwrap()]);
    }
}
