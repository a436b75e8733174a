//! What can be set for dialects. The keys, what is usual and what will do come from the dialect
//! table; nothing here knows a dialect by name.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use sayso_dialects::{DIALECTS, Dialect, Knob, Knobs};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use super::{Environment, Setting, Source, pick};
use crate::failure::Failure;

/// Something that can be set for a dialect.
#[derive(Debug)]
pub(crate) struct KnobName {
    pub(crate) row: &'static Dialect,
    pub(crate) knob: &'static Knob,
    /// The name in the environment: `SAYSO_DIALECTS_WHIMMY_MODEL`.
    pub(crate) environment: String,
}

impl KnobName {
    /// The key as it stands in lists: `dialects.whimmy.model`.
    pub(crate) fn key(&self) -> String {
        format!("dialects.{}.{}", self.row.name, self.knob.key)
    }
}

/// Everything that can be set for a dialect, in the order of the table.
pub(crate) static KNOBS: LazyLock<Vec<KnobName>> = LazyLock::new(|| {
    let of = |row: &'static Dialect| {
        row.knobs.iter().map(move |knob| KnobName {
            row,
            knob,
            environment: format!("SAYSO_DIALECTS_{}_{}", row.name, knob.key)
                .replace('-', "_")
                .to_ascii_uppercase(),
        })
    };
    DIALECTS.iter().flat_map(of).collect()
});

/// One of them, as it is set.
#[derive(Debug, Clone)]
pub(crate) struct DialectSetting {
    pub(crate) name: &'static KnobName,
    pub(crate) setting: Setting<String>,
}

impl PartialEq for DialectSetting {
    fn eq(&self, other: &Self) -> bool {
        self.name.environment == other.name.environment && self.setting == other.setting
    }
}

impl Eq for DialectSetting {}

/// Puts the layers together.
pub(super) fn merge(
    keys: &DialectKeys,
    from: &Source,
    environment: &Environment,
) -> Result<Vec<DialectSetting>, Failure> {
    let one = |name: &'static KnobName| {
        let check = |text: &str| check(name.row, name.knob.key, text).map(|()| text.to_owned());
        let setting = pick(
            || Ok(name.knob.usual.to_owned()),
            (keys.get(name.row.name, name.knob.key), from),
            environment.read(&name.environment, check)?,
            None,
        )?;
        Ok(DialectSetting { name, setting })
    };
    KNOBS.iter().map(one).collect()
}

fn check(row: &Dialect, key: &str, value: &str) -> Result<(), String> {
    Knobs::set(row, [(key, value)]).map(drop)
}

type Entries = BTreeMap<Spanned<String>, BTreeMap<Spanned<String>, Spanned<Plain>>>;

/// `[dialects.NAME]` as it stands in the file, and where.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub(crate) struct DialectKeys(Entries);

impl DialectKeys {
    fn get(&self, dialect: &str, key: &str) -> Option<String> {
        let (_, keys) = self.0.iter().find(|(name, _)| *name.get_ref() == dialect)?;
        let (_, value) = keys.iter().find(|(name, _)| *name.get_ref() == key)?;
        Some(value.get_ref().0.clone())
    }

    /// The first thing in it that will not do, and where it begins.
    pub(super) fn fault(&self) -> Option<(usize, String)> {
        self.0.iter().find_map(|(name, keys)| {
            let Some(row) = sayso_dialects::dialect(name.get_ref()) else {
                return Some((name.span().start, unknown(name.get_ref())));
            };
            keys.iter().find_map(|(key, value)| {
                let why = check(row, key.get_ref(), &value.get_ref().0).err()?;
                Some((key.span().start, why))
            })
        })
    }

    #[cfg(test)]
    pub(super) fn of(entries: &[(&str, &str, &str)]) -> Self {
        let anywhere = |text: &str| Spanned::new(0..0, text.to_owned());
        let mut all = Entries::new();
        for (dialect, key, value) in entries {
            let value = Spanned::new(0..0, Plain((*value).to_owned()));
            let keys = all.entry(anywhere(dialect)).or_default();
            keys.insert(anywhere(key), value);
        }
        Self(all)
    }
}

fn unknown(name: &str) -> String {
    let settable = DIALECTS.iter().filter(|row| !row.knobs.is_empty());
    let names: Vec<&str> = settable.map(|row| row.name).collect();
    format!(
        "there is no dialect called `{}`; there is something to set for {}",
        sayso_core::escape::escape_line(name),
        names.join(", ")
    )
}

/// Text, or a number or `true` and `false` taken as text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Plain(String);

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PlainVisitor)
    }
}

struct PlainVisitor;

impl Visitor<'_> for PlainVisitor {
    type Value = Plain;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text, a number, true or false")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Plain, E> {
        Ok(Plain(text.to_owned()))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Plain, E> {
        Ok(Plain(number.to_string()))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Plain, E> {
        Ok(Plain(number.to_string()))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Plain, E> {
        Ok(Plain(number.to_string()))
    }

    fn visit_bool<E: de::Error>(self, truth: bool) -> Result<Plain, E> {
        Ok(Plain(truth.to_string()))
    }
}

#[cfg(test)]
#[path = "dialects_tests.rs"]
mod tests;
