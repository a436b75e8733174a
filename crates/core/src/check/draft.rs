//! Whether an ask makes sense before anybody takes it in.

use std::time::Duration;

use super::Violations;
use super::form::check_form;
use super::found::{At, Checker};
use crate::action::{Act, Action};
use crate::ask::{Choice, Draft, Matter, Pick, Question};
use crate::limits;

/// Everything that is wrong with a draft.
pub fn check_draft(draft: &Draft) -> Result<(), Violations> {
    let mut found = Checker::default();
    let root = At::Root;
    found.length_if(root.key("title"), &draft.title, limits::TITLE_BYTES_MAX);
    check_within(&mut found, root, &draft.matter);
    if let Some(timeout) = draft.timeout
        && !(Duration::from_secs(limits::TIMEOUT_S_MIN)
            ..=Duration::from_secs(limits::TIMEOUT_S_MAX))
            .contains(&timeout)
    {
        let message = format!(
            "must be from {} to {} seconds",
            limits::TIMEOUT_S_MIN,
            limits::TIMEOUT_S_MAX
        );
        found.add(root.key("timeout_s"), message);
    }
    found.finish()
}

/// Everything that is wrong with what an ask is about.
pub fn check_matter(matter: &Matter) -> Result<(), Violations> {
    let mut found = Checker::default();
    check_within(&mut found, At::Root, matter);
    found.finish()
}

fn check_within(found: &mut Checker, at: At<'_>, matter: &Matter) {
    match matter {
        Matter::Questions(questions) => {
            let at = at.key("questions");
            if questions.is_empty() {
                found.add(at, "is empty; ask at least one question");
            }
            found.count(at, questions.len(), limits::QUESTIONS_MAX);
            for (index, question) in questions.iter().enumerate().take(limits::QUESTIONS_MAX) {
                check_question(found, at.index(index), question);
            }
        }
        Matter::Approval(action) => check_action(found, at.key("action"), action),
        Matter::Form(form) => check_form(found, at.key("form"), form),
    }
}

fn check_question(found: &mut Checker, at: At<'_>, question: &Question) {
    found.filled(at.key("text"), &question.text, limits::TEXT_BYTES_MAX);
    found.length_if(at.key("tag"), &question.tag, limits::TAG_BYTES_MAX);
    let choices = at.key("choices");
    found.count(choices, question.choices.len(), limits::CHOICES_MAX);
    for (index, choice) in question
        .choices
        .iter()
        .enumerate()
        .take(limits::CHOICES_MAX)
    {
        check_choice(found, choices.index(index), choice);
    }
    found.repeats(
        choices,
        question.choices.iter().map(|choice| choice.label.as_str()),
        Some("label"),
    );
    match (
        question.pick,
        question.choices.is_empty(),
        question.free_text,
    ) {
        (Pick::Text, false, _) => found.add(choices, "must be empty where the answer is a text"),
        (Pick::One | Pick::Many, true, false) => found.add(
            choices,
            "is empty and free text is not allowed, so nobody could answer",
        ),
        (Pick::Text, true, _)
        | (Pick::One | Pick::Many, false, _)
        | (Pick::One | Pick::Many, true, true) => {}
    }
    check_default(found, at.key("default"), question);
}

fn check_default(found: &mut Checker, at: At<'_>, question: &Question) {
    let items = question
        .default
        .iter()
        .enumerate()
        .take(limits::CHOICES_MAX);
    match question.pick {
        Pick::Text => {
            found.count(at, question.default.len(), 1);
            for (index, text) in items {
                found.length(at.index(index), text, limits::TEXT_BYTES_MAX);
            }
        }
        Pick::One | Pick::Many => {
            let max = if question.pick == Pick::One {
                1
            } else {
                question.choices.len()
            };
            found.count(at, question.default.len(), max);
            for (index, label) in items {
                if !question.choices.iter().any(|choice| choice.label == *label) {
                    found.add(at.index(index), "is not one of the labels");
                }
            }
            found.repeats(at, question.default.iter().map(String::as_str), None);
        }
    }
}

fn check_choice(found: &mut Checker, at: At<'_>, choice: &Choice) {
    found.filled(at.key("label"), &choice.label, limits::LABEL_BYTES_MAX);
    found.length_if(
        at.key("description"),
        &choice.description,
        limits::TEXT_BYTES_MAX,
    );
    found.length_if(at.key("preview"), &choice.preview, limits::TEXT_BYTES_MAX);
}

fn check_action(found: &mut Checker, at: At<'_>, action: &Action) {
    found.filled(at.key("tool"), &action.tool, limits::NAME_BYTES_MAX);
    found.length(at.key("input"), &action.input, limits::TEXT_BYTES_MAX);
    found.length_if(at.key("cwd"), &action.cwd, limits::WORKSPACE_BYTES_MAX);
    found.length_if(at.key("reason"), &action.reason, limits::NOTE_BYTES_MAX);
    let act = at.key("act");
    match &action.act {
        Act::Shell { command } => found.length(act.key("command"), command, limits::TEXT_BYTES_MAX),
        Act::Edit { path, old, new } => {
            found.filled(act.key("path"), path, limits::WORKSPACE_BYTES_MAX);
            found.length(act.key("old"), old, limits::TEXT_BYTES_MAX);
            found.length(act.key("new"), new, limits::TEXT_BYTES_MAX);
        }
        Act::Write { path, content } => {
            found.filled(act.key("path"), path, limits::WORKSPACE_BYTES_MAX);
            found.length(act.key("content"), content, limits::TEXT_BYTES_MAX);
        }
        Act::Other => {}
    }
    let flags = at.key("flags");
    found.count(flags, action.flags.len(), limits::FLAGS_MAX);
    if !action.flags.is_sorted_by(|left, right| left < right) {
        found.add(flags, "must be sorted and have no duplicates");
    }
}
