//! Conversations and what is in them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{AgentRef, Ask, ConversationRef, WireTime};

/// The conversations there are, those of the latest entry first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConversationList {
    /// One row each.
    pub conversations: Vec<ConversationRow>,
    /// Where the next page begins; null on the last one.
    pub next: Option<u64>,
    /// The place in the journal this page is true for.
    pub as_of: u64,
}

/// One conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConversationRow {
    /// Our id.
    pub id: String,
    /// What its agent calls it.
    pub name: String,
    /// Its agent.
    pub agent: AgentRef,
    /// What the agent does in it.
    pub turn: Turn,
    /// How many of its asks are open.
    pub open: u64,
    /// How many messages wait for the agent.
    pub queued: u64,
    /// Whether the agent's program can be told to stop.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub can_stop: bool,
    /// When something last happened in it.
    pub last_at: WireTime,
}

/// What an agent does in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Turn {
    /// Nothing.
    Idle,
    /// It works on what a person said.
    Running,
    /// It waits for an answer.
    Waiting,
}

/// What is in a conversation, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Entries {
    /// The conversation.
    pub conversation: ConversationRef,
    /// What the agent does in it.
    pub turn: Turn,
    /// Whether the agent is connected and takes messages in it; otherwise a message is queued.
    #[serde(default)]
    pub takes_messages: bool,
    /// What the agent has said of a message that is not complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saying: Option<String>,
    /// One each.
    pub entries: Vec<Entry>,
    /// Where the next page begins: `after` when it was read forwards, `before` when backwards;
    /// null on the last one.
    pub next: Option<u64>,
    /// The place in the journal this page is true for; the feed goes on from there.
    pub as_of: u64,
}

/// One thing in a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Entry {
    /// Where in the journal. An entry that comes again with the same place replaces the first.
    pub seq: u64,
    /// When.
    pub at: WireTime,
    /// The id of the conversation.
    pub conversation: String,
    /// What it is.
    pub kind: EntryKind,
    /// `message`, `said`, `note`: our id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// `message`: which person said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// `message`: on which device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// `message`: whether the agent has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<MessageState>,
    /// `note`: which tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// `message`, `said`, `note`: the words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// `note`: how far it is: `running`, `done` or `failed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// `ask`: the ask as it stands, with its outcome once it is closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<Box<Ask>>,
    /// `turn_ended`: how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<TurnEnd>,
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
    /// A turn of the agent ended.
    TurnEnded,
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TurnEnd {
    /// The agent said that it is done.
    Done,
    /// The agent said that it failed.
    Failed,
    /// Nothing more was heard of it.
    Lost,
    /// The agent said that somebody stopped it.
    Stopped,
}

/// What a person says in a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NewMessage {
    /// The words.
    pub text: String,
    /// Whose conversation, by id or name of the agent: for a new one, and where several agents use
    /// the same name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MessageSent {
    /// Whether the agent has it.
    pub state: MessageState,
    /// Our id of the message.
    pub message: String,
    /// Where it was said.
    pub conversation: ConversationRef,
}

/// Whether the agent has a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MessageState {
    /// It was written to a live link.
    Sent,
    /// It waits until the agent is here and has nothing else to do.
    Queued,
    /// It was removed before the agent had it: it no longer stands in the conversation. Only the feed
    /// says so.
    Removed,
}
