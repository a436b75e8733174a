//! Deciding what becomes of rules, and what rules decide.
//!
//! A rule that is made in a round is in force for the whole of it, because all of it is committed
//! or nothing. Rules are taken back before anything else is decided: whoever asked in the same
//! moment had no word yet.

use std::sync::Arc;
use std::time::Duration;

use sayso_core::agent::Agent;
use sayso_core::answer::{Answer, Decision, Scope, Verdict};
use sayso_core::ask::Ask;
use sayso_core::id::{AskId, RuleId};
use sayso_core::journal::Event;
use sayso_core::limits;
use sayso_core::outcome::{Closer, Closing, Outcome};
use sayso_core::policy::{Facts, Maker, Policy, Rule, Ruling};
use sayso_core::time::Time;
use sayso_store::OpenEntry;

use super::{Planned, Round, Told};
use crate::error::HubError;
use crate::faults::point;
use crate::known::Known;
use crate::op::{ArmRuleOp, Candidate, MakeRulesOp, NewRule, Reply};

/// The smallest step of time that is written down.
const STEP: Duration = Duration::from_millis(1);

impl Round {
    /// The rules as they are in this round.
    pub(super) fn policy<'a>(&'a self, known: &'a Known) -> &'a Arc<Policy> {
        self.policy.as_ref().unwrap_or_else(|| known.rules.policy())
    }

    /// Closes an ask of this round if a rule has the answer to it: then it was never open.
    pub(super) fn rule_at_once(
        &mut self,
        known: &Known,
        ask: &Arc<Ask>,
        agent: &Agent,
        open: OpenEntry,
    ) -> bool {
        let ruled = self.rule_on(known, ask, agent, open, ask.asked_at);
        if ruled {
            self.hush(ask.id);
        }
        ruled
    }

    /// Closes an ask that waits, if a rule has the answer to it: a step after it came at least.
    fn rule_on_waiting(&mut self, known: &Known, ask: &Arc<Ask>, agent: &Agent, open: OpenEntry) {
        let at = self.now.wall.max(ask.asked_at.after(STEP));
        self.rule_on(known, ask, agent, open, at);
    }

    fn rule_on(
        &mut self,
        known: &Known,
        ask: &Arc<Ask>,
        agent: &Agent,
        open: OpenEntry,
        at: Time,
    ) -> bool {
        let Some(facts) = Facts::of(ask, agent) else {
            return false;
        };
        let policy = self.policy(known);
        if policy.is_empty() {
            return false;
        }
        let ruled = policy.rule_on(&facts, self.now.latest);
        let ruling = ruled.ruling;
        let (decision, rule, version, note) = match ruling {
            Ruling::Ask => return false,
            Ruling::Allow { rule, version } => {
                (Decision::Allow { edited_input: None }, rule, version, None)
            }
            Ruling::Deny { rule, version } => (
                Decision::Deny { stop: false },
                rule,
                version,
                Some(format!("Denied by the rule {rule}.")),
            ),
        };
        point("round_rule");
        let closing = Arc::new(Closing {
            outcome: Outcome::Answered(Answer::Verdict(Verdict {
                decision,
                scope: Scope::Once,
                note,
            })),
            by: Closer::Rule {
                rule,
                version,
                also: ruled.also(),
            },
            at,
        });
        self.close(open, Some(Arc::clone(ask)), closing);
        true
    }

    /// Marks an ask of this round as one that nobody is shown as open.
    fn hush(&mut self, id: AskId) {
        for plan in self.planned.iter_mut().rev() {
            if let Planned::Opened { ask, quiet, .. } = plan
                && ask.id == id
            {
                *quiet = true;
                return;
            }
        }
    }

    /// Makes rules, if all of them may be made.
    pub(super) fn make_rules(
        &mut self,
        known: &Known,
        rules: Vec<NewRule>,
        by: &Maker,
    ) -> Result<Vec<Arc<Rule>>, HubError> {
        let mut policy = Policy::clone(self.policy(known));
        let now = self.now.wall;
        let live = policy.rules().filter(|rule| rule.is_live(now)).count();
        if live + rules.len() > limits::RULES_MAX {
            return Err(HubError::Refused(format!(
                "there are {live} rules already; revoke some"
            )));
        }
        let mut made = Vec::with_capacity(rules.len());
        for new in rules {
            let mut id = known.rules.next_id();
            id.0 += self.rules_made;
            self.rules_made += 1;
            let rule = Arc::new(Rule {
                id,
                version: 1,
                says: new.says,
                reach: new.reach,
                expires: new.lasts.map(|span| now.after(span)),
                by: by.clone(),
                made_at: now,
                note: new.note,
                shadow: new.shadow,
            });
            policy.put(Arc::clone(&rule));
            let at = self.push(Event::RuleMade(Arc::clone(&rule)));
            self.planned.push(Planned::RuleMade {
                at,
                rule: Arc::clone(&rule),
            });
            made.push(rule);
        }
        self.policy = Some(Arc::new(policy));
        Ok(made)
    }

    fn unmake(&mut self, known: &Known, id: RuleId, by: &Maker) -> Option<Arc<Rule>> {
        let mut policy = Policy::clone(self.policy(known));
        let gone = policy.remove(id)?;
        self.policy = Some(Arc::new(policy));
        let at = self.push(Event::RuleRevoked {
            rule: id,
            by: by.clone(),
        });
        self.planned.push(Planned::RuleRevoked { at, rule: id });
        Some(gone)
    }

    pub(super) fn decide_make_rules(
        &mut self,
        known: &Known,
        op: MakeRulesOp,
        reply: Reply<Vec<Arc<Rule>>>,
    ) {
        match self.make_rules(known, op.rules, &op.by) {
            Ok(rules) => {
                for rule in &op.instead_of {
                    self.unmake(known, *rule, &op.by);
                }
                self.sweep(known, op.candidates);
                self.told.push(Told::RulesMade { rules, reply });
            }
            Err(error) => reply.send(Err(error)),
        }
    }

    /// Puts a rule in force that only stood by: the same rule, in a new version.
    pub(super) fn decide_arm_rule(
        &mut self,
        known: &Known,
        op: ArmRuleOp,
        reply: Reply<Vec<Arc<Rule>>>,
    ) {
        let now = self.now.wall;
        let stands = self.policy(known).get(op.rule).map(Arc::clone);
        let rule = match stands {
            Some(rule) if rule.shadow && rule.is_live(now) => rule,
            Some(rule) => return reply.send(Err(cannot_arm(&rule))),
            None => return reply.send(Err(no_rule(op.rule))),
        };
        let rule = Arc::new(Rule {
            version: rule.version + 1,
            by: op.by,
            made_at: now,
            shadow: false,
            ..(*rule).clone()
        });
        let mut policy = Policy::clone(self.policy(known));
        policy.put(Arc::clone(&rule));
        self.policy = Some(Arc::new(policy));
        let at = self.push(Event::RuleMade(Arc::clone(&rule)));
        self.planned.push(Planned::RuleMade {
            at,
            rule: Arc::clone(&rule),
        });
        self.sweep(known, op.candidates);
        let rules = vec![rule];
        self.told.push(Told::RulesMade { rules, reply });
    }

    pub(super) fn decide_revoke_rule(
        &mut self,
        known: &Known,
        id: RuleId,
        by: &Maker,
        reply: Reply<Arc<Rule>>,
    ) {
        match self.unmake(known, id, by) {
            Some(rule) => self.told.push(Told::RuleRevoked { rule, reply }),
            None => reply.send(Err(no_rule(id))),
        }
    }

    /// Answers what waits and what a rule now has the answer to: the asks that were found
    /// beforehand, and those of this very round.
    pub(super) fn sweep(&mut self, known: &Known, candidates: Vec<Candidate>) {
        for Candidate { ask, agent } in candidates {
            if self.closed.contains_key(&ask.id) {
                continue;
            }
            if let Some(open) = known.open.get(ask.id) {
                self.rule_on_waiting(known, &ask, &agent, open);
            }
        }
        for at in 0..self.fresh.len() {
            let Some((ask, agent, open)) = self.fresh.get(at).cloned() else {
                return;
            };
            if !self.closed.contains_key(&ask.id) {
                self.rule_on_waiting(known, &ask, &agent, open);
            }
        }
    }
}

/// Nobody knows a rule with this id.
pub(crate) fn no_rule(id: RuleId) -> HubError {
    HubError::Unknown(format!("there is no rule {id}"))
}

/// Why a rule cannot be put in force: it is over, or it holds.
pub(crate) fn cannot_arm(rule: &Rule) -> HubError {
    let id = rule.id;
    HubError::Refused(if rule.shadow {
        format!("{id} is over; make it again to put it in force")
    } else {
        format!("{id} is in force already")
    })
}
