//! Our frames: outcomes, turns and pings in the plugin's words.

use sayso_core::answer::{Answer, Decision, Reply, Verdict};
use sayso_core::ask::{Ask, Matter, MatterKind, Question};
use sayso_core::id::{AgentName, ConversationName};
use sayso_core::outcome::Outcome;
use serde::Serialize;

use super::super::wire;
use crate::object::Entries;
use crate::texts;

/// The frame that brings an outcome. The plugin has none for questions that nobody answered: it
/// counts the time itself. An approval that nobody gave is none, should it still wait for it.
pub(in crate::whimmy) fn outcome_frame(ask: &Ask, outcome: &Outcome) -> Option<String> {
    let id = ask.wire_id.as_ref()?.as_str();
    match (&ask.matter, outcome) {
        (Matter::Questions(questions), Outcome::Answered(Answer::Replies(replies))) => {
            answer_frame(id, answers(questions, replies))
        }
        (Matter::Questions(_), Outcome::Dismissed { .. }) => answer_frame(id, Entries::default()),
        (Matter::Approval(_), Outcome::Answered(Answer::Verdict(verdict))) => {
            let (approved, reason) = verdict_words(verdict);
            approval_frame(id, approved, reason)
        }
        // Whoever puts an approval aside has not said yes.
        (Matter::Approval(_), Outcome::Dismissed { note, .. }) => {
            approval_frame(id, false, note.clone())
        }
        (Matter::Approval(_), Outcome::Expired) => {
            approval_frame(id, false, Some("Nobody answered in time.".to_owned()))
        }
        (Matter::Approval(_), Outcome::Withdrawn { note }) => {
            let note = note.as_deref().unwrap_or("The request was withdrawn.");
            approval_frame(id, false, Some(note.to_owned()))
        }
        (Matter::Questions(_) | Matter::Approval(_), Outcome::Answered(_))
        | (Matter::Form(_), Outcome::Answered(_) | Outcome::Dismissed { .. })
        | (Matter::Questions(_) | Matter::Form(_), Outcome::Expired | Outcome::Withdrawn { .. }) => {
            None
        }
    }
}

/// What the plugin waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::whimmy) enum WaitKind {
    /// Answers to questions.
    Answers,
    /// An approval.
    Approval,
}

impl WaitKind {
    /// What an event of this name waits for.
    pub(in crate::whimmy) fn of_event(name: &str) -> Option<Self> {
        match name {
            "ask_user_question" => Some(Self::Answers),
            "exec.approval.requested" => Some(Self::Approval),
            _ => None,
        }
    }

    /// What is waited for by whoever asked this; the language has no forms.
    pub(in crate::whimmy) fn of_matter(matter: MatterKind) -> Self {
        match matter {
            MatterKind::Approval => Self::Approval,
            MatterKind::Questions | MatterKind::Form => Self::Answers,
        }
    }
}

/// The frame that ends the wait for people who are not asked: no answer, and no approval.
pub(in crate::whimmy) fn unasked_frame(wait: WaitKind, id: &str, why: &str) -> Option<String> {
    match wait {
        WaitKind::Answers => answer_frame(id, Entries::default()),
        WaitKind::Approval => approval_frame(
            id,
            false,
            Some(format!(
                "The question was not \
                                                                      asked: {why}"
            )),
        ),
    }
}

/// Every question is a key; equal questions share one, with their answers joined.
fn answers(questions: &[Question], replies: &[Reply]) -> Entries<String> {
    let mut rows: Vec<(String, String)> = Vec::new();
    for (index, question) in questions.iter().enumerate() {
        let reply = replies.iter().find(|reply| reply.question == index);
        let value = reply.map(texts::joined).unwrap_or_default();
        match rows.iter_mut().find(|(text, _)| *text == question.text) {
            Some((_, before)) if before.is_empty() => *before = value,
            Some((_, _)) if value.is_empty() => {}
            Some((_, before)) => {
                before.push_str(texts::JOINT);
                before.push_str(&value);
            }
            None => rows.push((question.text.clone(), value)),
        }
    }
    Entries(rows)
}

fn verdict_words(verdict: &Verdict) -> (bool, Option<String>) {
    match &verdict.decision {
        Decision::Allow { edited_input: None } => (true, verdict.note.clone()),
        // The frame has no place for another input, and a yes to it is no yes to the first one.
        Decision::Allow {
            edited_input: Some(input),
        } => (
            false,
            Some(format!(
                "Denied as it is. Allowed with this input instead: {input}"
            )),
        ),
        Decision::Deny { .. } => (false, verdict.note.clone()),
    }
}

fn answer_frame(id: &str, answers: Entries<String>) -> Option<String> {
    frame(
        "hook.ask_user_answer",
        Some(wire::AskUserAnswer {
            question_id: id,
            answers,
        }),
    )
}

fn approval_frame(id: &str, approved: bool, reason: Option<String>) -> Option<String> {
    frame(
        "hook.approval",
        Some(wire::HookApproval {
            execution_id: id,
            approved,
            reason,
        }),
    )
}

/// The frame that begins a turn.
pub(in crate::whimmy) fn turn_frame(
    agent: &AgentName,
    conversation: &ConversationName,
    message: &str,
    agent_config: &wire::AgentConfig,
) -> Option<String> {
    frame(
        "hook.agent",
        Some(wire::HookAgent {
            message,
            agent_id: agent.as_str(),
            session_key: &conversation.as_str().to_lowercase(),
            channel: "whimmy",
            agent_config,
        }),
    )
}

/// The frame that asks for a sign of life.
pub(in crate::whimmy) fn ping_frame() -> Option<String> {
    frame::<()>("ping", None)
}

fn frame<T: Serialize>(name: &'static str, payload: Option<T>) -> Option<String> {
    // Strings, numbers and maps with string keys are always serialisable.
    serde_json::to_string(&wire::Hook { name, payload }).ok()
}
