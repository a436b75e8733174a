//! Tool notes as the pairs that Claude writes: a tool that is used, and what it came to.

use sayso_core::entry::{Entry, Note, NoteStatus};
use sayso_core::id::MessageId;

use super::frame_id::{FrameId, FramePart};
use super::map::{entry_stamp, written};
use super::wire::{Block, Content, Line, Message, Reported};
use crate::Frames;

/// Tools that may run at the same time before the oldest is forgotten.
const RUNNING_MAX: usize = 64;

/// The tools that run, so that the end of one finds its beginning.
#[derive(Debug, Default)]
pub(super) struct RunningTools(Vec<(String, MessageId)>);

impl RunningTools {
    /// What a note adds. A note of an end whose beginning was never told tells both.
    pub(super) fn note(&mut self, entry: &Entry, note: &Note, lines: &mut dyn Frames) {
        match note.status {
            None | Some(NoteStatus::Running) => {
                if self.0.len() == RUNNING_MAX {
                    self.0.remove(0);
                }
                self.0.push((note.tool.clone(), note.id));
                lines.push(begun(entry, note));
            }
            Some(status @ (NoteStatus::Done | NoteStatus::Failed)) => {
                let begin = self.0.iter().position(|(tool, _)| *tool == note.tool);
                let id = begin.map_or(note.id, |begin| self.0.remove(begin).1);
                if begin.is_none() {
                    lines.push(begun(entry, note));
                }
                lines.push(ended(entry, note, id, status == NoteStatus::Failed));
            }
        }
    }

    /// Nothing runs any more.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

fn tool_use_id(note: MessageId) -> String {
    format!("toolu_{note}")
}

fn begun(entry: &Entry, note: &Note) -> String {
    let block = Block::ToolUse {
        id: tool_use_id(note.id),
        name: &note.tool,
        input: Content::Note { note: &note.text },
    };
    written(&Line::Assistant {
        stamp: entry_stamp(entry, FrameId::message(note.id, FramePart::Itself)),
        message: Message {
            role: "assistant",
            content: [block],
        },
    })
}

fn ended(entry: &Entry, note: &Note, begin: MessageId, is_error: bool) -> String {
    let block = Block::ToolResult {
        tool_use_id: tool_use_id(begin),
        content: note.text.clone(),
        is_error,
    };
    written(&Line::User {
        stamp: entry_stamp(entry, FrameId::message(note.id, FramePart::Result)),
        message: Message {
            role: "user",
            content: [block],
        },
        tool_use_result: Some(Reported::Text(note.text.clone())),
        state: None,
    })
}
