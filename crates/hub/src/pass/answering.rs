//! What a person says to an ask: an answer, or nothing.

use sayso_core::answer::{Answer, Decision, Scope};
use sayso_core::ask::Matter;
use sayso_core::check;
use sayso_core::digest::Digest;
use sayso_core::id::{AskId, Place};
use sayso_core::outcome::{Closer, Outcome, Seen};
use sayso_core::state::Op;
use sayso_core::state::op::{Close, VerdictRule};
use sayso_core::view::AskView;

use super::PersonPass;
use super::rules::RuleChoice;
use crate::error::HubError;
use crate::look::looked;
use crate::queue::Task;
use crate::tray::Tray;

impl PersonPass {
    /// Answers. `seen` is the digest of what the device showed; absent where its language cannot
    /// carry one.
    ///
    /// A verdict that reaches further than once makes the narrowest rule there is.
    pub async fn answer(
        &self,
        ask: AskId,
        seen: Option<Digest>,
        answer: Answer,
    ) -> Result<AskView, HubError> {
        self.answer_choosing(ask, seen, answer, &RuleChoice::default())
            .await
    }

    /// Answers, and says what rule a verdict that reaches further makes.
    pub async fn answer_choosing(
        &self,
        ask: AskId,
        seen: Option<Digest>,
        answer: Answer,
        choice: &RuleChoice,
    ) -> Result<AskView, HubError> {
        let (view, place) = self.shown(ask, seen).await?;
        let (answer, rule) = self.fit(&view, seen, answer, choice).await?;
        let outcome = may_stop(&view, Outcome::Answered(answer))?;
        self.close(view, place, seen, outcome, rule).await
    }

    /// Answers without waiting: the word comes into the tray under this number. A verdict that
    /// reaches further, or an ask that is not in memory, takes a look: the answer is given back.
    pub fn answer_into(
        &self,
        tray: &Tray<AskView>,
        number: u64,
        ask: AskId,
        seen: Digest,
        answer: Answer,
    ) -> Result<(), Box<Answer>> {
        let inner = self.inner();
        let Some((view, place)) = inner.look_now(ask).filter(|_| is_once(&answer)) else {
            return Err(Box::new(answer));
        };
        let slip = tray.slip(number);
        let outcome = as_shown(&view, Some(seen))
            .and_then(|()| fit_once(&view, Some(seen), answer))
            .and_then(|answer| may_stop(&view, Outcome::Answered(answer)));
        match outcome {
            Ok(outcome) => {
                let close = Box::new(self.close_op(view, place, Some(seen), outcome, None));
                self.base.submit(slip, Task::Decide(Op::Close(close)));
            }
            Err(error) => slip.send(Err(error)),
        }
        Ok(())
    }

    /// The outcome that an answer would be, and the ask as it stands; or why it is none. Nothing is
    /// closed.
    pub async fn try_answer(
        &self,
        ask: AskId,
        seen: Option<Digest>,
        answer: Answer,
    ) -> Result<(Outcome, AskView), HubError> {
        let (view, _) = self.shown(ask, seen).await?;
        // What is closed can only be compared with.
        let answer = if view.closing.is_some() {
            settled(&view.ask.matter, answer)
        } else {
            let choice = RuleChoice::default();
            self.fit(&view, seen, answer, &choice).await?.0
        };
        Ok((Outcome::Answered(answer), view))
    }

    /// The same for putting an ask aside.
    pub async fn try_dismiss(
        &self,
        ask: AskId,
        seen: Option<Digest>,
        note: Option<String>,
    ) -> Result<(Outcome, AskView), HubError> {
        let note = kept(note)?;
        let (view, _) = self.shown(ask, seen).await?;
        Ok((Outcome::Dismissed { note, stop: false }, view))
    }

    /// The answer as it would be kept, and the rule it would make.
    async fn fit(
        &self,
        view: &AskView,
        seen: Option<Digest>,
        answer: Answer,
        choice: &RuleChoice,
    ) -> Result<(Answer, Option<VerdictRule>), HubError> {
        let answer = fit_once(view, seen, answer)?;
        let rule = self.rule_of(view, &answer, choice).await?;
        Ok((answer, rule))
    }

    /// Puts an ask aside without an answer; with `stop` the asker's turn is to end with it.
    pub async fn dismiss(
        &self,
        ask: AskId,
        seen: Option<Digest>,
        note: Option<String>,
        stop: bool,
    ) -> Result<AskView, HubError> {
        let note = kept(note)?;
        let (view, place) = self.shown(ask, seen).await?;
        let outcome = may_stop(&view, Outcome::Dismissed { note, stop })?;
        self.close(view, place, seen, outcome, None).await
    }

    async fn shown(&self, ask: AskId, seen: Option<Digest>) -> Result<(AskView, Place), HubError> {
        let (view, place) = self.inner().look_up(ask).await?;
        as_shown(&view, seen)?;
        Ok((view, place))
    }

    async fn close(
        &self,
        view: AskView,
        place: Place,
        seen: Option<Digest>,
        outcome: Outcome,
        rule: Option<VerdictRule>,
    ) -> Result<AskView, HubError> {
        let made = rule.as_ref().map(|rule| rule.new.clone());
        let close = Box::new(self.close_op(view, place, seen, outcome, rule));
        let view = self.base.decide(Op::Close(close)).await?;
        if let Some(made) = made {
            self.inner().sweep_stragglers(&[made], &self.maker()).await;
        }
        Ok(view)
    }

    fn close_op(
        &self,
        view: AskView,
        place: Place,
        seen: Option<Digest>,
        outcome: Outcome,
        rule: Option<VerdictRule>,
    ) -> Close {
        let by = Closer::Person {
            person: self.person.clone(),
            device: self.base.live.token.name.clone(),
            seen: if seen.is_some() {
                Seen::Digest
            } else {
                Seen::Unbound
            },
        };
        Close {
            looked: looked(&view, place),
            ask: view.ask,
            outcome,
            by,
            rule,
        }
    }
}

/// What the device showed must be what was asked.
fn as_shown(view: &AskView, seen: Option<Digest>) -> Result<(), HubError> {
    match seen {
        Some(seen) if seen != view.ask.digest => {
            Err(HubError::DigestMismatch(Box::new(view.clone())))
        }
        Some(_) | None => Ok(()),
    }
}

/// The outcome, unless it ends a turn whose asker cannot be told.
fn may_stop(view: &AskView, outcome: Outcome) -> Result<Outcome, HubError> {
    check::check_stop(&view.ask, &outcome).map_err(HubError::Invalid)?;
    Ok(outcome)
}

/// The note as it is kept, or why it cannot be.
pub(super) fn kept(note: Option<String>) -> Result<Option<String>, HubError> {
    let note = check::settle_note(note);
    check::check_note(note.as_deref()).map_err(HubError::Invalid)?;
    Ok(note)
}

/// The answer as it is kept.
fn settled(matter: &Matter, answer: Answer) -> Answer {
    let answer = check::settle_notes(answer);
    match matter {
        Matter::Form(form) => check::settle_fields(form, answer),
        Matter::Questions(_) | Matter::Approval(_) => answer,
    }
}

/// The answer as it would be kept, when it makes no rule.
fn fit_once(view: &AskView, seen: Option<Digest>, answer: Answer) -> Result<Answer, HubError> {
    if view.is_unreadable() {
        return Err(HubError::Refused(
            "this ask can't be answered, because its entry in the journal is damaged; dismiss it, and the agent can ask again"
                .to_owned(),
        ));
    }
    let answer = settled(&view.ask.matter, answer);
    check::check_answer(&view.ask.matter, view.scopes, &answer).map_err(HubError::Invalid)?;
    if seen.is_none() && dares(&view.ask.matter, &answer) {
        return Err(HubError::Refused(high_risk(&view.ask.matter)));
    }
    Ok(answer)
}

/// Why an action of high risk cannot be allowed by a device that does not say what it showed.
fn high_risk(matter: &Matter) -> String {
    let action = matter.action();
    let sentence = action.map_or_else(String::new, |action| action.risk.sentence());
    format!("{sentence} Allow it on a device that shows all of it, such as the sayso page.")
}

/// Whether an answer ends one ask and makes no rule.
fn is_once(answer: &Answer) -> bool {
    match answer {
        Answer::Verdict(verdict) => verdict.scope == Scope::Once,
        Answer::Replies(_) | Answer::Fields(_) => true,
    }
}

/// Whether an answer lets an agent do something of high risk.
fn dares(matter: &Matter, answer: &Answer) -> bool {
    match (matter, answer) {
        (Matter::Approval(action), Answer::Verdict(verdict)) => {
            let allows = matches!(verdict.decision, Decision::Allow { .. });
            allows && action.risk.is_high()
        }
        (Matter::Questions(_) | Matter::Form(_) | Matter::Approval(_), _) => false,
    }
}
