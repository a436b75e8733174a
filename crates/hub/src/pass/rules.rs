//! What people and admins may do with rules: read them, try them, make them, take them back.

use std::sync::Arc;
use std::time::Duration;

use sayso_core::action::Action;
use sayso_core::ask::MatterKind;
use sayso_core::check::{Violation, Violations};
use sayso_core::id::{AgentId, AskId, ConversationId, RuleId, Workspace};
use sayso_core::limits;
use sayso_core::policy::{
    AppliesTo, Authority, Broken, Facts, Maker, Offer, Policy, Rule, Ruled, Ruling, Says, Width,
    check_examples,
};
use sayso_core::state::op::{ActivateRule, Candidate, MakeRules, NewRule};
use sayso_core::state::{Op, OpenFilter, Refusal};
use sayso_core::time::Time;
use sayso_core::view::AskView;

use super::{AdminPass, PersonPass};
use crate::error::HubError;
use crate::hub::Inner;
use crate::queue::Task;
use crate::tokens::LiveToken;

const DAY: Duration = Duration::from_secs(24 * 3600);

/// How long a rule holds when nothing is said.
pub(super) const LASTS: Duration = Duration::from_secs(limits::RULE_DAYS * 24 * 3600);

/// What rule a verdict makes that reaches further than once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleChoice {
    /// Which of the offers; the narrowest when absent.
    pub preset: Option<String>,
    /// Whom it reaches; this agent here when absent.
    pub width: Option<Width>,
    /// How long it holds; 30 days when absent.
    pub lasts: Option<Duration>,
}

/// A rule as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleView {
    /// The rule.
    pub rule: Arc<Rule>,
    /// How many asks it has answered.
    pub hits: u64,
    /// When it last did.
    pub last_used: Option<Time>,
    /// Whether it is in force now.
    pub live: bool,
}

/// Something that may be offered for an ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferView {
    /// What.
    pub offer: Offer,
    /// For whom it may be, the narrowest first, and what it would have done in the past.
    pub choices: Vec<(Width, Past)>,
}

/// What a rule would have done to the last asks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Past {
    /// How many asks were looked at.
    pub asks: usize,
    /// How many of them it would have allowed.
    pub allowed: usize,
    /// Which of those a person had denied.
    pub denied: Vec<AskId>,
    /// How many other asks wait that it would answer now.
    pub open: usize,
}

/// What a rule did, or would have done, since it was made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RulePast {
    /// How many approvals were looked at.
    pub asks: usize,
    /// How many of them it answers.
    pub covered: usize,
    /// Those of them to which a person said the opposite.
    pub against: Vec<AskId>,
}

/// An act to hold the rules against, without asking anybody.
#[derive(Debug, Clone)]
pub struct RuleTrial {
    /// The act.
    pub action: Action,
    /// As this agent.
    pub agent: Option<AgentId>,
    /// In this conversation.
    pub conversation: Option<ConversationId>,
    /// In this workspace.
    pub workspace: Option<Workspace>,
}

impl RuleTrial {
    /// As whom and where it is tried.
    pub fn applies_to(&self) -> AppliesTo {
        AppliesTo {
            agent: self.agent,
            conversation: self.conversation,
            workspace: self.workspace.clone(),
            dialect: None,
            links: self.action.links.is_some(),
        }
    }
}

/// What the rules say to an ask, and what became of it.
#[derive(Debug, Clone)]
pub struct Explained {
    /// The ask as it stands.
    pub view: AskView,
    /// What the rules say now.
    pub ruled: Ruled,
}

/// Rules, in the hands of somebody who may make some of them.
#[derive(Debug)]
pub struct RuleDesk<'a> {
    inner: &'a Arc<Inner>,
    live: &'a Arc<LiveToken>,
    by: Maker,
    authority: Authority,
}

impl PersonPass {
    /// The rules, in the hands of this person.
    pub fn rules(&self) -> RuleDesk<'_> {
        RuleDesk {
            inner: self.inner(),
            live: &self.base.live,
            by: self.maker(),
            authority: Authority::Person,
        }
    }

    pub(super) fn maker(&self) -> Maker {
        Maker::Person {
            person: self.person.clone(),
            device: self.base.live.token.name.clone(),
        }
    }
}

impl AdminPass {
    /// The rules, in the hands of this admin.
    pub fn rules(&self) -> RuleDesk<'_> {
        RuleDesk {
            inner: &self.base.hub.0,
            live: &self.base.live,
            by: Maker::Admin(self.base.live.token.name.clone()),
            authority: Authority::Admin,
        }
    }
}

impl RuleDesk<'_> {
    pub(super) fn inner(&self) -> &Arc<Inner> {
        self.inner
    }

    async fn decide(&self, op: Op) -> Result<Vec<Arc<Rule>>, HubError> {
        self.inner.decide_for(self.live, Task::Decide(op)).await
    }

    /// Every rule that was not taken back, in the order in which they were made.
    pub fn list(&self) -> Vec<RuleView> {
        let rules = Arc::clone(self.inner.memory().state.rules.policy());
        self.views(rules.rules().map(Arc::clone))
    }

    fn views(&self, rules: impl Iterator<Item = Arc<Rule>>) -> Vec<RuleView> {
        let now = self.inner.now().latest;
        let memory = self.inner.memory();
        let view = |rule: Arc<Rule>| {
            let uses = memory.state.rules.uses(rule.id);
            RuleView {
                hits: uses.hits,
                last_used: uses.last,
                live: rule.is_live(now),
                rule,
            }
        };
        rules.map(view).collect()
    }

    /// Makes rules: all of them, or none. What waits and is covered is answered in the same commit.
    ///
    /// Rules in `instead_of` go with it.
    pub async fn make(
        &self,
        mut rules: Vec<NewRule>,
        instead_of: Vec<RuleId>,
    ) -> Result<Vec<RuleView>, HubError> {
        for new in &mut rules {
            new.lasts = match (new.lasts, &new.says, self.authority) {
                (Some(lasts), _, _) => Some(lasts),
                // What forbids, and what an admin says of how careful to be, stays until taken back.
                (None, Says::Deny(_) | Says::Level { .. }, _) => None,
                (None, Says::Allow(_), _) => Some(LASTS),
            };
            check_new(new, self.authority)?;
        }
        let again = rules.clone();
        let op = MakeRules {
            candidates: self.inner.candidates(&rules, &self.by).await,
            rules,
            instead_of,
            by: self.by.clone(),
        };
        let made = self.decide(Op::MakeRules(Box::new(op))).await?;
        self.inner.sweep_stragglers(&again, &self.by).await;
        Ok(self.views(made.into_iter()))
    }

    /// The rule with this id.
    pub(super) async fn known(&self, id: RuleId) -> Result<Arc<Rule>, HubError> {
        let find = |inner: &Inner| {
            let rule = inner.memory().state.rules.policy().get(id).map(Arc::clone);
            rule.ok_or_else(|| Refusal::NoRule(id).into())
        };
        self.inner.find(find).await
    }

    /// Puts a rule in force that only stood by. What waits and is covered is answered in the same
    /// commit. Its end stays what it was.
    pub async fn activate(&self, id: RuleId) -> Result<RuleView, HubError> {
        let rule = self.known(id).await?;
        if !rule.shadow {
            return Err(Refusal::cannot_activate(&rule).into());
        }
        let new = NewRule::in_force(&rule);
        check_new(&new, self.authority)?;
        let op = ActivateRule {
            rule: id,
            by: self.by.clone(),
            candidates: self
                .inner
                .candidates(std::slice::from_ref(&new), &self.by)
                .await,
        };
        let made = self.decide(Op::ActivateRule(Box::new(op))).await?;
        self.inner
            .sweep_stragglers(std::slice::from_ref(&new), &self.by)
            .await;
        let activated = self.views(made.into_iter()).pop();
        activated.ok_or_else(|| Refusal::NoRule(id).into())
    }

    /// Whom and where a rule reaches: agents and conversations by id or name.
    pub async fn applies_to(
        &self,
        agent: Option<&str>,
        conversation: Option<&str>,
    ) -> Result<AppliesTo, HubError> {
        let mut applies_to = AppliesTo::default();
        if let Some(agent) = agent {
            let found = self.inner.find(|inner| inner.find_agent(agent));
            applies_to.agent = Some(found.await?);
        }
        if let Some(name) = conversation {
            let found = self.inner.find(|inner| inner.find_conversation(name));
            applies_to.conversation = Some(found.await?.id);
        }
        Ok(applies_to)
    }

    /// Whether a rule may be made here, and if not, why.
    pub fn may_make(&self, new: &NewRule) -> Result<(), String> {
        self.authority.may_make(&new.says, &new.applies_to)
    }

    /// Holds a rule that is to be made here against its examples.
    pub fn check_examples(
        &self,
        new: &NewRule,
        matches: &[String],
        not_matches: &[String],
    ) -> Result<(), Broken> {
        check_examples(&unmade(1, new, &self.by), matches, not_matches)
    }

    /// Takes a rule back: for everything whose decision is not yet committed, too.
    ///
    /// What an admin forbade, only an admin takes back.
    pub async fn revoke(&self, rule: RuleId) -> Result<Arc<Rule>, HubError> {
        let by = self.by.clone();
        let revoked = self.decide(Op::RevokeRule { rule, by }).await?;
        let rule = revoked.into_iter().next();
        rule.ok_or(HubError::NotFound)
    }

    /// What the rules say to an act.
    pub fn test(&self, trial: &RuleTrial) -> Ruled {
        let now = self.inner.now().latest;
        let (agent, policy) = {
            let state = &self.inner.memory().state;
            let agent = trial.agent.and_then(|id| state.directory.agent(id));
            (agent.cloned(), Arc::clone(state.rules.policy()))
        };
        let asked = AppliesTo {
            dialect: agent.map(|agent| agent.dialect.clone()),
            ..trial.applies_to()
        };
        policy.rule_on(&Facts::of_action(&trial.action).asked_by(&asked), now)
    }

    /// What the rules say to an ask.
    pub async fn explain(&self, ask: AskId) -> Result<Explained, HubError> {
        let (view, _) = self.inner.look_up(ask).await?;
        let policy = Arc::clone(self.inner.memory().state.rules.policy());
        let facts = Facts::of(&view.ask, &view.agent).ok_or_else(|| {
            HubError::Refused("this ask is not an approval, so no rules apply to it".to_owned())
        })?;
        let ruled = policy.rule_on(&facts, self.inner.now().latest);
        Ok(Explained { view, ruled })
    }
}

impl Inner {
    /// Asks that wait and that one of these rules may have the answer to.
    pub(super) async fn candidates(&self, rules: &[NewRule], by: &Maker) -> Vec<Candidate> {
        let now = self.now().latest;
        let alone = alone(rules, by);
        let one = match rules {
            [one] => Some(&one.applies_to),
            _ => None,
        };
        let filter = OpenFilter {
            agent: one.and_then(|applies_to| applies_to.agent),
            conversation: one.and_then(|applies_to| applies_to.conversation),
            matter: Some(MatterKind::Approval),
        };
        let (entries, _) = {
            let memory = self.memory();
            let open = memory.state.asks.open();
            open.list(&filter, None, limits::RULE_SWEEP_MAX)
        };
        let mut found = Vec::new();
        for entry in entries {
            let Ok(view) = self.look(entry.ask).await else {
                continue;
            };
            let covered = Facts::of(&view.ask, &view.agent)
                .is_some_and(|facts| alone.rule_on(&facts, now).ruling != Ruling::Ask);
            if covered && view.closing.is_none() {
                found.push(Candidate {
                    ask: view.ask,
                    agent: view.agent,
                });
            }
        }
        found
    }

    /// Answers asks that came between the look for candidates and the commit of a rule.
    pub(crate) async fn sweep_stragglers(self: &Arc<Self>, rules: &[NewRule], by: &Maker) {
        let candidates = self.candidates(rules, by).await;
        if candidates.is_empty() {
            return;
        }
        if let Err(error) = self.decide::<()>(Op::Sweep(candidates)).await {
            tracing::warn!(%error, "could not apply a new rule to open asks; they still wait for \
                                    a person");
        }
    }
}

/// A policy of these rules alone.
pub(super) fn alone(rules: &[NewRule], by: &Maker) -> Policy {
    let mut policy = Policy::default();
    for (id, new) in (1..).zip(rules) {
        policy.put(Arc::new(unmade(id, new, by)));
    }
    policy
}

/// A rule as it would be, in force.
fn unmade(id: u32, new: &NewRule, by: &Maker) -> Rule {
    Rule {
        id: RuleId(id),
        version: 1,
        says: new.says.clone(),
        applies_to: new.applies_to.clone(),
        expires: None,
        by: by.clone(),
        made_at: Time::default(),
        note: None,
        shadow: false,
    }
}

pub(super) fn check_new(new: &NewRule, authority: Authority) -> Result<(), HubError> {
    new.says
        .check()
        .map_err(|violation| HubError::Invalid(Violations::one(violation)))?;
    authority
        .may_make(&new.says, &new.applies_to)
        .map_err(HubError::Forbidden)?;
    let longest = DAY * u32::try_from(limits::RULE_DAYS_MAX).unwrap_or(u32::MAX);
    match new.lasts {
        Some(lasts) if lasts.is_zero() || lasts > longest => Err(invalid(
            "/expires_s",
            &format!("must be from 1 second to {} days", limits::RULE_DAYS_MAX),
        )),
        Some(_) | None => Ok(()),
    }
}

pub(super) fn invalid(path: &str, message: &str) -> HubError {
    HubError::Invalid(Violations::one(Violation::invalid(path, message)))
}
