//! The dialect table's rows: which endpoints a wire language wants, and who stands behind each.
//!
//! A row is data. The server opens every door from it and knows no dialect by name.

use std::time::Duration;

use sayso_core::id::{AskId, ConversationName, Seq};
use sayso_core::time::Time;

use crate::agent_face::AgentFace;
use crate::call::{Call, CallReply};
use crate::person_face::{PersonFace, PersonNews, StreamFace, Transcript};
use crate::read::ReadError;

/// A wire language, as data: what the server opens and shows for it.
#[derive(Debug, Clone, Copy)]
pub struct Dialect {
    /// The one name, in lists, journals and settings.
    pub name: &'static str,
    /// When an ask lapses that says nothing about it; never when absent.
    pub default_deadline: Option<Duration>,
    /// Whether its agents take back an input that the person edited.
    pub edits: bool,
    /// Whether its agents ask again under the same key or id after they were away, so that an ask
    /// which has one can be found again.
    pub asks_again: bool,
    /// What a person may set for it, under `dialects.NAME` in the settings.
    pub knobs: &'static [Knob],
    /// The endpoints it wants.
    pub doors: &'static [Door],
}

/// Something a person may set for a dialect.
#[derive(Debug, Clone, Copy)]
pub struct Knob {
    /// Its key.
    pub key: &'static str,
    /// What it is when nothing is set.
    pub usual: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// Why a value will not do; nothing when it will.
    pub check: fn(&str) -> Option<&'static str>,
}

/// The knobs of one dialect as they are set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Knobs(Vec<(&'static str, String)>);

impl Knobs {
    /// The usual values, with those that were set in their place. Names an unknown key or a value
    /// that will not do.
    pub fn set<'a>(
        dialect: &Dialect,
        values: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, String> {
        let mut knobs = Self::usual(dialect);
        for (key, value) in values {
            let Some(knob) = dialect.knobs.iter().find(|knob| knob.key == key) else {
                return Err(format!(
                    "the dialect {} has no setting `{key}`",
                    dialect.name
                ));
            };
            if let Some(why) = (knob.check)(value) {
                return Err(format!("`{key}` of the dialect {} {why}", dialect.name));
            }
            if let Some(slot) = knobs.0.iter_mut().find(|(name, _)| *name == key) {
                value.clone_into(&mut slot.1);
            }
        }
        Ok(knobs)
    }

    /// What holds when nothing is set.
    pub fn usual(dialect: &Dialect) -> Self {
        let usual = |knob: &Knob| (knob.key, knob.usual.to_owned());
        Self(dialect.knobs.iter().map(usual).collect())
    }

    /// The value of a knob; empty for one that is not in the row.
    pub fn get(&self, key: &str) -> &str {
        self.0
            .iter()
            .find(|(name, _)| *name == key)
            .map_or("", |(_, value)| value)
    }
}

impl Dialect {
    /// How its programs trade a pairing code for a token, if they can.
    pub fn redeem(&self) -> Option<Redeem> {
        self.doors.iter().find_map(|door| match door.way {
            Way::Redeem(redeem) => Some(redeem),
            Way::Own
            | Way::AgentSocket(_)
            | Way::PersonSocket(_)
            | Way::PersonStream(_)
            | Way::Call(_)
            | Way::Transcript(_)
            | Way::Fresh(_)
            | Way::Upload(_)
            | Way::Tools => None,
        })
    }
}

/// An endpoint that speaks a dialect.
#[derive(Debug, Clone, Copy)]
pub struct Door {
    /// Where it is; `{id}` stands for one part of the path, and so does `{agent}`.
    pub path: &'static str,
    /// Who comes in by it, and how it is spoken.
    pub way: Way,
}

/// Who comes in by a door, and how it is spoken.
#[derive(Debug, Clone, Copy)]
pub enum Way {
    /// Our own API, which the server speaks itself.
    Own,
    /// A WebSocket that an agent dials.
    AgentSocket(AgentSocket),
    /// A WebSocket that a person's front end dials.
    PersonSocket(PersonSocket),
    /// A person's POST that is answered by a stream of events.
    PersonStream(PersonStream),
    /// An agent's single POST that asks and waits, or is answered at once.
    Call(&'static dyn Call),
    /// A person's GET of what was said in the conversation `{id}`.
    Transcript(&'static dyn Transcript),
    /// A person's POST that needs nothing but a moment and a random number.
    Fresh(fn(&Moment) -> CallReply),
    /// A POST that trades a pairing code for an agent's token.
    Redeem(Redeem),
    /// An agent's POST of a file that only persons may fetch.
    Upload(fn(&Uploaded<'_>) -> CallReply),
    /// An agent's POST of a message of the Model Context Protocol.
    Tools,
}

/// A WebSocket that an agent dials.
#[derive(Debug, Clone, Copy)]
pub struct AgentSocket {
    /// Makes the face of one connection.
    pub face: fn(&AgentHello<'_>) -> Box<dyn AgentFace>,
    /// Whether the token may come as `?token=`, because its programs can do nothing else.
    pub query_token: bool,
    /// The query key under which an agent says its name; everything else in the query is ignored.
    pub name_key: Option<&'static str>,
    /// Whether a newer connection of the same token closes the older one, and with which reason.
    pub replaced: Option<&'static str>,
    /// How often the face is given a moment to write a ping, in a dialect that has one.
    pub ping_every: Option<Duration>,
    /// What its agents do without offering it.
    pub takes: Takes,
    /// Whether its programs are told what is wrong with their query and their frames. For others the
    /// rest of the query is ignored, and a bad frame is noted on the agent's card.
    pub strict: bool,
}

/// What the agents of a door do without offering it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// Nothing: they offer what they do.
    Nothing,
    /// They take turns.
    Turns,
    /// They take turns, and do what people want of their programs.
    TurnsAndControls,
}

/// Who has just connected.
#[derive(Debug, Clone, Copy)]
pub struct AgentHello<'a> {
    /// What the agent calls itself, if the dialect's query has a place for it.
    pub name: Option<&'a str>,
    /// The name of its token.
    pub token_name: &'a str,
    /// What is set for the dialect.
    pub knobs: &'a Knobs,
}

/// A WebSocket that a person's front end dials.
#[derive(Debug, Clone, Copy)]
pub struct PersonSocket {
    /// Makes the face of one connection.
    pub face: fn(&PersonHello<'_>) -> Box<dyn PersonFace>,
    /// What `{id}` in the path means.
    pub target: fn(&str) -> Target,
    /// The status of a handshake whose `{id}` nobody knows.
    pub unknown: u16,
    /// What tickets for it are called.
    pub ticket: &'static str,
    /// Reads the token out of the first frame, where the dialect has a place for it.
    pub sign_in: Option<fn(&str) -> SignIn>,
    /// Whether the newest connection has its conversation alone.
    pub exclusive: fn(&Knobs) -> bool,
    /// How it is told what happens.
    pub feed: FeedStyle,
}

/// How a person's connection is told what happens.
#[derive(Debug, Clone, Copy)]
pub enum FeedStyle {
    /// What there is, then what happens, each by its face.
    Faced,
    /// What happened since the place that its query names, then what happens: text that is the same
    /// for every connection, written once and shared. Its programs are told what is wrong with their
    /// query.
    Shared(WriteNews),
}

/// Writes news at a place in the journal, or beside it, as one frame.
pub type WriteNews = fn(Option<Seq>, Time, &PersonNews<'_>, &mut Vec<u8>);

/// A person's POST that is answered by a stream of events.
#[derive(Debug, Clone, Copy)]
pub struct PersonStream {
    /// Reads a call, and makes the face of its stream.
    pub open: fn(&StreamCall<'_>) -> Result<Stream, ReadError>,
    /// How long a stream lasts at most.
    pub lasts: fn(&Knobs) -> Duration,
}

/// A call that is to be answered by a stream.
#[derive(Debug, Clone, Copy)]
pub struct StreamCall<'a> {
    /// What stands for `{agent}` in the path.
    pub agent: &'a str,
    /// The body.
    pub body: &'a [u8],
    /// Who calls.
    pub hello: PersonHello<'a>,
}

/// A call that was read.
pub struct Stream {
    /// What it is about.
    pub target: Target,
    /// The asks it speaks of, each once.
    pub named: Vec<AskId>,
    /// The face of its stream.
    pub face: Box<dyn StreamFace>,
}

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stream")
            .field("target", &self.target)
            .field("named", &self.named)
            .finish_non_exhaustive()
    }
}

/// Whom and what a person's connection is about.
#[derive(Debug, Clone, Copy)]
pub struct PersonHello<'a> {
    /// Who came.
    pub person: &'a str,
    /// A fresh random number, as 32 hexadecimal digits.
    pub random: &'a str,
    /// What is set for the dialect.
    pub knobs: &'a Knobs,
}

/// What the first frame of a person's connection says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignIn {
    /// A token.
    Token(String),
    /// Nothing that lets anybody in.
    Nothing,
}

/// What a person's connection is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// Every conversation.
    Everything,
    /// A conversation that begins with the first message.
    New,
    /// The conversation with this id or name.
    Named(String),
    /// The conversation of this agent with this id or name, begun or not.
    OfAgent {
        /// Which agent, by id or name.
        agent: String,
        /// Which conversation.
        conversation: ConversationName,
    },
}

/// A POST that trades a pairing code for a token.
#[derive(Debug, Clone, Copy)]
pub struct Redeem {
    /// The code in the body.
    pub read: fn(&[u8]) -> Option<String>,
    /// The token, as the program wants it.
    pub write: fn(&str) -> CallReply,
    /// Why there is none, as the program shows it.
    pub refuse: fn(&str) -> CallReply,
    /// What a person writes where, so that the program pairs: lines to read and to copy.
    pub guide: fn(&PairingPlace<'_>) -> PairingGuide,
}

/// Where a program finds the server, and the code it is to bring.
#[derive(Debug, Clone, Copy)]
pub struct PairingPlace<'a> {
    /// The host, with its port unless that is the usual one.
    pub host: &'a str,
    /// Whether it is reached over TLS.
    pub tls: bool,
    /// The code.
    pub code: &'a str,
}

/// How a person pairs a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairingGuide {
    /// Lines to read.
    pub lines: Vec<String>,
    /// What is to be copied, as short as it can be: it may travel as a picture.
    pub copied: String,
}

/// A file that was taken in.
#[derive(Debug, Clone, Copy)]
pub struct Uploaded<'a> {
    /// Our id.
    pub id: &'a str,
    /// Where a person fetches it.
    pub url: &'a str,
    /// What the sender called it.
    pub name: &'a str,
    /// What the sender says it is.
    pub media_type: &'a str,
}

/// A moment and a random number.
#[derive(Debug, Clone, Copy)]
pub struct Moment<'a> {
    /// Now.
    pub now: Time,
    /// A fresh random number, as 32 hexadecimal digits.
    pub random: &'a str,
}
