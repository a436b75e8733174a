//! An approval in words, as a question where a front end has nothing better, and what is said to it.
//!
//! Only a clear yes allows, and what a front end cannot prove to have shown only where it is short
//! and not risky.

use sayso_core::action::{Action, Flag};
use sayso_core::answer::{Answer, Decision, Reply, Scope, Verdict};
use sayso_core::ask::{Choice, Look, Matter, Pick, Question};
use sayso_core::escape::{escape_block, escape_line};
use sayso_core::form::Form;
use sayso_core::view::AskView;

/// The longest text that a front end is trusted to show whole.
const TEXT_BYTES_MAX: usize = 4 * 1024;
/// The label that allows.
const ALLOW: &str = "Allow once";
/// The label that denies.
const DENY: &str = "Deny";
/// The label that puts something aside.
const DISMISS: &str = "Dismiss";
/// What is said to a yes that is not taken here.
pub(super) const NOT_HERE: &str = "it can only be denied here; answer on the sayso page";

/// The text that a person reads.
pub(super) fn text(view: &AskView, action: &Action) -> String {
    let mut whole = whole(view, action);
    let why = if whole.len() > TEXT_BYTES_MAX {
        let who = format!("{} wants to use ", escape_line(view.agent.name.as_str()));
        whole = who + &escape_line(&action.tool) + ".";
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

fn whole(view: &AskView, action: &Action) -> String {
    let mut whole = format!(
        "{} wants to use {}.",
        escape_line(view.agent.name.as_str()),
        escape_line(&action.tool)
    );
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

/// Whether a yes is taken from a front end that does not prove what it showed.
pub(super) fn may_allow(view: &AskView, action: &Action) -> bool {
    !action.risk.is_high()
        && view.scopes.contains(&Scope::Once)
        && whole(view, action).len() <= TEXT_BYTES_MAX
}

/// The ask as questions, for a front end that can draw nothing else.
pub(super) fn questions(view: &AskView) -> Vec<Question> {
    match &view.ask.matter {
        Matter::Questions(questions) => questions.clone(),
        Matter::Approval(action) => {
            let labels: &[&str] = if !may_allow(view, action) {
                &[DENY]
            } else if action.flags.contains(&Flag::DefaultNo) {
                &[DENY, ALLOW]
            } else {
                &[ALLOW, DENY]
            };
            vec![question("Approval", text(view, action), labels)]
        }
        Matter::Form(form) => vec![question("Form", elsewhere(form), &[DISMISS])],
    }
}

fn elsewhere(form: &Form) -> String {
    let message = escape_block(form.message());
    format!("{message}\n\nThis form cannot be filled in here: answer on the sayso page.")
}

fn question(tag: &str, text: String, labels: &[&str]) -> Question {
    let choice = |label: &&str| Choice {
        label: (*label).to_owned(),
        ..Choice::default()
    };
    Question {
        text,
        tag: Some(tag.to_owned()),
        pick: Pick::One,
        choices: labels.iter().map(choice).collect(),
        look: Look::Buttons,
        default: Vec::new(),
        free_text: true,
        required: true,
    }
}

/// The verdict that a reply to that question means. Own words are a no that says why.
pub(super) fn verdict(reply: &Reply) -> Result<Answer, String> {
    let labels: Vec<&str> = reply.labels.iter().map(String::as_str).collect();
    let decision = match (labels.as_slice(), reply.other.as_deref()) {
        ([ALLOW], None) => Decision::Allow { edited_input: None },
        ([], Some(ALLOW)) => return Err(NOT_HERE.to_owned()),
        ([DENY], _) | ([], Some(_)) => Decision::Deny { stop: false },
        _ => return Err(format!("choose one of: {ALLOW}, {DENY}")),
    };
    Ok(Answer::Verdict(Verdict {
        decision,
        scope: Scope::Once,
        note: reply.other.clone(),
    }))
}

/// Whether a reply puts a form aside.
pub(super) fn puts_aside(reply: &Reply) -> bool {
    reply.labels == [DISMISS]
}
