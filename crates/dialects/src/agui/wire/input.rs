//! What a run is started with. Keys that are not named here are the front end's own.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::object::{Entries, Object};

/// The body of a run.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunInput {
    pub(crate) thread_id: String,
    pub(crate) run_id: String,
    /// Said by front ends of version 1.0 and later.
    pub(crate) protocol_version: Option<String>,
    pub(crate) messages: Option<Vec<Object<Message>>>,
    pub(crate) tools: Option<Vec<Object<Tool>>>,
    pub(crate) state: Option<Box<RawValue>>,
    pub(crate) resume: Option<Vec<Object<ResumeEntry>>>,
}

/// What was said so far; the last ones are new.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Message {
    pub(crate) id: Option<String>,
    pub(crate) role: String,
    /// Text, or a list of parts.
    pub(crate) content: Option<Box<RawValue>>,
    pub(crate) tool_call_id: Option<String>,
    pub(crate) error: Option<String>,
}

/// A part of what was said.
#[derive(Debug, Deserialize)]
pub(crate) struct Part {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) text: Option<String>,
}

/// A tool that the front end draws itself.
#[derive(Debug, Deserialize)]
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) parameters: Option<Box<RawValue>>,
}

/// What a person says to an interrupt.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResumeEntry {
    pub(crate) interrupt_id: String,
    pub(crate) status: ResumeStatus,
    pub(crate) payload: Option<Box<RawValue>>,
    pub(crate) metadata: Option<Entries<Box<RawValue>>>,
}

/// Whether there is an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ResumeStatus {
    Resolved,
    Cancelled,
}

/// What a front end keeps for us between two runs, under the key `sayso` of its state.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct State {
    /// How far it was told what the agent said.
    pub(crate) seq: Option<u64>,
    /// The id of its last message that was taken in.
    pub(crate) taken: Option<String>,
}
