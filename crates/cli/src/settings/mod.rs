//! The settings: defaults, `sayso.toml`, the environment, flags. The later one wins, and each value
//! knows where it came from.
//!
//! A setting is one row of the table in `table.rs`; reading it, its errors, its line in `doctor` and
//! its line in docs/settings.md follow from the row. Nothing is ever read from the working directory.

mod dialects;
mod environment;
mod file;
mod layers;
pub(crate) mod names;
mod nearest;
mod row;
mod table;
mod values;

use std::mem::discriminant;

use sayso_store_postgres::PostgresUrl;

pub(crate) use environment::Environment;
pub(crate) use layers::{FlagValues, SettingSource};
pub(crate) use row::SettingRow;
pub(crate) use table::Settings;
pub(crate) use values::{LogFormat, StoreDurability};

use crate::failure::Failure;
use file::File;
use layers::Layers;

/// Every row: the fixed ones, then those of the dialects.
pub(crate) fn rows() -> impl Iterator<Item = &'static SettingRow> {
    table::ROWS.iter().chain(dialects::rows())
}

/// What `--help` says about the flag of a setting: the first sentence of its meaning, and the default.
pub(crate) fn flag_help(flag: &str) -> String {
    let of = |row: &SettingRow| {
        let first = row.meaning.split(". ").next().unwrap_or_default();
        let first = first.trim().trim_end_matches('.');
        if row.default.is_empty() {
            return first.to_owned();
        }
        format!("{first} [default: {}]", row.default)
    };
    rows()
        .find(|row| row.flag == flag)
        .map(of)
        .unwrap_or_default()
}

impl Settings {
    /// Puts the layers together.
    pub(crate) fn gather(environment: &Environment, flags: &FlagValues) -> Result<Self, Failure> {
        let mut layers = Layers {
            environment,
            flags,
            file: File::default(),
        };
        let config = Self::config(&layers)?;
        layers.file = File::read(&config.value, config.source != SettingSource::Default)?;
        Self::of(&layers)
    }

    fn of(layers: &Layers<'_>) -> Result<Self, Failure> {
        let settings = Self::read(layers)?;
        let (cert, key) = (&settings.tls_cert, &settings.tls_key);
        // A certificate from one layer and a key from another seldom belong to each other.
        if cert.value.is_some() != key.value.is_some()
            || discriminant(&cert.source) != discriminant(&key.source)
        {
            return Err(Failure::usage(
                "tls.cert and tls.key must be set together: both in sayso.toml, or both \
                 SAYSO_TLS_CERT and SAYSO_TLS_KEY",
            ));
        }
        let url = &settings.store_url;
        let has_password = url.value.as_ref().is_some_and(PostgresUrl::has_password);
        if has_password && matches!(url.source, SettingSource::Flag(_)) {
            return Err(Failure::usage(
                "`--store` contains a password, which every user of this machine can see in the \
                 process list",
            )
            .hint(
                "remove it and change the password. Put the new one in PGPASSWORD, in \
                   ~/.pgpass, or set store.url in sayso.toml",
            ));
        }
        Ok(settings)
    }
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
