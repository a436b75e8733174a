//! Instants and spans as plain numbers. Nothing here reads a clock.

use std::time::Duration;

/// A moment: milliseconds since 1970 in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(u64);

impl Time {
    /// The latest moment we can write as RFC 3339 (the end of the year 9999).
    pub const MAX: Self = Self(253_402_300_799_999);

    /// This many milliseconds after 1970, clamped to what can be written down.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        if millis > Self::MAX.0 {
            Self::MAX
        } else {
            Self(millis)
        }
    }

    /// Milliseconds since 1970.
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// This moment and a span after it, clamped.
    #[must_use]
    pub fn after(self, span: Duration) -> Self {
        let millis = u64::try_from(span.as_millis()).unwrap_or(u64::MAX);
        Self::from_millis(self.0.saturating_add(millis))
    }

    /// How long it is from `earlier` to this moment; nothing when it lies before.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_never_leave_what_can_be_written() {
        assert_eq!(Time::from_millis(u64::MAX), Time::MAX);
        assert_eq!(Time::MAX.after(Duration::MAX), Time::MAX);
        assert_eq!(
            Time::from_millis(5).since(Time::from_millis(9)),
            Duration::ZERO
        );
    }
}
