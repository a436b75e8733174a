//! The frames of the feed, and what a device may send on it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    AgentRow, AnswerRequest, Ask, ConversationRef, Delivery, Entry, Fields, Problem, Reply,
    RuleChoice, Turn, Verdict, WireTime,
};
use crate::envelope::{Envelope, Heard};
use crate::read::ReadError;

/// What a device hears.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum FeedEvent {
    /// Everything before this place was told.
    Ready(Ready),
    /// An agent asked.
    Asked(Box<AskChange>),
    /// An ask ended.
    Closed(Box<AskChange>),
    /// The news of an outcome got further.
    Delivery(DeliveryChange),
    /// Something was added to a conversation.
    Entry(Box<EntryChange>),
    /// An agent is in the middle of saying something.
    Saying(Saying),
    /// What an agent does in a conversation changed.
    Turn(TurnChange),
    /// An agent came or went.
    Agent(AgentChange),
    /// A rule changed.
    Rule(RuleChange),
    /// The cursor is too old: read the lists again and go on from here.
    Reset(Mark),
    /// What the device sent is done.
    Done(Box<Done>),
    /// What the device sent could not be done.
    Problem(Box<SocketProblem>),
}

impl FeedEvent {
    /// Reads what the server sends to a device, passing over keys that are not known.
    pub fn read(bytes: &[u8]) -> Result<Heard<Self>, ReadError> {
        let frame = Envelope::open(bytes, "event")?;
        Ok(Heard::Known(match frame.name() {
            "ready" => Self::Ready(frame.read_kindly()?),
            "asked" => Self::Asked(frame.read_kindly()?),
            "closed" => Self::Closed(frame.read_kindly()?),
            "delivery" => Self::Delivery(frame.read_kindly()?),
            "entry" => Self::Entry(frame.read_kindly()?),
            "saying" => Self::Saying(frame.read_kindly()?),
            "turn" => Self::Turn(frame.read_kindly()?),
            "agent" => Self::Agent(frame.read_kindly()?),
            "rule" => Self::Rule(frame.read_kindly()?),
            "reset" => Self::Reset(frame.read_kindly()?),
            "done" => Self::Done(frame.read_kindly()?),
            "problem" => Self::Problem(frame.read_kindly()?),
            _ => return frame.unknown(),
        }))
    }
}

/// Where the feed begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Ready {
    /// Which place.
    pub seq: u64,
    /// Which life of the state this is. Another one than before means that a backup was restored:
    /// places mean something else now, so read the lists again.
    pub epoch: String,
    /// Whose feed it is.
    pub person: String,
    /// On which of their devices.
    pub device: String,
}

/// A place in the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Mark {
    /// Which place.
    pub seq: u64,
}

/// An ask as it stands after an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AskChange {
    /// Where in the journal.
    pub seq: u64,
    /// When.
    pub at: WireTime,
    /// The ask.
    pub ask: Ask,
}

/// How far the news of some outcomes has got.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeliveryChange {
    /// Where in the journal.
    pub seq: u64,
    /// When.
    pub at: WireTime,
    /// The asks whose news has got further since.
    pub asks: Vec<Delivered>,
}

/// How far the news of one outcome has got.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Delivered {
    /// Which ask.
    pub id: String,
    /// How far.
    pub delivery: Delivery,
    /// When it got there.
    pub at: WireTime,
}

/// A piece of what an agent is saying. The whole comes as an entry once it is complete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Saying {
    /// When.
    pub at: WireTime,
    /// Where.
    pub conversation: ConversationRef,
    /// Where in the message the piece begins, in bytes of UTF-8.
    pub from: u64,
    /// The piece.
    pub text: String,
}

/// What an agent does in a conversation changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TurnChange {
    /// When.
    pub at: WireTime,
    /// Where.
    pub conversation: ConversationRef,
    /// What it does now.
    pub turn: Turn,
}

/// A new entry of a conversation, or a message of which more is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EntryChange {
    /// Where in the journal.
    pub seq: u64,
    /// When.
    pub at: WireTime,
    /// The entry.
    pub entry: Entry,
}

/// An agent came or went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentChange {
    /// When.
    pub at: WireTime,
    /// The agent.
    pub agent: AgentRow,
}

/// A rule changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RuleChange {
    /// Where in the journal.
    pub seq: u64,
    /// When.
    pub at: WireTime,
    /// The id of the rule.
    pub rule: String,
}

/// What a device sent is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Done {
    /// What the device's frame was called.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The ask as it stands now.
    pub ask: Ask,
}

/// A frame could not be followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SocketProblem {
    /// What the frame was called.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Why.
    pub problem: Problem,
}

/// What a device sends.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum DeviceFrame {
    /// Answers an ask.
    Answer(AnswerFrame),
    /// Puts an ask aside.
    Dismiss(DismissFrame),
}

impl DeviceFrame {
    /// Reads a frame of a device, strictly.
    pub fn read(bytes: &[u8]) -> Result<Heard<Self>, ReadError> {
        let frame = Envelope::open(bytes, "do")?;
        Ok(Heard::Known(match frame.name() {
            "answer" => Self::Answer(frame.read()?),
            "dismiss" => Self::Dismiss(frame.read()?),
            _ => return frame.unknown(),
        }))
    }
}

/// Answers an ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AnswerFrame {
    /// What the reply to this frame repeats.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Which ask.
    pub id: String,
    /// The digest of the ask as it was shown.
    pub digest: String,
    /// One reply for each answered question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replies: Option<Vec<Reply>>,
    /// Yes or no to an action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// The fields of a form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields: Option<Fields>,
    /// With a verdict that reaches further than once: what rule it makes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<RuleChoice>,
}

impl AnswerFrame {
    /// The answer in it, as the API takes it.
    pub fn into_answer(self) -> AnswerRequest {
        AnswerRequest {
            digest: self.digest,
            replies: self.replies,
            verdict: self.verdict,
            fields: self.fields,
            rule: self.rule,
        }
    }
}

/// Puts an ask aside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DismissFrame {
    /// What the reply to this frame repeats.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Which ask.
    pub id: String,
    /// The digest of the ask as it was shown.
    pub digest: String,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Whether the agent's turn is to end with it; only where the ask says `stop`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stop: bool,
}
