//! The state of one ask, small enough to keep a million of them in memory.

use crate::outcome::{Delivery, OutcomeKind};
use crate::time::Time;

/// Where an ask stands. `W` is whatever stands for the winning close: the whole closing in a test,
/// its place in the journal in the hub.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State<W> {
    /// Waiting for its first close.
    Open {
        /// When it lapses, if ever.
        deadline: Option<Time>,
    },
    /// Ended, once and for all.
    Closed {
        /// The close that won.
        winner: W,
        /// How it ended.
        how: OutcomeKind,
        /// How far the news has got.
        delivery: Delivery,
        /// Whether an answer came after the deadline and was kept.
        late: bool,
    },
}

impl<W> State<W> {
    /// The same state, without what stands for the close.
    #[must_use]
    pub fn without_winner(self) -> State<()> {
        match self {
            Self::Open { deadline } => State::Open { deadline },
            Self::Closed {
                how,
                delivery,
                late,
                ..
            } => State::Closed {
                winner: (),
                how,
                delivery,
                late,
            },
        }
    }
}
