//! Conversations and what is in them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::WireTime;

/// The conversations there are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConversationList {
    /// One row each.
    pub conversations: Vec<ConversationRow>,
    /// Where the next page begins; null on the last one.
    pub next: Option<String>,
}

/// One conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConversationRow {
    /// Our id.
    pub id: String,
    /// What its agent calls it.
    pub name: String,
    /// The id of its agent.
    pub agent: String,
}

/// What is in a conversation, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Entries {
    /// One each.
    pub entries: Vec<Entry>,
    /// Where the next page begins; null on the last one.
    pub next: Option<String>,
}

/// One thing in a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Entry {
    /// Where in the journal.
    pub seq: u64,
    /// When.
    pub at: WireTime,
    /// The id of the conversation.
    pub conversation: String,
    /// What it is.
    pub kind: EntryKind,
    /// `message`: which person said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// `message`, `said`, `note`: the words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// `note`: which tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// `note`: how far it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// `ask`: which one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<String>,
}

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// A person said something.
    Message,
    /// The agent said something.
    Said,
    /// The agent noted what a tool does.
    Note,
    /// The agent asked.
    Ask,
}

/// What a person says in a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NewMessage {
    /// The words.
    pub text: String,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MessageSent {
    /// Whether the agent has it.
    pub state: MessageState,
}

/// Whether the agent has a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MessageState {
    /// It was written to a live link.
    Sent,
    /// It waits for the agent to come back.
    Queued,
}
