//! How long to wait before the next try: doubling, capped, and never the same for two callers.

use std::time::Duration;

const FIRST: Duration = Duration::from_millis(100);
const MOST: Duration = Duration::from_secs(5);

/// The waits between tries.
#[derive(Debug, Clone, Default)]
pub(crate) struct Backoff {
    tries: u32,
}

impl Backoff {
    /// The next wait: between half and the whole of a doubling span.
    pub(crate) fn next(&mut self) -> Duration {
        let span = FIRST
            .saturating_mul(1u32.checked_shl(self.tries).unwrap_or(u32::MAX))
            .min(MOST);
        self.tries = self.tries.saturating_add(1).min(16);
        let half = span / 2;
        half + half.mul_f64(f64::from(random_byte()) / 255.0)
    }

    /// It worked: the next failure begins anew.
    pub(crate) fn reset(&mut self) {
        self.tries = 0;
    }
}

fn random_byte() -> u8 {
    let mut byte = [0u8];
    // Without a random source the waits are merely less spread.
    if getrandom::fill(&mut byte).is_err() {
        return 128;
    }
    byte[0]
}

/// A random name: 128 bits in hex.
pub(crate) fn random_name() -> Result<String, crate::error::ClientError> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        crate::error::ClientError::NotSent(format!("no random source: {error}"))
    })?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_a_cap_and_begin_anew() {
        let mut backoff = Backoff::default();
        let mut span = FIRST;
        for _ in 0..40 {
            let wait = backoff.next();
            assert!(wait >= span / 2 && wait <= span, "{wait:?} of {span:?}");
            span = (span * 2).min(MOST);
        }
        backoff.reset();
        assert!(backoff.next() <= FIRST);
    }

    #[test]
    fn names_do_not_repeat() {
        let (one, two) = (random_name().unwrap(), random_name().unwrap());
        assert_eq!(one.len(), 32);
        assert_ne!(one, two);
    }
}
