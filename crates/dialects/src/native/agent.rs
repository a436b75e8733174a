//! An agent's connection: its frames as moves, and what it is told as frames.
//!
//! A frame is followed whole or not at all: what is wrong with it is told back under its `ref`.

use sayso_core::check::Violation;
use sayso_core::control::ControlKind;
use sayso_core::entry::{NoteStatus, TurnEnd};
use sayso_core::id::{AgentName, AskId, AskKey, BadId, ConversationName};
use sayso_core::limits;
use sayso_core::time::Time;

use super::map::{draft_from_wire, problem_of_violations};
use super::wire::{
    self, AgentEvent, AgentFrame, AskFrame, ControlEvent, ControlWord, Conversations, NoteFrame,
    Problem, SayEnd, SayFrame, SocketProblem, TurnEvent,
};
use super::write::{write_asked, write_outcome_event};
use crate::envelope::{Heard, text_under};
use crate::{AgentFace, AgentHello, AgentMove, AgentNews, Ends, Frames, OfferedTo};

/// One connection of an agent: who speaks on it, when its address says so.
#[derive(Debug)]
pub(super) struct NativeAgentFace(Option<AgentName>);

/// The face of a connection that has just come.
pub(super) fn open(hello: &AgentHello<'_>) -> Box<dyn AgentFace> {
    let name = hello.name.and_then(|name| AgentName::new(name).ok());
    Box::new(NativeAgentFace(name))
}

impl AgentFace for NativeAgentFace {
    fn agent(&self) -> Option<AgentName> {
        self.0.clone()
    }

    fn read(&mut self, frame: &str, _now: Time, moves: &mut Vec<AgentMove>) {
        match wanted(frame) {
            Ok((reference, wanted)) => {
                moves.extend(reference.map(AgentMove::Ref));
                moves.push(wanted);
            }
            Err(problem) => {
                moves.extend(text_under(frame.as_bytes(), "ref").map(AgentMove::Ref));
                moves.push(AgentMove::Wrong(problem));
            }
        }
    }

    fn tell(&mut self, news: &AgentNews<'_>, _now: Time, frames: &mut dyn Frames) {
        match news {
            AgentNews::Asked { reference, view } => frames.write(&mut |out| {
                write_asked(*reference, view.ask.id, view.ask.digest, out);
            }),
            AgentNews::Outcome(view) => {
                if let Some(closing) = &view.closing {
                    let (wire_id, late) = (view.ask.wire_id.as_ref(), view.late.as_deref());
                    frames.write(&mut |out| {
                        write_outcome_event(view.ask.id, wire_id, closing, late, &view.agent, out);
                    });
                }
            }
            AgentNews::Turn {
                conversation,
                agent: _,
                message,
            } => frames.json(&AgentEvent::Turn(TurnEvent {
                conversation: conversation.as_str().to_owned(),
                text: message.text.clone(),
                message: message.id.to_string(),
            })),
            AgentNews::Control {
                number,
                conversation,
                what,
                by,
            } => {
                let (control, mode) = match what {
                    ControlKind::Interrupt => (ControlWord::Interrupt, None),
                    ControlKind::SetMode(mode) => (ControlWord::SetMode, Some(mode.clone())),
                };
                frames.json(&AgentEvent::Control(ControlEvent {
                    id: *number,
                    conversation: conversation.as_str().to_owned(),
                    control,
                    mode,
                    by: by.as_str().to_owned(),
                }));
            }
            AgentNews::Refused {
                reference,
                ask,
                why: _,
                problem,
            } => {
                let problem = match ask {
                    Some(_) => inside_ask(problem),
                    None => (*problem).clone(),
                };
                frames.json(&AgentEvent::Problem(Box::new(SocketProblem {
                    reference: reference.map(str::to_owned),
                    problem,
                })));
            }
            // Whoever connects is told nothing, and the protocol's own pings keep the socket alive.
            AgentNews::Opened { .. } | AgentNews::Ping => {}
        }
    }
}

type Wanted = (Option<String>, AgentMove);

/// What a frame calls itself, and what it wants.
fn wanted(frame: &str) -> Result<Wanted, Box<Problem>> {
    let heard = AgentFrame::read(frame.as_bytes()).map_err(|error| Box::new((&error).into()))?;
    Ok(match heard {
        Heard::Unknown(name) => (None, AgentMove::Unknown(name)),
        Heard::Known(AgentFrame::Ask(frame)) => ask(*frame)?,
        Heard::Known(AgentFrame::Withdraw(frame)) => {
            let (ask, note) = (ask_id(&frame.id)?, frame.note);
            (frame.reference, AgentMove::Withdraw { ask, note })
        }
        Heard::Known(AgentFrame::Confirm(frame)) => {
            (frame.reference, AgentMove::Confirm(ask_id(&frame.id)?))
        }
        Heard::Known(AgentFrame::Say(frame)) => say(frame)?,
        Heard::Known(AgentFrame::Note(frame)) => note(frame)?,
        Heard::Known(AgentFrame::TakeTurns(frame)) => (
            frame.reference,
            AgentMove::TakeTurns(offer(frame.conversations)?),
        ),
        Heard::Known(AgentFrame::TakeControls(frame)) => (
            frame.reference,
            AgentMove::TakeControls(offer(frame.conversations)?),
        ),
        Heard::Known(AgentFrame::Controlled(frame)) => (
            frame.reference,
            AgentMove::Controlled {
                number: frame.id,
                problem: frame.problem,
            },
        ),
    })
}

fn ask(frame: AskFrame) -> Result<Wanted, Box<Problem>> {
    let key = frame.key.map(AskKey::new).transpose();
    let key = key.map_err(|bad| bad_id("/key", &bad))?;
    let (draft, agent) = draft_from_wire(frame.ask, key).map_err(|mut found| {
        for violation in &mut found {
            violation.path.insert_str(0, "/ask");
        }
        Box::new(problem_of_violations(&found))
    })?;
    let draft = Box::new(draft);
    Ok((frame.reference, AgentMove::Ask { agent, draft }))
}

fn say(frame: SayFrame) -> Result<Wanted, Box<Problem>> {
    let ends = match (frame.done, frame.ended) {
        (false, None) => Ends::Nothing,
        (true, None) => Ends::Turn(TurnEnd::Done),
        (true, Some(SayEnd::Failed)) => Ends::Turn(TurnEnd::Failed),
        (true, Some(SayEnd::Stopped)) => Ends::Turn(TurnEnd::Stopped),
        (false, Some(_)) => {
            let why = "is only allowed at the end of a turn, with `done`";
            return Err(invalid("/ended", why));
        }
    };
    let said = AgentMove::Say {
        agent: None,
        conversation: conversation(frame.conversation, "/conversation")?,
        text: frame.text,
        ends,
    };
    Ok((frame.reference, said))
}

fn note(frame: NoteFrame) -> Result<Wanted, Box<Problem>> {
    let status = match frame.status.as_deref().map(NoteStatus::from_word) {
        None => None,
        Some(Some(status)) => Some(status),
        Some(None) => return Err(invalid("/status", "must be running, done or failed")),
    };
    let noted = AgentMove::Note {
        agent: None,
        conversation: conversation(frame.conversation, "/conversation")?,
        tool: frame.tool,
        text: frame.text,
        status,
    };
    Ok((frame.reference, noted))
}

fn offer(conversations: Conversations) -> Result<OfferedTo, Box<Problem>> {
    let names = match conversations {
        Conversations::Any => return Ok(OfferedTo::Any),
        Conversations::These(names) => names,
    };
    if names.len() > limits::TURNS_NAMES_MAX {
        let (count, most) = (names.len(), limits::TURNS_NAMES_MAX);
        let why = format!("has {count} items; at most {most} are allowed");
        return Err(invalid("/conversations", why));
    }
    let read = names
        .into_iter()
        .enumerate()
        .map(|(at, name)| conversation(name, &format!("/conversations/{at}")));
    read.collect::<Result<_, _>>().map(OfferedTo::These)
}

fn conversation(name: String, path: &str) -> Result<ConversationName, Box<Problem>> {
    ConversationName::new(name).map_err(|bad| bad_id(path, &bad))
}

/// The id of an ask in a frame.
pub(super) fn ask_id(text: &str) -> Result<AskId, Box<Problem>> {
    text.parse().map_err(|bad| bad_id("/id", &bad))
}

fn bad_id(path: &str, bad: &BadId) -> Box<Problem> {
    invalid(path, format!("is not {}", bad.expected))
}

fn invalid(path: &str, why: impl Into<String>) -> Box<Problem> {
    Box::new(problem_of_violations(&[Violation::invalid(path, why)]))
}

/// What is wrong with an ask, with the paths of the frame it came in.
fn inside_ask(problem: &Problem) -> Problem {
    let mut problem = problem.clone();
    let named = |violation: &&mut wire::Violation| !violation.path.is_empty();
    for violation in problem.violations.iter_mut().filter(named) {
        violation.path.insert_str(0, "/ask");
    }
    if let Some(first) = problem.violations.first().filter(|it| !it.path.is_empty()) {
        problem.detail = Some(format!("{}: {}", first.path, first.message));
    }
    problem
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> Vec<String> {
        let problem = wanted(text).unwrap_err();
        let paths = problem.violations.into_iter().map(|found| found.path);
        paths.collect()
    }

    #[test]
    fn frames_become_moves() {
        let ask = r#"{"do":"ask","ref":"1","key":"k","ask":{"matter":"questions","questions":[{"text":"Which?"}],"agent":"coder"}}"#;
        match wanted(ask).unwrap() {
            (Some(reference), AgentMove::Ask { agent, draft }) => {
                let agent = agent.as_ref().map(AgentName::as_str);
                assert_eq!((reference.as_str(), agent), ("1", Some("coder")));
                assert_eq!(draft.key.as_ref().map(AskKey::as_str), Some("k"));
            }
            other => panic!("{other:?}"),
        }
        let unknown = (None, AgentMove::Unknown("dance".into()));
        assert_eq!(wanted(r#"{"do":"dance"}"#).unwrap(), unknown);
    }

    #[test]
    fn what_is_wrong_is_told_with_the_path_in_the_frame() {
        for (frame, path) in [
            (
                r#"{"do":"ask","ask":{"matter":"questions"}}"#,
                "/ask/questions",
            ),
            (
                r#"{"do":"ask","ask":{"matter":"questions","questions":[],"x":1}}"#,
                "/ask/x",
            ),
            (
                r#"{"do":"ask","key":"","ask":{"matter":"questions","questions":[]}}"#,
                "/key",
            ),
            (r#"{"do":"confirm","id":"7"}"#, "/id"),
            (
                r#"{"do":"say","conversation":"","text":"hi"}"#,
                "/conversation",
            ),
            (
                r#"{"do":"say","conversation":"c","text":"hi","ended":"failed"}"#,
                "/ended",
            ),
            (
                r#"{"do":"note","conversation":"c","tool":"Bash","status":"lazy"}"#,
                "/status",
            ),
            (
                r#"{"do":"take_turns","conversations":["c",""]}"#,
                "/conversations/1",
            ),
        ] {
            assert_eq!(refused(frame), [path], "{frame}");
        }
        let many = vec!["c"; limits::TURNS_NAMES_MAX + 1];
        let many = format!(r#"{{"do":"take_turns","conversations":{many:?}}}"#);
        assert_eq!(refused(&many), ["/conversations"]);
    }
}
