//! The bodies of rows about what is said in a conversation.

use sayso_core::entry::{Message, Note, NoteStatus, Said, TurnEnd};
use sayso_core::id::{ConversationId, MessageId, PersonName, Seq, TokenName};
use sayso_core::journal::Event;
use sayso_core::policy::Maker;
use serde::{Deserialize, Serialize};

use super::BadRecord;
use super::ask::{Text, borrowed};
use super::rule::MakerRecord;

#[derive(Serialize, Deserialize)]
pub(super) struct MessageRecord<'a> {
    message: String,
    conversation: u32,
    #[serde(borrow)]
    person: Text<'a>,
    #[serde(borrow)]
    device: Text<'a>,
    #[serde(borrow)]
    text: Text<'a>,
}

/// A message that is handed over, or waits again.
#[derive(Serialize, Deserialize)]
pub(super) struct HandedRecord {
    message: String,
    conversation: u32,
    opened: u64,
}

/// The same, read as one that waits again.
#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct ReturnedRecord(HandedRecord);

#[derive(Serialize, Deserialize)]
pub(super) struct RemovedRecord {
    message: String,
    conversation: u32,
    opened: u64,
    by: MakerRecord,
}

#[derive(Serialize, Deserialize)]
pub(super) struct SaidRecord<'a> {
    message: String,
    conversation: u32,
    #[serde(borrow)]
    text: Text<'a>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct NoteRecord<'a> {
    message: String,
    conversation: u32,
    #[serde(borrow)]
    tool: Text<'a>,
    #[serde(borrow)]
    text: Text<'a>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    status: Option<StatusRecord>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StatusRecord {
    Running,
    Done,
    Failed,
}

#[derive(Serialize, Deserialize)]
pub(super) struct TurnEndedRecord {
    conversation: u32,
    end: EndRecord,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum EndRecord {
    Done,
    Failed,
    Lost,
    Stopped,
}

#[derive(Serialize, Deserialize)]
pub(super) struct ClearedRecord {
    conversation: u32,
    places: Vec<u64>,
}

impl ClearedRecord {
    pub(super) fn new(conversation: ConversationId, places: &[Seq]) -> Self {
        Self {
            conversation: conversation.0,
            places: places.iter().map(|place| place.0).collect(),
        }
    }
}

impl From<ClearedRecord> for Event {
    fn from(record: ClearedRecord) -> Self {
        Self::Cleared {
            conversation: ConversationId(record.conversation),
            places: record.places.into_iter().map(Seq).collect(),
        }
    }
}

fn message_id(text: &str) -> Result<MessageId, BadRecord> {
    text.parse().map_err(BadRecord::impossible)
}

impl<'a> From<&'a Message> for MessageRecord<'a> {
    fn from(message: &'a Message) -> Self {
        Self {
            message: message.id.to_string(),
            conversation: message.conversation.0,
            person: borrowed(message.person.as_str()),
            device: borrowed(message.device.as_str()),
            text: borrowed(&message.text),
        }
    }
}

impl TryFrom<MessageRecord<'_>> for Message {
    type Error = BadRecord;

    fn try_from(record: MessageRecord<'_>) -> Result<Self, BadRecord> {
        Ok(Self {
            id: message_id(&record.message)?,
            conversation: ConversationId(record.conversation),
            person: PersonName::stored(&*record.person).map_err(BadRecord::impossible)?,
            device: TokenName::stored(&*record.device).map_err(BadRecord::impossible)?,
            text: record.text.into_owned(),
        })
    }
}

impl HandedRecord {
    pub(super) fn new(message: MessageId, conversation: ConversationId, opened: Seq) -> Self {
        Self {
            message: message.to_string(),
            conversation: conversation.0,
            opened: opened.0,
        }
    }
}

impl TryFrom<HandedRecord> for Event {
    type Error = BadRecord;

    fn try_from(record: HandedRecord) -> Result<Self, BadRecord> {
        Ok(Self::Handed {
            message: message_id(&record.message)?,
            conversation: ConversationId(record.conversation),
            opened: Seq(record.opened),
        })
    }
}

impl TryFrom<ReturnedRecord> for Event {
    type Error = BadRecord;

    fn try_from(ReturnedRecord(record): ReturnedRecord) -> Result<Self, BadRecord> {
        Ok(Self::Returned {
            message: message_id(&record.message)?,
            conversation: ConversationId(record.conversation),
            opened: Seq(record.opened),
        })
    }
}

impl RemovedRecord {
    pub(super) fn new(
        (message, conversation, opened): (MessageId, ConversationId, Seq),
        by: &Maker,
    ) -> Self {
        Self {
            message: message.to_string(),
            conversation: conversation.0,
            opened: opened.0,
            by: by.into(),
        }
    }
}

impl TryFrom<RemovedRecord> for Event {
    type Error = BadRecord;

    fn try_from(record: RemovedRecord) -> Result<Self, BadRecord> {
        Ok(Self::Removed {
            message: message_id(&record.message)?,
            conversation: ConversationId(record.conversation),
            opened: Seq(record.opened),
            by: record.by.try_into()?,
        })
    }
}

impl<'a> From<&'a Said> for SaidRecord<'a> {
    fn from(said: &'a Said) -> Self {
        Self {
            message: said.id.to_string(),
            conversation: said.conversation.0,
            text: borrowed(&said.text),
        }
    }
}

impl TryFrom<SaidRecord<'_>> for Said {
    type Error = BadRecord;

    fn try_from(record: SaidRecord<'_>) -> Result<Self, BadRecord> {
        Ok(Self {
            id: message_id(&record.message)?,
            conversation: ConversationId(record.conversation),
            text: record.text.into_owned(),
        })
    }
}

impl<'a> From<&'a Note> for NoteRecord<'a> {
    fn from(note: &'a Note) -> Self {
        Self {
            message: note.id.to_string(),
            conversation: note.conversation.0,
            tool: borrowed(&note.tool),
            text: borrowed(&note.text),
            status: note.status.map(|status| match status {
                NoteStatus::Running => StatusRecord::Running,
                NoteStatus::Done => StatusRecord::Done,
                NoteStatus::Failed => StatusRecord::Failed,
            }),
        }
    }
}

impl TryFrom<NoteRecord<'_>> for Note {
    type Error = BadRecord;

    fn try_from(record: NoteRecord<'_>) -> Result<Self, BadRecord> {
        Ok(Self {
            id: message_id(&record.message)?,
            conversation: ConversationId(record.conversation),
            tool: record.tool.into_owned(),
            text: record.text.into_owned(),
            status: record.status.map(|status| match status {
                StatusRecord::Running => NoteStatus::Running,
                StatusRecord::Done => NoteStatus::Done,
                StatusRecord::Failed => NoteStatus::Failed,
            }),
        })
    }
}

impl TurnEndedRecord {
    pub(super) fn new(conversation: ConversationId, end: TurnEnd) -> Self {
        Self {
            conversation: conversation.0,
            end: match end {
                TurnEnd::Done => EndRecord::Done,
                TurnEnd::Failed => EndRecord::Failed,
                TurnEnd::Lost => EndRecord::Lost,
                TurnEnd::Stopped => EndRecord::Stopped,
            },
        }
    }
}

impl From<TurnEndedRecord> for Event {
    fn from(record: TurnEndedRecord) -> Self {
        Self::TurnEnded {
            conversation: ConversationId(record.conversation),
            end: match record.end {
                EndRecord::Done => TurnEnd::Done,
                EndRecord::Failed => TurnEnd::Failed,
                EndRecord::Lost => TurnEnd::Lost,
                EndRecord::Stopped => TurnEnd::Stopped,
            },
        }
    }
}
