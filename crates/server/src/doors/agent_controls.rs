//! What people want of an agent's program, between the telling and the program's word about it.

use std::collections::VecDeque;
use std::sync::Arc;

use sayso_core::control::ControlKind;
use sayso_dialects::native::wire::{ControlEvent, ControlWord};
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
    /// How something that is wanted is told.
    pub(super) fn wanted(&mut self, wanted: &Arc<Wanted>) -> ControlEvent {
        self.last += 1;
        if self.waiting.len() == WAITING_MAX {
            self.waiting.pop_front();
        }
        self.waiting.push_back((self.last, Arc::clone(wanted)));
        let (control, mode) = match &wanted.what {
            ControlKind::Interrupt => (ControlWord::Interrupt, None),
            ControlKind::SetMode(mode) => (ControlWord::SetMode, Some(mode.clone())),
        };
        ControlEvent {
            id: self.last,
            conversation: wanted.conversation.name.as_str().to_owned(),
            control,
            mode,
            by: wanted.by.as_str().to_owned(),
        }
    }

    /// The program's word. One about something that nobody waits for is passed over.
    pub(super) fn answered(&mut self, id: u64, problem: Option<String>) {
        let place = self.waiting.iter().position(|(told, _)| *told == id);
        if let Some((_, wanted)) = place.and_then(|place| self.waiting.remove(place)) {
            wanted.answer(problem.map_or(Ok(()), Err));
        }
    }
}
