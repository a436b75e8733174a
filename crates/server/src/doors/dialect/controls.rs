//! What people want of an agent's program, between the telling and the program's word about it.

use std::collections::VecDeque;
use std::sync::Arc;

use sayso_hub::Wanted;

/// How much may wait for a word of one program; the oldest then counts as not done.
const WAITING_MAX: usize = 16;

/// What one program was told, by numbers that are counted on its connection.
#[derive(Debug, Default)]
pub(super) struct Controls {
    last: u64,
    waiting: VecDeque<(u64, Arc<Wanted>)>,
}

impl Controls {
    /// The number that something is told with.
    pub(super) fn number(&mut self, wanted: &Arc<Wanted>) -> u64 {
        self.last += 1;
        if self.waiting.len() == WAITING_MAX {
            self.waiting.pop_front();
        }
        self.waiting.push_back((self.last, Arc::clone(wanted)));
        self.last
    }

    /// The program's word. One about something that nobody waits for is passed over.
    pub(super) fn answered(&mut self, number: u64, problem: Option<String>) {
        let place = self.waiting.iter().position(|(told, _)| *told == number);
        if let Some((_, wanted)) = place.and_then(|place| self.waiting.remove(place)) {
            wanted.answer(problem.map_or(Ok(()), Err));
        }
    }
}
