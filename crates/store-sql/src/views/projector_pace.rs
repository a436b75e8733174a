//! How long a projector rests after a batch: while commits go on they have the disk and the processor
//! first. It never rests when all is quiet, or when it has fallen so far behind that a start would take long.

use std::time::Duration;

use sayso_core::id::Seq;

/// The rest while commits go on: a list that is behind says so.
const REST: Duration = Duration::from_millis(250);
/// The rest while many commits go on: the more events a batch has, the less each of them costs.
const REST_BUSY: Duration = Duration::from_secs(1);
/// Events of one batch from which on the server counts as busy.
const BUSY: u64 = 200;
/// Events it may fall behind before it stops resting: lists are that much behind, and a start has to
/// catch up on them.
const BEHIND_MAX: u64 = 8_000;

/// The pace of one projector.
#[derive(Debug, Default)]
pub struct ProjectorPace {
    /// Where the journal ended when the last batch began.
    seen: Seq,
}

impl ProjectorPace {
    /// The rest after a batch that took in the rows from `before` to `after` of a journal that ended at
    /// `end`.
    pub fn rest(&mut self, end: Seq, before: Seq, after: Seq, has_more: bool) -> Duration {
        let is_quiet = end == self.seen;
        self.seen = end;
        let is_behind = end.0.saturating_sub(after.0) > BEHIND_MAX;
        if has_more && (is_quiet || is_behind) {
            return Duration::ZERO;
        }
        if after.0.saturating_sub(before.0) >= BUSY {
            REST_BUSY
        } else {
            REST
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_come_first_until_lists_are_far_behind() {
        let mut pace = ProjectorPace::default();
        assert_eq!(pace.rest(Seq(10), Seq(0), Seq(10), true), REST);
        assert_eq!(pace.rest(Seq(12), Seq(10), Seq(12), true), REST);
        assert_eq!(pace.rest(Seq(900), Seq(12), Seq(900), true), REST_BUSY);
        assert_eq!(
            pace.rest(Seq(9_900), Seq(900), Seq(1_412), true),
            Duration::ZERO
        );
    }

    #[test]
    fn a_quiet_journal_is_taken_in_without_a_rest() {
        let mut pace = ProjectorPace::default();
        pace.rest(Seq(600), Seq(0), Seq(512), true);
        assert_eq!(
            pace.rest(Seq(600), Seq(512), Seq(600), true),
            Duration::ZERO
        );
        assert_eq!(pace.rest(Seq(600), Seq(600), Seq(600), false), REST);
    }
}
