//! The ask machine: the one place that decides what may happen to an ask.
//!
//! Pure: a state and a happening in, a state and effects out. It never reads a clock, stores,
//! sends or waits. The first close wins; a later one is refused with the winner in hand; only time
//! expires an ask, and nothing here can turn silence into a yes.

mod effect;
mod event;
mod state;

pub use effect::Effect;
pub use event::{Ending, Happening};
pub use state::State;

use crate::ask::MatterKind;
use crate::outcome::{Delivery, OutcomeKind};
use crate::time::Time;

/// What a happening led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step<W> {
    /// The state after it.
    pub state: State<W>,
    /// What to do once it is committed.
    pub effects: Vec<Effect>,
}

/// Why a happening was not accepted. The state is unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal<W> {
    /// Somebody was first.
    AlreadyClosed {
        /// The close that won.
        winner: W,
        /// How it ended.
        how: OutcomeKind,
    },
    /// The deadline has passed and the lapse must be recorded before anything else.
    Lapsed,
    /// The deadline has not passed yet, or there is none.
    NotYet,
    /// There is no outcome to deliver yet, or it is not late.
    StillOpen,
    /// This is known already; nothing changes.
    NothingNew,
    /// A late answer of this kind is not kept.
    NotKept,
}

/// The state and effects of an ask that was just taken in.
pub fn open<W>(deadline: Option<Time>) -> Step<W> {
    let state = State::Open { deadline };
    let effects = owed_effects(&state);
    Step { state, effects }
}

/// Decides what `happening` does to an ask in `state` at `now`.
pub fn apply<W: Copy>(
    state: &State<W>,
    happening: Happening<W>,
    now: Time,
) -> Result<Step<W>, Refusal<W>> {
    match *state {
        State::Open { deadline } => apply_open(deadline, happening, now),
        State::Closed {
            winner,
            how,
            delivery,
            late,
        } => {
            let closed = |delivery, late| State::Closed {
                winner,
                how,
                delivery,
                late,
            };
            match happening {
                Happening::Close { .. } | Happening::Lapse { .. } => {
                    Err(Refusal::AlreadyClosed { winner, how })
                }
                Happening::AnswerLate { matter } => match (how, matter, late) {
                    (OutcomeKind::Expired, MatterKind::Questions | MatterKind::Form, false) => {
                        Ok(Step {
                            state: closed(delivery, true),
                            effects: vec![Effect::Hide],
                        })
                    }
                    (OutcomeKind::Expired, _, _) => Err(Refusal::NotKept),
                    (
                        OutcomeKind::Answered | OutcomeKind::Dismissed | OutcomeKind::Withdrawn,
                        _,
                        _,
                    ) => Err(Refusal::AlreadyClosed { winner, how }),
                },
                Happening::Sent if delivery < Delivery::Sent => Ok(Step {
                    state: closed(Delivery::Sent, late),
                    effects: vec![Effect::ShowDelivery],
                }),
                Happening::Confirmed if delivery < Delivery::Confirmed => Ok(Step {
                    state: closed(Delivery::Confirmed, late),
                    effects: vec![Effect::ShowDelivery, Effect::EraseSecrets],
                }),
                Happening::Sent | Happening::Confirmed => Err(Refusal::NothingNew),
            }
        }
    }
}

fn apply_open<W: Copy>(
    deadline: Option<Time>,
    happening: Happening<W>,
    now: Time,
) -> Result<Step<W>, Refusal<W>> {
    let lapsed = deadline.is_some_and(|deadline| now >= deadline);
    let close = |winner, how| {
        let mut effects = vec![Effect::Hide, Effect::Deliver];
        if deadline.is_some() {
            effects.push(Effect::StopTimer);
        }
        Ok(Step {
            state: State::Closed {
                winner,
                how,
                delivery: Delivery::Owed,
                late: false,
            },
            effects,
        })
    };
    match happening {
        Happening::Close { .. } if lapsed => Err(Refusal::Lapsed),
        Happening::Close { how, closing } => close(closing, how.into()),
        Happening::Lapse { closing } if lapsed => close(closing, OutcomeKind::Expired),
        Happening::Lapse { .. } => Err(Refusal::NotYet),
        Happening::AnswerLate { .. } | Happening::Sent | Happening::Confirmed => {
            Err(Refusal::StillOpen)
        }
    }
}

/// What still has to be done for an ask found in this state after a restart.
pub fn owed_effects<W>(state: &State<W>) -> Vec<Effect> {
    match state {
        State::Open { deadline } => std::iter::once(Effect::Show)
            .chain(deadline.map(Effect::StartTimer))
            .collect(),
        State::Closed {
            delivery: Delivery::Owed | Delivery::Sent,
            ..
        } => vec![Effect::Deliver],
        State::Closed {
            delivery: Delivery::Confirmed,
            ..
        } => vec![Effect::EraseSecrets],
    }
}

#[cfg(test)]
mod tests;
