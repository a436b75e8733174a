//! The words of AG-UI and of an AgentOS's own API. No meaning here.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// An event of a run. Only what a bridge looks at; everything else is `Other`.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "type", rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum RunEvent {
    #[serde(rename_all = "camelCase")]
    TextMessageStart {
        message_id: String,
    },
    #[serde(rename_all = "camelCase")]
    TextMessageContent {
        message_id: String,
        delta: String,
    },
    #[serde(rename_all = "camelCase")]
    TextMessageChunk {
        message_id: Option<String>,
        delta: Option<String>,
    },
    #[serde(rename_all = "camelCase")]
    ToolCallStart {
        tool_call_id: String,
        tool_call_name: String,
    },
    #[serde(rename_all = "camelCase")]
    ToolCallArgs {
        tool_call_id: String,
        delta: String,
    },
    #[serde(rename_all = "camelCase")]
    ToolCallChunk {
        tool_call_id: Option<String>,
        tool_call_name: Option<String>,
        delta: Option<String>,
    },
    #[serde(rename_all = "camelCase")]
    ToolCallResult {
        tool_call_id: String,
        content: Value,
    },
    StateSnapshot {
        snapshot: Value,
    },
    MessagesSnapshot {
        messages: Vec<Value>,
    },
    Raw {
        source: Option<String>,
    },
    RunFinished {
        outcome: Option<RunOutcome>,
    },
    RunError {
        message: String,
    },
    #[serde(other)]
    Other,
}

/// How a run of AG-UI 1.0 ended.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum RunOutcome {
    Interrupt {
        interrupts: Vec<Interrupt>,
    },
    #[serde(other)]
    Other,
}

/// What a run of AG-UI 1.0 waits for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Interrupt {
    pub(super) id: String,
    #[serde(default)]
    pub(super) reason: String,
    pub(super) message: Option<String>,
    pub(super) tool_call_id: Option<String>,
    pub(super) response_schema: Option<Value>,
    pub(super) expires_at: Option<String>,
}

/// What answers an interrupt.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Resume {
    pub(super) interrupt_id: String,
    pub(super) status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) payload: Option<Value>,
}

/// What starts a run. Older servers refuse keys they do not know, so `resume` is there only when
/// there is something in it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RunInput<'a> {
    pub(super) thread_id: &'a str,
    pub(super) run_id: &'a str,
    pub(super) state: &'a Value,
    pub(super) messages: &'a [Value],
    pub(super) tools: [Value; 0],
    pub(super) context: [Value; 0],
    pub(super) forwarded_props: Map<String, Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) resume: Vec<Resume>,
}

/// A tool call without a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct OpenCall {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: String,
}

/// What is kept of a conversation, in a file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct KeptConversation {
    /// What the conversation is called; the file's name is a hash of it.
    pub(super) conversation: String,
    pub(super) messages: Vec<Value>,
    #[serde(default)]
    pub(super) state: Value,
    pub(super) pause: Option<KeptPause>,
}

/// A pause that nobody has answered yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct KeptPause {
    /// The run that paused.
    pub(super) run: String,
    #[serde(default)]
    pub(super) calls: Vec<OpenCall>,
    #[serde(default)]
    pub(super) interrupts: Vec<Interrupt>,
    /// Whether it is an Agno that continues the paused run (3.x).
    #[serde(default)]
    pub(super) continues: bool,
    /// What was said last; Agno says there what it waits for.
    #[serde(default)]
    pub(super) said: String,
}

/// What an AgentOS says about itself.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct OsConfig {
    pub(super) agents: Vec<OsAgent>,
    #[serde(default, rename = "session")]
    pub(super) kept: OsKept,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct OsAgent {
    pub(super) id: String,
    pub(super) name: Option<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct OsKept {
    #[serde(default)]
    pub(super) dbs: Vec<OsDb>,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct OsDb {
    pub(super) db_id: String,
}

/// A page of its sessions.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct OsPage {
    pub(super) data: Vec<OsRow>,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct OsRow {
    pub(super) session_id: String,
    pub(super) updated_at: Option<String>,
}

/// One run of a session. The tools stay as they are, because they go back whole.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct OsRun {
    pub(super) run_id: String,
    pub(super) parent_run_id: Option<String>,
    pub(super) agent_id: Option<String>,
    pub(super) user_id: Option<String>,
    pub(super) status: Option<String>,
    pub(super) content: Option<Value>,
    pub(super) tools: Option<Vec<Map<String, Value>>>,
}
