//! One-time codes for logging a device in: single use, 120 s, and void for everyone once too many
//! wrong ones came.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use sayso_core::limits;

use super::secret::same;
use super::ticket::Full;

/// Wrong codes after which every open code is void: a person who mistypes asks for a new one.
const WRONG_CODES_MAX: u32 = 10;

/// Codes that were given out. `G` is what a code is good for.
#[derive(Debug)]
pub(crate) struct Logins<G>(Mutex<Codes<G>>);

#[derive(Debug)]
struct Codes<G> {
    open: Vec<Code<G>>,
    wrong: u32,
}

#[derive(Debug)]
struct Code<G> {
    secret: String,
    good_for: G,
    until: Duration,
}

impl<G> Default for Logins<G> {
    fn default() -> Self {
        Self(Mutex::new(Codes {
            open: Vec::new(),
            wrong: 0,
        }))
    }
}

impl<G> Logins<G> {
    /// Keeps a code until it is used, too old or void.
    pub(crate) fn add(&self, secret: String, good_for: G, now: Duration) -> Result<(), Full> {
        let mut codes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        codes.open.retain(|code| now < code.until);
        if codes.open.is_empty() {
            codes.wrong = 0;
        }
        if codes.open.len() >= limits::LOGIN_CODES_MAX {
            return Err(Full);
        }
        let until = now + Duration::from_secs(limits::LOGIN_CODE_S);
        codes.open.push(Code {
            secret,
            good_for,
            until,
        });
        Ok(())
    }

    /// What this code is good for; it is used up with that.
    pub(crate) fn take(&self, secret: &str, now: Duration) -> Option<G> {
        let mut codes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        codes.open.retain(|code| now < code.until);
        let Some(at) = codes
            .open
            .iter()
            .position(|code| same(&code.secret, secret))
        else {
            codes.wrong = codes.wrong.saturating_add(1);
            if codes.wrong >= WRONG_CODES_MAX {
                codes.open.clear();
                codes.wrong = 0;
            }
            return None;
        };
        Some(codes.open.swap_remove(at).good_for)
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
    fn ten_wrong_codes_void_all_open_ones() {
        let logins = Logins::default();
        logins.add("a".into(), "ann", START).unwrap();
        logins.add("b".into(), "bob", START).unwrap();
        for _ in 0..9 {
            assert_eq!(logins.take("guess", START), None);
        }
        assert_eq!(logins.take("a", START), Some("ann"), "nine do not");
        assert_eq!(logins.take("guess", START), None);
        assert_eq!(logins.take("b", START), None);
        logins.add("c".into(), "ann", START).unwrap();
        assert_eq!(
            logins.take("c", START),
            Some("ann"),
            "a new code is good again"
        );
    }

    #[test]
    fn there_are_only_so_many_at_once() {
        let logins = Logins::default();
        for at in 0..limits::LOGIN_CODES_MAX {
            logins.add(at.to_string(), (), START).unwrap();
        }
        assert_eq!(logins.add("more".into(), (), START), Err(Full));
    }
}
