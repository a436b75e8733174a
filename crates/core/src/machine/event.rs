//! What can happen to an ask that exists.

use crate::ask::MatterKind;
use crate::outcome::OutcomeKind;

/// What happens to an ask. `W` is what stands for the close that this event would be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happening<W> {
    /// A person or a rule answers, a person dismisses, or the asker withdraws.
    Close {
        /// How it would end. Never [`OutcomeKind::Expired`]: only time expires an ask.
        how: Ending,
        /// What stands for this close if it wins.
        closing: W,
    },
    /// The clock says that the deadline may have passed.
    Lapse {
        /// What stands for this close if it wins.
        closing: W,
    },
    /// An answer that comes after the deadline.
    AnswerLate {
        /// What the ask was about: a late yes to an action is never kept.
        matter: MatterKind,
    },
    /// The outcome was written to a live link of the asker.
    Sent,
    /// The asker said, or showed, that it has the outcome.
    Confirmed,
}

/// The ways in which somebody, rather than time, ends an ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// An answer.
    Answered,
    /// Put aside.
    Dismissed,
    /// Taken back.
    Withdrawn,
}

impl From<Ending> for OutcomeKind {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Answered => Self::Answered,
            Ending::Dismissed => Self::Dismissed,
            Ending::Withdrawn => Self::Withdrawn,
        }
    }
}
