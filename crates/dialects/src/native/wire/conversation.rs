//! Conversations and what is in them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{AgentRef, Ask, ConversationRef, WireTime};

/// Conversations, most recent entry first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConversationList {
    /// The rows.
    pub conversations: Vec<ConversationRow>,
    /// The cursor of the next page; null on the last page.
    pub next: Option<u64>,
    /// The position in the journal that this page reflects.
    pub as_of: u64,
}

/// A conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConversationRow {
    /// The id.
    pub id: String,
    /// Its name, as the agent gave it.
    pub name: String,
    /// The agent.
    pub agent: AgentRef,
    /// The state of the agent's turn.
    pub turn: Turn,
    /// The number of open asks.
    pub open: u64,
    /// The number of queued messages.
    pub queued: u64,
    /// Whether the agent's program can be told to stop.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub can_stop: bool,
    /// When the last entry was added.
    pub last_at: WireTime,
}

/// The state of an agent's turn in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Turn {
    /// The agent is idle.
    Idle,
    /// The agent is working on a message.
    Running,
    /// The agent is waiting for an answer.
    Waiting,
}

/// The entries of a conversation, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Entries {
    /// The conversation.
    pub conversation: ConversationRef,
    /// The state of the agent's turn.
    pub turn: Turn,
    /// Whether the agent is connected and takes messages in it; otherwise a message is queued.
    #[serde(default)]
    pub takes_messages: bool,
    /// The text of the agent's message that is still incomplete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saying: Option<String>,
    /// The entries.
    pub entries: Vec<Entry>,
    /// The cursor of the next page: for `after` when reading forwards, for `before` when reading
    /// backwards; null on the last page.
    pub next: Option<u64>,
    /// The position in the journal that this page reflects; the feed continues from there.
    pub as_of: u64,
}

/// An entry of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Entry {
    /// The position in the journal. A later entry with the same position replaces the earlier one.
    pub seq: u64,
    /// When it happened.
    pub at: WireTime,
    /// The id of the conversation.
    pub conversation: String,
    /// The kind of entry.
    pub kind: EntryKind,
    /// `message`, `said`, `note`: the id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// `message`: the person who sent it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// `message`: the device it was sent from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// `message`: whether the agent has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<MessageState>,
    /// `note`: the name of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// `message`, `said`, `note`: the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// `note`: the status: `running`, `done` or `failed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// `ask`: the ask, with its outcome if it is closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<Box<Ask>>,
    /// `turn_ended`: how the turn ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<TurnEnd>,
}

/// The kinds of entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// A message from a person.
    Message,
    /// Text of the agent.
    Said,
    /// A note about a tool.
    Note,
    /// An ask.
    Ask,
    /// The end of a turn.
    TurnEnded,
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TurnEnd {
    /// The agent reported that it is done.
    Done,
    /// The agent reported that it failed.
    Failed,
    /// The agent stopped responding.
    Lost,
    /// The agent reported that it was stopped.
    Stopped,
}

/// A message from a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NewMessage {
    /// The text.
    pub text: String,
    /// The agent, by id or name: for a new conversation, or if several agents have a conversation
    /// with the same name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

/// The result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MessageSent {
    /// The state of the message.
    pub state: MessageState,
    /// The id of the message.
    pub message: String,
    /// The conversation.
    pub conversation: ConversationRef,
}

/// The states of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MessageState {
    /// Sent to a connected agent.
    Sent,
    /// Queued until the agent is connected and idle.
    Queued,
    /// Removed before the agent received it. Only the feed reports this; the conversation no longer
    /// has the message.
    Removed,
}
