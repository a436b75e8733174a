//! What one connection was told of the turn that runs, so that nothing is said to it twice.
//!
//! It turns entries of a conversation into events, live and in a replay alike; asks are not its
//! business.

use std::mem;

use sayso_core::entry::{Entry, EntryKind, MessageState, Note, NoteStatus, Turn, TurnEnd};
use sayso_core::time::Time;

use super::map;
use super::wire::{Event, EventType};

/// Tools that are remembered as running; the oldest are forgotten.
const RUNNING_MAX: usize = 64;

/// What a connection was told of the turn that runs.
#[derive(Debug)]
pub(crate) struct TurnProgress {
    turn: Turn,
    began: Option<Time>,
    heard: Heard,
    running: Vec<String>,
}

/// How much was told of the message that the agent is saying.
#[derive(Debug, Clone, Copy)]
enum Heard {
    /// It may have begun before the connection did: it is told whole once it is finished.
    Unsure,
    /// This many bytes.
    Bytes(usize),
}

impl TurnProgress {
    /// Nothing yet, of an agent that does nothing.
    pub(crate) const fn nothing() -> Self {
        Self {
            turn: Turn::Idle,
            began: None,
            heard: Heard::Bytes(0),
            running: Vec::new(),
        }
    }

    /// The replay is over, and the agent does this.
    pub(crate) fn go_live(&mut self, turn: Turn) {
        self.turn = turn;
        self.heard = match turn {
            Turn::Idle => Heard::Bytes(0),
            Turn::Running | Turn::Waiting => Heard::Unsure,
        };
    }

    /// Takes in what the agent does now. Says whether a turn began.
    pub(crate) fn turned(&mut self, turn: Turn, saying: &str, now: Time) -> bool {
        if saying.is_empty() && matches!(self.heard, Heard::Unsure) {
            self.heard = Heard::Bytes(0);
        }
        let began = self.turn == Turn::Idle && turn == Turn::Running;
        if began {
            self.began.get_or_insert(now);
        }
        self.turn = turn;
        began
    }

    /// A piece of what the agent is saying.
    pub(crate) fn piece<'a>(&mut self, text: &'a str) -> Option<Event<'a>> {
        match &mut self.heard {
            Heard::Unsure => None,
            Heard::Bytes(_) if text.is_empty() => None,
            Heard::Bytes(count) => {
                *count += text.len();
                Some(Event::Text { chunk: text })
            }
        }
    }

    /// Something that stands in the conversation.
    pub(crate) fn entry<'a>(&mut self, entry: &'a Entry) -> Option<(EventType, Event<'a>)> {
        match &entry.kind {
            EntryKind::Message { state, message: _ } => {
                match state {
                    MessageState::Queued | MessageState::Removed => {}
                    MessageState::Sent => {
                        self.began.get_or_insert(entry.at);
                    }
                }
                None
            }
            EntryKind::Said(said) => {
                let rest = match mem::replace(&mut self.heard, Heard::Bytes(0)) {
                    Heard::Unsure => said.text.as_str(),
                    Heard::Bytes(count) => said.text.get(count..)?,
                };
                (!rest.is_empty()).then_some((EventType::Text, Event::Text { chunk: rest }))
            }
            EntryKind::Note(note) => self.note(note).then(|| {
                let event = Event::ToolUse {
                    name: &note.tool,
                    input: map::tool_input(&note.text),
                };
                (EventType::ToolUse, event)
            }),
            EntryKind::Ask(_) => None,
            EntryKind::TurnEnded(end) => Some(self.ended(*end, entry.at)),
        }
    }

    /// Whether a tool note is told: the language has one event for a use of a tool, so the end of a
    /// use is told only if its start was not.
    fn note(&mut self, note: &Note) -> bool {
        let place = self.running.iter().position(|tool| *tool == note.tool);
        match (note.status, place) {
            (Some(NoteStatus::Running), _) => {
                if self.running.len() == RUNNING_MAX {
                    self.running.remove(0);
                }
                self.running.push(note.tool.clone());
                true
            }
            (Some(NoteStatus::Done | NoteStatus::Failed), Some(place)) => {
                self.running.remove(place);
                false
            }
            (Some(NoteStatus::Done | NoteStatus::Failed), None) | (None, _) => true,
        }
    }

    fn ended(&mut self, end: TurnEnd, at: Time) -> (EventType, Event<'static>) {
        let began = self.began;
        *self = Self::nothing();
        let error = match end {
            TurnEnd::Done => {
                let duration =
                    began.and_then(|began| u64::try_from(at.since(began).as_millis()).ok());
                let complete = Event::Complete {
                    status: "success",
                    cost_usd_again: None,
                    duration_ms_again: duration,
                    cost_usd: None,
                    duration_ms: duration,
                };
                return (EventType::Complete, complete);
            }
            TurnEnd::Failed => "The agent reported that its turn failed",
            TurnEnd::Lost => "The agent stopped responding during its turn",
            TurnEnd::Stopped => "The agent's turn was stopped",
        };
        (EventType::Error, Event::Error { error })
    }
}
