//! The frames of an agent's socket, both ways.

use std::fmt;

use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::ToSchema;

use super::feed::SocketProblem;
use super::{NewAsk, Outcome};
use crate::envelope::{Envelope, Heard};
use crate::read::ReadError;

/// What an agent sends.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum AgentFrame {
    /// Asks.
    Ask(Box<AskFrame>),
    /// Takes an ask back.
    Withdraw(WithdrawFrame),
    /// Says that it has an outcome.
    Confirm(ConfirmFrame),
    /// Says something in a conversation.
    Say(SayFrame),
    /// Notes what a tool does in a conversation.
    Note(NoteFrame),
    /// Offers to hear what people say in conversations.
    TakeTurns(TakeTurnsFrame),
    /// Offers to do what people want of the agent's program.
    TakeControls(TakeControlsFrame),
    /// Says that it did what was wanted, or why not.
    Controlled(ControlledFrame),
}

impl AgentFrame {
    /// Reads a frame of an agent, strictly.
    pub fn read(bytes: &[u8]) -> Result<Heard<Self>, ReadError> {
        let frame = Envelope::open(bytes, "do")?;
        Ok(Heard::Known(match frame.name() {
            "ask" => Self::Ask(frame.read()?),
            "withdraw" => Self::Withdraw(frame.read()?),
            "confirm" => Self::Confirm(frame.read()?),
            "say" => Self::Say(frame.read()?),
            "note" => Self::Note(frame.read()?),
            "take_turns" => Self::TakeTurns(frame.read()?),
            "take_controls" => Self::TakeControls(frame.read()?),
            "controlled" => Self::Controlled(frame.read()?),
            _ => return frame.unknown(),
        }))
    }
}

/// Asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AskFrame {
    /// What the reply to this frame repeats.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The key under which a second try finds this ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// What is asked.
    pub ask: NewAsk,
}

/// Takes an ask back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WithdrawFrame {
    /// What the reply to this frame repeats.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Which ask.
    pub id: String,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Says that the outcome of an ask has arrived.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConfirmFrame {
    /// What a problem with this frame repeats.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Which ask.
    pub id: String,
}

/// Says something in a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SayFrame {
    /// What a problem with this frame repeats.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// In which conversation.
    pub conversation: String,
    /// What.
    pub text: String,
    /// Whether that was all for now.
    #[serde(default)]
    pub done: bool,
    /// With `done`: how the turn ended, when it did not end well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<SayEnd>,
}

/// How a turn ended that did not end well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SayEnd {
    /// It failed.
    Failed,
    /// Somebody stopped it.
    Stopped,
}

/// Notes what a tool does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NoteFrame {
    /// What a problem with this frame repeats.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// In which conversation.
    pub conversation: String,
    /// Which tool.
    pub tool: String,
    /// What it does.
    #[serde(default)]
    pub text: String,
    /// How far it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

/// Offers to hear what people say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TakeTurnsFrame {
    /// What a problem with this frame repeats.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// In which conversations.
    #[schema(value_type = Object)]
    pub conversations: Conversations,
}

/// Offers to do what people want of the agent's program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TakeControlsFrame {
    /// What a problem with this frame repeats.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// In which conversations.
    #[schema(value_type = Object)]
    pub conversations: Conversations,
}

/// Says that it did what was wanted, or why not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ControlledFrame {
    /// What a problem with this frame repeats.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The id of what was wanted.
    pub id: u64,
    /// Why it was not done; absent when it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Which conversations: `"any"`, or a list of names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Conversations {
    /// Every one.
    Any,
    /// Only these.
    These(Vec<String>),
}

impl Serialize for Conversations {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Any => serializer.serialize_str("any"),
            Self::These(names) => names.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Conversations {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct WhichVisitor;

        impl<'de> Visitor<'de> for WhichVisitor {
            type Value = Conversations;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("\"any\" or a list of names")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Conversations, E> {
                if text == "any" {
                    Ok(Conversations::Any)
                } else {
                    Err(E::invalid_value(de::Unexpected::Str(text), &self))
                }
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Conversations, A::Error> {
                let mut names = Vec::new();
                while let Some(name) = items.next_element()? {
                    names.push(name);
                }
                Ok(Conversations::These(names))
            }
        }

        deserializer.deserialize_any(WhichVisitor)
    }
}

/// What an agent receives.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum AgentEvent {
    /// Its ask is on disk.
    Asked(AskedEvent),
    /// An ask has ended; again on every connect until confirmed.
    Outcome(Box<OutcomeEvent>),
    /// A person said something.
    Turn(TurnEvent),
    /// A person wants something of the agent's program.
    Control(ControlEvent),
    /// A frame could not be followed.
    Problem(Box<SocketProblem>),
}

impl AgentEvent {
    /// Reads what the server sends to an agent, passing over keys that are not known.
    pub fn read(bytes: &[u8]) -> Result<Heard<Self>, ReadError> {
        let frame = Envelope::open(bytes, "event")?;
        Ok(Heard::Known(match frame.name() {
            "asked" => Self::Asked(frame.read_kindly()?),
            "outcome" => Self::Outcome(frame.read_kindly()?),
            "turn" => Self::Turn(frame.read_kindly()?),
            "control" => Self::Control(frame.read_kindly()?),
            "problem" => Self::Problem(frame.read_kindly()?),
            _ => return frame.unknown(),
        }))
    }
}

/// An ask is on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AskedEvent {
    /// What the frame that asked was called.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Our id of the ask.
    pub id: String,
    /// Its digest.
    pub digest: String,
}

/// An ask has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OutcomeEvent {
    /// Which ask.
    pub id: String,
    /// The asker's own id of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wire_id: Option<String>,
    /// How.
    pub outcome: Outcome,
    /// An answer that came too late.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<super::Late>,
}

/// A person said something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TurnEvent {
    /// In which conversation, by the agent's name for it.
    pub conversation: String,
    /// What.
    pub text: String,
    /// The id of the message.
    pub message: String,
}

/// A person wants something of the agent's program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ControlEvent {
    /// What `controlled` repeats; counted on each connection.
    pub id: u64,
    /// In which conversation, by the agent's name for it.
    pub conversation: String,
    /// What.
    pub control: ControlWord,
    /// Which mode, when one is to be set: the program's own name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Who wants it.
    pub by: String,
}

/// What a person may want of an agent's program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ControlWord {
    /// To stop what it is doing.
    Interrupt,
    /// To ask more, or less, from now on.
    SetMode,
}
