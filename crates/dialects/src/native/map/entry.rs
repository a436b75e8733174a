//! What stands in a conversation, as people see it.

use sayso_core::agent::Conversation;
use sayso_core::entry::{Entry, EntryKind};
use sayso_core::view::Viewer;

use super::ask_to_wire;
use crate::native::wire::{self, ConversationRef, WireTime};

/// An entry.
pub fn entry_to_wire(entry: &Entry) -> wire::Entry {
    let empty = wire::Entry {
        seq: entry.seq.0,
        at: WireTime(entry.at),
        conversation: entry.conversation.id.to_string(),
        kind: wire::EntryKind::Message,
        id: None,
        person: None,
        device: None,
        state: None,
        tool: None,
        text: None,
        status: None,
        ask: None,
        end: None,
    };
    match &entry.kind {
        EntryKind::Message { message, state } => wire::Entry {
            id: Some(message.id.to_string()),
            person: Some(message.person.as_str().to_owned()),
            device: Some(message.device.as_str().to_owned()),
            state: Some((*state).into()),
            text: Some(message.text.clone()),
            ..empty
        },
        EntryKind::Said(said) => wire::Entry {
            kind: wire::EntryKind::Said,
            id: Some(said.id.to_string()),
            text: Some(said.text.clone()),
            ..empty
        },
        EntryKind::Note(note) => wire::Entry {
            kind: wire::EntryKind::Note,
            id: Some(note.id.to_string()),
            tool: Some(note.tool.clone()),
            text: Some(note.text.clone()),
            status: note.status.map(|status| status.word().to_owned()),
            ..empty
        },
        EntryKind::Ask(view) => wire::Entry {
            kind: wire::EntryKind::Ask,
            ask: ask_to_wire(view, Viewer::Anybody).map(Box::new),
            ..empty
        },
        EntryKind::TurnEnded(end) => wire::Entry {
            kind: wire::EntryKind::TurnEnded,
            end: Some((*end).into()),
            ..empty
        },
    }
}

/// How a conversation is named beside something else.
pub fn conversation_to_wire(conversation: &Conversation) -> ConversationRef {
    ConversationRef {
        id: conversation.id.to_string(),
        name: conversation.name.as_str().to_owned(),
    }
}
