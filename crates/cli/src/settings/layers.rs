//! The layers that give a setting its value, and which one wins.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use sayso_core::escape::escape_line;

use super::row::Shape;
use super::{Environment, File, SettingRow};
use crate::failure::Failure;

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SettingSource {
    /// Nothing was set.
    Default,
    /// A line of `sayso.toml`.
    File(PathBuf, usize),
    /// A name of the environment.
    Environment(&'static str),
    /// A flag.
    Flag(&'static str),
}

impl fmt::Display for SettingSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path, line) => write!(f, "{}, line {line}", path.display()),
            Self::Environment(name) | Self::Flag(name) => f.write_str(name),
        }
    }
}

/// A value, the text it was read from, and where that came from.
#[derive(Debug, Clone)]
pub(crate) struct Setting<T> {
    pub(crate) value: T,
    pub(crate) source: SettingSource,
    text: String,
    row: &'static SettingRow,
}

impl<T> Setting<T> {
    /// Its line in `doctor`.
    pub(super) fn line(&self) -> [String; 3] {
        let shown = self.row.shown(&self.text).into_owned();
        [self.row.name().to_owned(), shown, self.source.to_string()]
    }
}

/// What flags say about settings, by the name of the flag.
pub(crate) type FlagValues = BTreeMap<&'static str, String>;

/// Everything a value may come from.
#[derive(Debug)]
pub(super) struct Layers<'a> {
    pub(super) environment: &'a Environment,
    pub(super) flags: &'a FlagValues,
    pub(super) file: File,
}

impl Layers<'_> {
    /// The value of the last layer that has one. A wrong value is an error even where a later layer
    /// overrides it.
    pub(super) fn pick<T>(
        &self,
        row: &'static SettingRow,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Setting<T>, Failure> {
        let environment = self.environment.get(row.environment).map(str::to_owned);
        let layers = [
            self.file.get(row.key),
            environment.map(|text| (text, SettingSource::Environment(row.environment))),
            self.flags
                .get(row.flag)
                .map(|text| (text.clone(), SettingSource::Flag(row.flag))),
        ];
        let mut last = None;
        for (text, source) in layers.into_iter().flatten() {
            last = Some(one(row, text, source, &read)?);
        }
        if let Some(setting) = last {
            return Ok(setting);
        }
        let found = row.find.map(|find| find(self.environment)).transpose()?;
        let default = found.unwrap_or_else(|| row.default.to_owned());
        one(row, default, SettingSource::Default, read)
    }
}

/// Reads one value, or says where it is, what it is and why it is wrong.
fn one<T>(
    row: &'static SettingRow,
    text: String,
    source: SettingSource,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<Setting<T>, Failure> {
    let text = match row.shape {
        Shape::Path if !text.is_empty() => std::path::absolute(&text)
            .map(|path| path.display().to_string())
            .map_err(|error| format!("`{text}`: {error}")),
        Shape::Plain
        | Shape::Secret
        | Shape::Database
        | Shape::Path
        | Shape::List
        | Shape::Lists => Ok(text),
    };
    match text.and_then(|text| Ok((read(&text)?, text))) {
        Ok((value, text)) => Ok(Setting {
            value,
            source,
            text,
            row,
        }),
        Err(why) => {
            let why = escape_line(&why);
            Err(Failure::usage(match source {
                SettingSource::File(..) | SettingSource::Default => {
                    format!("{source}: {}: {why}", row.key)
                }
                SettingSource::Environment(_) | SettingSource::Flag(_) => {
                    format!("{source}: {why}")
                }
            }))
        }
    }
}
