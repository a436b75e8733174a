//! A tool call without a result, as older AG-UI servers pause: what it asks, and what its result is.
//!
//! AG-UI does not say what such a call waits for. Questions show in its arguments; beyond that Agno
//! says it in words before the call. Whether the server continues the paused run (Agno 3) or takes the
//! result as the tool's own (Agno 2 and every front-end tool) decides the form of the answer.

use sayso_core::action::{Act, Action};
use sayso_core::ask::{Matter, Question};
use sayso_dialects::Ended;
use serde_json::{Map, Value, json};

use super::need::allowed;
use super::questions;
use super::wire::{KeptPause, OpenCall};

/// What a call waits for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum CallNeed {
    /// Answers; `questions_json` is the tool of the document, else it is Agno's own.
    Questions {
        questions: Vec<Question>,
        document: bool,
    },
    /// Approval to run.
    Approval,
    /// Values whose names nobody told us.
    Fields,
}

impl CallNeed {
    /// What this call of a pause waits for.
    pub(super) fn of(pause: &KeptPause, call: &OpenCall) -> Self {
        let arguments: Map<String, Value> =
            serde_json::from_str(&call.arguments).unwrap_or_default();
        let document = arguments.get("questions_json");
        if let Some(questions) = document.and_then(questions::of_document) {
            return Self::Questions {
                questions,
                document: true,
            };
        }
        let own = arguments.get("questions").and_then(questions::of_feedback);
        if let Some(questions) = own {
            return Self::Questions {
                questions,
                document: false,
            };
        }
        if pause.continues && pause.said.contains("need user input") {
            return Self::Fields;
        }
        Self::Approval
    }

    /// What is to be asked; nothing where it cannot be.
    pub(super) fn matter(&self, call: &OpenCall) -> Option<Matter> {
        match self {
            Self::Questions { questions, .. } => Some(Matter::Questions(questions.clone())),
            Self::Approval => {
                let input = match call.arguments.as_str() {
                    "" => "{}",
                    text => text,
                };
                let action = Action::new(call.name.as_str(), input, Act::Other);
                Some(Matter::Approval(action))
            }
            Self::Fields => None,
        }
    }

    /// The content of the tool message that answers.
    pub(super) fn content(&self, ended: &Ended, continues: bool) -> String {
        match self {
            Self::Questions {
                questions: asked,
                document,
            } => {
                let said = questions::said(ended, asked.len());
                let failed =
                    || questions::failed(&questions::unanswered(&ended.outcome, "questions were"));
                match (said, document, continues) {
                    (Some(said), true, true) => {
                        json!({"values": {"user_answers": questions::by_number(&said)}}).to_string()
                    }
                    (Some(said), false, true) => {
                        json!({"selections": questions::by_text(asked, &said)}).to_string()
                    }
                    (Some(said), _, false) => questions::completed(asked, &said),
                    // Its form has no word for "not answered"; no answers is the nearest.
                    (None, true, true) => json!({"values": {"user_answers": "{}"}}).to_string(),
                    (None, false, true) => {
                        let none = vec![Vec::new(); asked.len()];
                        json!({"selections": questions::by_text(asked, &none)}).to_string()
                    }
                    (None, _, false) => failed(),
                }
            }
            Self::Approval | Self::Fields => match allowed(&ended.outcome) {
                Ok(None) => json!({"accepted": true}).to_string(),
                Ok(Some(edited)) => {
                    let wish = Value::Object(edited);
                    let note = format!("The user wants it with this input instead: {wish}");
                    json!({"accepted": false, "note": note}).to_string()
                }
                Err(note) => json!({"accepted": false, "note": note}).to_string(),
            },
        }
    }
}

#[cfg(test)]
#[path = "open_call_tests.rs"]
mod tests;
