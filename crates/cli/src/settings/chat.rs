//! What can be set about conversations: who gets messages, and how long a turn may be silent.

use std::time::Duration;

use super::file::ChatKeys;
use super::{Environment, Setting, Source, pick};
use crate::failure::Failure;
use crate::span;

/// How long nothing may be heard of a turn when nothing is said: tools that tell nothing of
/// themselves fit, a forgotten turn does not stay for the day.
const TURN_TIMEOUT: Duration = Duration::from_secs(600);

/// The values for conversations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chat {
    pub(crate) agent: Setting<Option<String>>,
    pub(crate) turn_timeout: Setting<Duration>,
}

impl Chat {
    /// Puts the layers together.
    pub(super) fn merge(
        keys: Option<ChatKeys>,
        from: &Source,
        environment: &Environment,
    ) -> Result<Self, Failure> {
        let keys = keys.unwrap_or_default();
        let timeout = keys
            .turn_timeout
            .map(|text| turn_timeout(&text))
            .transpose()
            .map_err(|why| Failure::usage(format!("chat.turn_timeout ({from}): {why}")))?;
        Ok(Self {
            agent: pick(
                || Ok(None),
                (keys.agent.map(Some), from),
                environment.read("SAYSO_CHAT_AGENT", |text| Ok(Some(text.to_owned())))?,
                None,
            )?,
            turn_timeout: pick(
                || Ok(TURN_TIMEOUT),
                (timeout, from),
                environment.read("SAYSO_CHAT_TURN_TIMEOUT", turn_timeout)?,
                None,
            )?,
        })
    }
}

/// At least a second, or every turn would be lost at once.
fn turn_timeout(text: &str) -> Result<Duration, String> {
    match span::parse(text)? {
        Duration::ZERO => Err("must be at least 1s".to_owned()),
        time => Ok(time),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(file: Option<&str>, environment: &[(&str, &str)]) -> Result<Chat, String> {
        let keys = file.map(|time| ChatKeys {
            agent: Some("coder".to_owned()),
            turn_timeout: Some(time.to_owned()),
        });
        let environment = Environment::of(
            environment
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
        );
        let from = Source::File("/s.toml".into());
        Chat::merge(keys, &from, &environment).map_err(|failure| failure.error.unwrap_or_default())
    }

    #[test]
    fn the_later_layer_wins() {
        let built_in = merged(None, &[]).unwrap();
        assert_eq!(
            (built_in.agent.value, built_in.turn_timeout.value),
            (None, Duration::from_secs(600))
        );
        let file = merged(Some("5m"), &[]).unwrap();
        assert_eq!(file.agent.value.as_deref(), Some("coder"));
        assert_eq!(file.turn_timeout.value, Duration::from_secs(300));
        let environment = [
            ("SAYSO_CHAT_AGENT", "ag_2"),
            ("SAYSO_CHAT_TURN_TIMEOUT", "90"),
        ];
        let both = merged(Some("5m"), &environment).unwrap();
        assert_eq!(both.agent.value.as_deref(), Some("ag_2"));
        assert_eq!(both.turn_timeout.value, Duration::from_secs(90));
        assert_eq!(
            both.turn_timeout.source,
            Source::Environment("SAYSO_CHAT_TURN_TIMEOUT")
        );
    }

    #[test]
    fn a_time_that_is_none_is_named() {
        assert_eq!(
            merged(Some("0s"), &[]),
            Err("chat.turn_timeout (/s.toml): must be at least 1s".to_owned())
        );
        let bad = merged(None, &[("SAYSO_CHAT_TURN_TIMEOUT", "soon")]).unwrap_err();
        assert!(bad.starts_with("SAYSO_CHAT_TURN_TIMEOUT: "), "{bad}");
    }
}
