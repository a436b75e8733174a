//! What one token, one agent and the whole server may take.

use sayso_core::limits;

use super::file::LimitKeys;
use super::{Environment, Setting, Source, number, pick};
use crate::failure::Failure;

/// Asks one token may make in a minute when nothing is said: a busy agent fits, a loop does not.
const ASKS_PER_MINUTE: u32 = 600;
/// Open asks one agent may have: a runaway loop is stopped before it hides everyone else's.
const OPEN_ASKS_PER_AGENT: u32 = 10_000;
/// Connections at one time.
const CONNECTIONS: u32 = 20_000;

/// The values of the limits; a rate of 0 is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Limits {
    pub(crate) asks_per_minute: Setting<u32>,
    pub(crate) open_asks_per_agent: Setting<u32>,
    pub(crate) bytes_per_minute: Setting<u64>,
    pub(crate) conversations_per_token: Setting<usize>,
    pub(crate) connections: Setting<u32>,
}

impl Limits {
    /// Puts the layers together.
    pub(super) fn merge(
        keys: Option<LimitKeys>,
        from: &Source,
        environment: &Environment,
    ) -> Result<Self, Failure> {
        let keys = keys.unwrap_or_default();
        Ok(Self {
            asks_per_minute: pick(
                || Ok(ASKS_PER_MINUTE),
                (keys.asks_per_minute, from),
                environment.read("SAYSO_ASKS_PER_MINUTE", number)?,
                None,
            )?,
            open_asks_per_agent: pick(
                || Ok(OPEN_ASKS_PER_AGENT),
                (keys.open_asks_per_agent, from),
                environment.read("SAYSO_OPEN_ASKS_PER_AGENT", number)?,
                None,
            )?,
            bytes_per_minute: pick(
                || Ok(limits::BYTES_PER_MINUTE),
                (keys.bytes_per_minute, from),
                environment.read("SAYSO_BYTES_PER_MINUTE", number)?,
                None,
            )?,
            conversations_per_token: pick(
                || Ok(limits::CONVERSATIONS_PER_TOKEN),
                (keys.conversations_per_token, from),
                environment.read("SAYSO_CONVERSATIONS_PER_TOKEN", number)?,
                None,
            )?,
            connections: pick(
                || Ok(CONNECTIONS),
                (keys.connections, from),
                environment.read("SAYSO_CONNECTIONS", number)?,
                None,
            )?,
        })
    }

    /// Every value by its key.
    pub(crate) fn rows(&self) -> [(&'static str, Setting<u64>); 5] {
        fn row<T: Copy + TryInto<u64>>(setting: &Setting<T>) -> Setting<u64> {
            Setting {
                value: setting.value.try_into().unwrap_or(u64::MAX),
                source: setting.source.clone(),
            }
        }
        [
            ("limits.asks_per_minute", row(&self.asks_per_minute)),
            ("limits.open_asks_per_agent", row(&self.open_asks_per_agent)),
            ("limits.bytes_per_minute", row(&self.bytes_per_minute)),
            (
                "limits.conversations_per_token",
                row(&self.conversations_per_token),
            ),
            ("limits.connections", row(&self.connections)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_later_layer_wins_and_each_value_has_the_key_of_the_file() {
        let keys = LimitKeys {
            bytes_per_minute: Some(7),
            connections: Some(8),
            ..LimitKeys::default()
        };
        let environment = [("SAYSO_CONNECTIONS".to_owned(), "9".to_owned())];
        let from = Source::File("/s.toml".into());
        let merged = Limits::merge(Some(keys), &from, &Environment::of(environment)).unwrap();
        let values = merged.rows().map(|(key, row)| (key, row.value));
        assert_eq!(
            values,
            [
                ("limits.asks_per_minute", 600),
                ("limits.open_asks_per_agent", 10_000),
                ("limits.bytes_per_minute", 7),
                ("limits.conversations_per_token", 100_000),
                ("limits.connections", 9),
            ]
        );
        assert_eq!(merged.bytes_per_minute.source, from);
        assert_eq!(
            merged.connections.source,
            Source::Environment("SAYSO_CONNECTIONS")
        );
    }
}
