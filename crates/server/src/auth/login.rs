//! One-time codes for logging a device in: single use, for 120 s.
//!
//! A code has 256 random bits. Nobody finds one by guessing, so a wrong one changes nothing here: it
//! is counted against the address it came from, and open codes stay good.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use sayso_core::limits;

use super::secret::same;
use super::ticket::TooManyCodes;

/// Codes that were given out. `G` is what a code is good for.
#[derive(Debug)]
pub(crate) struct Logins<G>(Mutex<Vec<Code<G>>>);

#[derive(Debug)]
struct Code<G> {
    secret: String,
    good_for: G,
    until: Duration,
}

impl<G> Default for Logins<G> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<G> Logins<G> {
    /// Keeps a code until it is used or too old.
    pub(crate) fn add(
        &self,
        secret: String,
        good_for: G,
        now: Duration,
    ) -> Result<(), TooManyCodes> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|code| now < code.until);
        if open.len() >= limits::LOGIN_CODES_MAX {
            return Err(TooManyCodes);
        }
        let until = now + Duration::from_secs(limits::LOGIN_CODE_S);
        open.push(Code {
            secret,
            good_for,
            until,
        });
        Ok(())
    }

    /// What this code is good for; it is used up with that.
    pub(crate) fn take(&self, secret: &str, now: Duration) -> Option<G> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
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
    fn a_code_is_good_once_and_for_two_minutes() {
        let logins = Logins::default();
        logins.add("a".into(), "ann", START).unwrap();
        assert_eq!(logins.take("b", START), None);
        assert_eq!(logins.take("a", START), Some("ann"));
        assert_eq!(logins.take("a", START), None);
        logins.add("c".into(), "ann", START).unwrap();
        assert_eq!(logins.take("c", START + Duration::from_secs(120)), None);
        logins.add("d".into(), "ann", START).unwrap();
        assert_eq!(
            logins.take("d", START + Duration::from_millis(119_999)),
            Some("ann")
        );
    }

    #[test]
    fn wrong_codes_leave_the_open_ones_good() {
        let logins = Logins::default();
        logins.add("a".into(), "ann", START).unwrap();
        logins.add("b".into(), "bob", START).unwrap();
        for _ in 0..1000 {
            assert_eq!(logins.take("guess", START), None);
        }
        assert_eq!(logins.take("a", START), Some("ann"));
        assert_eq!(logins.take("b", START), Some("bob"));
    }

    #[test]
    fn there_are_only_so_many_at_once() {
        let logins = Logins::default();
        for at in 0..limits::LOGIN_CODES_MAX {
            logins.add(at.to_string(), (), START).unwrap();
        }
        assert_eq!(logins.add("more".into(), (), START), Err(TooManyCodes));
    }
}
