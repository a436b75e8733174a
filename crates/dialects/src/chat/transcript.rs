//! What was said in a conversation, as one page for a front end that opens it.
//!
//! An ask is a use of the tool `AskUserQuestion`, with its answer once it has one.

use sayso_core::agent::Conversation;
use sayso_core::entry::{Entry, EntryKind};
use sayso_core::limits::NAME_BYTES_MAX;
use sayso_core::outcome::Outcome;
use sayso_core::view::AskView;

use super::map;
use super::wire::{Detail, History, Message, Role, ToolInput};
use crate::call::CallReply;
use crate::person_face::Transcript;
use crate::time::WireTime;

/// The tool by which an agent asks.
const ASKING_TOOL: &str = "AskUserQuestion";

/// The page of messages.
#[derive(Debug)]
pub(crate) struct Messages;

impl Transcript for Messages {
    fn write(&self, conversation: &Conversation, entries: &[Entry]) -> CallReply {
        let messages: Vec<Message<'_>> = entries.iter().filter_map(message).collect();
        CallReply::of(&History {
            session_id: map::conversation_id(conversation.id),
            message_count: messages.len(),
            messages,
        })
    }

    fn unknown(&self, id: &str) -> CallReply {
        let possible = (1..=NAME_BYTES_MAX).contains(&id.len()) && !id.contains(char::is_control);
        let (status, detail) = if possible {
            (404, format!("Session {id} not found"))
        } else {
            let why = "it must have 1 to 256 bytes and no control characters";
            (400, format!("Invalid session ID: {why}"))
        };
        CallReply::of(&Detail { detail }).status(status)
    }
}

fn message(entry: &Entry) -> Option<Message<'_>> {
    let (role, content, tool) = match &entry.kind {
        EntryKind::Message { message, state: _ } => (Role::User, message.text.as_str(), None),
        EntryKind::Said(said) => (Role::Assistant, said.text.as_str(), None),
        EntryKind::Note(note) => {
            let input = ToolInput::Note(map::tool_input(&note.text));
            (Role::Assistant, "", Some((note.tool.as_str(), input)))
        }
        EntryKind::Ask(view) => (Role::Assistant, "", Some((ASKING_TOOL, asked(view)))),
        EntryKind::TurnEnded(_) => return None,
    };
    let (tool_name, tool_input) = tool.unzip();
    Some(Message {
        role,
        content,
        timestamp: WireTime(entry.at),
        tool_name,
        tool_input,
    })
}

fn asked(view: &AskView) -> ToolInput {
    let questions = map::card(view);
    let closing = view.closing.as_deref();
    let answers = closing.and_then(|closing| match &closing.outcome {
        Outcome::Answered(answer) => Some(map::answers_of(view, &questions, answer)),
        Outcome::Dismissed { .. } | Outcome::Expired | Outcome::Withdrawn { .. } => None,
    });
    ToolInput::Asked {
        questions: map::to_wire(questions),
        answers,
        outcome: closing.map(|closing| closing.outcome.kind().word()),
    }
}
