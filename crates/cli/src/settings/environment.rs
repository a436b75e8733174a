//! The environment, read once. This is the only room that looks at it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::failure::Failure;

/// Names without our prefix that we look at.
const OTHERS: [&str; 9] = [
    "CLAUDE_CONFIG_DIR",
    "HOME",
    "LOGNAME",
    "NO_COLOR",
    "PATH",
    "RUST_LOG",
    "USER",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
];

/// What the environment says, as far as it concerns us.
#[derive(Debug, Clone, Default)]
pub(crate) struct Environment {
    values: BTreeMap<String, String>,
}

impl Environment {
    /// The process's own.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the room where the environment is read"
    )]
    pub(crate) fn of_process() -> Self {
        Self::of(std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        }))
    }

    pub(crate) fn of(pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        let ours = |name: &str| name.starts_with("SAYSO_") || OTHERS.contains(&name);
        Self {
            values: pairs
                .into_iter()
                .filter(|(name, value)| ours(name) && !value.is_empty())
                .collect(),
        }
    }

    /// The value of a name; an empty one counts as absent.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// A value read by `read`, or the sentence that says what is wrong with it.
    pub(crate) fn read<T>(
        &self,
        name: &'static str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<(&'static str, T)>, Failure> {
        self.get(name)
            .map(|text| {
                read(text)
                    .map(|value| (name, value))
                    .map_err(|why| Failure::usage(format!("{name}: {why}")))
            })
            .transpose()
    }

    /// Our names in it that mean nothing, for `doctor`.
    pub(crate) fn unknown<'a>(&'a self, known: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
        self.values
            .keys()
            .map(String::as_str)
            .filter(|name| name.starts_with("SAYSO_") && !known.contains(name))
    }

    /// A folder of the XDG rules, on every system: `variable`, else `fallback` below the home.
    pub(crate) fn folder(&self, variable: &str, fallback: &str) -> Result<PathBuf, Failure> {
        // The rules say that a relative path counts as absent; it would also mean the working directory.
        if let Some(path) = self
            .get(variable)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
        {
            return Ok(path);
        }
        self.get("HOME")
            .map(PathBuf::from)
            .filter(|home| home.is_absolute())
            .map(|home| home.join(fallback))
            .ok_or_else(|| {
                Failure::usage(format!("neither HOME nor {variable} says where to look"))
                    .hint("give --state and --config")
            })
    }
}
