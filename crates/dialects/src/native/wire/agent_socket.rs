//! The frames of an agent's socket, both ways.

use std::fmt;

use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::ToSchema;

use super::feed::SocketProblem;
use super::{NewAsk, Outcome};
use crate::envelope::{Envelope, Heard};
use crate::read::ReadError;

/// A frame from an agent.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum AgentFrame {
    /// Makes an ask.
    Ask(Box<AskFrame>),
    /// Withdraws an ask.
    Withdraw(WithdrawFrame),
    /// Confirms an outcome.
    Confirm(ConfirmFrame),
    /// Adds text of the agent to a conversation.
    Say(SayFrame),
    /// Notes a tool's work in a conversation.
    Note(NoteFrame),
    /// Subscribes to messages of people in conversations.
    TakeTurns(TakeTurnsFrame),
    /// Subscribes to commands for the agent's program.
    TakeControls(TakeControlsFrame),
    /// Reports that a command was carried out, or why not.
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

/// Makes an ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AskFrame {
    /// A reference that the reply repeats.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The idempotency key: a retry with the same key finds the same ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The ask.
    pub ask: NewAsk,
}

/// Withdraws an ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WithdrawFrame {
    /// A reference that the reply repeats.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The id of the ask.
    pub id: String,
    /// The reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Confirms that the outcome of an ask arrived.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConfirmFrame {
    /// A reference that a problem with this frame repeats.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The id of the ask.
    pub id: String,
}

/// Adds text of the agent to a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SayFrame {
    /// A reference that a problem with this frame repeats.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The conversation.
    pub conversation: String,
    /// The text.
    pub text: String,
    /// Whether the agent's turn is done.
    #[serde(default)]
    pub done: bool,
    /// With `done`: how the turn ended, if it failed or was stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<SayEnd>,
}

/// How a turn ended, if it failed or was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SayEnd {
    /// It failed.
    Failed,
    /// A person stopped it.
    Stopped,
}

/// Notes a tool's work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NoteFrame {
    /// A reference that a problem with this frame repeats.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The conversation.
    pub conversation: String,
    /// The name of the tool.
    pub tool: String,
    /// What the tool does.
    #[serde(default)]
    pub text: String,
    /// The status: `running`, `done` or `failed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

/// Subscribes to messages of people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TakeTurnsFrame {
    /// A reference that a problem with this frame repeats.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The conversations.
    #[schema(value_type = Object)]
    pub conversations: Conversations,
}

/// Subscribes to commands for the agent's program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TakeControlsFrame {
    /// A reference that a problem with this frame repeats.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The conversations.
    #[schema(value_type = Object)]
    pub conversations: Conversations,
}

/// Reports that a command was carried out, or why not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ControlledFrame {
    /// A reference that a problem with this frame repeats.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The id of the command.
    pub id: u64,
    /// Why it was not carried out; absent if it was.
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

/// A frame to an agent.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum AgentEvent {
    /// An ask was saved.
    Asked(AskedEvent),
    /// An ask was closed; sent again on every connect until it is confirmed.
    Outcome(Box<OutcomeEvent>),
    /// A message from a person.
    Turn(TurnEvent),
    /// A command for the agent's program.
    Control(ControlEvent),
    /// A frame could not be processed.
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

/// An ask was saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AskedEvent {
    /// The reference of the frame that asked.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The id of the ask.
    pub id: String,
    /// Its digest.
    pub digest: String,
}

/// An ask was closed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OutcomeEvent {
    /// The id of the ask.
    pub id: String,
    /// The agent's own id of the ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wire_id: Option<String>,
    /// The outcome.
    pub outcome: Outcome,
    /// A late answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<super::Late>,
}

/// A message from a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TurnEvent {
    /// The conversation, by the agent's name for it.
    pub conversation: String,
    /// The text.
    pub text: String,
    /// The id of the message.
    pub message: String,
}

/// A command for the agent's program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ControlEvent {
    /// The id that `controlled` repeats; counted for each connection.
    pub id: u64,
    /// The conversation, by the agent's name for it.
    pub conversation: String,
    /// The command.
    pub control: ControlWord,
    /// The mode to set, by the program's own name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// The person who sent it.
    pub by: String,
}

/// The commands for an agent's program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ControlWord {
    /// Stop the current work.
    Interrupt,
    /// Change how much the program asks.
    SetMode,
}
