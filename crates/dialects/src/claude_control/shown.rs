//! The asks that one connection has shown, so that a decision finds the one it is about.

use std::collections::VecDeque;

use sayso_core::id::AskId;
use sayso_core::view::AskView;

/// Open asks remembered for one connection: more than a person could look through.
const OPEN_MAX: usize = 4096;
/// Closed asks remembered, for decisions that were under way when another one came first.
const CLOSED_MAX: usize = 64;

/// The asks that one connection has shown.
#[derive(Debug, Default)]
pub(super) struct ShownAsks {
    open: VecDeque<AskView>,
    closed: VecDeque<AskView>,
}

/// Which ask an id means.
#[derive(Debug)]
pub(super) enum MeantAsk<'a> {
    /// This one.
    One(&'a AskView),
    /// None that was shown.
    Nothing,
    /// More than one asker chose this id.
    Several,
}

impl ShownAsks {
    pub(super) fn open(&mut self, view: &AskView) {
        self.open.retain(|have| have.ask.id != view.ask.id);
        if self.open.len() == OPEN_MAX {
            self.open.pop_front();
        }
        self.open.push_back(view.clone());
    }

    pub(super) fn close(&mut self, view: &AskView) {
        self.open.retain(|have| have.ask.id != view.ask.id);
        if self.closed.len() == CLOSED_MAX {
            self.closed.pop_front();
        }
        self.closed.push_back(view.clone());
    }

    pub(super) fn is_clear(&self) -> bool {
        self.open.is_empty()
    }

    /// The ask, while it is open.
    pub(super) fn still_open(&self, ask: AskId) -> Option<&AskView> {
        self.open.iter().find(|view| view.ask.id == ask)
    }

    /// Our own id means one ask; an asker's id means one only when no other asker chose the same.
    pub(super) fn find(&self, id: &str) -> MeantAsk<'_> {
        let by_id = |view: &&AskView| view.ask.id.to_string() == id;
        if let Some(view) = self.open.iter().chain(&self.closed).find(by_id) {
            return MeantAsk::One(view);
        }
        let by_wire = |view: &&AskView| {
            let wire_id = view.ask.wire_id.as_ref();
            wire_id.is_some_and(|wire_id| wire_id.as_str() == id)
        };
        for shown in [&self.open, &self.closed] {
            let mut views = shown.iter().filter(by_wire);
            match (views.next(), views.next()) {
                (Some(view), None) => return MeantAsk::One(view),
                (Some(_), Some(_)) => return MeantAsk::Several,
                (None, _) => {}
            }
        }
        MeantAsk::Nothing
    }
}
