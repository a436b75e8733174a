//! What an agent wants, read from its frames, and how it is done.

use sayso_core::ask::Draft;
use sayso_core::check::Violation;
use sayso_core::id::{AgentName, AskId, AskKey, BadId};
use sayso_dialects::envelope::Heard;
use sayso_dialects::native::map::draft_from_wire;
use sayso_dialects::native::wire::{AgentFrame, AskFrame};
use sayso_hub::{AgentPass, Asked, HubError};

use crate::problem::Refusal;
use crate::query::shown;

/// Something an agent wants.
#[derive(Debug)]
pub(super) enum Work {
    Ask {
        reference: Option<String>,
        draft: Box<Draft>,
        name: Option<AgentName>,
    },
    Withdraw {
        reference: Option<String>,
        ask: AskId,
        note: Option<String>,
    },
    Confirm {
        reference: Option<String>,
        ask: AskId,
    },
}

/// What became of it.
#[derive(Debug)]
pub(super) enum Done {
    Asked {
        number: u64,
        reference: Option<String>,
        asked: Result<Box<Asked>, HubError>,
    },
    Other {
        reference: Option<String>,
        done: Result<(), HubError>,
    },
}

/// Does it. The number tells the asks of one socket apart.
pub(super) async fn follow(pass: &AgentPass, number: u64, work: Work) -> Done {
    match work {
        Work::Ask {
            reference,
            draft,
            name,
        } => Done::Asked {
            number,
            reference,
            asked: pass.ask(*draft, name).await.map(Box::new),
        },
        Work::Withdraw {
            reference,
            ask,
            note,
        } => Done::Other {
            reference,
            done: pass.withdraw(ask, note).await.map(drop),
        },
        Work::Confirm { reference, ask } => Done::Other {
            reference,
            done: pass.confirm(ask).await.map(drop),
        },
    }
}

/// What a frame wants; nothing when nobody knows its name.
pub(super) fn read(text: &str) -> Result<Option<Work>, Refusal> {
    let frame = match AgentFrame::read(text.as_bytes()).map_err(|error| Refusal::read(&error))? {
        Heard::Known(frame) => frame,
        Heard::Unknown(name) => {
            tracing::debug!(name = %shown(&name), "an agent sent a frame nobody knows");
            return Ok(None);
        }
    };
    match frame {
        AgentFrame::Ask(frame) => ask(*frame).map(Some),
        AgentFrame::Withdraw(frame) => Ok(Some(Work::Withdraw {
            reference: frame.reference,
            ask: ask_id(&frame.id)?,
            note: frame.note,
        })),
        AgentFrame::Confirm(frame) => Ok(Some(Work::Confirm {
            reference: frame.reference,
            ask: ask_id(&frame.id)?,
        })),
        AgentFrame::Say(_) | AgentFrame::Note(_) | AgentFrame::TakeTurns(_) => Err(
            Refusal::invalid("/do", "conversations are not available yet"),
        ),
    }
}

fn ask(frame: AskFrame) -> Result<Work, Refusal> {
    let AskFrame {
        reference,
        key,
        ask,
    } = frame;
    let key = key
        .map(AskKey::new)
        .transpose()
        .map_err(|bad| Refusal::invalid("/key", format!("is not {}", bad.expected)))?;
    let (draft, name) =
        draft_from_wire(ask, key).map_err(|found| Refusal::violations(&inside("/ask", found)))?;
    Ok(Work::Ask {
        reference,
        draft: Box::new(draft),
        name,
    })
}

/// The id of an ask in a frame.
pub(super) fn ask_id(text: &str) -> Result<AskId, Refusal> {
    text.parse()
        .map_err(|bad: BadId| Refusal::invalid("/id", format!("is not {}", bad.expected)))
}

/// Violations of a part of a frame, with the paths of the whole frame.
pub(super) fn inside(part: &str, found: Vec<Violation>) -> Vec<Violation> {
    found
        .into_iter()
        .map(|violation| Violation {
            path: format!("{part}{}", violation.path),
            ..violation
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> Vec<String> {
        let problem = read(text).unwrap_err().problem;
        problem
            .violations
            .iter()
            .map(|violation| violation.path.clone())
            .collect()
    }

    #[test]
    fn frames_become_work() {
        let ask = r#"{"do":"ask","ref":"1","key":"k","ask":{"matter":"questions","questions":[{"text":"Which?"}],"agent":"coder"}}"#;
        match read(ask).unwrap() {
            Some(Work::Ask {
                reference,
                draft,
                name,
            }) => {
                assert_eq!(
                    (reference.as_deref(), name.as_ref().map(AgentName::as_str)),
                    (Some("1"), Some("coder"))
                );
                assert_eq!(draft.key.as_ref().map(AskKey::as_str), Some("k"));
            }
            other => panic!("{other:?}"),
        }
        assert!(read(r#"{"do":"dance"}"#).unwrap().is_none());
    }

    #[test]
    fn what_is_wrong_is_told_with_the_path_in_the_frame() {
        assert_eq!(
            refused(r#"{"do":"ask","ask":{"matter":"questions"}}"#),
            ["/ask/questions"]
        );
        assert_eq!(
            refused(r#"{"do":"ask","ask":{"matter":"questions","questions":[],"x":1}}"#),
            ["/ask/x"]
        );
        assert_eq!(
            refused(r#"{"do":"ask","key":"","ask":{"matter":"questions","questions":[]}}"#),
            ["/key"]
        );
        assert_eq!(refused(r#"{"do":"confirm","id":"7"}"#), ["/id"]);
        assert_eq!(
            refused(r#"{"do":"say","conversation":"c","text":"hi"}"#),
            ["/do"]
        );
    }
}
