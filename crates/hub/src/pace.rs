//! How fast one token may go: a bucket that refills, so that a flood slows only its sender.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hashbrown::HashMap;
use sayso_core::id::TokenId;

/// So much of something per minute, for every token apart.
#[derive(Debug)]
pub(crate) struct Pace {
    /// Any amount when absent.
    per_minute: Option<u64>,
    buckets: Mutex<HashMap<TokenId, Bucket>>,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    /// Thousandths of one that may be spent.
    thousandths: u64,
    filled_at: Duration,
}

impl Pace {
    pub(crate) fn new(per_minute: Option<u64>) -> Self {
        Self {
            per_minute,
            buckets: Mutex::default(),
        }
    }

    /// Takes so much out of the token's bucket, or says when there will be enough.
    pub(crate) fn take(
        &self,
        token: TokenId,
        amount: u64,
        steady: Duration,
    ) -> Result<(), Duration> {
        let Some(per_minute) = self.per_minute else {
            return Ok(());
        };
        let full = per_minute.saturating_mul(1000);
        // What is more than a whole bucket costs a whole one.
        let cost = amount.saturating_mul(1000).min(full);
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let bucket = buckets.entry(token).or_insert(Bucket {
            thousandths: full,
            filled_at: steady,
        });
        let passed_ms =
            u64::try_from(steady.saturating_sub(bucket.filled_at).as_millis()).unwrap_or(u64::MAX);
        // One a minute is one thousandth in 60 ms: count whole thousandths only, and leave the rest
        // of the time in the bucket.
        let gained = passed_ms.saturating_mul(per_minute) / 60;
        if gained > 0 {
            bucket.thousandths = full.min(bucket.thousandths.saturating_add(gained));
            bucket.filled_at = steady;
        }
        if bucket.thousandths >= cost {
            bucket.thousandths -= cost;
            return Ok(());
        }
        let missing = cost - bucket.thousandths;
        let wait_ms = missing.saturating_mul(60).div_ceil(per_minute.max(1));
        Err(Duration::from_millis(wait_ms.max(1)))
    }

    /// The same for what was spent at another node: what is more than there is empties the bucket.
    pub(crate) fn charge(&self, token: TokenId, amount: u64, steady: Duration) {
        if self.take(token, amount, steady).is_err() {
            let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(bucket) = buckets.get_mut(&token) {
                bucket.thousandths = 0;
            }
        }
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
        let pace = Pace::new(Some(60));
        let (flood, calm) = (TokenId(1), TokenId(2));
        let mut now = Duration::ZERO;
        for _ in 0..60 {
            assert_eq!(pace.take(flood, 1, now), Ok(()));
        }
        assert_eq!(pace.take(flood, 1, now), Err(Duration::from_secs(1)));
        assert_eq!(pace.take(calm, 1, now), Ok(()));
        now += Duration::from_secs(1);
        assert_eq!(pace.take(flood, 1, now), Ok(()));
        assert!(pace.take(flood, 1, now).is_err());
        // What was spent elsewhere counts, also when there is less than that.
        pace.charge(calm, 58, now);
        assert_eq!(pace.take(calm, 1, now), Ok(()));
        now += Duration::from_secs(1);
        pace.charge(calm, 9, now);
        assert_eq!(pace.take(calm, 1, now), Err(Duration::from_secs(1)));
    }

    #[test]
    fn bytes_are_spent_as_they_come_and_one_large_piece_is_let_through() {
        let pace = Pace::new(Some(600));
        let token = TokenId(1);
        assert_eq!(pace.take(token, 10_000, Duration::ZERO), Ok(()));
        assert_eq!(
            pace.take(token, 10, Duration::ZERO),
            Err(Duration::from_secs(1))
        );
        assert_eq!(pace.take(token, 10, Duration::from_secs(1)), Ok(()));
        let free = Pace::new(None);
        assert_eq!(free.take(token, u64::MAX, Duration::ZERO), Ok(()));
    }
}
