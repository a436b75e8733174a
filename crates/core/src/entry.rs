//! What stands in a conversation: what people and agents say, what tools do, and the asks.
//!
//! Streamed text is one [`Said`] once it is finished; its pieces are shown as they come and never
//! kept.

use std::sync::Arc;

use crate::agent::Conversation;
use crate::id::{ConversationId, MessageId, PersonName, Seq, TokenName};
use crate::time::Time;
use crate::view::AskView;

/// What a person says to an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Our id.
    pub id: MessageId,
    /// Where it was said.
    pub conversation: ConversationId,
    /// Who said it.
    pub person: PersonName,
    /// On which device.
    pub device: TokenName,
    /// The words.
    pub text: String,
}

/// What an agent says, once it has finished saying it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// Our id.
    pub id: MessageId,
    /// Where it was said.
    pub conversation: ConversationId,
    /// The words.
    pub text: String,
}

/// What a tool of an agent does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Our id.
    pub id: MessageId,
    /// Where it was noted.
    pub conversation: ConversationId,
    /// Which tool, as the agent's program calls it.
    pub tool: String,
    /// What it does or did, in the agent's words.
    pub text: String,
    /// How far it is; absent when the agent does not say.
    pub status: Option<NoteStatus>,
}

/// How far a tool is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NoteStatus {
    /// It runs.
    Running,
    /// It is done.
    Done,
    /// It failed.
    Failed,
}

crate::words! { NoteStatus: Running = "running", Done = "done", Failed = "failed" }

/// Whether the agent has a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MessageState {
    /// It waits until the agent is here and has nothing else to do.
    Queued,
    /// It was written to a live link.
    Sent,
    /// Somebody removed it before the agent had it. It no longer stands in the conversation.
    Removed,
}

crate::words! { MessageState: Queued = "queued", Sent = "sent", Removed = "removed" }

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TurnEnd {
    /// The agent said that it is done.
    Done,
    /// The agent said that it failed.
    Failed,
    /// Nothing more was heard of it, and the time for a turn was over.
    Lost,
    /// The agent said that somebody stopped it.
    Stopped,
}

crate::words! { TurnEnd: Done = "done", Failed = "failed", Lost = "lost", Stopped = "stopped" }

/// What an agent does in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Turn {
    /// Nothing.
    #[default]
    Idle,
    /// It works on what a person said.
    Running,
    /// It waits for an answer.
    Waiting,
}

crate::words! { Turn: Idle = "idle", Running = "running", Waiting = "waiting" }

/// One thing in a conversation, at its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Where in the journal.
    pub seq: Seq,
    /// When.
    pub at: Time,
    /// In which conversation.
    pub conversation: Arc<Conversation>,
    /// What.
    pub kind: EntryKind,
}

/// What an entry is.
#[derive(Debug, Clone, PartialEq)]
pub enum EntryKind {
    /// A person said something.
    Message {
        /// What, and who.
        message: Arc<Message>,
        /// Whether the agent has it.
        state: MessageState,
    },
    /// The agent said something.
    Said(Arc<Said>),
    /// A tool of the agent did something.
    Note(Arc<Note>),
    /// The agent asked; how it ended is in the view.
    Ask(AskView),
    /// A turn of the agent ended.
    TurnEnded(TurnEnd),
}
