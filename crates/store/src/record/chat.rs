//! The bodies of rows about what is said in a conversation.

use std::borrow::Cow;

use sayso_core::entry::{Message, Note, NoteStatus, Said, TurnEnd};
use sayso_core::id::{ConversationId, MessageId, PersonName, Seq, TokenName};
use sayso_core::policy::Maker;
use serde::{Deserialize, Serialize};

use super::stored::{Stored, recorded};

#[derive(Serialize, Deserialize)]
#[serde(remote = "Message")]
struct MessageRecord {
    #[serde(rename = "message", with = "Stored")]
    id: MessageId,
    #[serde(with = "Stored")]
    conversation: ConversationId,
    #[serde(with = "Stored")]
    person: PersonName,
    #[serde(with = "Stored")]
    device: TokenName,
    text: String,
}

/// A message that is handed over, or waits again.
#[derive(Serialize, Deserialize)]
pub(super) struct HandedRecord {
    #[serde(with = "Stored")]
    pub(super) message: MessageId,
    #[serde(with = "Stored")]
    pub(super) conversation: ConversationId,
    #[serde(with = "Stored")]
    pub(super) opened: Seq,
}

#[derive(Serialize, Deserialize)]
pub(super) struct RemovedRecord<'a> {
    #[serde(with = "Stored")]
    pub(super) message: MessageId,
    #[serde(with = "Stored")]
    pub(super) conversation: ConversationId,
    #[serde(with = "Stored")]
    pub(super) opened: Seq,
    #[serde(with = "Stored")]
    pub(super) by: Cow<'a, Maker>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Said")]
struct SaidRecord {
    #[serde(rename = "message", with = "Stored")]
    id: MessageId,
    #[serde(with = "Stored")]
    conversation: ConversationId,
    text: String,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Note")]
struct NoteRecord {
    #[serde(rename = "message", with = "Stored")]
    id: MessageId,
    #[serde(with = "Stored")]
    conversation: ConversationId,
    tool: String,
    text: String,
    #[serde(with = "Stored", default, skip_serializing_if = "Option::is_none")]
    status: Option<NoteStatus>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct TurnEndedRecord {
    #[serde(with = "Stored")]
    pub(super) conversation: ConversationId,
    #[serde(with = "Stored")]
    pub(super) end: TurnEnd,
}

#[derive(Serialize, Deserialize)]
pub(super) struct ClearedRecord<'a> {
    #[serde(with = "Stored")]
    pub(super) conversation: ConversationId,
    #[serde(with = "Stored")]
    pub(super) places: Cow<'a, [Seq]>,
}

recorded! { MessageRecord as Message, SaidRecord as Said, NoteRecord as Note }
