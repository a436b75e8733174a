//! Slows guessing down: wrong tokens and codes are counted by address and all together.
//!
//! One count for every kind of credential, and nobody is exempt, the loopback included. A token
//! that is right always comes in: it has 256 bits, so counting can only be for those that are wrong.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::peer::Peer;

/// What is counted is counted for this long.
const WINDOW: Duration = Duration::from_secs(60);
/// Wrong tries from one address.
const TRIES_PER_PEER: u32 = 10;
/// Wrong tries from everywhere: many addresses are cheap to come by.
const TRIES_IN_ALL: u32 = 1000;
/// Addresses remembered at one time.
const PEERS_MAX: usize = 10_000;
/// Looking for addresses to forget takes time: not more often than this.
const SWEEP_PAUSE: Duration = Duration::from_secs(1);

/// Counts wrong tries.
#[derive(Debug, Default)]
pub(crate) struct Throttle(Mutex<Tries>);

#[derive(Debug, Default)]
struct Tries {
    by_peer: HashMap<IpAddr, Window>,
    all: Window,
    swept_at: Option<Duration>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Window {
    began: Duration,
    count: u32,
}

impl Window {
    /// Counts one more; says how long to wait when it is one too many.
    fn count(&mut self, now: Duration, max: u32) -> Option<Duration> {
        if self.is_over(now) {
            *self = Self {
                began: now,
                count: 0,
            };
        }
        self.count = self.count.saturating_add(1);
        (self.count > max).then(|| self.rest(now))
    }

    /// How long to wait when there is none left.
    fn left(&self, now: Duration, max: u32) -> Option<Duration> {
        (self.count >= max && !self.is_over(now)).then(|| self.rest(now))
    }

    fn rest(&self, now: Duration) -> Duration {
        let rest = (self.began + WINDOW).saturating_sub(now);
        rest.max(Duration::from_secs(1))
    }

    fn is_over(&self, now: Duration) -> bool {
        now.saturating_sub(self.began) >= WINDOW
    }
}

impl Tries {
    fn sweep(&mut self, now: Duration) {
        if self.swept_at.is_none_or(|at| now >= at + SWEEP_PAUSE) {
            self.swept_at = Some(now);
            self.by_peer.retain(|_, window| !window.is_over(now));
        }
    }
}

impl Throttle {
    /// How long this address has to wait before it may try again; nothing is counted.
    pub(crate) fn waits(&self, peer: Peer, now: Duration) -> Option<Duration> {
        let tries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let one = tries.by_peer.get(&peer.network()).copied();
        one.and_then(|window| window.left(now, TRIES_PER_PEER))
            .max(tries.all.left(now, TRIES_IN_ALL))
    }

    /// Counts a wrong try; says how long to wait when there were too many.
    pub(crate) fn failed(&self, peer: Peer, now: Duration) -> Option<Duration> {
        let mut tries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let all = tries.all.count(now, TRIES_IN_ALL);
        let key = peer.network();
        if tries.by_peer.len() >= PEERS_MAX && !tries.by_peer.contains_key(&key) {
            tries.sweep(now);
            if tries.by_peer.len() >= PEERS_MAX {
                // So many addresses at once are one guesser: everyone who is new waits.
                return Some(WINDOW);
            }
        }
        let one = tries
            .by_peer
            .entry(key)
            .or_insert(Window {
                began: now,
                count: 0,
            })
            .count(now, TRIES_PER_PEER);
        one.max(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Duration = Duration::from_secs(5);

    fn peer(text: &str) -> Peer {
        Peer(text.parse().unwrap())
    }

    #[test]
    fn a_guesser_is_stopped_after_ten_tries_even_on_the_loopback() {
        let throttle = Throttle::default();
        for _ in 0..10 {
            assert_eq!(throttle.failed(peer("127.0.0.1"), START), None);
        }
        for _ in 0..500 {
            assert_eq!(throttle.failed(peer("127.0.0.1"), START), Some(WINDOW));
        }
        assert_eq!(throttle.failed(peer("127.0.0.2"), START), None);
        assert_eq!(throttle.failed(peer("127.0.0.1"), START + WINDOW), None);
    }

    #[test]
    fn whoever_has_no_try_left_is_told_before_the_next() {
        let throttle = Throttle::default();
        for _ in 0..10 {
            assert_eq!(throttle.waits(peer("10.0.0.9"), START), None);
            throttle.failed(peer("10.0.0.9"), START);
        }
        assert_eq!(throttle.waits(peer("10.0.0.9"), START), Some(WINDOW));
        assert_eq!(throttle.waits(peer("10.0.0.8"), START), None);
        assert_eq!(throttle.waits(peer("10.0.0.9"), START + WINDOW), None);
    }

    #[test]
    fn two_spellings_of_an_address_are_one_guesser() {
        let throttle = Throttle::default();
        for at in 0..10 {
            let spelling = if at % 2 == 0 {
                "10.0.0.9"
            } else {
                "::ffff:10.0.0.9"
            };
            assert_eq!(throttle.failed(peer(spelling), START), None);
        }
        assert!(throttle.failed(peer("::ffff:10.0.0.9"), START).is_some());
        assert!(throttle.failed(peer("10.0.0.9"), START).is_some());
    }

    #[test]
    fn addresses_of_one_network_are_one_guesser() {
        let throttle = Throttle::default();
        for at in 0..10 {
            assert_eq!(
                throttle.failed(peer(&format!("2001:db8::{at}")), START),
                None
            );
        }
        assert!(throttle.failed(peer("2001:db8::ffff"), START).is_some());
        assert_eq!(throttle.failed(peer("2001:db8:0:1::1"), START), None);
    }

    #[test]
    fn many_addresses_do_not_help() {
        let throttle = Throttle::default();
        let mut waits = 0;
        for at in 0..2000_u32 {
            let ip = IpAddr::V4(std::net::Ipv4Addr::from(0x0a00_0000 + at));
            waits += u32::from(throttle.failed(Peer(ip), START).is_some());
        }
        assert_eq!(waits, 1000);
    }

    #[test]
    fn memory_is_bounded() {
        let throttle = Throttle::default();
        for at in 0..20_000_u32 {
            throttle.failed(Peer(IpAddr::V4(std::net::Ipv4Addr::from(at))), START);
        }
        assert_eq!(throttle.0.lock().unwrap().by_peer.len(), PEERS_MAX);
    }
}
