//! What a connection is told first: that it stands, how things are, and what it missed.

use sayso_core::entry::{Entry, EntryKind, MessageState, Turn};
use sayso_core::time::Time;

use super::turn_progress::TurnProgress;
use super::wire::{Event, EventType, SessionStatus, Status};
use crate::Frames;
use crate::time::WireTime;

/// Events of a replay, as many as the bridge kept for a front end that was away.
const REPLAY_MAX: usize = 100;

/// What a new connection is about.
#[derive(Debug)]
pub(crate) struct Opening<'a> {
    /// Its own name.
    pub(crate) connection: &'a str,
    /// The conversation's name, once there is one.
    pub(crate) conversation: Option<&'a str>,
    /// What the conversation is called until then.
    pub(crate) placeholder: &'a str,
    /// What stands in it.
    pub(crate) entries: &'a [Entry],
    /// What its agent does.
    pub(crate) turn: Turn,
    /// The ask that is shown: its name and its frame.
    pub(crate) shown: Option<(String, String)>,
}

impl Opening<'_> {
    /// Writes it all, in the order of the language: the open ask comes last.
    pub(crate) fn write(self, told: &mut TurnProgress, now: Time, frames: &mut dyn Frames) {
        let (mut replay, mut last) = replay(told, self.entries);
        let (id, frame) = self.shown.unzip();
        if frame.is_some() {
            last = Some(EventType::AskUserQuestion);
        }
        replay.extend(frame);
        let connected = Event::Connected {
            connection_id: self.connection,
            connection_id_again: self.connection,
            session_id: self.conversation,
            session_id_again: self.conversation,
        };
        let ended = |entry: &&Entry| matches!(entry.kind, EntryKind::TurnEnded(_));
        let status = SessionStatus {
            session_id: self.conversation.unwrap_or(self.placeholder),
            is_processing: self.turn != Turn::Idle,
            waiting_for_user: id.is_some(),
            pending_question_id: id.as_deref(),
            status: match (&id, self.turn, last) {
                (Some(_), _, _) => Status::Waiting,
                (None, Turn::Idle, _) => Status::Done,
                (None, Turn::Running | Turn::Waiting, Some(_)) => Status::Generating,
                (None, Turn::Running | Turn::Waiting, None) => Status::Thinking,
            },
            last_event_type: last,
            buffered_count: replay.len(),
            last_activity: WireTime(self.entries.last().map_or(now, |entry| entry.at)),
            completed_at: self
                .entries
                .iter()
                .rfind(ended)
                .map(|entry| WireTime(entry.at)),
        };
        frames.push(connected.written());
        frames.push(Event::SessionStatus(Box::new(status)).written());
        frames.extend(replay);
        told.go_live(self.turn);
    }
}

/// What happened since the last turn began, and the kind of the last event of it.
fn replay(told: &mut TurnProgress, entries: &[Entry]) -> (Vec<String>, Option<EventType>) {
    let began = entries.iter().rposition(|entry| match &entry.kind {
        EntryKind::Message { state, message: _ } => *state == MessageState::Sent,
        EntryKind::Said(_) | EntryKind::Note(_) | EntryKind::Ask(_) | EntryKind::TurnEnded(_) => {
            false
        }
    });
    let since = entries.get(began.unwrap_or(0)..).unwrap_or_default();
    let mut last = None;
    let mut frames: Vec<String> = Vec::new();
    for entry in since {
        if let Some((kind, event)) = told.entry(entry) {
            frames.push(event.written());
            last = Some(kind);
        }
    }
    let surplus = frames.len().saturating_sub(REPLAY_MAX);
    frames.drain(..surplus);
    (frames, last)
}
