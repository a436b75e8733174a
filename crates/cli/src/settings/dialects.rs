//! What can be set for dialects, as rows like all others. The keys, the defaults and the checks come
//! from the dialect table; nothing here knows a dialect by name.

use std::sync::LazyLock;

use sayso_dialects::{DIALECTS, Dialect, Knob};

use super::layers::{Layers, Setting};
use super::row::{SettingRow, row};
use crate::failure::Failure;

type KnobRow = (SettingRow, &'static Dialect, &'static Knob);

/// Made once, so the names may live as long as the program.
static KNOBS: LazyLock<Vec<KnobRow>> = LazyLock::new(|| {
    let one = |dialect: &'static Dialect, knob: &'static Knob| {
        let key: &str = format!("dialects.{}.{}", dialect.name, knob.key).leak();
        let environment = format!("SAYSO_{key}").replace(['-', '.'], "_");
        let row = row(key, environment.to_ascii_uppercase().leak(), knob.usual);
        (row.meaning(knob.about), dialect, knob)
    };
    let of = |dialect: &'static Dialect| dialect.knobs.iter().map(move |knob| one(dialect, knob));
    DIALECTS.iter().flat_map(of).collect()
});

pub(super) fn rows() -> impl Iterator<Item = &'static SettingRow> {
    KNOBS.iter().map(|(row, ..)| row)
}

/// A setting of a dialect.
#[derive(Debug, Clone)]
pub(crate) struct DialectSetting {
    pub(crate) dialect: &'static str,
    pub(crate) key: &'static str,
    pub(crate) setting: Setting<String>,
}

/// Everything that can be set for a dialect, in the order of the table.
pub(super) fn read(layers: &Layers<'_>) -> Result<Vec<DialectSetting>, Failure> {
    let one = |(row, dialect, knob): &'static KnobRow| {
        let read = |text: &str| match (knob.check)(text) {
            Some(why) => Err(why.to_owned()),
            None => Ok(text.to_owned()),
        };
        Ok(DialectSetting {
            dialect: dialect.name,
            key: knob.key,
            setting: layers.pick(row, read)?,
        })
    };
    KNOBS.iter().map(one).collect()
}

#[cfg(test)]
#[path = "dialects_tests.rs"]
mod tests;
