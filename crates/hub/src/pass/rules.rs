//! What people and admins may do with rules: read them, try them, make them, take them back.

use std::sync::Arc;
use std::time::Duration;

use sayso_core::action::Action;
use sayso_core::answer::{Answer, Decision, Scope};
use sayso_core::ask::MatterKind;
use sayso_core::check::{Violation, Violations};
use sayso_core::id::{AgentId, AskId, ConversationId, RuleId, Workspace};
use sayso_core::limits;
use sayso_core::outcome::{Closer, Outcome};
use sayso_core::policy::{
    self, Authority, EXACT, Facts, Maker, Offer, Policy, Reach, Rule, Ruled, Ruling, Says, Width,
};
use sayso_core::time::Time;
use sayso_core::view::AskView;
use sayso_store::AskQuery;

use super::{AdminPass, PersonPass};
use crate::error::HubError;
use crate::hub::Inner;
use crate::index::OpenFilter;
use crate::op::{Candidate, MakeRulesOp, NewRule, Op, RuleOp};

const DAY: Duration = Duration::from_secs(24 * 3600);

/// How long a rule holds when nothing is said.
const LASTS: Duration = Duration::from_secs(limits::RULE_DAYS * 24 * 3600);

/// What rule a verdict makes that reaches further than once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleChoice {
    /// Which of the offers; the narrowest when absent.
    pub form: Option<String>,
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
    pub reaches: Vec<(Width, Past)>,
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
    by: Maker,
    authority: Authority,
}

impl PersonPass {
    /// The rules, in the hands of this person.
    pub fn rules(&self) -> RuleDesk<'_> {
        RuleDesk {
            inner: self.inner(),
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

    /// What may be offered for an ask, and what each would have done in the past.
    pub async fn offers(&self, ask: AskId) -> Result<Vec<OfferView>, HubError> {
        let inner = self.inner();
        let view = inner.look(ask).await?;
        let offers = policy::offers(&view.ask);
        if offers.is_empty() {
            return Ok(Vec::new());
        }
        let past = inner.past().await?;
        let widths = [Width::Agent, Width::Workspace, Width::Conversation];
        Ok(offers
            .into_iter()
            .map(|offer| {
                let reaches = widths
                    .into_iter()
                    .filter_map(|width| {
                        let new = NewRule {
                            says: Says::Allow(offer.subject.clone()),
                            reach: width.reach(&view.ask)?,
                            lasts: None,
                            note: None,
                        };
                        Some((width, would_have(&new, &past, &self.maker())))
                    })
                    .collect();
                OfferView { offer, reaches }
            })
            .collect())
    }

    /// The rule that an answer makes, if it reaches further than once.
    pub(super) async fn rule_of(
        &self,
        view: &AskView,
        answer: &Answer,
        choice: &RuleChoice,
    ) -> Result<Option<RuleOp>, HubError> {
        let Answer::Verdict(verdict) = answer else {
            return refuse_choice(choice).map(|()| None);
        };
        let width = match (verdict.scope, choice.width) {
            (Scope::Once, _) => return refuse_choice(choice).map(|()| None),
            (Scope::Conversation, None | Some(Width::Conversation)) => Width::Conversation,
            (Scope::Conversation, Some(Width::Agent | Width::Workspace)) => {
                return Err(invalid(
                    "/rule/reach",
                    "is wider than the scope that was chosen",
                ));
            }
            (Scope::Always, width) => width.unwrap_or_default(),
        };
        let edited = match &verdict.decision {
            Decision::Allow { edited_input } => edited_input.is_some(),
            Decision::Deny => false,
        };
        if edited {
            return Err(invalid(
                "/verdict/scope",
                "must be `once` when the input was edited: a rule would be for what the agent asked",
            ));
        }
        let wanted = choice.form.as_deref().unwrap_or(EXACT);
        let offer = policy::offers(&view.ask)
            .into_iter()
            .find(|offer| offer.form == wanted)
            .ok_or_else(|| invalid("/rule/form", "is not on offer for this ask"))?;
        let reach = width.reach(&view.ask).ok_or_else(|| {
            invalid(
                "/rule/reach",
                "is not on offer: the ask does not say where it is",
            )
        })?;
        let new = NewRule {
            says: match &verdict.decision {
                Decision::Allow { .. } => Says::Allow(offer.subject),
                Decision::Deny => Says::Deny(offer.subject),
            },
            reach,
            lasts: Some(choice.lasts.unwrap_or(LASTS)),
            note: None,
        };
        check_new(&new, Authority::Person)?;
        let candidates = self
            .inner()
            .candidates(std::slice::from_ref(&new), &self.maker())
            .await;
        Ok(Some(RuleOp {
            new,
            by: self.maker(),
            candidates,
        }))
    }
}

impl AdminPass {
    /// The rules, in the hands of this admin.
    pub fn rules(&self) -> RuleDesk<'_> {
        RuleDesk {
            inner: &self.base.hub.0,
            by: Maker::Admin(self.base.live.token.name.clone()),
            authority: Authority::Admin,
        }
    }
}

impl RuleDesk<'_> {
    /// Every rule that was not taken back, in the order in which they were made.
    pub fn list(&self) -> Vec<RuleView> {
        let now = self.inner.clock.wall();
        let known = self.inner.known();
        known
            .rules
            .policy()
            .rules()
            .map(|rule| {
                let uses = known.rules.uses(rule.id);
                RuleView {
                    rule: Arc::clone(rule),
                    hits: uses.hits,
                    last_used: uses.last,
                    live: rule.is_live(now),
                }
            })
            .collect()
    }

    /// Makes rules: all of them, or none. What waits and is covered is answered in the same commit.
    ///
    /// Rules in `instead_of` go with it.
    pub async fn make(
        &self,
        mut rules: Vec<NewRule>,
        instead_of: Vec<RuleId>,
    ) -> Result<Vec<Arc<Rule>>, HubError> {
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
        let op = MakeRulesOp {
            candidates: self.inner.candidates(&rules, &self.by).await,
            rules,
            instead_of,
            by: self.by.clone(),
        };
        let made = self
            .inner
            .commit(|reply| Op::MakeRules {
                make: Box::new(op),
                reply,
            })
            .await?;
        self.inner.sweep_stragglers(&again, &self.by).await;
        Ok(made)
    }

    /// Whom and where a rule reaches: agents and conversations by id or name.
    pub fn reach(
        &self,
        agent: Option<&str>,
        conversation: Option<&str>,
    ) -> Result<Reach, HubError> {
        Ok(Reach {
            agent: agent
                .map(|agent| self.inner.find_agent(agent))
                .transpose()?,
            conversation: conversation
                .map(|name| self.inner.find_conversation(name))
                .transpose()?
                .map(|conversation| conversation.id),
            ..Reach::default()
        })
    }

    /// Who makes rules here.
    pub fn maker(&self) -> &Maker {
        &self.by
    }

    /// Takes a rule back: for everything whose decision is not yet committed, too.
    pub async fn revoke(&self, rule: RuleId) -> Result<Arc<Rule>, HubError> {
        let by = self.by.clone();
        self.inner
            .commit(|reply| Op::RevokeRule { rule, by, reply })
            .await
    }

    /// What the rules say to an act.
    pub fn test(&self, trial: &RuleTrial) -> Ruled {
        let now = self.inner.clock.wall();
        let known = self.inner.known();
        let agent = trial.agent.and_then(|id| known.roll.agent(id).cloned());
        let policy = Arc::clone(known.rules.policy());
        drop(known);
        let facts = Facts {
            agent: trial.agent,
            dialect: agent.as_ref().map(|agent| &agent.dialect),
            conversation: trial.conversation,
            workspace: trial.workspace.as_ref(),
            ..Facts::of_action(&trial.action)
        };
        policy.rule_on(&facts, now)
    }

    /// What the rules say to an ask.
    pub async fn explain(&self, ask: AskId) -> Result<Explained, HubError> {
        let view = self.inner.look(ask).await?;
        let policy = Arc::clone(self.inner.known().rules.policy());
        let facts = Facts::of(&view.ask, &view.agent).ok_or_else(|| {
            HubError::Refused(
                "this ask asks no leave to act; rules have nothing to say to it".to_owned(),
            )
        })?;
        let ruled = policy.rule_on(&facts, self.inner.clock.wall());
        Ok(Explained { view, ruled })
    }
}

impl Inner {
    /// Asks that wait and that one of these rules may have the answer to.
    async fn candidates(&self, rules: &[NewRule], by: &Maker) -> Vec<Candidate> {
        let now = self.clock.wall();
        let alone = alone(rules, by);
        let one = match rules {
            [one] => Some(&one.reach),
            _ => None,
        };
        let filter = OpenFilter {
            agent: one.and_then(|reach| reach.agent),
            conversation: one.and_then(|reach| reach.conversation),
            matter: Some(MatterKind::Approval),
        };
        let (entries, _) = self
            .known()
            .open
            .list(&filter, None, limits::RULE_SWEEP_MAX);
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
        if let Err(error) = self.commit(|reply| Op::Sweep { candidates, reply }).await {
            tracing::warn!(%error, "asks that a new rule covers still wait for a person");
        }
    }

    /// The last approvals that ended.
    async fn past(&self) -> Result<Vec<AskView>, HubError> {
        let query = AskQuery {
            matter: Some(MatterKind::Approval),
            limit: limits::RULE_PAST_MAX,
            ..AskQuery::default()
        };
        let mut past = Vec::new();
        for row in self.store.closed(&query).await?.rows {
            match self.look(row.ask).await {
                Ok(view) => past.push(view),
                Err(HubError::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(past)
    }
}

/// A policy of these rules alone.
fn alone(rules: &[NewRule], by: &Maker) -> Policy {
    let mut policy = Policy::default();
    for (id, new) in (1..).zip(rules) {
        policy.put(Arc::new(Rule {
            id: RuleId(id),
            version: 1,
            says: new.says.clone(),
            reach: new.reach.clone(),
            expires: None,
            by: by.clone(),
            made_at: Time::default(),
            note: None,
        }));
    }
    policy
}

fn would_have(new: &NewRule, past: &[AskView], by: &Maker) -> Past {
    let alone = alone(std::slice::from_ref(new), by);
    let allows = |view: &&AskView| {
        let ruling = Facts::of(&view.ask, &view.agent)
            .map(|facts| alone.rule_on(&facts, Time::default()).ruling);
        matches!(ruling, Some(Ruling::Allow { .. }))
    };
    let allowed: Vec<&AskView> = past.iter().filter(allows).collect();
    Past {
        asks: past.len(),
        allowed: allowed.len(),
        denied: allowed
            .iter()
            .filter(|view| was_denied(view))
            .map(|view| view.ask.id)
            .collect(),
    }
}

/// Whether a person said no.
fn was_denied(view: &AskView) -> bool {
    let Some(closing) = &view.closing else {
        return false;
    };
    match (&closing.outcome, &closing.by) {
        (Outcome::Answered(Answer::Verdict(verdict)), Closer::Person { .. }) => {
            verdict.decision == Decision::Deny
        }
        (_, _) => false,
    }
}

fn check_new(new: &NewRule, authority: Authority) -> Result<(), HubError> {
    new.says
        .check()
        .map_err(|violation| HubError::Invalid(Violations::one(violation)))?;
    if authority == Authority::Person
        && let Err(why) = new.says.needs()
    {
        return Err(HubError::Forbidden(why.to_owned()));
    }
    let longest = DAY * u32::try_from(limits::RULE_DAYS_MAX).unwrap_or(u32::MAX);
    match new.lasts {
        Some(lasts) if lasts.is_zero() || lasts > longest => Err(invalid(
            "/expires_s",
            &format!("must be from 1 second to {} days", limits::RULE_DAYS_MAX),
        )),
        Some(_) | None => Ok(()),
    }
}

fn invalid(path: &str, message: &str) -> HubError {
    HubError::Invalid(Violations::one(Violation::invalid(path, message)))
}

/// A choice of rule that comes with an answer that makes none.
fn refuse_choice(choice: &RuleChoice) -> Result<(), HubError> {
    if *choice == RuleChoice::default() {
        return Ok(());
    }
    Err(invalid(
        "/rule",
        "belongs to a verdict whose scope is `conversation` or `always`",
    ))
}
