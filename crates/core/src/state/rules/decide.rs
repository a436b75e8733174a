//! Deciding what becomes of rules, and what rules decide.
//!
//! A rule and the verdict that makes it are one plan, so that both are written or neither.

use std::sync::Arc;
use std::time::Duration;

use super::Rules;
use crate::agent::Agent;
use crate::answer::{Answer, Decision, Scope, Verdict};
use crate::ask::Ask;
use crate::id::RuleId;
use crate::journal::Event;
use crate::limits;
use crate::outcome::{Closer, Closing, Outcome};
use crate::policy::{Facts, Maker, Policy, Rule, Ruling, Says};
use crate::state::Parts;
use crate::state::asks::Standing;
use crate::state::op::{ActivateRule, Candidate, MakeRules, NewRule, Now, OpReply, Plan};
use crate::state::refusal::Refusal;
use crate::state::table::Layer;
use crate::time::Time;

/// The smallest step of time that is written down.
const STEP: Duration = Duration::from_millis(1);

/// How a rule ends an ask, if one has the answer to it.
pub(in crate::state) fn ruled(
    policy: &Policy,
    ask: &Ask,
    agent: &Agent,
    now: &Now<'_>,
    at: Time,
) -> Option<Arc<Closing>> {
    if policy.is_empty() {
        return None;
    }
    let ruled = policy.rule_on(&Facts::of(ask, agent)?, now.latest);
    let (decision, rule, version, note) = match ruled.ruling {
        Ruling::Ask => return None,
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
    Some(Arc::new(Closing {
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
    }))
}

/// Rules are made.
pub(in crate::state) fn made(rules: &[Arc<Rule>]) -> impl Iterator<Item = Event> + '_ {
    rules.iter().cloned().map(Event::RuleMade)
}

/// Refuses a person what only an admin may take back.
fn may_take_back(rule: &Rule, by: &Maker) -> Result<(), Refusal> {
    match (by, &rule.by, &rule.says) {
        (Maker::Person { .. }, Maker::Admin(_), Says::Deny(_) | Says::Level { .. }) => {
            Err(Refusal::HeldByAdmin(rule.id))
        }
        (Maker::Person { .. }, Maker::Admin(_), Says::Allow(_))
        | (Maker::Person { .. }, Maker::Person { .. }, _)
        | (Maker::Admin(_), _, _) => Ok(()),
    }
}

impl<L: Layer> Rules<L> {
    /// The rules with new ones, and the events that make them, if all of them may be made.
    pub(in crate::state) fn with_new(
        &self,
        rules: Vec<NewRule>,
        by: &Maker,
        now: &Now<'_>,
    ) -> Result<(Policy, Vec<Arc<Rule>>), Refusal> {
        let mut policy = Policy::clone(&self.policy);
        let live = policy.rules().filter(|rule| rule.is_live(now.wall)).count();
        if live + rules.len() > limits::RULES_MAX {
            return Err(Refusal::TooManyRules { live });
        }
        let mut made = Vec::with_capacity(rules.len());
        for (id, new) in (self.last + 1..).zip(rules) {
            let rule = Arc::new(Rule {
                id: RuleId(id),
                version: 1,
                says: new.says,
                applies_to: new.applies_to,
                expires: new.lasts.map(|span| now.wall.after(span)),
                by: by.clone(),
                made_at: now.wall,
                note: new.note,
                shadow: new.shadow,
            });
            policy.put(Arc::clone(&rule));
            made.push(rule);
        }
        Ok((policy, made))
    }

    /// Revokes a rule.
    pub(in crate::state) fn decide_revoke(&self, id: RuleId, by: Maker) -> Result<Plan, Refusal> {
        let rule = self.policy.get(id).ok_or(Refusal::NoRule(id))?;
        may_take_back(rule, &by)?;
        let reply = OpReply::Rules(vec![Arc::clone(rule)]);
        Ok(Plan::one(Event::RuleRevoked { rule: id, by }, reply))
    }
}

impl<L: Layer> Parts<L> {
    pub(in crate::state) fn decide_make_rules(
        &self,
        make: MakeRules,
        now: &Now<'_>,
    ) -> Result<Plan, Refusal> {
        let (mut policy, rules) = self.rules.with_new(make.rules, &make.by, now)?;
        let mut events: Vec<Event> = made(&rules).collect();
        for rule in make.instead_of {
            if let Some(before) = policy.get(rule) {
                may_take_back(before, &make.by)?;
                policy.remove(rule);
                let by = make.by.clone();
                events.push(Event::RuleRevoked { rule, by });
            }
        }
        events.extend(self.sweep(&policy, &make.candidates, now));
        let reply = OpReply::Rules(rules);
        Ok(Plan { events, reply })
    }

    /// Puts a rule in force that only recorded what it would do: the same rule, in a new version.
    pub(in crate::state) fn decide_activate(
        &self,
        activate: ActivateRule,
        now: &Now<'_>,
    ) -> Result<Plan, Refusal> {
        let before = self.rules.policy.get(activate.rule);
        let before = before.ok_or(Refusal::NoRule(activate.rule))?;
        if !before.shadow || !before.is_live(now.wall) {
            return Err(Refusal::cannot_activate(before));
        }
        let rule = Arc::new(Rule {
            version: before.version + 1,
            by: activate.by,
            made_at: now.wall,
            shadow: false,
            ..Rule::clone(before)
        });
        let mut policy = Policy::clone(&self.rules.policy);
        policy.put(Arc::clone(&rule));
        let swept = self.sweep(&policy, &activate.candidates, now);
        let made = Event::RuleMade(Arc::clone(&rule));
        Ok(Plan {
            events: std::iter::once(made).chain(swept).collect(),
            reply: OpReply::Rules(vec![rule]),
        })
    }

    /// Ends the asks among these that wait and that a rule has the answer to.
    pub(in crate::state) fn sweep(
        &self,
        policy: &Policy,
        candidates: &[Candidate],
        now: &Now<'_>,
    ) -> Vec<Event> {
        let close = |candidate: &Candidate| {
            let Candidate { ask, agent } = candidate;
            let Some(Standing::Open(open)) = self.asks.find(ask.id) else {
                return None;
            };
            // A step after it came at least: it was open for a while.
            let at = now.wall.max(ask.asked_at.after(STEP));
            let closing = ruled(policy, ask, agent, now, at)?;
            Some(Event::closed(open.ask, open.opened, closing))
        };
        candidates.iter().filter_map(close).collect()
    }
}
