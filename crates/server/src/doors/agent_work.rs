//! What an agent wants, read from its frames, and how it is done.

use sayso_core::ask::Draft;
use sayso_core::check::Violation;
use sayso_core::entry::{NoteStatus, TurnEnd};
use sayso_core::id::{AgentName, AskId, AskKey, BadId, ConversationName};
use sayso_core::limits;
use sayso_dialects::envelope::Heard;
use sayso_dialects::native::map::draft_from_wire;
use sayso_dialects::native::wire::{AgentFrame, AskFrame, Conversations, SayEnd};
use sayso_hub::{AgentPass, Asked, HubError, NewNote, Piece, Prepared, Turns};

use crate::problem::Refusal;
use crate::query::shown;

/// Something an agent wants.
#[derive(Debug)]
pub(super) enum Wish {
    Ask {
        reference: Option<String>,
        draft: Box<Draft>,
        name: Option<AgentName>,
    },
    TakeTurns(Turns),
    TakeControls(Turns),
    Controlled {
        id: u64,
        problem: Option<String>,
    },
    Other(Work),
}

/// Something that takes a while.
#[derive(Debug)]
pub(super) enum Work {
    /// An ask that may have been asked before.
    Ask {
        number: u64,
        prepared: Box<Prepared>,
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
    Chat {
        reference: Option<String>,
        conversation: ConversationName,
        what: ChatWork,
    },
}

/// What an agent does in a conversation: followed one after the other, in the order of the frames.
#[derive(Debug)]
pub(super) enum ChatWork {
    /// Words, and how the turn ends with them if it does.
    Say {
        text: String,
        end: Option<TurnEnd>,
    },
    Note(Box<NewNote>),
}

/// What became of it.
#[derive(Debug)]
pub(super) enum Done {
    Asked {
        number: u64,
        asked: Box<Result<Asked, HubError>>,
    },
    Other {
        reference: Option<String>,
        done: Result<(), HubError>,
    },
    Chat {
        reference: Option<String>,
        done: Result<(), HubError>,
    },
}

/// Does what takes a while. The speaker is who says things on this socket.
pub(super) async fn follow(pass: &AgentPass, speaker: Option<AgentName>, work: Work) -> Done {
    match work {
        Work::Ask { number, prepared } => Done::Asked {
            number,
            asked: Box::new(pass.ask_prepared(*prepared).await),
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
        Work::Chat {
            reference,
            conversation,
            what,
        } => Done::Chat {
            reference,
            done: chat(pass, speaker, &conversation, what).await,
        },
    }
}

async fn chat(
    pass: &AgentPass,
    speaker: Option<AgentName>,
    conversation: &ConversationName,
    what: ChatWork,
) -> Result<(), HubError> {
    match what {
        ChatWork::Say { text, end } => {
            if !text.is_empty() {
                pass.say(speaker.clone(), conversation, &text, Piece::More)
                    .await?;
            }
            if let Some(end) = end {
                // The end of the turn completes what was said.
                pass.turn_ended(speaker, conversation, end).await?;
            }
            Ok(())
        }
        ChatWork::Note(note) => pass.note(speaker, conversation, *note).await,
    }
}

/// How a turn ends, when it does.
fn end_of(done: bool, ended: Option<SayEnd>) -> Result<Option<TurnEnd>, Refusal> {
    match (done, ended) {
        (false, None) => Ok(None),
        (true, None) => Ok(Some(TurnEnd::Done)),
        (true, Some(SayEnd::Failed)) => Ok(Some(TurnEnd::Failed)),
        (true, Some(SayEnd::Stopped)) => Ok(Some(TurnEnd::Stopped)),
        (false, Some(_)) => Err(Refusal::invalid(
            "/ended",
            "belongs to the end of a turn: say `done`",
        )),
    }
}

/// What a frame wants; nothing when nobody knows its name.
pub(super) fn read(text: &str) -> Result<Option<Wish>, Refusal> {
    let frame = match AgentFrame::read(text.as_bytes()).map_err(|error| Refusal::read(&error))? {
        Heard::Known(frame) => frame,
        Heard::Unknown(name) => {
            tracing::debug!(name = %shown(&name), "an agent sent a frame nobody knows");
            return Ok(None);
        }
    };
    Ok(Some(match frame {
        AgentFrame::Ask(frame) => ask(*frame)?,
        AgentFrame::Withdraw(frame) => Wish::Other(Work::Withdraw {
            reference: frame.reference,
            ask: ask_id(&frame.id)?,
            note: frame.note,
        }),
        AgentFrame::Confirm(frame) => Wish::Other(Work::Confirm {
            reference: frame.reference,
            ask: ask_id(&frame.id)?,
        }),
        AgentFrame::Say(frame) => Wish::Other(Work::Chat {
            reference: frame.reference,
            conversation: conversation(frame.conversation, "/conversation")?,
            what: ChatWork::Say {
                end: end_of(frame.done, frame.ended)?,
                text: frame.text,
            },
        }),
        AgentFrame::Note(frame) => Wish::Other(Work::Chat {
            reference: frame.reference,
            conversation: conversation(frame.conversation, "/conversation")?,
            what: ChatWork::Note(Box::new(NewNote {
                tool: frame.tool,
                text: frame.text,
                status: frame.status.as_deref().map(status).transpose()?,
            })),
        }),
        AgentFrame::TakeTurns(frame) => Wish::TakeTurns(turns(frame.conversations)?),
        AgentFrame::TakeControls(frame) => Wish::TakeControls(turns(frame.conversations)?),
        AgentFrame::Controlled(frame) => Wish::Controlled {
            id: frame.id,
            problem: frame.problem,
        },
    }))
}

fn conversation(name: String, path: &str) -> Result<ConversationName, Refusal> {
    ConversationName::new(name)
        .map_err(|bad| Refusal::invalid(path, format!("is not {}", bad.expected)))
}

fn status(word: &str) -> Result<NoteStatus, Refusal> {
    NoteStatus::from_word(word)
        .ok_or_else(|| Refusal::invalid("/status", "must be running, done or failed"))
}

fn turns(conversations: Conversations) -> Result<Turns, Refusal> {
    let names = match conversations {
        Conversations::Any => return Ok(Turns::Any),
        Conversations::These(names) => names,
    };
    if names.len() > limits::TURNS_NAMES_MAX {
        return Err(Refusal::invalid(
            "/conversations",
            format!(
                "has {} items; at most {} are allowed",
                names.len(),
                limits::TURNS_NAMES_MAX
            ),
        ));
    }
    let read = names
        .into_iter()
        .enumerate()
        .map(|(at, name)| conversation(name, &format!("/conversations/{at}")));
    read.collect::<Result<_, _>>().map(Turns::These)
}

fn ask(frame: AskFrame) -> Result<Wish, Refusal> {
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
    Ok(Wish::Ask {
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
    fn frames_become_wishes() {
        let ask = r#"{"do":"ask","ref":"1","key":"k","ask":{"matter":"questions","questions":[{"text":"Which?"}],"agent":"coder"}}"#;
        match read(ask).unwrap() {
            Some(Wish::Ask {
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
            refused(r#"{"do":"say","conversation":"","text":"hi"}"#),
            ["/conversation"]
        );
        assert_eq!(
            refused(r#"{"do":"note","conversation":"c","tool":"Bash","status":"lazy"}"#),
            ["/status"]
        );
        assert_eq!(
            refused(r#"{"do":"take_turns","conversations":["c",""]}"#),
            ["/conversations/1"]
        );
        let many = vec!["c"; limits::TURNS_NAMES_MAX + 1];
        let many = format!(r#"{{"do":"take_turns","conversations":{many:?}}}"#);
        assert_eq!(refused(&many), ["/conversations"]);
    }
}
