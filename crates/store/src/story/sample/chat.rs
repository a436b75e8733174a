//! Things that are said in conversations.

use std::sync::Arc;

use sayso_core::entry::{Message, Note, NoteStatus, Said, TurnEnd};
use sayso_core::id::{ConversationId, MessageId, Seq, TokenName};
use sayso_core::journal::Event;
use sayso_core::policy::Maker;

use super::{ODD, ask_id, person};

/// The `n`th id of something said.
pub fn message_id(n: u64) -> MessageId {
    MessageId::from_bytes(*ask_id(n).bytes())
}

/// Something a person says in a conversation.
pub fn message(n: u64, conversation: u32, text: &str) -> Event {
    Event::Messaged(Arc::new(Message {
        id: message_id(n),
        conversation: ConversationId(conversation),
        person: person(ODD),
        device: TokenName::new("phone").unwrap(),
        text: text.to_owned(),
    }))
}

/// The same message, handed over; `opened` is where it was said.
pub fn handed(n: u64, conversation: u32, opened: u64) -> Event {
    Event::Handed {
        message: message_id(n),
        conversation: ConversationId(conversation),
        opened: Seq(opened),
    }
}

/// The same message, which its link never got.
pub fn returned(n: u64, conversation: u32, opened: u64) -> Event {
    Event::Returned {
        message: message_id(n),
        conversation: ConversationId(conversation),
        opened: Seq(opened),
    }
}

/// The same message, removed by somebody.
pub fn removed(n: u64, conversation: u32, opened: u64) -> Event {
    Event::Removed {
        message: message_id(n),
        conversation: ConversationId(conversation),
        opened: Seq(opened),
        by: Maker::Person {
            person: person(ODD),
            device: TokenName::new("phone").unwrap(),
        },
    }
}

/// What was said at some places, erased.
pub fn cleared(conversation: u32, places: &[u64]) -> Event {
    Event::Cleared {
        conversation: ConversationId(conversation),
        places: places.iter().copied().map(Seq).collect(),
    }
}

/// Something an agent says in a conversation.
pub fn said(n: u64, conversation: u32, text: &str) -> Event {
    Event::Said(Arc::new(Said {
        id: message_id(n),
        conversation: ConversationId(conversation),
        text: text.to_owned(),
    }))
}

/// Something a tool does in a conversation.
pub fn noted(n: u64, conversation: u32, status: Option<NoteStatus>) -> Event {
    Event::Noted(Arc::new(Note {
        id: message_id(n),
        conversation: ConversationId(conversation),
        tool: "Bash".to_owned(),
        text: ODD.to_owned(),
        status,
    }))
}

/// A turn ends in a conversation.
pub fn turn_ended(conversation: u32, end: TurnEnd) -> Event {
    Event::TurnEnded {
        conversation: ConversationId(conversation),
        end,
    }
}
