//! An approval as a question with the whole input in its text, and back.
//!
//! Nothing but the exact label allows, and only where it was on offer. A connection of this language
//! cannot prove what it showed, so what is risky or too long to show can only be denied here.

use sayso_core::action::{Action, Flag};
use sayso_core::answer::{Answer, Decision, Reply, Scope, Verdict};
use sayso_core::ask::{Pick, Question};
use sayso_core::escape::{escape_block, escape_line};
use sayso_core::view::AskView;

use super::card::{self, TEXT_BYTES_MAX};
use crate::texts;

/// The label that allows.
const ALLOW: &str = "Allow once";
/// The label that denies.
const DENY: &str = "Deny";
/// The chip beside the question.
const TAG: &str = "Approval";

/// The question that stands for an approval.
pub(super) fn question(view: &AskView, action: &Action) -> Question {
    let (text, may_allow) = text(view, action);
    let labels: &[&str] = if !may_allow {
        &[DENY]
    } else if action.flags.contains(&Flag::DefaultNo) {
        &[DENY, ALLOW]
    } else {
        &[ALLOW, DENY]
    };
    let labels = labels.iter().map(|label| (*label).to_owned()).collect();
    Question {
        tag: Some(TAG.to_owned()),
        ..card::question(text, Pick::One, labels)
    }
}

/// The text, and whether a yes is on offer.
fn text(view: &AskView, action: &Action) -> (String, bool) {
    let who = format!(
        "{} wants to use {}.",
        escape_line(view.agent.name.as_str()),
        escape_line(&action.tool)
    );
    let mut whole = who.clone();
    if let Some(cwd) = &action.cwd {
        whole.push_str("\nIn: ");
        whole.push_str(&escape_line(cwd));
    }
    if let Some(reason) = &action.reason {
        whole.push_str("\nIt says: ");
        whole.push_str(&escape_block(reason));
    }
    whole.push_str("\n\n");
    whole.push_str(&escape_block(&action.input));
    if whole.len() > TEXT_BYTES_MAX {
        let why = "Its input is too long to show here: to allow it, answer on the sayso page.";
        return (format!("{who}\n\n{why}"), false);
    }
    let why = if action.risk.is_high() {
        format!(
            "{} To allow it, answer on the sayso page.",
            action.risk.sentence()
        )
    } else if view.scopes.contains(&Scope::Once) {
        return (whole, true);
    } else {
        "It cannot be allowed here: answer on the sayso page.".to_owned()
    };
    (format!("{whole}\n\n{why}"), false)
}

/// The verdict that a reply to that question means. Own words are a no that says why.
pub(super) fn verdict(question: &Question, reply: &Reply) -> Result<Answer, String> {
    let labels: Vec<&str> = reply.labels.iter().map(String::as_str).collect();
    let decision = match (labels.as_slice(), reply.other.as_deref()) {
        ([ALLOW], None) => Decision::Allow { edited_input: None },
        ([], Some(ALLOW)) => {
            return Err("it can only be denied here; answer on the sayso page".to_owned());
        }
        ([DENY], _) | ([], Some(_)) => Decision::Deny { stop: false },
        _ => {
            let offered: Vec<&str> = question
                .choices
                .iter()
                .map(|one| one.label.as_str())
                .collect();
            return Err(format!("choose one of: {}", offered.join(", ")));
        }
    };
    Ok(Answer::Verdict(Verdict {
        decision,
        scope: Scope::Once,
        note: reply.other.clone(),
    }))
}

/// A verdict as the label that stands for it, with the note behind it.
pub(super) fn shown(verdict: &Verdict) -> String {
    let label = match &verdict.decision {
        Decision::Allow { .. } => ALLOW,
        Decision::Deny { .. } => DENY,
    };
    match &verdict.note {
        Some(note) => format!("{label}{}{note}", texts::JOINT),
        None => label.to_owned(),
    }
}
