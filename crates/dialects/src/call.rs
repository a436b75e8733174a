//! A single call of an agent, without IO: a body in, an ask or a reply out.

use std::fmt;

use sayso_core::ask::Draft;
use sayso_core::digest::Digest;
use sayso_core::id::{AgentName, ConversationName};
use sayso_core::time::Time;
use sayso_core::view::AskView;
use serde::Serialize;

use crate::frames::written;

/// A call that asks and waits for the outcome, or is answered at once.
pub trait Call: Sync + fmt::Debug {
    /// Reads the body.
    fn read(&self, body: &[u8], now: Time) -> Called;

    /// The outcome of the ask that [`Call::read`] made, once it is there. `body` is the same body.
    fn write(&self, body: &[u8], view: &AskView) -> CallReply;

    /// What is said when the ask could not be taken in.
    fn refuse(&self, body: &[u8], why: &str, status: u16) -> CallReply;

    /// Whether asks of this call end with their caller, because it decides without us then.
    fn tied(&self) -> Option<Tied> {
        None
    }

    /// What a body is about, where asks are tied: of one that asks, what it asks about; of one that is
    /// answered at once, what has been decided without us, though its caller may still wait.
    fn tie(&self, _body: &[u8]) -> Option<Tie> {
        None
    }
}

/// Asks that end with their caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tied {
    /// The agent that only such asks have, so that they are found after a crash.
    pub agent: &'static str,
    /// What people read who see one go.
    pub note: &'static str,
    /// The same, when its caller said that it is decided.
    pub decided: &'static str,
}

/// What a call with tied asks is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tie {
    /// In which conversation.
    pub conversation: ConversationName,
    /// Which call of a tool; nothing for every one.
    pub about: Option<Digest>,
}

impl Tie {
    /// Whether what is over for this is over for that.
    pub fn covers(&self, other: &Self) -> bool {
        self.conversation == other.conversation
            && (self.about.is_none() || self.about == other.about)
    }
}

/// What a call's body wants.
#[derive(Debug, Clone, PartialEq)]
pub enum Called {
    /// An answer now.
    Reply(CallReply),
    /// An ask, and its outcome.
    Ask {
        /// Who, when the body says so.
        agent: Option<AgentName>,
        /// What.
        draft: Box<Draft>,
    },
}

/// What is written back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallReply {
    /// The HTTP status.
    pub status: u16,
    /// JSON, or plain text.
    pub body: Body,
}

/// The body of a [`CallReply`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// `application/json`.
    Json(String),
    /// `text/plain`.
    Text(String),
}

impl CallReply {
    /// JSON that came out well.
    pub fn json(text: String) -> Self {
        Self {
            status: 200,
            body: Body::Json(text),
        }
    }

    /// A value of ours as JSON that came out well.
    pub(crate) fn of(value: &impl Serialize) -> Self {
        Self::json(written(value))
    }

    /// What went wrong, as plain text.
    pub(crate) fn text(status: u16, text: impl Into<String>) -> Self {
        Self {
            status,
            body: Body::Text(text.into()),
        }
    }

    /// The same with another status.
    pub(crate) fn status(self, status: u16) -> Self {
        Self { status, ..self }
    }
}
