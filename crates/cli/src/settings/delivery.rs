//! What can be set about outcomes on their way and about agents that went away.

use std::time::Duration;

use super::file::DeliveryKeys;
use super::{Environment, Setting, Source, pick};
use crate::failure::Failure;
use crate::span;

const DAY: Duration = Duration::from_secs(86_400);

/// The values for delivery. What is absent never ends, or never happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Delivery {
    /// How long an outcome that is not confirmed is told again on every connect.
    pub(crate) offer_for: Setting<Option<Duration>>,
    /// After which time away an agent's asks are withdrawn.
    pub(crate) withdraw_after: Setting<Option<Duration>>,
    /// The same for asks with a key or an id of the agent's own.
    pub(crate) withdraw_durable_after: Setting<Option<Duration>>,
}

impl Delivery {
    /// Puts the layers together.
    pub(super) fn merge(
        keys: Option<DeliveryKeys>,
        from: &Source,
        environment: &Environment,
    ) -> Result<Self, Failure> {
        let keys = keys.unwrap_or_default();
        let value = |name: &str, variable, usual, text: Option<String>| {
            let read = text.map(|text| span_or_never(&text)).transpose();
            let read =
                read.map_err(|why| Failure::usage(format!("delivery.{name} ({from}): {why}")))?;
            pick(
                || Ok(usual),
                (read, from),
                environment.read(variable, span_or_never)?,
                None,
            )
        };
        Ok(Self {
            offer_for: value(
                "offer_for",
                "SAYSO_DELIVERY_OFFER_FOR",
                Some(7 * DAY),
                keys.offer_for,
            )?,
            withdraw_after: value(
                "withdraw_after",
                "SAYSO_DELIVERY_WITHDRAW_AFTER",
                Some(DAY),
                keys.withdraw_after,
            )?,
            withdraw_durable_after: value(
                "withdraw_durable_after",
                "SAYSO_DELIVERY_WITHDRAW_DURABLE_AFTER",
                None,
                keys.withdraw_durable_after,
            )?,
        })
    }
}

/// At least a minute, which is how often it is looked at.
fn span_or_never(text: &str) -> Result<Option<Duration>, String> {
    if text == "never" {
        return Ok(None);
    }
    let span = span::parse(text).map_err(|why| format!("{why}, or `never`"))?;
    if span < Duration::from_secs(60) {
        return Err("must be at least 1m, or `never`".to_owned());
    }
    Ok(Some(span))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(file: Option<&str>, environment: &[(&str, &str)]) -> Result<Delivery, String> {
        let keys = file.map(|time| DeliveryKeys {
            withdraw_after: Some(time.to_owned()),
            ..DeliveryKeys::default()
        });
        let environment = Environment::of(
            environment
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
        );
        let from = Source::File("/s.toml".into());
        Delivery::merge(keys, &from, &environment)
            .map_err(|failure| failure.error.unwrap_or_default())
    }

    #[test]
    fn the_later_layer_wins() {
        let built_in = merged(None, &[]).unwrap();
        assert_eq!(built_in.offer_for.value, Some(7 * DAY));
        assert_eq!(built_in.withdraw_after.value, Some(DAY));
        assert_eq!(built_in.withdraw_durable_after.value, None);
        assert_eq!(
            merged(Some("never"), &[]).unwrap().withdraw_after.value,
            None
        );
        let environment = [
            ("SAYSO_DELIVERY_WITHDRAW_AFTER", "2h"),
            ("SAYSO_DELIVERY_WITHDRAW_DURABLE_AFTER", "30d"),
            ("SAYSO_DELIVERY_OFFER_FOR", "never"),
        ];
        let both = merged(Some("never"), &environment).unwrap();
        assert_eq!(both.withdraw_after.value, Some(DAY / 12));
        assert_eq!(both.withdraw_durable_after.value, Some(30 * DAY));
        assert_eq!(both.offer_for.value, None);
    }

    #[test]
    fn a_time_that_is_too_short_or_none_is_named() {
        assert_eq!(
            merged(Some("59s"), &[]),
            Err("delivery.withdraw_after (/s.toml): must be at least 1m, or `never`".to_owned())
        );
        let bad = merged(None, &[("SAYSO_DELIVERY_OFFER_FOR", "soon")]).unwrap_err();
        assert!(bad.starts_with("SAYSO_DELIVERY_OFFER_FOR: "), "{bad}");
    }
}
