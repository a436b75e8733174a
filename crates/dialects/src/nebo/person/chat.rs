//! What goes on in a conversation, as frames.

use sayso_core::entry::{Note, NoteStatus, Turn, TurnEnd};
use sayso_core::time::Time;

use super::super::wire::{SessionShown, StreamStatus, ToolResult, ToolStart};
use super::frames;

/// A piece of what an agent says.
pub(super) fn stream(session_id: &str, text: &str, now: Time) -> String {
    let body = SessionShown {
        session_id,
        content: Some(text),
    };
    frames::event("chat_stream", Some(body), now)
}

/// What a tool does or did.
pub(super) fn note(session_id: &str, note: &Note, now: Time) -> String {
    match note.status {
        Some(NoteStatus::Running) | None => {
            let body = ToolStart {
                session_id,
                tool: &note.tool,
                input: &note.text,
            };
            frames::event("tool_start", Some(body), now)
        }
        Some(NoteStatus::Done | NoteStatus::Failed) => {
            let body = ToolResult {
                session_id,
                result: &note.text,
                tool_name: &note.tool,
            };
            frames::event("tool_result", Some(body), now)
        }
    }
}

/// That a turn ended.
pub(super) fn ended(session_id: &str, end: TurnEnd, now: Time) -> String {
    match end {
        TurnEnd::Done => {
            let body = SessionShown {
                session_id,
                content: None,
            };
            frames::event("chat_complete", Some(body), now)
        }
        TurnEnd::Stopped => {
            let body = SessionShown {
                session_id,
                content: None,
            };
            frames::event("chat_cancelled", Some(body), now)
        }
        TurnEnd::Failed => frames::error(session_id, None, "The turn failed.", now),
        TurnEnd::Lost => frames::error(
            session_id,
            None,
            "The agent stopped responding during the turn.",
            now,
        ),
    }
}

/// Whether a turn runs, and what was said of an unfinished message.
pub(super) fn status(session_id: &str, turn: Turn, content: &str, now: Time) -> String {
    let active = match turn {
        Turn::Idle => false,
        Turn::Running | Turn::Waiting => true,
    };
    let body = StreamStatus {
        session_id,
        active,
        status: if active { "running" } else { "idle" },
        content,
    };
    frames::event("stream_status", Some(body), now)
}
