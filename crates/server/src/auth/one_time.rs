//! Secrets that are good once and for a while: log-in codes and tickets.
//!
//! Each has 256 random bits. Nobody finds one by guessing, so a wrong one changes nothing here: it is
//! counted against the address it came from, and the others stay good.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::secret::same;

/// Secrets that were given out. `G` is what one is good for.
#[derive(Debug)]
pub(crate) struct OneTime<G> {
    open: Mutex<Vec<Code<G>>>,
    life: Duration,
    most: usize,
}

#[derive(Debug)]
struct Code<G> {
    secret: String,
    good_for: G,
    until: Duration,
}

/// So many are open that there cannot be another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooManyCodes;

impl<G> OneTime<G> {
    /// None yet; each is good for this many seconds, and at most so many are open at once.
    pub(crate) const fn new(life_s: u64, most: usize) -> Self {
        Self {
            open: Mutex::new(Vec::new()),
            life: Duration::from_secs(life_s),
            most,
        }
    }

    /// Keeps a secret until it is used or too old.
    pub(crate) fn add(
        &self,
        secret: String,
        good_for: G,
        now: Duration,
    ) -> Result<(), TooManyCodes> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|code| now < code.until);
        if open.len() >= self.most {
            return Err(TooManyCodes);
        }
        open.push(Code {
            secret,
            good_for,
            until: now + self.life,
        });
        Ok(())
    }

    /// What this secret is good for; it is used up with that.
    pub(crate) fn take(&self, secret: &str, now: Duration) -> Option<G> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|code| now < code.until);
        let at = open.iter().position(|code| same(&code.secret, secret))?;
        Some(open.swap_remove(at).good_for)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Duration = Duration::from_secs(100);

    #[test]
    fn a_code_is_good_once_and_for_its_time() {
        let codes = OneTime::new(120, 9);
        codes.add("a".into(), "ann", START).unwrap();
        assert_eq!(codes.take("b", START), None);
        assert_eq!(codes.take("a", START), Some("ann"));
        assert_eq!(codes.take("a", START), None);
        codes.add("c".into(), "ann", START).unwrap();
        assert_eq!(codes.take("c", START + Duration::from_secs(120)), None);
        codes.add("d".into(), "ann", START).unwrap();
        let last = START + Duration::from_millis(119_999);
        assert_eq!(codes.take("d", last), Some("ann"));
    }

    #[test]
    fn wrong_codes_leave_the_open_ones_good() {
        let codes = OneTime::new(120, 9);
        codes.add("a".into(), "ann", START).unwrap();
        codes.add("b".into(), "bob", START).unwrap();
        for _ in 0..1000 {
            assert_eq!(codes.take("guess", START), None);
        }
        assert_eq!(codes.take("a", START), Some("ann"));
        assert_eq!(codes.take("b", START), Some("bob"));
    }

    #[test]
    fn there_are_only_so_many_at_once() {
        let codes = OneTime::new(30, 2);
        for secret in ["a", "b"] {
            codes.add(secret.into(), (), START).unwrap();
        }
        assert_eq!(codes.add("more".into(), (), START), Err(TooManyCodes));
        let later = START + Duration::from_secs(30);
        assert_eq!(codes.add("later".into(), (), later), Ok(()));
    }
}
