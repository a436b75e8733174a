//! How fast one token may ask: a bucket that refills, so that a flood slows only its sender.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use sayso_core::id::TokenId;

/// Asks per minute, for every token apart.
#[derive(Debug)]
pub(crate) struct Pace {
    per_minute: u32,
    buckets: Mutex<HashMap<TokenId, Bucket>>,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    /// Thousandths of an ask that may be spent.
    milli_asks: u64,
    filled_at: Duration,
}

impl Pace {
    pub(crate) fn new(per_minute: u32) -> Self {
        Self {
            per_minute,
            buckets: Mutex::default(),
        }
    }

    /// Takes one ask out of the token's bucket, or says when there will be one.
    pub(crate) fn take(&self, token: TokenId, steady: Duration) -> Result<(), Duration> {
        let full = u64::from(self.per_minute) * 1000;
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let bucket = buckets.entry(token).or_insert(Bucket {
            milli_asks: full,
            filled_at: steady,
        });
        let passed_ms =
            u64::try_from(steady.saturating_sub(bucket.filled_at).as_millis()).unwrap_or(u64::MAX);
        // One ask a minute is one thousandth of an ask in 60 ms: count whole thousandths only, and
        // leave the rest of the time in the bucket.
        let gained = passed_ms.saturating_mul(u64::from(self.per_minute)) / 60;
        if gained > 0 {
            bucket.milli_asks = full.min(bucket.milli_asks.saturating_add(gained));
            bucket.filled_at = steady;
        }
        if bucket.milli_asks >= 1000 {
            bucket.milli_asks -= 1000;
            return Ok(());
        }
        let missing = 1000 - bucket.milli_asks;
        let wait_ms = (missing * 60).div_ceil(u64::from(self.per_minute).max(1));
        Err(Duration::from_millis(wait_ms.max(1)))
    }

    pub(crate) fn forget(&self, token: TokenId) {
        self.buckets
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&token);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_slowed_and_nobody_else() {
        let pace = Pace::new(60);
        let (flood, calm) = (TokenId(1), TokenId(2));
        let mut now = Duration::ZERO;
        for _ in 0..60 {
            assert_eq!(pace.take(flood, now), Ok(()));
        }
        assert_eq!(pace.take(flood, now), Err(Duration::from_secs(1)));
        assert_eq!(pace.take(calm, now), Ok(()));
        now += Duration::from_secs(1);
        assert_eq!(pace.take(flood, now), Ok(()));
        assert!(pace.take(flood, now).is_err());
    }
}
