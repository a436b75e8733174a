//! The frames of the feed, and what a device may send on it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    AgentRow, AnswerRequest, Ask, ConversationRef, Delivery, Entry, Fields, Problem, Reply,
    RuleChoice, Turn, Verdict, WireTime,
};
use crate::envelope::{Envelope, Heard};
use crate::read::ReadError;

/// A frame to a device.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum FeedEvent {
    /// The feed is up to date until this position.
    Ready(Ready),
    /// An ask was made.
    Asked(Box<AskChange>),
    /// An ask was closed.
    Closed(Box<AskChange>),
    /// The delivery state of an outcome changed.
    Delivery(DeliveryChange),
    /// An entry was added to a conversation, or changed.
    Entry(Box<EntryChange>),
    /// Part of a message that an agent is writing.
    Saying(Saying),
    /// The state of an agent's turn changed.
    Turn(TurnChange),
    /// An agent connected or disconnected.
    Agent(AgentChange),
    /// A rule changed.
    Rule(RuleChange),
    /// The cursor is too old: reload the lists and continue from this position.
    Reset(Mark),
    /// The device's frame was processed.
    Done(Box<Done>),
    /// The device's frame was rejected.
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

/// The start of the feed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Ready {
    /// The position in the journal.
    pub seq: u64,
    /// The epoch of the state. A different one means that a backup was restored: positions have
    /// changed, so reload the lists.
    pub epoch: String,
    /// The person whose feed this is.
    pub person: String,
    /// The person's device.
    pub device: String,
}

/// A position in the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Mark {
    /// The position in the journal.
    pub seq: u64,
}

/// An ask after an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AskChange {
    /// The position in the journal.
    pub seq: u64,
    /// When it happened.
    pub at: WireTime,
    /// The ask.
    pub ask: Ask,
}

/// A change of delivery states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeliveryChange {
    /// The position in the journal.
    pub seq: u64,
    /// When it happened.
    pub at: WireTime,
    /// The asks whose delivery state changed.
    pub asks: Vec<Delivered>,
}

/// The delivery state of one outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Delivered {
    /// The id of the ask.
    pub id: String,
    /// The delivery state.
    pub delivery: Delivery,
    /// When the state changed.
    pub at: WireTime,
}

/// Part of a message that an agent is writing. The complete message follows as an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Saying {
    /// When it happened.
    pub at: WireTime,
    /// The conversation.
    pub conversation: ConversationRef,
    /// The offset of this part in the message, in bytes of UTF-8.
    pub from: u64,
    /// The text of this part.
    pub text: String,
}

/// The state of an agent's turn changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TurnChange {
    /// When it happened.
    pub at: WireTime,
    /// The conversation.
    pub conversation: ConversationRef,
    /// The new state.
    pub turn: Turn,
}

/// A new or changed entry of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EntryChange {
    /// The position in the journal.
    pub seq: u64,
    /// When it happened.
    pub at: WireTime,
    /// The entry.
    pub entry: Entry,
}

/// An agent connected or disconnected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentChange {
    /// When it happened.
    pub at: WireTime,
    /// The agent.
    pub agent: AgentRow,
}

/// A rule changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RuleChange {
    /// The position in the journal.
    pub seq: u64,
    /// When it happened.
    pub at: WireTime,
    /// The id of the rule.
    pub rule: String,
}

/// The frame was processed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Done {
    /// The reference of the device's frame.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The ask.
    pub ask: Ask,
}

/// A frame could not be processed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SocketProblem {
    /// The reference of the frame.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// What went wrong.
    pub problem: Problem,
}

/// A frame from a device.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum DeviceFrame {
    /// Answers an ask.
    Answer(AnswerFrame),
    /// Dismisses an ask.
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
    /// A reference that the reply repeats.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The id of the ask.
    pub id: String,
    /// The digest of the ask as it was shown.
    pub digest: String,
    /// A reply for each answered question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replies: Option<Vec<Reply>>,
    /// The verdict on an action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// The fields of a form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields: Option<Fields>,
    /// With a `scope` other than `once`: the rule to make.
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

/// Dismisses an ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DismissFrame {
    /// A reference that the reply repeats.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The id of the ask.
    pub id: String,
    /// The digest of the ask as it was shown.
    pub digest: String,
    /// The reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Whether to end the agent's turn as well; only if the ask has `stop`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stop: bool,
}
