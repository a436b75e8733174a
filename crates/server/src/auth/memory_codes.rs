//! Codes of a server that is alone: in its memory, and gone with it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sayso_hub::Clock;
use sayso_store::{CodeKept, CodeKind, Later, NewCode, SharedCodes};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// Codes in memory.
#[derive(Debug)]
pub(super) struct MemoryCodes {
    clock: Arc<dyn Clock>,
    open: Mutex<Vec<OpenCode>>,
}

#[derive(Debug)]
struct OpenCode {
    kind: CodeKind,
    hash: [u8; 32],
    good_for: Vec<u8>,
    group: String,
    until: Duration,
    /// Wrong codes that came while it was open.
    wrong: u32,
}

impl OpenCode {
    /// Whether it is this one, in the same time wherever the two differ.
    fn is(&self, kind: CodeKind, hash: &[u8; 32]) -> bool {
        self.kind == kind && bool::from(self.hash[..].ct_eq(&hash[..]))
    }
}

impl MemoryCodes {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            open: Mutex::default(),
        }
    }

    /// The codes that are not too old.
    fn open(&self) -> MutexGuard<'_, Vec<OpenCode>> {
        let now = self.clock.steady();
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|code| now < code.until);
        open
    }

    fn put(&self, code: NewCode) -> CodeKept {
        let until = self.clock.steady() + code.life;
        let mut open = self.open();
        if open.iter().any(|other| other.is(code.kind, &code.hash)) {
            return CodeKept::Taken;
        }
        if open.iter().filter(|other| other.kind == code.kind).count() >= code.most {
            return CodeKept::Full;
        }
        open.push(OpenCode {
            kind: code.kind,
            hash: code.hash,
            good_for: code.good_for,
            group: code.group,
            until,
            wrong: 0,
        });
        CodeKept::Kept
    }

    fn use_up(&self, kind: CodeKind, hash: &[u8; 32]) -> Option<Vec<u8>> {
        let mut open = self.open();
        let at = open.iter().position(|code| code.is(kind, hash))?;
        Some(open.swap_remove(at).good_for)
    }

    fn count_wrong(&self, kind: CodeKind, group: &str, most: u32) {
        let mut open = self.open();
        let aimed_at = |code: &OpenCode| code.kind == kind && code.group == group;
        for code in open.iter_mut().filter(|code| aimed_at(code)) {
            code.wrong += 1;
        }
        open.retain(|code| !aimed_at(code) || code.wrong < most);
    }
}

impl SharedCodes for MemoryCodes {
    fn hash(&self, _: CodeKind, code: &str) -> [u8; 32] {
        Sha256::digest(code.as_bytes()).into()
    }

    fn keep(&self, code: NewCode) -> Later<'_, CodeKept> {
        Box::pin(std::future::ready(Ok(self.put(code))))
    }

    fn take(&self, kind: CodeKind, hash: [u8; 32]) -> Later<'_, Option<Vec<u8>>> {
        Box::pin(std::future::ready(Ok(self.use_up(kind, &hash))))
    }

    fn wrong<'a>(&'a self, kind: CodeKind, group: &'a str, most: u32) -> Later<'a, ()> {
        self.count_wrong(kind, group, most);
        Box::pin(std::future::ready(Ok(())))
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;

    use sayso_core::time::Time;

    use super::*;

    /// A clock that a test sets.
    #[derive(Debug, Default)]
    struct SetClock(Mutex<Duration>);

    impl SetClock {
        fn set(&self, seconds: f64) {
            *self.0.lock().unwrap() = Duration::from_secs_f64(seconds);
        }
    }

    impl Clock for SetClock {
        fn wall(&self) -> Time {
            Time::default()
        }

        fn steady(&self) -> Duration {
            *self.0.lock().unwrap()
        }

        fn sleep(&self, _: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
            Box::pin(std::future::pending())
        }
    }

    fn codes() -> (Arc<SetClock>, MemoryCodes) {
        let clock = Arc::new(SetClock::default());
        (Arc::clone(&clock), MemoryCodes::new(clock))
    }

    fn new(codes: &MemoryCodes, kind: CodeKind, group: &str, code: &str) -> NewCode {
        NewCode {
            kind,
            hash: codes.hash(kind, code),
            good_for: code.as_bytes().to_vec(),
            group: group.to_owned(),
            life: Duration::from_secs(120),
            most: 3,
        }
    }

    fn add(codes: &MemoryCodes, group: &str, code: &str) -> CodeKept {
        codes.put(new(codes, CodeKind::Pairing, group, code))
    }

    fn takes(codes: &MemoryCodes, kind: CodeKind, code: &str) -> bool {
        let good_for = codes.use_up(kind, &codes.hash(kind, code));
        assert!(
            good_for
                .as_deref()
                .is_none_or(|good_for| good_for == code.as_bytes())
        );
        good_for.is_some()
    }

    #[test]
    fn a_code_is_good_once_as_what_it_is_and_for_its_time() {
        let (clock, codes) = codes();
        for code in ["a", "b", "c"] {
            assert_eq!(add(&codes, "", code), CodeKept::Kept);
        }
        assert!(!takes(&codes, CodeKind::Login, "a"));
        assert!(takes(&codes, CodeKind::Pairing, "a"));
        assert!(!takes(&codes, CodeKind::Pairing, "a"));
        clock.set(119.999);
        assert!(takes(&codes, CodeKind::Pairing, "b"));
        clock.set(120.0);
        assert!(!takes(&codes, CodeKind::Pairing, "c"));
    }

    #[test]
    fn wrong_codes_void_only_what_they_were_aimed_at() {
        let (_, codes) = codes();
        add(&codes, "whimmy", "1");
        add(&codes, "other", "2");
        codes.put(new(&codes, CodeKind::Login, "whimmy", "3"));
        for _ in 1..120 {
            codes.count_wrong(CodeKind::Pairing, "whimmy", 120);
        }
        add(&codes, "whimmy", "4");
        codes.count_wrong(CodeKind::Pairing, "whimmy", 120);
        assert!(!takes(&codes, CodeKind::Pairing, "1"));
        // Another group's was not guessed at, and a newer one hardly.
        assert!(takes(&codes, CodeKind::Pairing, "2"));
        assert!(takes(&codes, CodeKind::Login, "3"));
        assert!(takes(&codes, CodeKind::Pairing, "4"));
    }

    #[test]
    fn there_are_only_so_many_of_a_kind_and_no_two_alike() {
        let (clock, codes) = codes();
        for code in ["a", "b", "c"] {
            assert_eq!(add(&codes, "", code), CodeKept::Kept);
        }
        assert_eq!(add(&codes, "", "a"), CodeKept::Taken);
        assert_eq!(add(&codes, "", "d"), CodeKept::Full);
        let login = new(&codes, CodeKind::Login, "", "d");
        assert_eq!(codes.put(login), CodeKept::Kept);
        clock.set(120.0);
        assert_eq!(add(&codes, "", "d"), CodeKept::Kept);
    }
}
