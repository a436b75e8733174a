//! Deadlines of open asks, on the steady clock: a jump of the wall clock expires nothing.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use sayso_core::id::{AskId, Seq};
use sayso_core::state::OpenIndex;
use sayso_core::time::Time;

/// Timers of asks that have ended may be kept up to this many before they are looked through.
const STALE_MIN: usize = 1024;

/// When the open asks expire, in hub time, each by the place where it was asked.
#[derive(Debug, Default)]
pub(crate) struct Timers(BinaryHeap<Reverse<(Time, Seq)>>);

impl Timers {
    /// An ask expires then. Says whether that is sooner than every other.
    pub(crate) fn start(&mut self, opened: Seq, at: Time, open: &OpenIndex) -> bool {
        // Asks that end early leave their timers behind: no more of them than there are open asks.
        if self.0.len() > 2 * open.len() + STALE_MIN {
            self.0
                .retain(|Reverse((_, opened))| open.at_place(*opened).is_some());
        }
        let sooner = self.0.peek().is_none_or(|Reverse((first, _))| at < *first);
        self.0.push(Reverse((at, opened)));
        sooner
    }

    /// The asks that are open and due, at most so many. They stay due until they are closed.
    pub(crate) fn due(&mut self, now: Time, open: &OpenIndex, most: usize) -> Vec<AskId> {
        let (mut due, mut asks) = (Vec::new(), Vec::new());
        while due.len() < most
            && let Some(timer) = self.0.peek().copied()
            && timer.0.0 <= now
        {
            self.0.pop();
            if let Some(entry) = open.at_place(timer.0.1) {
                due.push(timer);
                asks.push(entry.ask);
            }
        }
        self.0.extend(&due);
        asks
    }

    /// When the next one of an open ask is due.
    pub(crate) fn next(&mut self, open: &OpenIndex) -> Option<Time> {
        while let Some(Reverse((at, opened))) = self.0.peek() {
            if open.at_place(*opened).is_some() {
                return Some(*at);
            }
            self.0.pop();
        }
        None
    }
}

/// When an ask expires that is taken in now, or was before a restart: of its time it has what is left,
/// never more than it had at first.
pub(crate) fn expires_at(deadline: Time, asked_at: Time, wall: Time, hub_now: Time) -> Time {
    let original = deadline.since(asked_at);
    hub_now.after(deadline.since(wall).min(original).max(Duration::ZERO))
}
