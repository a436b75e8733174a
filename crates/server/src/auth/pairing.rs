//! Pairing codes: six digits, for programs that are set up by typing. Single use, for ten minutes.
//!
//! Six digits can be guessed. The throttle gives each address ten tries a minute before a code is even
//! looked at; guesses from many addresses end with the codes they were aimed at: one that was open while
//! too many wrong codes came to the doors of its dialect is void. Other codes stay good.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use sayso_core::limits;

use super::secret::{random_bytes, same};
use crate::error::ServerError;

/// Wrong codes that void a code: one address cannot send that many in the life of a code, and the chance
/// to hit one of those that can be open is one in five hundred.
const WRONG_CODES_MAX: u32 = 120;
const LIFE: Duration = Duration::from_secs(limits::PAIRING_S);
/// How many codes there can be.
const CODES: u64 = 1_000_000;

/// Codes that were given out. `G` is what a code is good for.
#[derive(Debug)]
pub(crate) struct Pairings<G>(Mutex<Vec<Code<G>>>);

#[derive(Debug)]
struct Code<G> {
    digits: String,
    /// The dialect whose doors take it.
    dialect: &'static str,
    good_for: G,
    until: Duration,
    /// Wrong codes that came while it was open.
    wrong: u32,
}

/// Why a code was not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotKept {
    /// So many are open that there cannot be another.
    Full,
    /// It is open already, for something else.
    Taken,
}

impl<G> Default for Pairings<G> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

/// A new code.
pub(crate) fn new_code() -> Result<String, ServerError> {
    Ok(format!(
        "{:06}",
        u64::from_be_bytes(random_bytes()?) % CODES
    ))
}

impl<G> Pairings<G> {
    /// Keeps a code until it is used, too old or void.
    pub(crate) fn add(
        &self,
        digits: &str,
        dialect: &'static str,
        good_for: G,
        now: Duration,
    ) -> Result<(), NotKept> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|code| now < code.until);
        if open.len() >= limits::PAIRINGS_MAX {
            return Err(NotKept::Full);
        }
        if open.iter().any(|code| same(&code.digits, digits)) {
            return Err(NotKept::Taken);
        }
        open.push(Code {
            digits: digits.to_owned(),
            dialect,
            good_for,
            until: now + LIFE,
            wrong: 0,
        });
        Ok(())
    }

    /// What this code is good for at a door of this dialect; it is used up with that.
    pub(crate) fn take(&self, digits: &str, dialect: &str, now: Duration) -> Option<G> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|code| now < code.until);
        let is_it = |code: &Code<G>| code.dialect == dialect && same(&code.digits, digits);
        if let Some(at) = open.iter().position(is_it) {
            return Some(open.swap_remove(at).good_for);
        }
        for code in open.iter_mut().filter(|code| code.dialect == dialect) {
            code.wrong += 1;
        }
        open.retain(|code| code.wrong < WRONG_CODES_MAX);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Duration = Duration::from_secs(100);

    fn after(seconds: u64) -> Duration {
        START + Duration::from_secs(seconds)
    }

    fn with(codes: &[&str]) -> Pairings<String> {
        let pairings = Pairings::default();
        for code in codes {
            pairings
                .add(code, "whimmy", (*code).to_owned(), START)
                .unwrap();
        }
        pairings
    }

    #[test]
    fn a_code_is_six_digits() {
        let codes: Vec<String> = (0..64).map(|_| new_code().unwrap()).collect();
        for code in &codes {
            assert_eq!(code.len(), 6, "{code}");
            assert!(code.bytes().all(|byte| byte.is_ascii_digit()), "{code}");
        }
        assert!(codes.iter().any(|code| *code != codes[0]));
    }

    #[test]
    fn a_code_is_good_once_at_its_own_doors_for_ten_minutes() {
        let pairings = with(&["000001", "000002", "000003"]);
        assert_eq!(pairings.take("000001", "other", START), None);
        assert_eq!(
            pairings.take("000001", "whimmy", START).as_deref(),
            Some("000001")
        );
        assert_eq!(pairings.take("000001", "whimmy", START), None);
        let last = after(599) + Duration::from_millis(999);
        assert!(pairings.take("000002", "whimmy", last).is_some());
        assert_eq!(pairings.take("000003", "whimmy", after(600)), None);
    }

    #[test]
    fn wrong_codes_void_only_what_they_were_aimed_at() {
        let pairings = with(&["000001", "000002"]);
        pairings
            .add("000003", "other", "other".to_owned(), START)
            .unwrap();
        for _ in 1..WRONG_CODES_MAX {
            assert_eq!(pairings.take("guess", "whimmy", START), None);
        }
        assert!(pairings.take("000001", "whimmy", START).is_some());
        pairings
            .add("000004", "whimmy", "new".to_owned(), START)
            .unwrap();
        assert_eq!(pairings.take("guess", "whimmy", START), None);
        assert_eq!(pairings.take("000002", "whimmy", START), None);
        // Another dialect's was not guessed at, and a newer one hardly.
        assert!(pairings.take("000003", "other", START).is_some());
        assert!(pairings.take("000004", "whimmy", START).is_some());
    }

    #[test]
    fn there_are_only_so_many_at_once_and_no_two_alike() {
        let pairings = Pairings::default();
        assert_eq!(pairings.add("000000", "whimmy", (), START), Ok(()));
        let again = pairings.add("000000", "whimmy", (), START);
        assert_eq!(again, Err(NotKept::Taken));
        for at in 1..limits::PAIRINGS_MAX {
            let code = format!("{at:06}");
            assert_eq!(pairings.add(&code, "whimmy", (), START), Ok(()));
        }
        let full = pairings.add("999999", "whimmy", (), START);
        assert_eq!(full, Err(NotKept::Full));
        assert_eq!(pairings.add("999999", "whimmy", (), after(600)), Ok(()));
    }
}
