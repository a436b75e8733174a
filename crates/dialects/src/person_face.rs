//! A person's connection as a machine without IO: frames in, moves out; news in, frames out.

use std::fmt;
use std::sync::Arc;

use sayso_core::agent::Conversation;
use sayso_core::answer::Answer;
pub use sayso_core::control::ControlKind;
use sayso_core::digest::Digest;
use sayso_core::entry::{Entry, Turn};
use sayso_core::id::{AskId, ConversationId};
use sayso_core::time::Time;
use sayso_core::view::AskView;

use crate::Frames;
use crate::call::Reply;

/// One connection of a person's front end.
///
/// It may remember what was shown on this connection, and nothing else.
pub trait PersonFace: Send {
    /// A text frame arrived. What it wants is pushed in order.
    fn read(&mut self, frame: &str, now: Time, moves: &mut Vec<PersonMove>);

    /// Something happened. Frames to write are pushed in order.
    fn tell(&mut self, news: &PersonNews<'_>, now: Time, frames: &mut dyn Frames);
}

/// A person's call that is answered by a stream of events, as a machine without IO.
///
/// It is told what there is, then says what the call wants, then is told what happens until it is
/// over.
pub trait StreamFace: Send {
    /// What the call wants, in order. `named` are those asks it speaks of that are asks of its
    /// conversation, as they stand. What is wrong with the call is written here.
    fn wants(
        &mut self,
        named: &[AskView],
        now: Time,
        moves: &mut Vec<PersonMove>,
        frames: &mut dyn Frames,
    );

    /// Something happened. Frames to write are pushed in order.
    fn tell(&mut self, news: &PersonNews<'_>, now: Time, frames: &mut dyn Frames);

    /// Whether everything was said: the stream ends with what was written.
    fn is_over(&self) -> bool;
}

/// What a person's frame wants.
#[derive(Debug, Clone, PartialEq)]
pub enum PersonMove {
    /// Answers. The dialect carries no digest, so the answer is unbound.
    Answer {
        /// Which ask.
        ask: AskId,
        /// What is said.
        answer: Answer,
    },
    /// Puts an ask aside.
    Dismiss {
        /// Which ask.
        ask: AskId,
        /// Why.
        note: Option<String>,
        /// Whether the agent's turn is to end with it; only where the ask says that it can.
        stop: bool,
    },
    /// Answers asks and puts them aside: all of them, or none where one of them cannot be. One that
    /// was closed so before counts as done.
    Settle(Vec<Settlement>),
    /// Says something to the agent.
    Message {
        /// Where, by id or name; the connection's own conversation when absent.
        conversation: Option<String>,
        /// What.
        text: String,
    },
    /// Asks what goes on in a conversation: told as [`PersonNews::Turn`].
    LookAt {
        /// Which, by id or name.
        conversation: String,
    },
    /// Wants something of the agent that only an agent behind our own stand-in can do.
    Control(Control),
    /// Writes this frame back at once.
    Reply(String),
    /// Closes the connection with this reason.
    Close(&'static str),
    /// Says that nobody knows the frame's name: logged.
    Unknown(String),
}

/// What a person says to one of several asks.
#[derive(Debug, Clone, PartialEq)]
pub struct Settlement {
    /// Which ask.
    pub ask: AskId,
    /// The digest of what was shown, where the front end repeated it.
    pub seen: Option<Digest>,
    /// What is said.
    pub how: Settled,
}

/// How an ask is settled.
#[derive(Debug, Clone, PartialEq)]
pub enum Settled {
    /// With this answer.
    Answer(Answer),
    /// It is put aside.
    Dismiss {
        /// Why.
        note: Option<String>,
    },
}

/// What a front end may want of an agent's program beyond answers and words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Control {
    /// The front end's own id of it.
    pub wire_id: String,
    /// What.
    pub what: ControlKind,
}

/// What a person's connection is told.
#[derive(Debug, Clone, Copy)]
pub enum PersonNews<'a> {
    /// The connection stands: everything that is known so far. Comes first, once.
    Opened {
        /// The conversation; absent where the connection is about all of them, or a new one.
        conversation: Option<&'a Arc<Conversation>>,
        /// What was said in it, in order, its newest page; closed asks among it with their outcome.
        entries: &'a [Entry],
        /// What its agent does.
        turn: Turn,
        /// The asks that wait, in asking order.
        open: &'a [AskView],
    },
    /// The first message made the conversation.
    Began(&'a Arc<Conversation>),
    /// An agent asked.
    Asked(&'a AskView),
    /// An ask ended, on this connection or elsewhere.
    Closed(&'a AskView),
    /// Something was said or noted, or a turn ended. Never an ask.
    Entry(&'a Entry),
    /// A piece of what an agent is saying.
    Saying {
        /// Where.
        conversation: &'a Arc<Conversation>,
        /// The piece.
        text: &'a str,
    },
    /// What an agent does in a conversation changed, or was asked for.
    Turn {
        /// Where.
        conversation: ConversationId,
        /// Its name.
        name: &'a str,
        /// What.
        turn: Turn,
        /// What the agent has said of an unfinished message.
        saying: &'a str,
    },
    /// A move of this connection could not be followed.
    Refused {
        /// Which ask it was about.
        ask: Option<AskId>,
        /// Why.
        why: Refused<'a>,
    },
    /// Everything that a call of a stream wanted was done.
    Done,
    /// The time that a stream has is over.
    Elapsed,
    /// What became of a [`Control`].
    Controlled {
        /// What was wanted.
        control: &'a Control,
        /// Why it was not done; nothing when it was.
        refused: Option<&'a str>,
    },
    /// A newer connection has the conversation now; this one is closed after what is written here.
    Taken,
}

/// Why a move of a person's connection was not followed.
#[derive(Debug, Clone, Copy)]
pub enum Refused<'a> {
    /// The ask was closed before, so.
    AlreadyClosed(&'a AskView),
    /// Something else, for a person to read.
    Other(&'a str),
}

/// What was said in a conversation, for a front end that fetches it.
pub trait Transcript: Sync + fmt::Debug {
    /// The page, oldest first.
    fn write(&self, conversation: &Conversation, entries: &[Entry]) -> Reply;

    /// What is said when nobody knows the conversation.
    fn unknown(&self, id: &str) -> Reply;
}
