//! A row of the table of settings: its names, its default and what it means. Data only.

use std::borrow::Cow;

use sayso_core::escape::escape_line;
use sayso_store_postgres::PostgresUrl;

use super::Environment;
use crate::failure::Failure;

/// How a default is found that depends on the user.
type Find = fn(&Environment) -> Result<String, Failure>;

/// One setting, or one other name of the environment. What is empty is not there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SettingRow {
    /// The key in `sayso.toml`.
    pub(crate) key: &'static str,
    pub(crate) environment: &'static str,
    pub(crate) flag: &'static str,
    /// What holds when nothing is set, as it would be written; or what `find` finds, in words.
    pub(super) default: &'static str,
    pub(super) find: Option<Find>,
    pub(super) shape: Shape,
    /// What it is for, as docs/settings.md says it.
    pub(super) meaning: &'static str,
}

/// How a value is written in the file. Everywhere else it is text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Text, a number, `true` or `false`.
    Plain,
    /// Text that `doctor` hides; what reads it must not repeat it in an error.
    Secret,
    /// A URL of PostgreSQL, which `doctor` shows without its password.
    Database,
    /// Text that must not change its meaning with the working directory.
    Path,
    /// An array; as text it has commas between the items.
    List,
    /// A table of arrays; as text `key=item,item`, with spaces between the entries.
    Lists,
}

pub(super) const fn row(
    key: &'static str,
    environment: &'static str,
    default: &'static str,
) -> SettingRow {
    SettingRow {
        key,
        environment,
        flag: "",
        default,
        find: None,
        shape: Shape::Plain,
        meaning: "",
    }
}

impl SettingRow {
    pub(super) const fn flag(self, flag: &'static str) -> Self {
        Self { flag, ..self }
    }

    pub(super) const fn found(mut self, find: Find) -> Self {
        self.find = Some(find);
        self
    }

    pub(super) const fn shape(self, shape: Shape) -> Self {
        Self { shape, ..self }
    }

    pub(super) const fn meaning(self, meaning: &'static str) -> Self {
        Self { meaning, ..self }
    }

    /// What `doctor` calls it.
    pub(super) fn name(&self) -> &'static str {
        match (self.key, self.flag) {
            ("", "") => self.environment,
            ("", flag) => flag.trim_start_matches('-'),
            (key, _) => key,
        }
    }

    /// A value of it as people read it.
    pub(crate) fn shown<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match text {
            "" => "none".into(),
            _ if self.shape == Shape::Secret => "set (hidden)".into(),
            text if self.shape == Shape::Database => {
                let shown = text.parse().map(|url: PostgresUrl| url.to_string());
                escape_line(&shown.unwrap_or_default()).into_owned().into()
            }
            text => escape_line(text),
        }
    }
}
