//! Pairing codes: six digits, for programs that are set up by typing. Single use, ten minutes, and
//! void for everyone once ten wrong ones came within ten minutes.
//!
//! Six digits can be guessed, so being wrong is what is counted: whoever guesses has ten tries in a
//! million before there is nothing left to find.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use sayso_core::limits;

use super::secret::same;
use crate::error::ServerError;

/// Wrong codes after which every open code is void: a person who mistypes asks for a new one.
const WRONG_CODES_MAX: usize = 10;
/// Wrong codes are counted for this long.
const WRONG_FOR: Duration = Duration::from_secs(600);
const LIFE: Duration = Duration::from_secs(limits::PAIRING_S);
/// How many codes there can be.
const CODES: u64 = 1_000_000;

/// Codes that were given out. `G` is what a code is good for.
#[derive(Debug)]
pub(crate) struct Pairings<G>(Mutex<Codes<G>>);

#[derive(Debug)]
struct Codes<G> {
    open: Vec<Code<G>>,
    /// When wrong ones came, oldest first; never more than make everything void.
    wrong: VecDeque<Duration>,
}

#[derive(Debug)]
struct Code<G> {
    digits: String,
    /// The dialect whose doors take it.
    dialect: &'static str,
    good_for: G,
    until: Duration,
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
        Self(Mutex::new(Codes {
            open: Vec::new(),
            wrong: VecDeque::new(),
        }))
    }
}

/// A new code.
pub(crate) fn new_code() -> Result<String, ServerError> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|error| ServerError::NoRandom {
        detail: error.to_string(),
    })?;
    Ok(format!("{:06}", u64::from_be_bytes(bytes) % CODES))
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
        let mut codes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        codes.open.retain(|code| now < code.until);
        if codes.open.len() >= limits::PAIRINGS_MAX {
            return Err(NotKept::Full);
        }
        if codes.open.iter().any(|code| same(&code.digits, digits)) {
            return Err(NotKept::Taken);
        }
        codes.open.push(Code {
            digits: digits.to_owned(),
            dialect,
            good_for,
            until: now + LIFE,
        });
        Ok(())
    }

    /// What this code is good for at a door of this dialect; it is used up with that.
    pub(crate) fn take(&self, digits: &str, dialect: &str, now: Duration) -> Option<G> {
        let mut codes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        codes.open.retain(|code| now < code.until);
        let is_it = |code: &Code<G>| code.dialect == dialect && same(&code.digits, digits);
        if let Some(at) = codes.open.iter().position(is_it) {
            return Some(codes.open.swap_remove(at).good_for);
        }
        codes.wrong.retain(|at| now < *at + WRONG_FOR);
        codes.wrong.push_back(now);
        if codes.wrong.len() >= WRONG_CODES_MAX {
            codes.open.clear();
            codes.wrong.clear();
        }
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
    fn ten_wrong_codes_in_ten_minutes_void_all_open_ones() {
        let pairings = with(&["000001", "000002", "000003"]);
        for _ in 0..9 {
            assert_eq!(pairings.take("guess", "whimmy", START), None);
        }
        assert!(pairings.take("000001", "whimmy", START).is_some());
        assert_eq!(pairings.take("guess", "whimmy", after(599)), None);
        assert_eq!(pairings.take("000002", "whimmy", after(599)), None);
        assert_eq!(pairings.take("000003", "whimmy", after(599)), None);
        pairings
            .add("000004", "whimmy", "new".to_owned(), after(599))
            .unwrap();
        assert!(pairings.take("000004", "whimmy", after(599)).is_some());
    }

    #[test]
    fn wrong_codes_of_long_ago_do_not_count() {
        let pairings = with(&[]);
        for _ in 0..9 {
            assert_eq!(pairings.take("guess", "whimmy", START), None);
        }
        let late = after(600);
        pairings
            .add("000001", "whimmy", String::new(), late)
            .unwrap();
        for _ in 0..9 {
            assert_eq!(pairings.take("guess", "whimmy", late), None);
        }
        assert!(pairings.take("000001", "whimmy", late).is_some());
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
