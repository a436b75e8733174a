//! The words of Nebo's frames, as they stand on the wire. No meaning is given to them here.
//!
//! What comes in may hold keys that nobody here knows: these are other people's programs, and
//! their versions differ. A key that is known and there twice is refused.

mod agent;
mod ask;
mod browser;
mod history;
mod tool;

pub(super) use agent::{
    Answered, Finished, Frame, Judged, Nothing, Pong, Ready, Run, RunParams, Sent, Status, Stream,
};
pub(super) use ask::{ActionBody, AskBody, Choice, RichChoice, Widget};
pub(super) use browser::{
    ActionShown, Ask, AskShown, ChatBody, Envelope, Event, Failure, HistoryShown, MessageShown,
    Outer, Resolved, SessionBody, SessionShown, StreamStatus, TokenBody, ToolResult, ToolStart,
    Value, ValueBody, VerdictBody, Welcome,
};
pub(super) use history::{Block, Chat, Metadata, NoChat, Page, Told, ToolUse};
pub(super) use tool::{ToolAsk, ToolResultBody};

pub(super) use crate::frames::written;
