//! The open asks of one conversation, in asking order: the first one is shown, the others wait.
//!
//! It also remembers which asks closed lately, so that an answer that comes late is told from one
//! that means no ask at all.

use std::collections::VecDeque;

use sayso_core::id::AskId;
use sayso_core::view::AskView;

/// Asks that wait; those beyond are shown to a newer connection.
const OPEN_MAX: usize = 1024;
/// Closed asks that are remembered; the oldest are forgotten.
const CLOSED_MAX: usize = 128;

/// The asks of one connection.
#[derive(Debug, Default)]
pub(crate) struct AskQueue {
    open: VecDeque<AskView>,
    closed: VecDeque<AskId>,
}

/// Where an ask stood when it closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stood {
    /// It was the one that is shown.
    First,
    /// It waited.
    Behind,
    /// It was not there.
    Nowhere,
}

impl AskQueue {
    /// The ask that is shown.
    pub(crate) fn first(&self) -> Option<&AskView> {
        self.open.front()
    }

    /// Whether an ask is known to have closed.
    pub(crate) fn is_closed(&self, ask: AskId) -> bool {
        self.closed.contains(&ask)
    }

    /// Takes in an ask, open or closed. Says whether it is now the first.
    pub(crate) fn add(&mut self, view: &AskView) -> bool {
        let id = view.ask.id;
        if view.closing.is_some() {
            self.remember(id);
            return false;
        }
        let is_new = self.open.len() < OPEN_MAX
            && !self.is_closed(id)
            && self.open.iter().all(|known| known.ask.id != id);
        if is_new {
            self.open.push_back(view.clone());
        }
        is_new && self.open.len() == 1
    }

    /// Takes out an ask that closed.
    pub(crate) fn close(&mut self, ask: AskId) -> Stood {
        let Some(place) = self.open.iter().position(|view| view.ask.id == ask) else {
            return Stood::Nowhere;
        };
        self.open.remove(place);
        self.remember(ask);
        if place == 0 {
            Stood::First
        } else {
            Stood::Behind
        }
    }

    fn remember(&mut self, ask: AskId) {
        if self.closed.len() == CLOSED_MAX {
            self.closed.pop_front();
        }
        self.closed.push_back(ask);
    }
}
