//! Moments on the wire: RFC 3339 in UTC with exactly three digits of a second, such as
//! `2026-11-15T08:00:00.123Z`.
//!
//! Written by hand because every ask and outcome carries two of them. Reading takes this one
//! spelling only: our own JSON has no other.

use std::fmt;

use sayso_core::time::Time;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type};
use utoipa::{PartialSchema, ToSchema};

const DAY_MS: u64 = 86_400_000;
/// The length of every written moment.
const LENGTH: usize = 24;

/// A moment as our JSON writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WireTime(pub Time);

/// Year, month and day of this many days after 1970, by the calendar of Howard Hinnant's
/// `civil_from_days`: eras of 400 years that begin in March.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

/// Days after 1970 of a date; the other way round. Years before 1970 have none.
fn days(year: u64, month: u64, day: u64) -> Option<u64> {
    let year = if month <= 2 {
        year.checked_sub(1)?
    } else {
        year
    };
    let month_from_march = if month > 2 { month - 3 } else { month + 9 };
    let day_of_year = (153 * month_from_march + 2) / 5 + day.checked_sub(1)?;
    let year_of_era = year % 400;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    (year / 400 * 146_097 + day_of_era).checked_sub(719_468)
}

/// The moment as text, without an allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeText([u8; LENGTH]);

impl TimeText {
    /// The text of this moment.
    pub fn new(time: Time) -> Self {
        let millis = time.as_millis();
        let (year, month, day) = civil(millis / DAY_MS);
        let rest = millis % DAY_MS;
        let mut text = *b"0000-00-00T00:00:00.000Z";
        let parts = [
            (0, 4, year),
            (5, 2, month),
            (8, 2, day),
            (11, 2, rest / 3_600_000),
            (14, 2, rest / 60_000 % 60),
            (17, 2, rest / 1000 % 60),
            (20, 3, rest % 1000),
        ];
        for (start, length, mut value) in parts {
            for digit in text.iter_mut().skip(start).take(length).rev() {
                *digit = b'0' + u8::try_from(value % 10).unwrap_or_default();
                value /= 10;
            }
        }
        Self(text)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        // Digits and punctuation only, so this is always text.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// The moment this text is, when it is exactly our spelling of one.
pub fn parse(text: &str) -> Option<Time> {
    let bytes: &[u8; LENGTH] = text.as_bytes().try_into().ok()?;
    let number = |start: usize, length: usize| {
        bytes
            .iter()
            .skip(start)
            .take(length)
            .try_fold(0_u64, |value, byte| {
                byte.is_ascii_digit()
                    .then(|| value * 10 + u64::from(byte - b'0'))
            })
    };
    let day = days(number(0, 4)?, number(5, 2)?, number(8, 2)?)?;
    let clock = number(11, 2)? * 3_600_000
        + number(14, 2)? * 60_000
        + number(17, 2)? * 1000
        + number(20, 3)?;
    let time = Time::from_millis(day * DAY_MS + clock);
    // Writing it again refuses wrong punctuation, the 31st of April and 25 o'clock in one go.
    (TimeText::new(time).as_str() == text).then_some(time)
}

impl fmt::Display for WireTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(TimeText::new(self.0).as_str())
    }
}

impl Serialize for WireTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(TimeText::new(self.0).as_str())
    }
}

impl<'de> Deserialize<'de> for WireTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TimeVisitor;

        impl Visitor<'_> for TimeVisitor {
            type Value = WireTime;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a date and time such as 2026-11-15T08:00:00.123Z")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<WireTime, E> {
                parse(text)
                    .map(WireTime)
                    .ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }

        deserializer.deserialize_str(TimeVisitor)
    }
}

impl PartialSchema for WireTime {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
            .description(Some("RFC 3339 in UTC with milliseconds"))
            .into()
    }
}

impl ToSchema for WireTime {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_moments_are_written_as_known() {
        for (millis, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_827_696_789, "2000-02-29T12:34:56.789Z"),
            (1_794_729_600_123, "2026-11-15T08:00:00.123Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ] {
            let time = Time::from_millis(millis);
            assert_eq!(TimeText::new(time).as_str(), text);
            assert_eq!(parse(text), Some(time));
        }
    }

    #[test]
    fn other_spellings_are_refused() {
        for bad in [
            "",
            "2026-11-15T08:00:00Z",
            "2026-11-15T08:00:00.1234Z",
            "2026-11-15T08:00:00.123+00:00",
            "2026-11-15 08:00:00.123Z",
            "2026-11-31T08:00:00.123Z",
            "2026-02-29T08:00:00.123Z",
            "2026-11-15T24:00:00.123Z",
            "2026-11-15T08:60:00.123Z",
            "2026-13-15T08:00:00.123Z",
            "2026-00-15T08:00:00.123Z",
            "1969-12-31T23:59:59.999Z",
            "2026-11-15T08:00:00.12éZ",
        ] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn the_writer_agrees_with_a_full_calendar(millis in 0..=Time::MAX.as_millis()) {
            let stamp = jiff::Timestamp::from_millisecond(i64::try_from(millis).expect("in range")).expect("in range");
            let time = Time::from_millis(millis);
            let text = format!("{stamp:.3}");
            prop_assert_eq!(WireTime(time).to_string(), text.clone());
            prop_assert_eq!(parse(&text), Some(time));
        }

        #[test]
        fn reading_never_panics(text in "[0-9TZ:. -]{0,26}") {
            if let Some(time) = parse(&text) {
                prop_assert_eq!(WireTime(time).to_string(), text);
            }
        }
    }
}
