//! Which devices had which ask on screen: what is remembered of it, and what is yet to be written.
//!
//! It is part of an ask's story and of nothing else: no decision looks at it, nobody waits for it
//! to be written, and what cannot be taken is dropped.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use hashbrown::HashMap;
use sayso_core::id::{AskId, Seq, TokenId};
use sayso_core::journal::ShownMark;
use sayso_core::limits;

/// Which devices had which ask on screen.
#[derive(Debug, Default)]
pub(crate) struct OnScreen {
    on: HashMap<AskId, Vec<TokenId>>,
    /// The asks that are remembered, the one that goes first in front.
    order: VecDeque<AskId>,
    /// What is not in the journal yet.
    waiting: BTreeMap<(Seq, TokenId), ShownMark>,
    /// Since when the oldest of that waits.
    since: Option<Duration>,
}

impl OnScreen {
    /// Whether it is remembered who had this ask on screen.
    pub(crate) fn remembers(&self, ask: AskId) -> bool {
        self.on.contains_key(&ask)
    }

    /// Takes what the store knows of an ask that is not remembered.
    pub(crate) fn recall(&mut self, ask: AskId, devices: Vec<TokenId>) {
        if self.remembers(ask) {
            return;
        }
        if self.order.len() >= limits::SHOWN_REMEMBERED_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.on.remove(&oldest);
        }
        self.order.push_back(ask);
        self.on.insert(ask, devices);
    }

    /// Notes that a device had an ask on screen. Says whether it is the first that waits to be
    /// written.
    pub(crate) fn note(&mut self, mark: ShownMark, steady: Duration) -> bool {
        self.recall(mark.ask, Vec::new());
        let Some(devices) = self.on.get_mut(&mark.ask) else {
            return false;
        };
        if devices.len() >= limits::SHOWN_DEVICES_MAX
            || devices.contains(&mark.device)
            || self.waiting.len() >= limits::SHOWN_WAITING_MAX
        {
            return false;
        }
        devices.push(mark.device);
        self.waiting.insert((mark.opened, mark.device), mark);
        let first = self.since.is_none();
        self.since.get_or_insert(steady);
        first
    }

    /// Since when the oldest report waits to be written.
    pub(crate) fn since(&self) -> Option<Duration> {
        self.since
    }

    /// What is written next, at most as much as fits into one entry.
    pub(crate) fn next(&self) -> Vec<ShownMark> {
        let waiting = self.waiting.values();
        waiting.take(limits::COMMIT_BATCH_MAX).copied().collect()
    }

    /// These are written.
    pub(crate) fn written(&mut self, marks: &[ShownMark], steady: Duration) {
        for mark in marks {
            self.waiting.remove(&(mark.opened, mark.device));
        }
        self.since = (!self.waiting.is_empty()).then_some(steady);
    }
}

#[cfg(test)]
mod tests {
    use sayso_core::time::Time;

    use super::*;

    fn mark(ask: u16, device: u32) -> ShownMark {
        let mut bytes = [0; 16];
        bytes[..2].copy_from_slice(&ask.to_be_bytes());
        ShownMark {
            ask: AskId::from_bytes(bytes),
            opened: Seq(u64::from(ask)),
            device: TokenId(device),
            at: Time::from_millis(1),
        }
    }

    #[test]
    fn a_device_counts_once_and_only_so_many_do() {
        let mut shown = OnScreen::default();
        let at = Duration::from_secs;
        assert!(shown.note(mark(1, 1), at(1)));
        assert!(!shown.note(mark(1, 1), at(2)));
        assert_eq!(shown.next(), [mark(1, 1)]);
        for device in 2..40 {
            shown.note(mark(1, device), at(3));
        }
        let next = shown.next();
        assert_eq!(next.len(), limits::SHOWN_DEVICES_MAX);
        assert_eq!(shown.since(), Some(at(1)));
        shown.written(&next[1..], at(4));
        assert_eq!(
            (shown.next(), shown.since()),
            (vec![mark(1, 1)], Some(at(4)))
        );
        shown.written(&next, at(5));
        assert_eq!((shown.next(), shown.since()), (vec![], None));
        // Written down is not forgotten.
        assert!(!shown.note(mark(1, 1), at(6)));
        assert_eq!(shown.next(), []);
    }

    #[test]
    fn memory_is_bounded_and_what_the_store_knows_counts() {
        let mut shown = OnScreen::default();
        shown.recall(mark(7, 0).ask, vec![TokenId(1)]);
        assert!(!shown.note(mark(7, 1), Duration::ZERO));
        assert!(shown.note(mark(7, 2), Duration::ZERO));
        assert_eq!(shown.next(), [mark(7, 2)]);
        for ask in 0..u16::MAX {
            shown.note(mark(ask, 1), Duration::ZERO);
        }
        assert_eq!(shown.order.len(), limits::SHOWN_REMEMBERED_MAX);
        assert_eq!(shown.on.len(), limits::SHOWN_REMEMBERED_MAX);
        assert_eq!(shown.waiting.len(), limits::SHOWN_WAITING_MAX);
        assert!(!shown.remembers(mark(7, 0).ask));
    }
}
