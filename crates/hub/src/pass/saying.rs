//! What an agent may do in conversations: say something, tell what its tools do, end its turn.
//!
//! A piece is not a commit: it is gathered in memory and shown, and the whole is written down once.

use std::sync::Arc;

use sayso_core::agent::{Agent, Conversation};
use sayso_core::check;
use sayso_core::entry::{NoteStatus, TurnEnd};
use sayso_core::id::{AgentName, ConversationName};
use sayso_core::state::Op;
use sayso_core::state::op::{self, HalfSaid, TurnOver};

use super::Base;
use super::agent::AgentPass;
use crate::error::HubError;
use crate::feed::News;
use crate::link::Link;
use crate::queue::{SayTask, Task};

/// What a note about a frame that nobody could read is called.
const UNREADABLE: &str = "sent something unreadable";
/// What a piece costs beside its text: it is told to everyone who listens.
const PIECE_BYTES: usize = 32;
/// What an entry costs beside its text: it is written down.
pub(super) const ENTRY_BYTES: usize = 1024;

/// Whether more of a message follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    /// There is more to come.
    More,
    /// The message is complete with this piece. The turn may go on.
    Last,
}

/// What an agent tells of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewNote {
    /// Which tool, as the agent's program calls it.
    pub tool: String,
    /// What it does or did.
    pub text: String,
    /// How far it is.
    pub status: Option<NoteStatus>,
}

impl AgentPass {
    /// Says a piece of a message. Its turn runs from the first piece on; with the last one the
    /// whole message is written down before this resolves.
    pub async fn say(
        &self,
        agent: Option<AgentName>,
        conversation: &ConversationName,
        text: &str,
        piece: Piece,
    ) -> Result<(), HubError> {
        check::check_said(text).map_err(HubError::Invalid)?;
        let token = self.base.live.token.id;
        let besides = match piece {
            Piece::More => PIECE_BYTES,
            Piece::Last => ENTRY_BYTES,
        };
        self.inner().spend(token, text.len() + besides)?;
        let conversation = self.conversation(agent, conversation).await?;
        let inner = self.inner();
        inner.heard(&conversation);
        let (gathered, whole) = {
            let mut memory = inner.memory();
            let gathered = memory.live.gather(token, conversation.id, text);
            let whole = match piece {
                Piece::More if !gathered.crowded => None,
                // Taken here and not by a turn: what is said next is another message.
                Piece::More | Piece::Last => Some(memory.live.take_saying(conversation.id)),
            };
            (gathered, whole)
        };
        if !text.is_empty() {
            inner.tell(News::Saying {
                conversation: Arc::clone(&conversation),
                from: gathered.from,
                text: text.into(),
            });
            // What is complete reaches other nodes with the journal.
            if whole.is_none() {
                inner.say_elsewhere(conversation.id, gathered.from, text);
            }
        }
        if let Some(full) = gathered.full {
            let before = full.clone();
            let written = self.write_said(&conversation, full, before).await;
            // The piece of a refused frame was not said.
            written.inspect_err(|_| inner.memory().live.unsay(conversation.id, text))?;
        }
        if let Some(whole) = whole {
            let before = whole.strip_suffix(text).unwrap_or_default().to_owned();
            self.write_said(&conversation, whole, before).await?;
        }
        Ok(())
    }

    /// Says the last piece of a turn, if there is one, and ends the turn, which completes what was said.
    /// When that is refused, the piece counts as not said.
    pub async fn say_and_end(
        &self,
        agent: Option<AgentName>,
        conversation: &ConversationName,
        text: &str,
        end: TurnEnd,
    ) -> Result<(), HubError> {
        if text.is_empty() {
            return self.turn_ended(agent, conversation, end).await;
        }
        self.say(agent.clone(), conversation, text, Piece::More)
            .await?;
        let is_named = agent.is_some();
        let name = self.name(agent.clone())?;
        self.turn_ended(agent, conversation, end)
            .await
            .inspect_err(|_| {
                if let Some(here) = self.known_conversation(is_named, &name, conversation) {
                    self.inner().memory().live.unsay(here.id, text);
                }
            })
    }

    async fn write_said(
        &self,
        conversation: &Arc<Conversation>,
        text: String,
        before: String,
    ) -> Result<(), HubError> {
        let random = self.inner().random()?;
        let words = SayTask {
            conversation: Arc::clone(conversation),
            said: HalfSaid { text, random },
            before,
        };
        let Base { hub, live } = &self.base;
        hub.0.decide_for(live, Task::Say(words)).await
    }

    /// Tells what a tool does. What was said before it is complete with that. It keeps a turn
    /// alive and begins none: agents tell of a tool after the turn it belonged to has ended.
    pub async fn note(
        &self,
        agent: Option<AgentName>,
        conversation: &ConversationName,
        note: NewNote,
    ) -> Result<(), HubError> {
        check::check_tool_note(&note.tool, &note.text).map_err(HubError::Invalid)?;
        let bytes = note.tool.len() + note.text.len() + ENTRY_BYTES;
        self.inner().spend(self.base.live.token.id, bytes)?;
        let conversation = self.conversation(agent, conversation).await?;
        let inner = self.inner();
        inner.still_heard(&conversation);
        let note = Box::new(op::ToolNote {
            conversation,
            tool: note.tool,
            text: note.text,
            status: note.status,
            random: inner.random()?,
            said: None,
        });
        self.base.decide(Op::Note(note)).await
    }

    /// Writes down, where people see it, that an agent sent what nobody can read: as a note in a
    /// conversation of the agent's own name, and on its card.
    pub async fn unreadable(&self, agent: &Arc<Agent>, why: &str) -> Result<(), HubError> {
        let inner = self.inner();
        let wall = inner.clock.wall();
        inner.memory().unreadable.insert(agent.id, wall);
        inner.tell(News::Agent(inner.agent_view(agent)));
        let conversation = ConversationName::new(agent.name.as_str())
            .map_err(|error| HubError::Refused(error.to_string()))?;
        let note = NewNote {
            tool: UNREADABLE.to_owned(),
            text: why.to_owned(),
            status: Some(NoteStatus::Failed),
        };
        self.note(Some(agent.name.clone()), &conversation, note)
            .await
    }

    /// Ends the turn. What was said so far is complete; where no turn runs, nothing else happens.
    pub async fn turn_ended(
        &self,
        agent: Option<AgentName>,
        conversation: &ConversationName,
        end: TurnEnd,
    ) -> Result<(), HubError> {
        let name = self.name(agent.clone())?;
        let Some(conversation) = self.known_conversation(agent.is_some(), &name, conversation)
        else {
            return Ok(());
        };
        let over = Box::new(TurnOver {
            conversation,
            end,
            said: None,
            heard: false,
        });
        self.base.decide(Op::EndTurn(over)).await
    }

    /// The conversations of the agents of a connection in which a turn of theirs runs.
    pub fn running(&self, link: &Link) -> Vec<Arc<Conversation>> {
        let memory = self.inner().memory();
        let running = memory.live.running();
        let mut running: Vec<Arc<Conversation>> = running
            .filter_map(|id| memory.state.directory.conversation(id))
            .filter(|conversation| link.is_of(conversation.agent))
            .cloned()
            .collect();
        running.sort_by_key(|conversation| conversation.id);
        running
    }

    /// The conversation an agent speaks of; named for the first time, it begins.
    async fn conversation(
        &self,
        agent: Option<AgentName>,
        conversation: &ConversationName,
    ) -> Result<Arc<Conversation>, HubError> {
        let inner = self.inner();
        inner.refuse_when_stopping()?;
        let name = self.name(agent.clone())?;
        if let Some(found) = self.known_conversation(agent.is_some(), &name, conversation) {
            return Ok(found);
        }
        let op = Op::Converse {
            meet: Box::new(self.meet(name)),
            name: conversation.clone(),
        };
        self.base.decide(op).await
    }

    /// The conversation of this name that the agent has; where the agent was not named, that of
    /// the only agent of the token that has one.
    fn known_conversation(
        &self,
        named: bool,
        name: &AgentName,
        conversation: &ConversationName,
    ) -> Option<Arc<Conversation>> {
        let token = self.base.live.token.id;
        let memory = self.inner().memory();
        let directory = &memory.state.directory;
        let own = directory
            .agent_named(token, &self.dialect, name)
            .and_then(|agent| directory.conversation_named(agent.id, conversation));
        if own.is_some() || named {
            return own.cloned();
        }
        let agents = directory.agents_of(token, &self.dialect);
        let mut found = agents
            .iter()
            .filter_map(|agent| directory.conversation_named(agent.id, conversation));
        let first = found.next().cloned();
        first.filter(|_| found.next().is_none())
    }
}
