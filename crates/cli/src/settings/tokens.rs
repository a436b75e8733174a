//! When people's devices are logged out: after a time without use, and after a time at most.

use std::time::Duration;

use super::file::TokenKeys;
use super::{Environment, Setting, Source, pick};
use crate::failure::Failure;
use crate::span;

/// The values for tokens of devices; never when absent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tokens {
    pub(crate) idle: Setting<Option<Duration>>,
    pub(crate) max_age: Setting<Option<Duration>>,
}

impl Tokens {
    /// Puts the layers together.
    pub(super) fn merge(
        keys: Option<TokenKeys>,
        from: &Source,
        environment: &Environment,
    ) -> Result<Self, Failure> {
        let TokenKeys { idle, max_age } = keys.unwrap_or_default();
        let one = |name: &str, file: Option<String>, variable: &'static str| {
            let file = file.map(|text| time(&text)).transpose();
            let file =
                file.map_err(|why| Failure::usage(format!("tokens.{name} ({from}): {why}")))?;
            pick(
                || Ok(None),
                (file, from),
                environment.read(variable, time)?,
                None,
            )
        };
        Ok(Self {
            idle: one("idle", idle, "SAYSO_TOKENS_IDLE")?,
            max_age: one("max_age", max_age, "SAYSO_TOKENS_MAX_AGE")?,
        })
    }
}

/// `never`, or at least a second: every device would be logged out at once.
fn time(text: &str) -> Result<Option<Duration>, String> {
    if text == "never" {
        return Ok(None);
    }
    match span::parse(text)? {
        Duration::ZERO => Err("must be at least 1s, or `never`".to_owned()),
        time => Ok(Some(time)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(idle: Option<&str>, environment: &[(&str, &str)]) -> Result<Tokens, String> {
        let keys = idle.map(|idle| TokenKeys {
            idle: Some(idle.to_owned()),
            max_age: None,
        });
        let environment = Environment::of(
            environment
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
        );
        let from = Source::File("/s.toml".into());
        Tokens::merge(keys, &from, &environment)
            .map_err(|failure| failure.error.unwrap_or_default())
    }

    #[test]
    fn devices_stay_logged_in_unless_something_else_is_set() {
        let built_in = merged(None, &[]).unwrap();
        assert_eq!((built_in.idle.value, built_in.max_age.value), (None, None));
        let day = Duration::from_secs(86_400);
        let file = merged(Some("30d"), &[("SAYSO_TOKENS_MAX_AGE", "90d")]).unwrap();
        assert_eq!(file.idle.value, Some(30 * day));
        assert_eq!(file.max_age.value, Some(90 * day));
        let later = merged(Some("30d"), &[("SAYSO_TOKENS_IDLE", "never")]).unwrap();
        assert_eq!(later.idle.value, None);
    }

    #[test]
    fn a_time_that_is_none_is_named() {
        assert_eq!(
            merged(Some("0s"), &[]),
            Err("tokens.idle (/s.toml): must be at least 1s, or `never`".to_owned())
        );
        let bad = merged(None, &[("SAYSO_TOKENS_IDLE", "soon")]).unwrap_err();
        assert!(bad.starts_with("SAYSO_TOKENS_IDLE: "), "{bad}");
    }
}
