//! What a verdict makes that reaches further than once, and what may be offered for it.

use std::collections::BTreeSet;
use std::sync::Arc;

use sayso_core::answer::{Answer, Decision, Scope};
use sayso_core::ask::MatterKind;
use sayso_core::id::{AskId, RuleId};
use sayso_core::limits;
use sayso_core::outcome::{Closer, Outcome};
use sayso_core::policy::{
    self, Authority, Decided, EXACT, Facts, Maker, Ruling, Says, Suggestion, Width,
};
use sayso_core::state::op::{NewRule, VerdictRule};
use sayso_core::time::Time;
use sayso_core::view::AskView;
use sayso_store::AskQuery;

use super::PersonPass;
use super::rules::{
    LASTS, OfferView, Past, RuleChoice, RuleDesk, RulePast, alone, check_new, invalid,
};
use crate::error::HubError;
use crate::hub::Inner;

impl PersonPass {
    /// What may be offered for an ask, and what each would have done in the past.
    pub async fn offers(&self, ask: AskId) -> Result<Vec<OfferView>, HubError> {
        let inner = self.inner();
        let (view, _) = inner.look_up(ask).await?;
        let offers = policy::offers(&view.ask);
        if offers.is_empty() {
            return Ok(Vec::new());
        }
        let past = inner.past(limits::RULE_PAST_MAX).await?;
        let widths = [Width::Agent, Width::Workspace, Width::Conversation];
        let mut views = Vec::new();
        for offer in offers {
            let mut choices = Vec::new();
            for width in widths {
                let Some(applies_to) = width.applies_to(&view.ask) else {
                    continue;
                };
                let new = NewRule {
                    says: Says::Allow(offer.subject.clone()),
                    applies_to,
                    lasts: None,
                    note: None,
                    shadow: false,
                };
                if check_new(&new, Authority::Person).is_err() {
                    continue;
                }
                let waiting = inner
                    .candidates(std::slice::from_ref(&new), &self.maker())
                    .await;
                let others = waiting.iter().filter(|other| other.ask.id != ask).count();
                let past = would_have(&new, &past, &self.maker());
                choices.push((
                    width,
                    Past {
                        open: others,
                        ..past
                    },
                ));
            }
            views.push(OfferView { offer, choices });
        }
        Ok(views)
    }

    /// What could be a rule, going by what people decided. Nothing is made of it.
    pub async fn suggestions(&self) -> Result<Vec<Suggestion>, HubError> {
        let inner = self.inner();
        let past = inner.past(limits::SUGGESTION_PAST_MAX).await?;
        let decided = past.into_iter().filter_map(|view| {
            let allowed = match said(&view)? {
                Decision::Allow { edited_input: None } => true,
                // What had to be changed first was not right as it was.
                Decision::Allow {
                    edited_input: Some(_),
                }
                | Decision::Deny { .. } => false,
            };
            Some(Decided {
                ask: view.ask,
                agent: view.agent,
                allowed,
            })
        });
        let decided: Vec<Decided> = decided.collect();
        let wanted: Vec<String> = policy::wanted_likes(&decided).into_iter().collect();
        let mut denied = BTreeSet::new();
        for some in wanted.chunks(limits::LIKES_AT_ONCE_MAX) {
            denied.extend(inner.store.denied(some).await?);
        }
        let policy = Arc::clone(inner.memory().state.rules.policy());
        let now = inner.journal_time();
        Ok(policy::suggestions(&decided, &denied, &policy, now))
    }

    /// The rule that an answer makes, if it reaches further than once.
    pub(super) async fn rule_of(
        &self,
        view: &AskView,
        answer: &Answer,
        choice: &RuleChoice,
    ) -> Result<Option<VerdictRule>, HubError> {
        let Answer::Verdict(verdict) = answer else {
            return refuse_choice(choice).map(|()| None);
        };
        let width = match (verdict.scope, choice.width) {
            (Scope::Once, _) => return refuse_choice(choice).map(|()| None),
            (Scope::Conversation, None | Some(Width::Conversation)) => Width::Conversation,
            (Scope::Conversation, Some(Width::Agent | Width::Workspace)) => {
                return Err(invalid(
                    "/rule/applies_to",
                    "is wider than the chosen scope",
                ));
            }
            (Scope::Always, width) => width.unwrap_or_default(),
        };
        let edited = match &verdict.decision {
            Decision::Allow { edited_input } => edited_input.is_some(),
            Decision::Deny { .. } => false,
        };
        if edited {
            return Err(invalid(
                "/verdict/scope",
                "must be `once` when the input was edited, because a rule covers what the agent \
                 asked for",
            ));
        }
        let wanted = choice.preset.as_deref().unwrap_or(EXACT);
        let offer = policy::offers(&view.ask)
            .into_iter()
            .find(|offer| offer.preset == wanted)
            .ok_or_else(|| invalid("/rule/preset", "is not available for this ask"))?;
        let mut applies_to = width.applies_to(&view.ask).ok_or_else(|| {
            invalid(
                "/rule/applies_to",
                "is not available: the ask names no workspace or conversation",
            )
        })?;
        let new = NewRule {
            says: match &verdict.decision {
                Decision::Allow { .. } => Says::Allow(offer.subject),
                Decision::Deny { .. } => {
                    // A no holds whether or not links were followed.
                    applies_to.links = false;
                    Says::Deny(offer.subject.to_deny())
                }
            },
            applies_to,
            lasts: Some(choice.lasts.unwrap_or(LASTS)),
            note: None,
            shadow: false,
        };
        check_new(&new, Authority::Person)?;
        let candidates = self
            .inner()
            .candidates(std::slice::from_ref(&new), &self.maker())
            .await;
        Ok(Some(VerdictRule {
            new,
            by: self.maker(),
            candidates,
        }))
    }
}

impl RuleDesk<'_> {
    /// What a rule did, or would have done, to the approvals that ended since it was made.
    pub async fn past(&self, id: RuleId) -> Result<RulePast, HubError> {
        let inner = self.inner();
        let rule = self.known(id).await?;
        let new = NewRule::in_force(&rule);
        let alone = alone(std::slice::from_ref(&new), &rule.by);
        let mut told = RulePast::default();
        for view in inner.past(limits::SUGGESTION_PAST_MAX).await? {
            let in_time = view.ask.asked_at >= rule.made_at && rule.is_live(view.ask.asked_at);
            let Some(facts) = Facts::of(&view.ask, &view.agent).filter(|_| in_time) else {
                continue;
            };
            told.asks += 1;
            let allows = match alone.rule_on(&facts, Time::default()).ruling {
                Ruling::Ask => continue,
                Ruling::Allow { .. } => true,
                Ruling::Deny { .. } => false,
            };
            told.covered += 1;
            let said = said(&view).map(|decision| !is_deny(&decision));
            if said == Some(!allows) {
                told.against.push(view.ask.id);
            }
        }
        Ok(told)
    }
}

impl Inner {
    /// The last approvals that ended, newest first.
    pub(super) async fn past(&self, most: usize) -> Result<Vec<AskView>, HubError> {
        let mut past = Vec::new();
        let mut after = None;
        let mut left = most;
        while left > 0 {
            let query = AskQuery {
                matter: Some(MatterKind::Approval),
                limit: left.min(limits::PAGE_ROWS_MAX),
                after,
                ..AskQuery::default()
            };
            let page = self.store.closed(&query).await?;
            left = left.saturating_sub(page.rows.len().max(1));
            for row in page.rows {
                match self.look(row.ask).await {
                    Ok(view) => past.push(view),
                    Err(HubError::NotFound) => {}
                    Err(error) => return Err(error),
                }
            }
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        Ok(past)
    }
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
        open: 0,
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
    said(view).is_some_and(|decision| is_deny(&decision))
}

const fn is_deny(decision: &Decision) -> bool {
    match decision {
        Decision::Allow { .. } => false,
        Decision::Deny { .. } => true,
    }
}

/// What a person decided.
fn said(view: &AskView) -> Option<Decision> {
    let closing = view.closing.as_ref()?;
    match (&closing.outcome, &closing.by) {
        (Outcome::Answered(Answer::Verdict(verdict)), Closer::Person { .. }) => {
            Some(verdict.decision.clone())
        }
        (_, _) => None,
    }
}

/// A choice of rule that comes with an answer that makes none.
fn refuse_choice(choice: &RuleChoice) -> Result<(), HubError> {
    if *choice == RuleChoice::default() {
        return Ok(());
    }
    Err(invalid(
        "/rule",
        "is only allowed when the scope is `conversation` or `always`",
    ))
}
