//! What the frames of one connection want and takes a while, begun in the order of the frames.

use std::collections::VecDeque;

/// Work that waits for what came before it. What may go together goes together; what stands alone
/// waits for all that was begun, and everything after it waits for it.
#[derive(Debug)]
pub(super) struct InOrder<W> {
    waiting: VecDeque<(Goes, W)>,
    under_way: usize,
    alone: bool,
}

/// How work stands to what comes before and after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Goes {
    Together,
    Alone,
}

impl<W> Default for InOrder<W> {
    fn default() -> Self {
        Self {
            waiting: VecDeque::new(),
            under_way: 0,
            alone: false,
        }
    }
}

impl<W> InOrder<W> {
    pub(super) fn push(&mut self, goes: Goes, work: W) {
        self.waiting.push_back((goes, work));
    }

    /// The next that may begin now; it counts as under way until [`Self::done`].
    pub(super) fn next(&mut self) -> Option<W> {
        let alone = self.waiting.front()?.0 == Goes::Alone;
        if self.alone || (alone && self.under_way > 0) {
            return None;
        }
        self.alone = alone;
        self.under_way += 1;
        self.waiting.pop_front().map(|(_, work)| work)
    }

    /// One that was begun is done.
    pub(super) fn done(&mut self) {
        self.alone = false;
        self.under_way = self.under_way.saturating_sub(1);
    }

    /// How many have not begun.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_alone_waits_and_is_waited_for() {
        let mut order = InOrder::default();
        for (goes, work) in [
            (Goes::Together, 'a'),
            (Goes::Together, 'b'),
            (Goes::Alone, 'c'),
            (Goes::Together, 'd'),
        ] {
            order.push(goes, work);
        }
        assert_eq!(
            [order.next(), order.next(), order.next()],
            [Some('a'), Some('b'), None]
        );
        order.done();
        assert_eq!(order.next(), None);
        order.done();
        assert_eq!([order.next(), order.next()], [Some('c'), None]);
        order.done();
        assert_eq!([order.next(), order.next()], [Some('d'), None]);
    }
}
