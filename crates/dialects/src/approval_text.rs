//! An approval as a question with the whole input in its text, and back: for front ends that can
//! draw nothing else.
//!
//! Nothing but the exact label allows, and only where it was on offer. What such a front end showed
//! cannot be proved, so what is risky or too long to show can only be denied there.

use sayso_core::action::{Action, Flag};
use sayso_core::answer::{Answer, Decision, Reply, Scope, Verdict};
use sayso_core::ask::{Choice, Pick, Question};
use sayso_core::escape::{escape_block, escape_line};
use sayso_core::view::AskView;

use crate::texts;

/// The longest text that a front end is trusted to show whole.
pub(crate) const TEXT_BYTES_MAX: usize = 4 * 1024;
/// What is said to a yes that is not taken here.
pub(crate) const NOT_HERE: &str = "it can only be denied here; to allow it, answer on the sayso \
                                   page";
/// The label that allows.
const ALLOW: &str = "Allow once";
/// The label that denies.
const DENY: &str = "Deny";
/// The label that dismisses a form which can't be drawn.
pub(crate) const DISMISS: &str = "Dismiss";
/// The chip beside the question.
const TAG: &str = "Approval";

/// The question that stands for an approval.
pub(crate) fn question(view: &AskView, action: &Action) -> Question {
    let labels: &[&str] = if !may_allow(view, action) {
        &[DENY]
    } else if action.flags.contains(&Flag::DefaultNo) {
        &[DENY, ALLOW]
    } else {
        &[ALLOW, DENY]
    };
    let choices = labels.iter().map(|label| Choice::new(*label)).collect();
    Question {
        tag: Some(TAG.to_owned()),
        ..Question::new(text(view, action), Pick::One, choices)
    }
}

/// The text that a person reads.
pub(crate) fn text(view: &AskView, action: &Action) -> String {
    let mut whole = whole(view, action);
    let why = if whole.len() > TEXT_BYTES_MAX {
        whole = who(view, action);
        "Its input is too long to show here: to allow it, answer on the sayso page."
    } else if action.risk.is_high() {
        &format!(
            "{} To allow it, answer on the sayso page.",
            action.risk.sentence()
        )
    } else if !view.scopes.contains(&Scope::Once) {
        "It cannot be allowed here: answer on the sayso page."
    } else {
        return whole;
    };
    format!("{whole}\n\n{why}")
}

/// Whether a yes is on offer.
pub(crate) fn may_allow(view: &AskView, action: &Action) -> bool {
    !action.risk.is_high()
        && view.scopes.contains(&Scope::Once)
        && whole(view, action).len() <= TEXT_BYTES_MAX
}

fn who(view: &AskView, action: &Action) -> String {
    let agent = escape_line(view.agent.name.as_str());
    format!("{agent} wants to use {}.", escape_line(&action.tool))
}

fn whole(view: &AskView, action: &Action) -> String {
    let mut whole = who(view, action);
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
    whole
}

/// The verdict that a reply to that question means. Own words are a no that says why.
pub(crate) fn verdict(question: &Question, reply: &Reply) -> Result<Answer, String> {
    let labels: Vec<&str> = reply.labels.iter().map(String::as_str).collect();
    let decision = match (labels.as_slice(), reply.other.as_deref()) {
        ([ALLOW], None) => Decision::Allow { edited_input: None },
        ([], Some(ALLOW)) => return Err(NOT_HERE.to_owned()),
        ([DENY], _) | ([], Some(_)) => Decision::Deny { stop: false },
        _ => {
            let offered = question.choices.iter().map(|choice| choice.label.as_str());
            let offered: Vec<&str> = offered.collect();
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
pub(crate) fn shown(verdict: &Verdict) -> String {
    let label = match &verdict.decision {
        Decision::Allow { .. } => ALLOW,
        Decision::Deny { .. } => DENY,
    };
    match &verdict.note {
        Some(note) => format!("{label}{}{note}", texts::JOINT),
        None => label.to_owned(),
    }
}
