//! Deciding what an ask becomes, and what ends it: the first close wins, and only time expires.

use std::sync::Arc;

use super::{ClosedEntry, Standing};
use crate::ask::Ask;
use crate::id::AskId;
use crate::journal::Event;
use crate::outcome::{Closer, Closing, Delivery, Late, Outcome, OutcomeKind};
use crate::state::Parts;
use crate::state::op::{Close, NewAsk, Now, OpReply, Plan};
use crate::state::refusal::{Flood, Refusal};
use crate::state::rules::{self, ruled};
use crate::state::table::Layer;
use crate::state::talk::said;

impl<L: Layer> Parts<L> {
    /// An agent asks: a new ask, or the one that was taken in under the same key.
    pub(in crate::state) fn decide_ask(&self, new: NewAsk, now: &Now<'_>) -> Result<Plan, Refusal> {
        let (agent, met) = self.directory.meet(&new.meet)?;
        if self.asks.open_of(agent.id) >= now.bounds.open_asks_per_agent {
            return Err(Refusal::Full(Flood::OpenAsks));
        }
        let name = new.draft.conversation.as_ref();
        let converse = |name| self.directory.converse(&agent, name, now);
        let (conversation, began) = name.map(converse).transpose()?.unzip();
        let said = conversation
            .as_ref()
            .and_then(|conversation| said(conversation, new.said, now));
        let draft = new.draft;
        let ask = Arc::new(Ask {
            id: self.asks.last.next(now.wall, new.random),
            agent: agent.id,
            conversation: conversation.map(|conversation| conversation.id),
            workspace: draft.workspace,
            wire_id: draft.wire_id,
            key: draft.key,
            title: draft.title,
            matter: draft.matter,
            digest: new.digest,
            shape: new.shape,
            asked_at: now.wall,
            deadline: draft.timeout.map(|span| now.wall.after(span)),
            stops: draft.stops,
        });
        // What led to the question stands before it.
        let before = met.into_iter().chain(began.flatten()).chain(said);
        let mut events: Vec<Event> = before.collect();
        let mut keys = super::ask_keys(&agent, &ask).into_iter().flatten();
        if let Some(before) = keys.find_map(|key| self.asks.by_key(key)) {
            return Ok(Plan {
                events,
                reply: OpReply::AskedBefore {
                    ask: before,
                    tried: ask,
                },
            });
        }
        if self.asks.forgotten > new.looked && (ask.key.is_some() || ask.wire_id.is_some()) {
            return Err(Refusal::LookAgain);
        }
        let reply = OpReply::Asked(ask.id);
        let opened = self.place_after(events.len());
        // A rule that has the answer gives it at once: then the ask was never open.
        let closing = ruled(self.rules.policy(), &ask, &agent, now, ask.asked_at);
        let id = ask.id;
        events.push(Event::Asked(ask));
        events.extend(closing.map(|closing| Event::closed(id, opened, closing)));
        Ok(Plan { events, reply })
    }

    /// Time ends an ask.
    pub(in crate::state) fn decide_expire(
        &self,
        ask: AskId,
        now: &Now<'_>,
    ) -> Result<Plan, Refusal> {
        match self.asks.find(ask) {
            Some(Standing::Open(open)) => {
                let closing = Arc::new(Closing {
                    outcome: Outcome::Expired,
                    by: Closer::Clock,
                    at: now.wall,
                });
                let closed = Event::closed(ask, open.opened, closing);
                Ok(Plan::one(closed, OpReply::Closed(ask)))
            }
            Some(Standing::Closed(entry)) => Err(already(ask, &entry)),
            None => Err(Refusal::NotFound),
        }
    }

    /// A person, a rule's maker or the asker ends an ask.
    pub(in crate::state) fn decide_close(
        &self,
        close: Close,
        now: &Now<'_>,
    ) -> Result<Plan, Refusal> {
        let ask = close.ask.id;
        if self.asks.is_erased(ask) {
            return Err(Refusal::NotFound);
        }
        let open = match self.standing(ask, close.looked) {
            None => return Err(Refusal::NotFound),
            Some(Standing::Closed(entry)) if entry.how == OutcomeKind::Expired => {
                return Ok(keep_late(close, &entry, now));
            }
            Some(Standing::Closed(entry)) => return Err(already(ask, &entry)),
            Some(Standing::Open(open)) => open,
        };
        if close.outcome == Outcome::Expired {
            return Err(Refusal::OnlyTimeExpires);
        }
        let mut events = Vec::new();
        let mut swept = Vec::new();
        if let Some(rule) = close.rule {
            let (policy, made) = self.rules.with_new(vec![rule.new], &rule.by, now)?;
            let mut others = rule.candidates;
            others.retain(|other| other.ask.id != ask);
            swept = self.sweep(&policy, &others, now);
            events.extend(rules::made(&made));
        }
        let closing = Arc::new(Closing {
            outcome: close.outcome,
            by: close.by,
            at: now.wall,
        });
        events.push(Event::closed(ask, open.opened, closing));
        events.append(&mut swept);
        let reply = OpReply::Closed(ask);
        Ok(Plan { events, reply })
    }

    /// Erases the text of an ask that ended; that it was there remains.
    pub(in crate::state) fn decide_erase(
        &self,
        ask: AskId,
        looked: ClosedEntry,
    ) -> Result<Plan, Refusal> {
        match self.standing(ask, Some(looked)) {
            Some(Standing::Open(_)) | None => Err(Refusal::StillOpen),
            Some(Standing::Closed(entry)) => {
                let place = entry.place();
                Ok(Plan::one(Event::Erased { ask, place }, OpReply::Done))
            }
        }
    }
}

fn already(ask: AskId, entry: &ClosedEntry) -> Refusal {
    Refusal::AlreadyClosed {
        ask,
        winner: entry.closed,
    }
}

/// An answer after the deadline: kept beside the outcome when it may be.
fn keep_late(close: Close, entry: &ClosedEntry, now: &Now<'_>) -> Plan {
    let ask = close.ask.id;
    let kept = match close.outcome {
        Outcome::Answered(answer) if entry.keeps_late(close.ask.matter.kind()) => {
            Some(Event::AnsweredLate {
                ask,
                opened: entry.opened,
                late: Arc::new(Late {
                    // Nobody confirms twice, so nobody would ever have its secrets erased.
                    answer: if entry.delivery == Delivery::Confirmed {
                        answer.without_secrets()
                    } else {
                        answer
                    },
                    by: close.by,
                    at: now.wall,
                }),
            })
        }
        Outcome::Answered(_)
        | Outcome::Dismissed { .. }
        | Outcome::Withdrawn { .. }
        | Outcome::Expired => None,
    };
    let reply = OpReply::Late {
        ask,
        kept: kept.is_some(),
    };
    Plan {
        events: kept.into_iter().collect(),
        reply,
    }
}
