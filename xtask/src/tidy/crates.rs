//! The crates of the workspace and what each depends on, as `cargo metadata` tells it.

use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::Finding;
use crate::test::cargo;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DependencyKind {
    Normal,
    Build,
    Dev,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dependency {
    pub(super) name: String,
    pub(super) kind: DependencyKind,
    /// Found by a path: one of ours.
    pub(super) ours: bool,
    /// Only there when a feature asks for it.
    pub(super) optional: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Crate {
    pub(super) name: String,
    pub(super) manifest: String,
    pub(super) dependencies: Vec<Dependency>,
}

impl Crate {
    pub(super) fn finding(&self, sentence: impl Into<String>) -> Finding {
        Finding {
            path: self.manifest.clone(),
            line: 1,
            sentence: sentence.into(),
        }
    }

    /// `"name"`, or `"dev name"`, `"build name"` and `"optional name"`; names that start with
    /// `sayso` are ours.
    #[cfg(test)]
    pub(super) fn of(name: &str, dependencies: &[&str]) -> Self {
        let read = |word: &&str| {
            let (kind, name) = match word.split_once(' ') {
                Some(("dev", name)) => (DependencyKind::Dev, name),
                Some(("build", name)) => (DependencyKind::Build, name),
                Some(("optional", name)) => (DependencyKind::Normal, name),
                _ => (DependencyKind::Normal, *word),
            };
            Dependency {
                name: name.to_owned(),
                kind,
                ours: name.starts_with("sayso"),
                optional: word.starts_with("optional "),
            }
        };
        Self {
            name: name.to_owned(),
            manifest: format!("{name}/Cargo.toml"),
            dependencies: dependencies.iter().map(read).collect(),
        }
    }
}

pub(super) fn read_crates(root: &Path) -> Result<Vec<Crate>> {
    let output = cargo()
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .output()
        .context("could not start `cargo metadata`")?;
    if !output.status.success() {
        bail!(
            "`cargo metadata` failed: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    let text = String::from_utf8(output.stdout).context("`cargo metadata` is not UTF-8")?;
    parse(&text, &root.to_string_lossy())
}

fn parse(text: &str, root: &str) -> Result<Vec<Crate>> {
    let metadata: Value = serde_json::from_str(text).context("`cargo metadata` is not JSON")?;
    list(&metadata, "packages")?
        .iter()
        .map(|package| one_crate(package, root))
        .collect()
}

fn one_crate(package: &Value, root: &str) -> Result<Crate> {
    let manifest = string(package, "manifest_path")?;
    let manifest = manifest
        .strip_prefix(root)
        .map_or(manifest, |rest| rest.trim_start_matches('/'));
    let dependencies: Result<Vec<Dependency>> = list(package, "dependencies")?
        .iter()
        .map(|dependency| {
            Ok(Dependency {
                name: string(dependency, "name")?.to_owned(),
                kind: match dependency.get("kind").and_then(Value::as_str) {
                    None => DependencyKind::Normal,
                    Some("build") => DependencyKind::Build,
                    Some("dev") => DependencyKind::Dev,
                    Some(other) => bail!("`cargo metadata` has a dependency of kind {other:?}"),
                },
                ours: dependency.get("path").is_some_and(Value::is_string),
                optional: dependency.get("optional").and_then(Value::as_bool) == Some(true),
            })
        })
        .collect();
    Ok(Crate {
        name: string(package, "name")?.to_owned(),
        manifest: manifest.to_owned(),
        dependencies: dependencies?,
    })
}

fn string<'a>(value: &'a Value, key: &str) -> Result<&'a str> {
    value
        .get(key)
        .and_then(Value::as_str)
        .with_context(|| format!("`cargo metadata` has no {key:?} where one belongs"))
}

fn list<'a>(value: &'a Value, key: &str) -> Result<&'a Vec<Value>> {
    value
        .get(key)
        .and_then(Value::as_array)
        .with_context(|| format!("`cargo metadata` has no {key:?} where one belongs"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_becomes_crates() {
        let text = r#"{"packages": [{
            "name": "sayso-store", "manifest_path": "/r/sayso-store/Cargo.toml",
            "dependencies": [
                {"name": "sayso-core", "kind": null, "path": "/r/core"},
                {"name": "sayso-testkit", "kind": null, "path": "/r/testkit", "optional": true},
                {"name": "cc", "kind": "build"},
                {"name": "proptest", "kind": "dev"}]}]}"#;
        assert_eq!(
            parse(text, "/r").unwrap(),
            [Crate::of(
                "sayso-store",
                &[
                    "sayso-core",
                    "optional sayso-testkit",
                    "build cc",
                    "dev proptest"
                ]
            )]
        );
    }

    #[test]
    fn what_is_not_metadata_is_an_error() {
        for text in ["", "{}", r#"{"packages": [{}]}"#] {
            assert!(parse(text, "/r").is_err(), "{text}");
        }
    }
}
