//! An answer on its way to the hub: what the asker's language could not be told is refused before
//! anything is decided.

use sayso_core::answer::{Answer, Decision};
use sayso_core::check::{Violation, Violations};
use sayso_core::digest::Digest;
use sayso_core::id::AskId;
use sayso_core::view::AskView;
use sayso_dialects::takes_edits;
use sayso_hub::{HubError, PersonPass, RuleChoice, Tray};

/// Answers, unless it edits the input of an agent that cannot be told another one.
pub(crate) async fn answer(
    pass: &PersonPass,
    ask: AskId,
    seen: Option<Digest>,
    answer: Answer,
    choice: &RuleChoice,
) -> Result<AskView, HubError> {
    check_edit(pass, ask, &answer).await?;
    pass.answer_choosing(ask, seen, answer, choice).await
}

/// Refuses to edit the input of an agent that cannot be told another one.
pub(crate) async fn check_edit(
    pass: &PersonPass,
    ask: AskId,
    answer: &Answer,
) -> Result<(), HubError> {
    if !is_edited(answer) {
        return Ok(());
    }
    let view = pass.look(ask).await?;
    let dialect = view.agent.dialect.as_str();
    if takes_edits(dialect) {
        return Ok(());
    }
    let why = format!(
        "can't be edited: this agent speaks {dialect}, which can't carry a changed input; allow \
         it as it is, or deny it and say what to change"
    );
    let violation = Violation::invalid("/verdict/input", why);
    Err(HubError::Invalid(Violations::one(violation)))
}

/// Answers without waiting: the word comes into the tray under its number. What takes a look is
/// given back.
pub(crate) fn answer_into(
    pass: &PersonPass,
    (tray, number): (&Tray<AskView>, u64),
    ask: AskId,
    seen: Option<Digest>,
    answer: Answer,
) -> Result<(), Box<Answer>> {
    match seen {
        Some(seen) if !is_edited(&answer) => pass.answer_into(tray, number, ask, seen, answer),
        Some(_) | None => Err(Box::new(answer)),
    }
}

fn is_edited(answer: &Answer) -> bool {
    match answer {
        Answer::Verdict(verdict) => match &verdict.decision {
            Decision::Allow { edited_input } => edited_input.is_some(),
            Decision::Deny { .. } => false,
        },
        Answer::Replies(_) | Answer::Fields(_) => false,
    }
}
