//! The frames of the Whimmy plugin, in its own words. No meaning here.
//!
//! Keys that are not needed are passed over, because other people's programs send more than they
//! say; needed keys of the wrong type and keys that are there twice are errors.

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Number;
use serde_json::value::RawValue;

use crate::object::{Entries, Object};

/// A frame of type `event`, as far as its name.
#[derive(Debug, Deserialize)]
pub struct NamedFrame {
    /// The name of the frame, which was read before.
    #[serde(rename = "type")]
    pub name: IgnoredAny,
    /// The event.
    pub payload: Object<EventName>,
}

/// The name of an event.
#[derive(Debug, Deserialize)]
pub struct EventName {
    /// The name.
    pub event: String,
}

/// A frame of type `event` whose name is known.
#[derive(Debug, Deserialize)]
pub struct Frame<T> {
    /// The event.
    pub payload: Object<Event<T>>,
}

/// An event whose name is known.
#[derive(Debug, Deserialize)]
pub struct Event<T> {
    /// What it says.
    pub payload: Object<T>,
}

/// `chat.chunk` and `chat.done`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Chat {
    /// The conversation.
    pub session_key: String,
    /// The agent.
    pub agent_id: Option<String>,
    /// The next piece, or a whole message.
    pub content: Option<String>,
    /// Whether the message is complete.
    pub done: Option<bool>,
}

/// `chat.presence`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Presence {
    /// The conversation.
    pub session_key: String,
    /// The agent.
    pub agent_id: Option<String>,
    /// `typing`, `idle` or `thinking`.
    pub status: String,
}

/// `chat.media`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Media {
    /// The conversation.
    pub session_key: String,
    /// The agent.
    pub agent_id: Option<String>,
    /// Where the file is.
    pub media_url: String,
    /// What it is.
    pub mime_type: Option<String>,
    /// What it is called.
    pub file_name: Option<String>,
}

/// `tool.start`, `tool.done` and `tool.error`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    /// The conversation.
    pub session_key: String,
    /// The agent.
    pub agent_id: Option<String>,
    /// The tool.
    pub tool_name: String,
}

/// `exec.approval.requested`. The document knows nothing but the id.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalRequested {
    /// The conversation.
    pub session_key: Option<String>,
    /// The agent.
    pub agent_id: Option<String>,
    /// Its id.
    pub execution_id: String,
    /// The tool.
    pub tool_name: Option<String>,
    /// The tool and the start of its input, in one line.
    pub action: Option<String>,
    /// The tool's input, exactly.
    pub params: Option<Box<RawValue>>,
}

/// `ask_user_question`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AskUserQuestion {
    /// The conversation.
    pub session_key: Option<String>,
    /// The agent.
    pub agent_id: Option<String>,
    /// Its id.
    pub question_id: String,
    /// The questions.
    pub questions: Vec<Object<Question>>,
}

/// An event that waits for an answer, as far as its id.
#[derive(Debug, Deserialize)]
pub struct Waiting {
    /// The id, under either name.
    #[serde(rename = "executionId", alias = "questionId")]
    pub id: String,
}

/// One question.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// The question, and the key of its answer.
    pub question: String,
    /// A short label.
    pub header: Option<String>,
    /// What can be chosen.
    pub options: Option<Vec<Object<QuestionOption>>>,
    /// Whether several can be chosen.
    pub multi_select: Option<bool>,
}

/// One thing to choose.
#[derive(Debug, Deserialize)]
pub struct QuestionOption {
    /// What is shown and returned.
    pub label: String,
    /// A line below it.
    pub description: Option<String>,
    /// Something to look at, as the document calls it.
    pub markdown: Option<String>,
    /// Something to look at, as the tool's own schema calls it elsewhere.
    pub preview: Option<String>,
}

/// The params of a tool that runs a command.
#[derive(Debug, Deserialize)]
pub struct CommandParams {
    /// The command line.
    pub command: String,
    /// Where it would run.
    pub workdir: Option<String>,
}

/// The params of a tool that replaces a part of a file.
#[derive(Debug, Deserialize)]
pub struct EditParams {
    /// The file.
    #[serde(alias = "path")]
    pub file_path: String,
    /// What is there.
    #[serde(alias = "oldText")]
    pub old_string: String,
    /// What would be there.
    #[serde(alias = "newText")]
    pub new_string: String,
}

/// The params of a tool that writes a whole file.
#[derive(Debug, Deserialize)]
pub struct WriteParams {
    /// The file.
    #[serde(alias = "path")]
    pub file_path: String,
    /// What would be in it.
    pub content: String,
}

/// A frame of ours.
#[derive(Debug, Serialize)]
pub struct Hook<T> {
    /// Its name.
    #[serde(rename = "type")]
    pub name: &'static str,
    /// What it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<T>,
}

/// `hook.ask_user_answer`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AskUserAnswer<'a> {
    /// The id of the question.
    pub question_id: &'a str,
    /// Question texts and what was said to each.
    pub answers: Entries<String>,
}

/// `hook.approval`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HookApproval<'a> {
    /// The id of the approval.
    pub execution_id: &'a str,
    /// Yes or no.
    pub approved: bool,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// `hook.agent`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HookAgent<'a> {
    /// What the person said.
    pub message: &'a str,
    /// The agent.
    pub agent_id: &'a str,
    /// The conversation.
    pub session_key: &'a str,
    /// The name of the channel.
    pub channel: &'static str,
    /// How the agent is to be.
    pub agent_config: &'a AgentConfig,
}

/// How an agent is to be. What is absent is left as the plugin's host has it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentConfig {
    /// The model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Its temperature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<Number>,
    /// How much it may write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// What it is told beforehand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// What it requests approval for.
    pub approvals: Approvals,
    /// Whether it may ask questions.
    pub ask_user_question: Asking,
}

/// What an agent requests approval for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Approvals {
    /// Whether it asks at all.
    pub enabled: bool,
    /// Each time, or once for each tool.
    pub mode: &'static str,
    /// For which tools.
    pub tools: Vec<String>,
    /// How long it waits.
    pub timeout_ms: u64,
}

/// Whether an agent may ask questions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Asking {
    /// Whether it may.
    pub enabled: bool,
    /// How long it waits.
    pub timeout_ms: u64,
}

/// The body that trades a code for a token.
#[derive(Debug, Deserialize)]
pub struct PairRedeem {
    /// The code.
    pub code: String,
}

/// What a code was traded for.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Paired<'a> {
    /// The token.
    pub connection_token: &'a str,
}

/// What stands under `channels.whimmy` in the settings of the plugin's host.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChannelEntry<'a> {
    /// Where the server is.
    pub host: &'a str,
    /// Whether it is reached over TLS; it is when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls: Option<bool>,
    /// The code.
    pub pairing_code: &'a str,
}

/// Without the code, so that no log can hold it.
impl std::fmt::Debug for ChannelEntry<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChannelEntry")
            .field("host", &self.host)
            .field("tls", &self.tls)
            .finish_non_exhaustive()
    }
}

/// What is said of a file that was taken in.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UploadedFile<'a> {
    /// Its id.
    pub id: &'a str,
    /// Where it is.
    pub url: &'a str,
    /// What the sender calls it.
    pub original_name: &'a str,
    /// What the sender says it is.
    pub mime_type: &'a str,
}
