//! The time of day, for ages and countdowns on the terminal. Nothing is decided by it.

use sayso_core::time::Time;

/// Now.
#[expect(
    clippy::disallowed_methods,
    reason = "a countdown on a terminal needs the time of day; this is its one place"
)]
pub(crate) fn now() -> Time {
    let since = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    Time::from_millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
