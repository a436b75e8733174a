//! How fast frames may come: a socket that sends too many is not read until its minute is over.

use std::time::Duration;

use tokio::time::Instant;

const MINUTE: Duration = Duration::from_secs(60);

/// How many frames may still come.
#[derive(Debug)]
pub(super) struct PingPace {
    per_minute: Option<u32>,
    began: Instant,
    count: u32,
    resting: bool,
}

impl PingPace {
    pub(super) fn new(per_minute: Option<u32>, now: Instant) -> Self {
        Self {
            per_minute,
            began: now,
            count: 0,
            resting: false,
        }
    }

    /// Whether no more is read for now.
    pub(super) fn is_resting(&self) -> bool {
        self.resting
    }

    /// Counts a frame; says until when to read no more.
    pub(super) fn count(&mut self, now: Instant) -> Option<Instant> {
        let max = self.per_minute?;
        if now.duration_since(self.began) >= MINUTE {
            self.began = now;
            self.count = 0;
        }
        self.count += 1;
        self.resting = self.count >= max;
        self.resting.then(|| self.began + MINUTE)
    }

    /// Until when to read no more, if that is still so.
    pub(super) fn rests_until(&self, now: Instant) -> Option<Instant> {
        let over = self.began + MINUTE;
        (self.resting && now < over).then_some(over)
    }

    /// Goes on after a rest; says whether there was one.
    pub(super) fn wake(&mut self) -> bool {
        std::mem::take(&mut self.resting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_not_read_until_its_minute_is_over() {
        let began = Instant::now();
        let mut pace = PingPace::new(Some(3), began);
        assert_eq!(pace.count(began), None);
        assert_eq!(pace.count(began), None);
        assert_eq!(pace.count(began), Some(began + MINUTE));
        assert!(pace.is_resting());
        assert_eq!(pace.count(began + MINUTE), None);
        assert!(!pace.is_resting());
        let mut free = PingPace::new(None, began);
        assert_eq!(free.count(began), None);
    }
}
