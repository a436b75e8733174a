//! One connection of the plugin: its frames become moves, news become its frames.
//!
//! It says nothing of its own accord before the plugin has spoken, never answers for a person, and
//! has no way to learn that an answer arrived: the plugin acknowledges nothing.

use std::time::Duration;

use sayso_core::ask::{Draft, Matter};
use sayso_core::entry::{NoteStatus, TurnEnd};
use sayso_core::id::{AgentName, ConversationName, WireId};
use sayso_core::outcome::Outcome;
use sayso_core::time::Time;
use sayso_core::view::AskView;
use serde::de::{DeserializeOwned, IgnoredAny};

use super::memory::Memory;
use super::policy::WhimmyPolicy;
use super::{map, wire};
use crate::envelope::{Envelope, Heard};
use crate::read::ReadError;
use crate::{AgentFace, AgentHello, AgentMove, AgentNews, Ends, Frames};

/// How long an agent may wait beyond our deadline, because it was told before the settings changed:
/// a day, which is what is usually set.
const TOLD_BEFORE: Duration = Duration::from_secs(86_400);
/// Longest unknown event name that is repeated.
const NAME_CHARS_MAX: usize = 128;

/// The face of a connection that has just come.
pub(super) fn open(hello: &AgentHello<'_>) -> Box<dyn AgentFace> {
    Box::new(WhimmyFace {
        name: AgentName::new(map::agent_id(hello.token_name)).ok(),
        policy: WhimmyPolicy::new(hello.knobs),
        memory: Memory::default(),
        listens: false,
    })
}

#[derive(Debug)]
struct WhimmyFace {
    name: Option<AgentName>,
    policy: WhimmyPolicy,
    memory: Memory,
    /// Whether the plugin has spoken. Before it has, what we say may be lost.
    listens: bool,
}

/// Where an event belongs.
struct Place {
    agent: Option<AgentName>,
    conversation: ConversationName,
}

type Moves<'a> = &'a mut Vec<AgentMove>;

impl AgentFace for WhimmyFace {
    fn agent(&self) -> Option<AgentName> {
        self.name.clone()
    }

    fn listens(&self) -> bool {
        self.listens
    }

    fn read(&mut self, frame: &str, _now: Time, moves: &mut Vec<AgentMove>) {
        self.listens = true;
        if let Err(why) = self.hear(frame, moves) {
            moves.push(AgentMove::Unreadable(why));
        }
    }

    fn tell(&mut self, news: &AgentNews<'_>, now: Time, frames: &mut dyn Frames) {
        match news {
            AgentNews::Opened { agent: _, running } => {
                for conversation in *running {
                    self.memory.running(conversation);
                    self.named(conversation);
                }
            }
            AgentNews::Outcome(view) => outcome(view, now, frames),
            AgentNews::Turn {
                conversation,
                agent,
                message,
            } => self.turn(conversation, agent, &message.text, frames),
            AgentNews::Ping => frames.extend(map::ping_frame()),
            AgentNews::Refused { ask, why, .. } => {
                if let Some((matter, Some(id))) = ask {
                    let wait = map::WaitKind::of_matter(*matter);
                    frames.extend(map::unasked_frame(wait, id.as_str(), why));
                }
            }
            // There are no frames for it, and nothing is offered.
            AgentNews::Asked { .. } | AgentNews::Control { .. } => {}
        }
    }
}

impl WhimmyFace {
    /// Reads one frame, or says why it cannot be read.
    fn hear(&mut self, frame: &str, moves: Moves<'_>) -> Result<(), String> {
        let envelope = Envelope::open(frame.as_bytes(), "type").map_err(|why| why.to_string())?;
        match envelope.name() {
            "event" => {
                let named: wire::NamedFrame =
                    envelope.read_kindly().map_err(|why| why.to_string())?;
                let name = named.payload.0.event;
                self.event(&name, &envelope, moves).map_err(|why| {
                    let why = format!("{name}: {why}");
                    moves.extend(unasked(&name, &envelope, &why).map(AgentMove::Reply));
                    why
                })
            }
            "health" | "pong" => match envelope.read_kindly() {
                Ok(IgnoredAny) => Ok(()),
                Err(why) => Err(why.to_string()),
            },
            _ => match envelope.unknown::<()>().map_err(|why| why.to_string())? {
                Heard::Unknown(name) => {
                    moves.push(AgentMove::Unknown(name));
                    Ok(())
                }
                Heard::Known(()) => Ok(()),
            },
        }
    }

    fn event(
        &mut self,
        name: &str,
        envelope: &Envelope<'_>,
        moves: Moves<'_>,
    ) -> Result<(), ReadError> {
        match name {
            "ask_user_question" => self.questions(payload(envelope)?, moves),
            "exec.approval.requested" => self.approval(payload(envelope)?, moves),
            "chat.chunk" => self.chunk(&payload(envelope)?, moves),
            "chat.done" => self.done(&payload(envelope)?, moves),
            "chat.presence" => self.presence(&payload(envelope)?),
            "chat.media" => self.media(&payload(envelope)?, moves),
            "tool.start" => self.tool(&payload(envelope)?, NoteStatus::Running, moves),
            "tool.done" => self.tool(&payload(envelope)?, NoteStatus::Done, moves),
            "tool.error" => self.tool(&payload(envelope)?, NoteStatus::Failed, moves),
            // Known, and nothing that belongs into a conversation.
            "chat.react" | "chat.edit" | "chat.delete" | "agent.memory_sync" | "models.sync" => {
                Ok(())
            }
            _ => {
                let name = name.chars().take(NAME_CHARS_MAX).collect();
                moves.push(AgentMove::Unknown(name));
                Ok(())
            }
        }
    }

    fn questions(
        &mut self,
        sent: wire::AskUserQuestion,
        moves: Moves<'_>,
    ) -> Result<(), ReadError> {
        let (agent, conversation) =
            self.whose(sent.agent_id.as_deref(), sent.session_key.as_deref())?;
        let wire_id = map::wire_id("questionId", &sent.question_id)?;
        if sent.questions.is_empty() {
            return Err(ReadError::at(
                "/payload/payload/questions",
                "is empty; ask at least one question",
            ));
        }
        let matter = Matter::Questions(map::questions(sent.questions));
        self.ask(agent, conversation, wire_id, matter, moves);
        Ok(())
    }

    fn approval(
        &mut self,
        sent: wire::ApprovalRequested,
        moves: Moves<'_>,
    ) -> Result<(), ReadError> {
        let (agent, conversation) =
            self.whose(sent.agent_id.as_deref(), sent.session_key.as_deref())?;
        let wire_id = map::wire_id("executionId", &sent.execution_id)?;
        let matter = Matter::Approval(map::action(sent));
        self.ask(agent, conversation, wire_id, matter, moves);
        Ok(())
    }

    fn ask(
        &mut self,
        agent: Option<AgentName>,
        conversation: Option<ConversationName>,
        wire_id: WireId,
        matter: Matter,
        moves: Moves<'_>,
    ) {
        let asker = agent.as_ref().or(self.name.as_ref());
        let timeout = match matter {
            // Whoever requests approval was told to, and how long to wait, on whichever connection.
            Matter::Approval(_) => Some(self.policy.approval_wait),
            Matter::Questions(_) | Matter::Form(_) => self
                .memory
                .was_told(asker, conversation.as_ref())
                .then_some(self.policy.ask_wait),
        };
        moves.push(AgentMove::Ask {
            agent,
            draft: Box::new(Draft {
                conversation,
                wire_id: Some(wire_id),
                timeout,
                ..Draft::new(matter)
            }),
        });
    }

    fn chunk(&mut self, sent: &wire::Chat, moves: Moves<'_>) -> Result<(), ReadError> {
        let Place {
            agent,
            conversation,
        } = self.place(sent.agent_id.as_deref(), &sent.session_key)?;
        let text = sent.content.clone().unwrap_or_default();
        let ends = match sent.done {
            Some(true) => Ends::Message,
            Some(false) | None => Ends::Nothing,
        };
        if ends == Ends::Message || !text.is_empty() {
            moves.push(AgentMove::Say {
                agent,
                conversation,
                text,
                ends,
            });
        }
        Ok(())
    }

    /// The end of a turn has no text, and an error's begins with the word. With other text it is a
    /// message the agent sends by itself, which ends nothing while it is still at work.
    fn done(&mut self, sent: &wire::Chat, moves: Moves<'_>) -> Result<(), ReadError> {
        let Place {
            agent,
            conversation,
        } = self.place(sent.agent_id.as_deref(), &sent.session_key)?;
        let text = sent.content.clone().unwrap_or_default();
        let (failed, said) = (text.starts_with("Error: "), !text.is_empty());
        if said {
            moves.push(AgentMove::Say {
                agent: agent.clone(),
                conversation: conversation.clone(),
                text,
                ends: Ends::Message,
            });
        }
        if said && !failed && self.memory.is_typing(&conversation) {
            return Ok(());
        }
        self.memory.idle(&conversation);
        moves.push(AgentMove::TurnEnded {
            agent,
            conversation,
            end: if failed {
                TurnEnd::Failed
            } else {
                TurnEnd::Done
            },
        });
        Ok(())
    }

    fn presence(&mut self, sent: &wire::Presence) -> Result<(), ReadError> {
        let place = self.place(sent.agent_id.as_deref(), &sent.session_key)?;
        match sent.status.as_str() {
            "typing" => self.memory.typing(&place.conversation),
            "idle" => self.memory.idle(&place.conversation),
            _ => {}
        }
        Ok(())
    }

    fn media(&mut self, sent: &wire::Media, moves: Moves<'_>) -> Result<(), ReadError> {
        let place = self.place(sent.agent_id.as_deref(), &sent.session_key)?;
        moves.push(AgentMove::Note {
            agent: place.agent,
            conversation: place.conversation,
            tool: "chat.media".to_owned(),
            text: map::media_text(sent),
            status: None,
        });
        Ok(())
    }

    fn tool(
        &mut self,
        sent: &wire::Tool,
        status: NoteStatus,
        moves: Moves<'_>,
    ) -> Result<(), ReadError> {
        let place = self.place(sent.agent_id.as_deref(), &sent.session_key)?;
        // The questions themselves are in the conversation.
        if map::is_question_tool(&sent.tool_name.to_ascii_lowercase()) {
            return Ok(());
        }
        moves.push(AgentMove::Note {
            agent: place.agent,
            conversation: place.conversation,
            tool: sent.tool_name.clone(),
            text: String::new(),
            status: Some(status),
        });
        Ok(())
    }

    /// Where an event belongs that is nowhere without a conversation.
    fn place(&mut self, agent: Option<&str>, key: &str) -> Result<Place, ReadError> {
        match self.whose(agent, Some(key))? {
            (agent, Some(conversation)) => Ok(Place {
                agent,
                conversation,
            }),
            (_, None) => Err(ReadError::at("/payload/payload/sessionKey", "is empty")),
        }
    }

    /// Whose event it is, and in which conversation. One that names nobody is of the agent whose
    /// conversation it is, where that is known.
    fn whose(
        &mut self,
        agent: Option<&str>,
        key: Option<&str>,
    ) -> Result<(Option<AgentName>, Option<ConversationName>), ReadError> {
        let (agent, key) = (map::agent(agent)?, map::conversation(key)?);
        let conversation = key.map(|key| self.memory.conversation(key));
        let agent = match (agent, &conversation) {
            (Some(agent), Some(conversation)) => {
                self.memory.owned(conversation, &agent);
                Some(agent)
            }
            (None, Some(conversation)) => self.memory.owner(conversation).cloned(),
            (agent, None) => agent,
        };
        Ok((agent, conversation))
    }

    /// What the plugin says under its key for this conversation belongs here.
    fn named(&mut self, conversation: &ConversationName) {
        if let Ok(Some(key)) = map::conversation(Some(conversation.as_str())) {
            self.memory.named(key, conversation);
        }
    }

    fn turn(
        &mut self,
        conversation: &ConversationName,
        agent: &AgentName,
        message: &str,
        frames: &mut dyn Frames,
    ) {
        let agent = map::lowered(agent);
        let frame = map::turn_frame(&agent, conversation, message, &self.policy.config);
        if let Some(frame) = frame {
            self.named(conversation);
            self.memory.owned(conversation, &agent);
            self.memory.told(&agent);
            frames.push(frame);
        }
    }
}

fn outcome(view: &AskView, now: Time, frames: &mut dyn Frames) {
    let Some(closing) = view.closing.as_deref() else {
        return;
    };
    let patience = match closing.outcome {
        Outcome::Expired => TOLD_BEFORE,
        // The plugin has given up by its own clock, which began before ours; the same outcome on a
        // later connection would only fill its log.
        Outcome::Answered(_) | Outcome::Dismissed { .. } | Outcome::Withdrawn { .. } => {
            Duration::ZERO
        }
    };
    if let Some(deadline) = view.ask.deadline
        && now > deadline.after(patience)
    {
        return;
    }
    frames.extend(map::outcome_frame(&view.ask, &closing.outcome));
}

/// What is said at once to an event that asks and cannot be read: the agent must not wait for
/// people who never see it.
fn unasked(name: &str, envelope: &Envelope<'_>, why: &str) -> Option<String> {
    let wait = map::WaitKind::of_event(name)?;
    let wire::Waiting { id } = payload(envelope).ok()?;
    map::unasked_frame(wait, &id, why)
}

/// What an event says, strictly where we need it.
fn payload<T: DeserializeOwned>(envelope: &Envelope<'_>) -> Result<T, ReadError> {
    let frame: wire::Frame<T> = envelope.read_kindly()?;
    Ok(frame.payload.0.payload.0)
}
