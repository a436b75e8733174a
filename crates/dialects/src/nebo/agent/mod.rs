//! An agent's connection: its frames as moves, and what it is told as frames.
//!
//! It remembers the runs it was given here, because a frame of a run says which one it is of, and
//! what it was told, because Nebo has no word for "I have it": the next frame of the run shows it.

use std::collections::VecDeque;
use std::time::Duration;

use sayso_core::ask::{Draft, Matter};
use sayso_core::control::ControlKind;
use sayso_core::entry::{Message, NoteStatus, TurnEnd};
use sayso_core::id::{AgentName, AskId, ConversationName, WireId};
use sayso_core::time::Time;
use sayso_core::view::AskView;
use serde_json::value::RawValue;

use super::wire::{
    self, ActionBody, AskBody, Finished, Frame, Nothing, Pong, Ready, Run, RunParams, Sent, Status,
    Stream,
};
use super::{TELL_ALWAYS, map};
use crate::Frames;
use crate::agent_face::{AgentFace, AgentMove, AgentNews, Ends};
use crate::door::AgentHello;
use crate::envelope::{Envelope, Heard, text_under};
use crate::read::{self, ReadError};

mod runs;

use runs::{EndedRun, Runs};

/// What an agent is called that does not say.
const NAME: &str = "main";
/// How the ids of requests to stop a turn begin.
const CANCEL: &str = "cancel-";
/// Outcomes that wait for a sign; older ones are told again on the next connection.
const TOLD_MAX: usize = 1024;
/// Asks of this connection that are remembered, for answers that come late.
const ASKED_MAX: usize = 1024;

/// One connection of an agent.
#[derive(Debug)]
pub(super) struct NeboAgentFace {
    name: Option<AgentName>,
    /// What we call the agent.
    id: String,
    since: Option<Time>,
    tell_always: bool,
    runs: Runs,
    told: VecDeque<Told>,
    asked: VecDeque<WireId>,
}

/// An outcome of which no sign came back yet.
#[derive(Debug)]
struct Told {
    ask: AskId,
    /// The run whose next frame is the sign; any frame where it is unknown.
    run: Option<String>,
}

impl NeboAgentFace {
    pub(super) fn new(hello: &AgentHello<'_>) -> Self {
        let name = hello.name.filter(|name| !name.is_empty()).unwrap_or(NAME);
        Self {
            name: AgentName::new(name)
                .or_else(|_| AgentName::new(hello.token_name))
                .ok(),
            id: String::new(),
            since: None,
            tell_always: hello.knobs.get(TELL_ALWAYS) == "yes",
            runs: Runs::default(),
            told: VecDeque::new(),
            asked: VecDeque::new(),
        }
    }

    fn hear(
        &mut self,
        frame: &str,
        now: Time,
        moves: &mut Vec<AgentMove>,
    ) -> Result<(), ReadError> {
        let envelope = Envelope::open(frame.as_bytes(), "type")?;
        match envelope.name() {
            "ask_request" => {
                let frame: Frame<AskBody> = envelope.read_kindly()?;
                self.confirm(None, moves);
                self.question(frame, moves)?;
            }
            "approval_request" => {
                let frame: Frame<ActionBody> = envelope.read_kindly()?;
                self.confirm(None, moves);
                self.approval(frame, moves)?;
            }
            "stream" => {
                let frame: Frame<Stream> = envelope.read_kindly()?;
                self.confirm(frame.id.as_deref(), moves);
                self.stream(frame, moves);
            }
            "res" => {
                let frame: Frame<Box<RawValue>> = envelope.read_kindly()?;
                self.confirm(frame.id.as_deref(), moves);
                match frame.id.as_deref().and_then(cancelled) {
                    Some(number) => moves.push(AgentMove::Controlled {
                        number,
                        problem: (frame.ok != Some(true)).then(|| {
                            let why = frame.error.unwrap_or_default();
                            format!("The agent did not stop: {why}")
                        }),
                    }),
                    None => self.finish(&frame, moves),
                }
            }
            "req" => {
                let frame: Frame<Nothing> = envelope.read_kindly()?;
                if frame.method.as_deref() != Some("ping") {
                    self.confirm(None, moves);
                }
                moves.push(AgentMove::Reply(self.reply(&frame, now)));
            }
            "event" => {
                let _: Frame<Nothing> = envelope.read_kindly()?;
                self.confirm(None, moves);
            }
            _ => {
                if let Heard::Unknown(name) = envelope.unknown::<Nothing>()? {
                    self.confirm(None, moves);
                    moves.push(AgentMove::Unknown(name));
                }
            }
        }
        Ok(())
    }

    fn question(
        &mut self,
        frame: Frame<AskBody>,
        moves: &mut Vec<AgentMove>,
    ) -> Result<(), ReadError> {
        let payload = needed(frame.payload, "/payload")?;
        let wire_id = wire_id(frame.id, payload.request_id)?;
        let prompt = payload.prompt.unwrap_or_default();
        if prompt.trim().is_empty() {
            return Err(ReadError::at("/payload/prompt", map::NO_PROMPT));
        }
        let questions = map::questions(&prompt, payload.widgets);
        self.ask(wire_id, Matter::Questions(questions), moves);
        Ok(())
    }

    fn approval(
        &mut self,
        frame: Frame<ActionBody>,
        moves: &mut Vec<AgentMove>,
    ) -> Result<(), ReadError> {
        let payload = needed(frame.payload, "/payload")?;
        let wire_id = wire_id(frame.id, payload.request_id)?;
        let action = map::action(payload.tool, payload.input.as_deref());
        self.ask(wire_id, Matter::Approval(action), moves);
        Ok(())
    }

    fn ask(&mut self, wire_id: WireId, matter: Matter, moves: &mut Vec<AgentMove>) {
        // What was said before the ask stands before it.
        let run = self.runs.find(None);
        self.runs.complete(run, moves);
        self.asked.retain(|asked| *asked != wire_id);
        self.asked.push_back(wire_id.clone());
        if self.asked.len() > ASKED_MAX {
            self.asked.pop_front();
        }
        let draft = Draft {
            conversation: self.runs.conversation(run),
            wire_id: Some(wire_id),
            ..Draft::new(matter)
        };
        moves.push(AgentMove::Ask {
            agent: None,
            draft: Box::new(draft),
        });
    }

    fn stream(&mut self, frame: Frame<Stream>, moves: &mut Vec<AgentMove>) {
        let run = self.runs.find(frame.id.as_deref());
        let (Some(conversation), Some(piece)) = (self.runs.conversation(run), frame.payload) else {
            return;
        };
        if let Some(text) = piece.chunk.filter(|text| !text.is_empty()) {
            self.runs.say(run);
            moves.push(AgentMove::Say {
                agent: None,
                conversation: conversation.clone(),
                text,
                ends: Ends::Nothing,
            });
        }
        let note = |tool: String, text: Option<&RawValue>, status| AgentMove::Note {
            agent: None,
            conversation: conversation.clone(),
            tool,
            text: text.map(plain).unwrap_or_default(),
            status: Some(status),
        };
        if let Some(tool) = piece.tool {
            self.runs.complete(run, moves);
            moves.push(note(tool, piece.input.as_deref(), NoteStatus::Running));
        }
        if let Some(result) = &piece.tool_result {
            self.runs.complete(run, moves);
            let tool = piece.tool_name.unwrap_or_else(|| "tool".to_owned());
            moves.push(note(tool, Some(result), NoteStatus::Done));
        }
    }

    fn finish(&mut self, frame: &Frame<Box<RawValue>>, moves: &mut Vec<AgentMove>) {
        let run = self.runs.find(frame.id.as_deref());
        self.runs.complete(run, moves);
        let Some(EndedRun {
            conversation,
            said,
            cancelled,
        }) = run.and_then(|run| self.runs.end(run))
        else {
            return;
        };
        let result = frame.payload.as_ref().and_then(|payload| {
            let finished: Finished = read::kindly(payload.get()).ok()?;
            finished.result.filter(|text| !text.is_empty())
        });
        let failed = frame.ok != Some(true);
        match (failed, result) {
            (true, _) if cancelled => {}
            (true, _) => moves.push(AgentMove::Note {
                agent: None,
                conversation: conversation.clone(),
                tool: "run".to_owned(),
                text: frame.error.clone().unwrap_or_default(),
                status: Some(NoteStatus::Failed),
            }),
            (false, Some(text)) if !said => moves.push(AgentMove::Say {
                agent: None,
                conversation: conversation.clone(),
                text,
                ends: Ends::Message,
            }),
            (false, _) => {}
        }
        moves.push(AgentMove::TurnEnded {
            agent: None,
            conversation,
            end: match (failed, cancelled) {
                (true, true) => TurnEnd::Stopped,
                (true, false) => TurnEnd::Failed,
                (false, _) => TurnEnd::Done,
            },
        });
    }

    fn reply(&self, frame: &Frame<Nothing>, now: Time) -> String {
        let id = frame.id.as_deref();
        match frame.method.as_deref().unwrap_or_default() {
            "ping" => result(
                id,
                Pong {
                    pong: true,
                    time: now.as_millis() / 1000,
                },
            ),
            "status" => {
                let up = self.since.map_or(Duration::ZERO, |since| now.since(since));
                result(
                    id,
                    Status {
                        agent_id: &self.id,
                        connected: true,
                        uptime_sec: up.as_secs(),
                    },
                )
            }
            other => failure(id, &format!("unknown method: {other}")),
        }
    }

    /// Confirms what this frame shows to have arrived.
    fn confirm(&mut self, run: Option<&str>, moves: &mut Vec<AgentMove>) {
        self.told.retain(|told| {
            let waits = told.run.is_some() && told.run.as_deref() != run;
            if !waits {
                moves.push(AgentMove::Confirm(told.ask));
            }
            waits
        });
    }

    fn outcome(&mut self, view: &AskView, frames: &mut dyn Frames) {
        let wire_id = view.ask.wire_id.as_ref();
        let asked_here = wire_id.is_some_and(|id| self.asked.contains(id));
        frames.extend(map::told(view, self.tell_always, asked_here));
        let conversation = view.conversation.as_ref();
        let told = Told {
            ask: view.ask.id,
            run: conversation.and_then(|conversation| self.runs.id_in(&conversation.name)),
        };
        self.told.retain(|have| have.ask != told.ask);
        self.told.push_back(told);
        if self.told.len() > TOLD_MAX {
            self.told.pop_front();
        }
    }

    fn begin(&mut self, conversation: &ConversationName, message: &Message) -> String {
        let id = self.runs.begin(conversation, message);
        // A run that was forgotten sends no sign any more.
        for told in &mut self.told {
            told.run = told.run.take().filter(|run| self.runs.has(run));
        }
        wire::written(&Run {
            name: "req",
            id: &id,
            method: "run",
            params: RunParams {
                prompt: &message.text,
                session_key: conversation.as_str(),
                user_id: message.person.as_str(),
            },
        })
    }
}

impl AgentFace for NeboAgentFace {
    fn agent(&self) -> Option<AgentName> {
        self.name.clone()
    }

    fn read(&mut self, frame: &str, now: Time, moves: &mut Vec<AgentMove>) {
        if let Err(error) = self.hear(frame, now, moves) {
            let id = text_under(frame.as_bytes(), "id");
            let why = error.to_string();
            moves.push(AgentMove::Reply(failure(id.as_deref(), sentence(&why))));
            moves.push(AgentMove::Unreadable(why));
        }
    }

    fn tell(&mut self, news: &AgentNews<'_>, now: Time, frames: &mut dyn Frames) {
        match news {
            AgentNews::Opened { agent, running } => {
                self.id = agent.id.to_string();
                self.since = Some(now);
                let home = ConversationName::new(agent.name.as_str()).ok();
                self.runs.open(home, running);
                let ready = Ready {
                    agent_id: &self.id,
                    name: agent.name.as_str(),
                };
                frames.push(wire::written(&Sent {
                    method: Some("ready"),
                    ..Sent::new("event", None, ready)
                }));
            }
            // There is no word for it, and the protocol's own pings keep the socket alive.
            AgentNews::Asked { .. }
            | AgentNews::Control {
                what: ControlKind::SetMode(_),
                ..
            }
            | AgentNews::Ping => {}
            AgentNews::Refused { ask, why, .. } => {
                let id = ask.and_then(|(_, id)| id).map(WireId::as_str);
                frames.push(failure(id, why));
            }
            AgentNews::Control {
                number,
                conversation,
                what: ControlKind::Interrupt,
                by,
            } => {
                self.runs.cancel(conversation);
                frames.push(wire::written(&Run {
                    name: "req",
                    id: &format!("{CANCEL}{number}"),
                    method: "cancel",
                    params: RunParams {
                        prompt: "",
                        session_key: conversation.as_str(),
                        user_id: by.as_str(),
                    },
                }));
            }
            AgentNews::Outcome(view) => self.outcome(view, frames),
            AgentNews::Turn {
                conversation,
                agent: _,
                message,
            } => frames.push(self.begin(conversation, message)),
        }
    }
}

/// The number of the control that this is the answer to.
fn cancelled(id: &str) -> Option<u64> {
    id.strip_prefix(CANCEL)?.parse().ok()
}

fn needed<T>(value: Option<T>, path: &str) -> Result<T, ReadError> {
    value.ok_or_else(|| ReadError::at(path, "is missing"))
}

/// The asker's id of an ask; without one it could never be told what came of it.
fn wire_id(id: Option<String>, inner: Option<String>) -> Result<WireId, ReadError> {
    let id = needed(id.filter(|id| !id.is_empty()).or(inner), "/id")?;
    WireId::new(id).map_err(|bad| ReadError::at("/id", format!("is not {}", bad.expected)))
}

/// Their sentence without our path, where a program compares it.
fn sentence(why: &str) -> &str {
    if why.ends_with(map::NO_PROMPT) {
        map::NO_PROMPT
    } else {
        why
    }
}

/// A string's content; anything else as its exact text.
fn plain(raw: &RawValue) -> String {
    read::kindly(raw.get()).unwrap_or_else(|_| raw.get().to_owned())
}

fn result<P: serde::Serialize>(id: Option<&str>, payload: P) -> String {
    wire::written(&Sent {
        ok: Some(true),
        ..Sent::new("res", id, payload)
    })
}

fn failure(id: Option<&str>, why: &str) -> String {
    wire::written(&Sent::<()> {
        error: Some(why),
        payload: None,
        ..Sent::new("res", id, ())
    })
}
