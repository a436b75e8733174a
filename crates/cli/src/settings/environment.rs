//! The environment, read once. This is the only room that looks at it.

use std::collections::BTreeMap;
use std::path::Path;

use sayso_core::id::PersonName;
use sayso_store_postgres::PgEnvironment;

use super::names::NAMES;
use super::nearest::nearest;
use super::rows;
use crate::failure::Failure;

/// What all our names begin with.
const PREFIX: &str = "SAYSO_";

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
        let ours = |name: &str| {
            name.starts_with(PREFIX)
                || OTHERS.contains(&name)
                || PgEnvironment::NAMES.contains(&name)
        };
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

    /// Our names in it that nothing reads, each with the name that was probably meant.
    pub(crate) fn unknown(&self) -> impl Iterator<Item = (&str, Option<String>)> {
        // The prefix that all of them share says nothing about how alike they are.
        let known = || {
            let names = rows().chain(NAMES).map(|row| row.environment);
            names.filter_map(|name| name.strip_prefix(PREFIX))
        };
        self.values.keys().filter_map(move |name| {
            let bare = name.strip_prefix(PREFIX)?;
            let meant = || nearest(bare, known()).map(|meant| format!("{PREFIX}{meant}"));
            (!known().any(|known| known == bare)).then(|| (name.as_str(), meant()))
        })
    }

    /// A path below a folder of the XDG rules, on every system: `variable`, else `fallback` in the
    /// home folder.
    pub(crate) fn path(
        &self,
        variable: &str,
        fallback: &str,
        below: &str,
    ) -> Result<String, Failure> {
        // The rules say that a relative path counts as absent; it would also mean the working directory.
        let absolute = |name: &str| {
            self.get(name)
                .map(Path::new)
                .filter(|path| path.is_absolute())
        };
        let folder = match (absolute(variable), absolute("HOME")) {
            (Some(folder), _) => folder.to_owned(),
            (None, Some(home)) => home.join(fallback),
            (None, None) => {
                let error = format!("neither HOME nor {variable} is set to an absolute path");
                return Err(Failure::usage(error).hint("set --state and --config"));
            }
        };
        Ok(folder.join(below).display().to_string())
    }

    /// The user's name in the system, if it can be a person's name.
    pub(super) fn login_name(&self) -> String {
        let name = self.get("USER").or(self.get("LOGNAME"));
        let name = name.filter(|name| PersonName::new(*name).is_ok());
        name.unwrap_or("me").to_owned()
    }
}
