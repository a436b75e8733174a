//! A person's connection as a machine without IO: frames in, moves out; news in, frames out.

use std::fmt;
use std::sync::Arc;

use sayso_core::agent::{Agent, Conversation};
use sayso_core::answer::Answer;
pub use sayso_core::control::ControlKind;
use sayso_core::digest::Digest;
use sayso_core::entry::{Entry, Turn};
use sayso_core::id::{AskId, ConversationId, Epoch, RuleId, Seq};
use sayso_core::journal::DeliveryMark;
use sayso_core::time::Time;
use sayso_core::view::AskView;

use crate::call::CallReply;
use crate::{Frames, Problem, RuleChoice};

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
    /// Says what the frame calls itself: what its other moves lead to repeats that. Comes first.
    Ref(String),
    /// Answers.
    Answer {
        /// Which ask.
        ask: AskId,
        /// The digest of what was shown; without one the answer is unbound.
        seen: Option<Digest>,
        /// What is said.
        answer: Answer,
        /// What rule an answer that reaches further makes; the narrowest when absent.
        rule: Option<Box<RuleChoice>>,
    },
    /// Dismisses an ask.
    Dismiss {
        /// Which ask.
        ask: AskId,
        /// The digest of what was shown, where the front end repeated it.
        seen: Option<Digest>,
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
    /// Wants something of the agent's program, which only some can do.
    Control(Control),
    /// Writes this frame back at once.
    Reply(String),
    /// Says what is wrong with the frame: told as [`PersonNews::Refused`].
    Wrong(Box<Problem>),
    /// Closes the connection with this reason.
    Close(&'static str),
    /// Says that nobody knows the frame's name: logged.
    Unknown(String),
}

impl PersonMove {
    /// Answers, in a language that cannot say what was shown.
    pub fn unbound(ask: AskId, answer: Answer) -> Self {
        Self::Answer {
            ask,
            seen: None,
            answer,
            rule: None,
        }
    }
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
    /// In which conversation, by id or name; the connection's own when absent.
    pub conversation: Option<String>,
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
    /// The connection stands, and goes on from a place in the feed. Comes first, once.
    Resumed(&'a Resumed<'a>),
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
        /// Where in the unfinished message the piece begins, in bytes.
        from: usize,
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
        /// What the agent has said of an unfinished message; empty in text that is shared.
        saying: &'a str,
    },
    /// Something that is neither asked nor said.
    Status(StatusNews<'a>),
    /// An answer or a dismissal of this connection is in the journal.
    Recorded {
        /// What its frame called itself.
        reference: Option<&'a str>,
        /// The ask, closed.
        view: &'a AskView,
    },
    /// A move of this connection could not be followed.
    Refused {
        /// What its frame called itself.
        reference: Option<&'a str>,
        /// Which ask it was about.
        ask: Option<AskId>,
        /// Why.
        why: Refused<'a>,
        /// The same for programs.
        problem: &'a Problem,
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

/// Where a connection goes on.
#[derive(Debug, Clone, Copy)]
pub struct Resumed<'a> {
    /// After which place.
    pub seq: Seq,
    /// Whether the place it named is too old, so that lists must be read again.
    pub reset: bool,
    /// Which life of the state this is.
    pub epoch: Epoch,
    /// Whose connection it is.
    pub person: &'a str,
    /// On which of their devices.
    pub device: &'a str,
    /// The agents that are connected.
    pub agents: &'a [AgentCard<'a>],
}

/// News that is neither asked nor said.
#[derive(Debug, Clone, Copy)]
pub enum StatusNews<'a> {
    /// The news of some outcomes got further.
    Delivery(&'a [DeliveryMark]),
    /// An agent came or went.
    Agent(AgentCard<'a>),
    /// A rule changed.
    Rule(RuleId),
    /// Text was erased: lists must be read again, from this place on.
    Erased(Seq),
}

/// An agent, and how it is reached.
#[derive(Debug, Clone, Copy)]
pub struct AgentCard<'a> {
    /// Who.
    pub agent: &'a Agent,
    /// Whether it is here.
    pub connected: bool,
    /// How many of its asks wait.
    pub open: usize,
    /// When it last sent something unreadable.
    pub unreadable_at: Option<Time>,
    /// How many connections it has.
    pub links: usize,
    /// Since when it has one.
    pub since: Option<Time>,
    /// When its last one ended.
    pub left_at: Option<Time>,
    /// When it last asked.
    pub last_ask_at: Option<Time>,
    /// Whether it takes turns in conversations that do not exist yet.
    pub takes_turns: bool,
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
    fn write(&self, conversation: &Conversation, entries: &[Entry]) -> CallReply;

    /// What is said when nobody knows the conversation.
    fn unknown(&self, id: &str) -> CallReply;
}
