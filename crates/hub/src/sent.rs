//! Outcomes that were written to a link, until that is in the journal.
//!
//! Nobody waits for it to be written: it rides along with the next turn, or gets one of its own after
//! a while. An outcome that its agent confirmed meanwhile needs no mark any more.

use std::time::Duration;

use hashbrown::HashMap;
use sayso_core::id::AskId;
use sayso_core::journal::DeliveryMark;
use sayso_core::limits;
use sayso_core::outcome::Delivery;

/// What was sent and is not in the journal yet.
#[derive(Debug, Default)]
pub(crate) struct SentMarks {
    waiting: HashMap<AskId, DeliveryMark>,
    /// Since when the oldest waits; absent when none does.
    since: Option<Duration>,
}

impl SentMarks {
    /// Notes that an outcome was sent. Says whether it is the first that waits.
    pub(crate) fn note(&mut self, mark: DeliveryMark, steady: Duration) -> bool {
        self.waiting.insert(mark.ask, mark);
        let first = self.since.is_none();
        self.since.get_or_insert(steady);
        first
    }

    /// How far the news of an outcome has got, with what is not written yet.
    pub(crate) fn delivery(&self, ask: AskId, written: Delivery) -> Delivery {
        let mark = self.waiting.get(&ask).map(|mark| mark.delivery);
        mark.map_or(written, |mark| mark.max(written))
    }

    /// Since when the oldest waits.
    pub(crate) fn since(&self) -> Option<Duration> {
        self.since
    }

    /// What is written next, at most as much as fits into one entry.
    pub(crate) fn next(&self) -> Vec<DeliveryMark> {
        let waiting = self.waiting.values();
        waiting.take(limits::COMMIT_BATCH_MAX).copied().collect()
    }

    /// A turn took these along, whether or not they were news.
    pub(crate) fn taken(&mut self, asks: &[AskId], steady: Duration) {
        for ask in asks {
            self.waiting.remove(ask);
        }
        self.since = (!self.waiting.is_empty()).then_some(steady);
    }

    /// The agent of this one has it: that it was sent is no news any more.
    pub(crate) fn confirmed(&mut self, ask: AskId) {
        self.waiting.remove(&ask);
        if self.waiting.is_empty() {
            self.since = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use sayso_core::id::Seq;
    use sayso_core::time::Time;

    use super::*;

    #[test]
    fn nothing_waits_once_the_last_one_is_taken_or_confirmed() {
        let mark = |ask| DeliveryMark {
            ask: AskId::from_bytes([ask; 16]),
            opened: Seq(1),
            delivery: Delivery::Sent,
            at: Time::from_millis(1),
        };
        let at = Duration::from_secs;
        let mut sent = SentMarks::default();
        assert!(sent.note(mark(1), at(1)));
        assert!(!sent.note(mark(2), at(2)));
        assert_eq!((sent.since(), sent.next().len()), (Some(at(1)), 2));
        assert_eq!(sent.delivery(mark(1).ask, Delivery::Owed), Delivery::Sent);
        assert_eq!(sent.delivery(mark(3).ask, Delivery::Owed), Delivery::Owed);
        sent.confirmed(mark(2).ask);
        assert_eq!((sent.since(), sent.next()), (Some(at(1)), vec![mark(1)]));
        sent.confirmed(mark(1).ask);
        assert_eq!((sent.since(), sent.next()), (None, Vec::new()));
        assert!(sent.note(mark(3), at(5)), "it is the first again");
        sent.note(mark(4), at(6));
        sent.taken(&[mark(3).ask], at(7));
        assert_eq!((sent.since(), sent.next()), (Some(at(7)), vec![mark(4)]));
        sent.taken(&[mark(4).ask], at(8));
        assert_eq!((sent.since(), sent.next()), (None, Vec::new()));
    }
}
