//! How an ask ended, for whoever asked it.

use std::sync::Arc;

use sayso_core::answer::Answer;
use sayso_core::ask::Matter;
use sayso_core::outcome::Outcome;
use sayso_core::view::AskView;

/// How an ask ended, for whoever asked it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// In which way.
    pub outcome: Outcome,
    /// An answer that came after the deadline; never for an approval.
    pub late: Option<Answer>,
}

impl Ended {
    /// The end of an ask as its asker may take it; nothing while it is open.
    pub fn of(view: &AskView) -> Option<Self> {
        let closing = view.closing.as_deref()?;
        Some(Self::new(
            &view.ask.matter,
            closing.outcome.clone(),
            view.late
                .as_ref()
                .map(Arc::as_ref)
                .map(|late| late.answer.clone()),
        ))
    }

    /// The same from its parts.
    pub fn new(matter: &Matter, outcome: Outcome, late: Option<Answer>) -> Self {
        let late = match matter {
            Matter::Questions(_) | Matter::Form(_) => late,
            Matter::Approval(_) => None,
        };
        Self { outcome, late }
    }
}
