//! The words of the chat bridge. Every id goes out in both spellings, and comes in by either.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{self, Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::frames::written;
use crate::object::{Entries, Object};
use crate::time::WireTime;

/// What we say on the socket.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Event<'a> {
    /// First of all.
    Connected {
        connection_id: &'a str,
        #[serde(rename = "connectionId")]
        connection_id_again: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        session_id: Option<&'a str>,
        #[serde(rename = "sessionId", skip_serializing_if = "Option::is_none")]
        session_id_again: Option<&'a str>,
    },
    /// Second, and only then.
    SessionStatus(Box<SessionStatus<'a>>),
    /// Which conversation this is, with every turn.
    SessionId {
        session_id: &'a str,
        #[serde(rename = "sessionId")]
        session_id_again: &'a str,
    },
    /// What the agent says.
    Text { chunk: &'a str },
    /// What a tool of the agent does.
    ToolUse { name: &'a str, input: Box<RawValue> },
    /// An ask.
    AskUserQuestion {
        question_id: &'a str,
        #[serde(rename = "questionId")]
        question_id_again: &'a str,
        questions: Vec<Question>,
        timeout_seconds: u64,
    },
    /// The end of an ask that this connection did not answer.
    AskUserTimeout {
        question_id: &'a str,
        #[serde(rename = "questionId")]
        question_id_again: &'a str,
        error: &'a str,
    },
    /// The end of a turn that went well.
    Complete {
        status: &'static str,
        #[serde(rename = "costUsd")]
        cost_usd_again: Option<f64>,
        #[serde(rename = "durationMs")]
        duration_ms_again: Option<u64>,
        cost_usd: Option<f64>,
        duration_ms: Option<u64>,
    },
    /// Something went wrong.
    Error { error: &'a str },
    /// Another connection has the conversation now.
    SessionTaken,
}

impl Event<'_> {
    /// The frame's text.
    pub(crate) fn written(&self) -> String {
        written(self)
    }
}

/// How things stand when a front end connects.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct SessionStatus<'a> {
    pub(crate) session_id: &'a str,
    pub(crate) is_processing: bool,
    pub(crate) waiting_for_user: bool,
    pub(crate) pending_question_id: Option<&'a str>,
    pub(crate) status: Status,
    pub(crate) last_event_type: Option<EventType>,
    pub(crate) buffered_count: usize,
    pub(crate) last_activity: WireTime,
    pub(crate) completed_at: Option<WireTime>,
}

/// What the agent does.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    Thinking,
    Generating,
    Waiting,
    Done,
}

/// The names of events that `last_event_type` may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EventType {
    Text,
    ToolUse,
    AskUserQuestion,
    Complete,
    Error,
}

/// One question.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Question {
    #[serde(rename = "question")]
    pub(crate) text: String,
    pub(crate) header: String,
    pub(crate) options: Vec<Choice>,
    #[serde(rename = "multiSelect")]
    pub(crate) multi_select: bool,
}

/// One thing to choose.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Choice {
    pub(crate) label: String,
    pub(crate) description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) preview: Option<String>,
}

/// A frame of the front end; its name was read before.
#[derive(Debug, Deserialize)]
pub(crate) struct Frame<T> {
    #[serde(rename = "type")]
    #[expect(dead_code, reason = "it is read so that a second one is refused")]
    name: IgnoredAny,
    #[serde(default = "Option::default")]
    data: Option<Object<T>>,
}

impl<T> Frame<T> {
    /// What the frame carries, if anything.
    pub(crate) fn data(self) -> Option<T> {
        self.data.map(|object| object.0)
    }
}

/// Words for the agent.
#[derive(Debug, Deserialize)]
pub(crate) struct UserMessage {
    pub(crate) message: Option<String>,
}

/// An answer.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct AskUserResponse {
    question_id: Option<String>,
    #[serde(rename = "questionId")]
    question_id_again: Option<String>,
    /// By question text.
    pub(crate) answers: Entries<Given>,
    pub(crate) cancelled: bool,
}

impl AskUserResponse {
    /// The id, by whichever spelling it came.
    pub(crate) fn id(&self) -> Option<&str> {
        self.question_id_again
            .as_deref()
            .or(self.question_id.as_deref())
    }
}

/// What is given for one question.
#[derive(Debug)]
pub(crate) enum Given {
    /// One string, perhaps several values joined.
    Text(String),
    /// The values.
    List(Vec<String>),
}

impl<'de> Deserialize<'de> for Given {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        source.deserialize_any(Value)
    }
}

struct Value;

impl<'de> Visitor<'de> for Value {
    type Value = Given;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a list of strings")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Given, E> {
        Ok(Given::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Given, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = items.next_element()? {
            values.push(value);
        }
        Ok(Given::List(values))
    }
}

/// A name to connect with.
#[derive(Debug, Serialize)]
pub(crate) struct Fresh {
    pub(crate) session_id: String,
    pub(crate) created_at: WireTime,
}

/// What was said in a conversation.
#[derive(Debug, Serialize)]
pub(crate) struct History<'a> {
    pub(crate) session_id: String,
    pub(crate) messages: Vec<Message<'a>>,
    pub(crate) message_count: usize,
}

/// One thing that was said, or a tool that was used.
#[derive(Debug, Serialize)]
pub(crate) struct Message<'a> {
    pub(crate) role: Role,
    pub(crate) content: &'a str,
    pub(crate) timestamp: WireTime,
    pub(crate) tool_name: Option<&'a str>,
    pub(crate) tool_input: Option<ToolInput>,
}

/// Who said it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Role {
    User,
    Assistant,
}

/// What a tool was given.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum ToolInput {
    /// What a tool note says.
    Note(Box<RawValue>),
    /// An ask, and how it ended.
    Asked {
        questions: Vec<Question>,
        #[serde(skip_serializing_if = "Option::is_none")]
        answers: Option<BTreeMap<String, String>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        outcome: Option<&'static str>,
    },
}

/// What a tool note says, where that is no object of its own.
#[derive(Debug, Serialize)]
pub(crate) struct NoteText<'a> {
    pub(crate) text: &'a str,
}

/// Why there is nothing to give.
#[derive(Debug, Serialize)]
pub(crate) struct Detail {
    pub(crate) detail: String,
}
