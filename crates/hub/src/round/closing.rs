//! Deciding what a close becomes: the first wins, one after the deadline is at most kept.

use std::sync::Arc;

use sayso_core::ask::Ask;
use sayso_core::id::AskId;
use sayso_core::journal::{DeliveryMark, Event};
use sayso_core::machine::{self, Ending, Happening, Refusal, State};
use sayso_core::outcome::{Closer, Closing, Delivery, Late, Outcome, OutcomeKind};
use sayso_core::view::AskView;
use sayso_store::OpenEntry;

use super::{Planned, Round, Told};
use crate::error::HubError;
use crate::known::Known;
use crate::op::{CloseOp, ConfirmOp, Reply};

/// What an agent hears that confirms too soon.
pub(crate) const NOT_CLOSED: &str = "this ask is still open: there is no outcome to confirm";

impl Round {
    pub(super) fn expire(&mut self, open: OpenEntry) {
        let state = State::Open {
            deadline: open.deadline,
        };
        if self.closed.contains_key(&open.ask)
            || machine::apply(&state, Happening::Lapse { closing: () }, self.now.hub).is_err()
        {
            return;
        }
        let closing = Arc::new(Closing {
            outcome: Outcome::Expired,
            by: Closer::Clock,
            at: self.now.wall,
        });
        self.close(open, None, closing);
    }

    pub(super) fn close(&mut self, open: OpenEntry, ask: Option<Arc<Ask>>, closing: Arc<Closing>) {
        self.closed.insert(open.ask, closing.outcome.kind());
        let at = self.push(Event::Closed {
            ask: open.ask,
            opened: open.opened,
            closing: Arc::clone(&closing),
        });
        self.planned.push(Planned::Closed {
            at,
            open,
            ask,
            closing,
        });
    }

    pub(super) fn decide_close(&mut self, known: &Known, op: CloseOp, reply: Reply<AskView>) {
        let id = op.ask.id;
        let ending = match op.outcome {
            Outcome::Answered(_) => Ending::Answered,
            Outcome::Dismissed { .. } => Ending::Dismissed,
            // Only the clock expires; an operation that says so is a withdrawal at most.
            Outcome::Withdrawn { .. } | Outcome::Expired => Ending::Withdrawn,
        };
        let state = self.state_of(known, id, op.seen);
        match machine::apply(
            &state,
            Happening::Close {
                how: ending,
                closing: (),
            },
            self.now.hub,
        ) {
            Ok(_) => {
                let Some(open) = known.open.get(id) else {
                    return reply.send(Err(HubError::NotFound));
                };
                let closing = Arc::new(Closing {
                    outcome: op.outcome,
                    by: op.by,
                    at: self.now.wall,
                });
                let candidates = match op.rule {
                    None => None,
                    // The rule and the verdict that made it are committed together.
                    Some(rule) => match self.make_rules(known, vec![rule.new], &rule.by) {
                        Ok(_) => Some(rule.candidates),
                        Err(error) => return reply.send(Err(error)),
                    },
                };
                self.close(open, Some(op.ask), closing);
                if let Some(candidates) = candidates {
                    self.sweep(known, candidates);
                }
                self.told.push(Told::Closed { ask: id, reply });
            }
            Err(Refusal::Lapsed) => {
                if let Some(open) = known.open.get(id) {
                    self.expire(open);
                }
                self.too_late(known, op, reply);
            }
            Err(Refusal::AlreadyClosed {
                how: OutcomeKind::Expired,
                ..
            }) => self.too_late(known, op, reply),
            Err(
                Refusal::AlreadyClosed { .. }
                | Refusal::NotYet
                | Refusal::StillOpen
                | Refusal::NothingNew
                | Refusal::NotKept,
            ) => {
                self.told.push(Told::LostTo { ask: id, reply });
            }
        }
    }

    /// An answer after the deadline: kept beside the outcome when it may be.
    fn too_late(&mut self, known: &Known, op: CloseOp, reply: Reply<AskView>) {
        let id = op.ask.id;
        let Outcome::Answered(answer) = op.outcome else {
            return self.told.push(Told::TooLate {
                ask: id,
                kept: false,
                reply,
            });
        };
        let state = self.state_of(known, id, op.seen);
        let kept = machine::apply(
            &state,
            Happening::AnswerLate {
                matter: op.ask.matter.kind(),
            },
            self.now.hub,
        )
        .is_ok();
        if kept {
            // Nobody confirms twice, so nobody would ever have them erased.
            let is_confirmed = match state {
                State::Closed { delivery, .. } => delivery == Delivery::Confirmed,
                State::Open { .. } => false,
            };
            let late = Arc::new(Late {
                answer: if is_confirmed {
                    answer.without_secrets()
                } else {
                    answer
                },
                by: op.by,
                at: self.now.wall,
            });
            let at = self.push(Event::AnsweredLate {
                ask: id,
                opened: op.place.opened,
                late: Arc::clone(&late),
            });
            self.late.insert(id);
            self.planned.push(Planned::KeptLate {
                at,
                ask: op.ask,
                late,
                place: op.place,
            });
        }
        self.told.push(Told::TooLate {
            ask: id,
            kept,
            reply,
        });
    }

    /// The asker has the outcome: it is not told again, and the store erases its secrets. That counts
    /// once it is committed.
    pub(super) fn decide_confirm(&mut self, known: &Known, op: &ConfirmOp, reply: Reply<()>) {
        let state = self.state_of(known, op.ask, op.seen);
        match machine::apply(&state, Happening::Confirmed, self.now.hub) {
            Ok(_) => {
                let mark = DeliveryMark {
                    ask: op.ask,
                    opened: op.opened,
                    delivery: Delivery::Confirmed,
                    at: self.now.wall,
                };
                self.confirmed.entry(op.ask).or_insert(mark);
                self.told.push(Told::Confirmed { reply });
            }
            Err(Refusal::NothingNew) => reply.send(Ok(())),
            Err(
                Refusal::StillOpen
                | Refusal::Lapsed
                | Refusal::NotYet
                | Refusal::AlreadyClosed { .. }
                | Refusal::NotKept,
            ) => reply.send(Err(HubError::Refused(NOT_CLOSED.to_owned()))),
        }
    }

    /// How the ask stands in this round; `seen` is how it stood when the operation was made, for
    /// asks that ended so long ago that only the journal remembers.
    fn state_of(&self, known: &Known, ask: AskId, seen: State<()>) -> State<()> {
        let delivery = Delivery::Owed;
        if let Some(how) = self.closed.get(&ask) {
            return State::Closed {
                winner: (),
                how: *how,
                delivery,
                late: self.late.contains(&ask),
            };
        }
        if let Some(open) = known.open.get(ask) {
            return State::Open {
                deadline: open.deadline,
            };
        }
        let state = known.closed_state(ask).map_or(seen, State::without_winner);
        match state {
            State::Closed {
                how,
                delivery,
                late,
                ..
            } => State::Closed {
                winner: (),
                how,
                delivery,
                late: late || self.late.contains(&ask),
            },
            State::Open { .. } => state,
        }
    }
}
