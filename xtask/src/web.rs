//! `cargo xtask web`: the page from its sources, and the proofs about it.
//!
//! The build is committed, so that Rust alone shows the page; only who changes the page needs
//! Node. Names in the build have no hash, and two builds of the same sources are the same bytes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::page_stamp;
use crate::root::root;
use crate::test::cargo;

/// The example of a front end of somebody else's making, with the tests of those that speak AG-UI.
const FRONT_ENDS: &str = "examples/copilotkit";

/// What is to be done about the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WebPart {
    Build,
    Check,
    Test,
    Browser,
    FrontEnds,
    Screenshots,
}

impl WebPart {
    /// What is typed for it.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Build => "web",
            Self::Check => "web --check",
            Self::Test => "web --test",
            Self::Browser => "web --browser",
            Self::FrontEnds => "web --front-ends",
            Self::Screenshots => "screenshots",
        }
    }
}

pub(crate) fn run(part: WebPart) -> Result<()> {
    let web = root().join(match part {
        WebPart::FrontEnds => FRONT_ENDS,
        WebPart::Build
        | WebPart::Check
        | WebPart::Test
        | WebPart::Browser
        | WebPart::Screenshots => "web",
    });
    install(&web)?;
    match part {
        WebPart::Build => build(&web),
        WebPart::Check => check(&web),
        WebPart::Test => npm(&web, &["test"]),
        WebPart::Browser => in_browser(&web, "tests/browser/run.mjs"),
        WebPart::FrontEnds => front_ends(&web),
        WebPart::Screenshots => in_browser(&web, "tests/browser/screenshots.mjs"),
    }
}

/// Fetches the tools of the lock file, unless those that are there came from it.
fn install(web: &Path) -> Result<()> {
    let lock = web.join("package-lock.json");
    let lock = std::fs::read(&lock).with_context(|| format!("{}", lock.display()))?;
    let note = web.join("node_modules/.from-lock");
    if std::fs::read(&note).is_ok_and(|noted| noted == lock) {
        return Ok(());
    }
    let mut words = vec!["ci", "--no-audit", "--no-fund"];
    if web.ends_with(FRONT_ENDS) {
        // A thousand packages that are not ours have no business running anything.
        words.push("--ignore-scripts");
    }
    perform("npm", &words, web)?;
    std::fs::write(&note, lock).context("could not note what was installed")
}

fn build(web: &Path) -> Result<()> {
    perform("node", &["tools/schema.mjs"], web)?;
    npm(web, &["check"])?;
    npm(web, &["lint"])?;
    npm(web, &["build"])?;
    std::fs::write(web.join(page_stamp::STAMP), page_stamp::stamp(web)?)
        .context("could not write the stamp")
}

/// Builds beside the committed build and holds the two against each other.
fn check(web: &Path) -> Result<()> {
    perform("node", &["tools/schema.mjs", "--check"], web)?;
    npm(web, &["check"])?;
    npm(web, &["lint"])?;
    let fresh = root().join("target/web-check");
    let out = fresh.to_string_lossy().into_owned();
    npm(web, &["build", "--", "--outDir", &out])?;
    let mut committed = files(&web.join("dist"))?;
    let stamp = committed.remove(Path::new(".srchash"));
    let differing = differing(&committed, &files(&fresh)?);
    if !differing.is_empty() {
        bail!(
            "web/dist is not what web/src builds: {}; run `cargo xtask web`",
            differing.join(", ")
        );
    }
    if stamp.as_deref() != Some(page_stamp::stamp(web)?.as_bytes()) {
        bail!("the stamp in web/dist is not that of its sources; run `cargo xtask web`");
    }
    Ok(())
}

type Files = BTreeMap<PathBuf, Vec<u8>>;

/// The names that only one of the two has, or that have other bytes.
fn differing(one: &Files, other: &Files) -> Vec<String> {
    let mut names: Vec<&PathBuf> = one.keys().chain(other.keys()).collect();
    names.sort();
    names.dedup();
    names
        .into_iter()
        .filter(|name| one.get(*name) != other.get(*name))
        .map(|name| name.display().to_string())
        .collect()
}

fn files(folder: &Path) -> Result<Files> {
    let mut found = Files::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(inner) = folders.pop() {
        let full = folder.join(&inner);
        for entry in std::fs::read_dir(&full)
            .with_context(|| format!("could not list {}", full.display()))?
        {
            let entry = entry?;
            let path = inner.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else {
                found.insert(path, std::fs::read(entry.path())?);
            }
        }
    }
    Ok(found)
}

/// Runs a script against the debug build.
fn in_browser(web: &Path, script: &str) -> Result<()> {
    build_server()?;
    perform("node", &[script], web)
}

/// The real AG-UI clients, and the example in a browser.
fn front_ends(folder: &Path) -> Result<()> {
    build_server()?;
    npm(folder, &["build"])?;
    npm(folder, &["test"])
}

fn build_server() -> Result<()> {
    // The second writes a long past for the page to scroll through.
    for words in [
        &["build", "-p", "sayso"][..],
        &["build", "-p", "sayso-testkit", "--example", "past"][..],
    ] {
        let status = cargo()
            .args(words)
            .status()
            .context("could not start cargo")?;
        if !status.success() {
            bail!("`cargo {}` failed ({status})", words.join(" "));
        }
    }
    Ok(())
}

fn npm(web: &Path, words: &[&str]) -> Result<()> {
    let all: Vec<&str> = [&["run", "--silent"], words].concat();
    perform("npm", &all, web)
}

fn perform(program: &str, words: &[&str], folder: &Path) -> Result<()> {
    let status = Command::new(program)
        .args(words)
        .current_dir(folder)
        .status()
        .with_context(|| format!("could not start {program}; the page needs Node 20 or later"))?;
    if !status.success() {
        let folder = folder.strip_prefix(root()).unwrap_or(folder).display();
        bail!(
            "`{program} {}` in {folder} failed ({status})",
            words.join(" ")
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: &[(&str, &str)]) -> Files {
        rows.iter()
            .map(|(name, text)| (PathBuf::from(name), text.as_bytes().to_vec()))
            .collect()
    }

    #[test]
    fn a_build_that_differs_in_a_byte_or_a_name_is_found() {
        let one = of(&[("a.js", "1"), ("b.js", "2"), ("c.js", "3")]);
        let other = of(&[("a.js", "1"), ("b.js", "2 "), ("d.js", "3")]);
        assert_eq!(differing(&one, &one), [""; 0]);
        assert_eq!(differing(&one, &other), ["b.js", "c.js", "d.js"]);
    }

    #[test]
    fn the_stamp_changes_with_a_source_and_with_nothing_else() {
        let folder = std::env::temp_dir().join(format!("sayso-stamp-{}", std::process::id()));
        for name in page_stamp::SOURCES {
            let path = folder.join(name);
            let file = if name.contains('.') {
                path
            } else {
                path.join("inner/a.ts")
            };
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, name).unwrap();
        }
        let first = page_stamp::stamp(&folder).unwrap();
        std::fs::write(folder.join("README.md"), "x").unwrap();
        assert_eq!(page_stamp::stamp(&folder).unwrap(), first);
        std::fs::write(folder.join("src/inner/a.ts"), "changed").unwrap();
        assert_ne!(page_stamp::stamp(&folder).unwrap(), first);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
