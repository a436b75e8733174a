//! What was said in a conversation, as a browser fetches it.

use serde::Serialize;

use super::ask::Widget;

/// A conversation and what was said in it.
#[derive(Debug, Serialize)]
pub(in super::super) struct Page {
    pub(in super::super) chat: Chat,
    pub(in super::super) messages: Vec<Told>,
    #[serde(rename = "totalMessages")]
    pub(in super::super) total: usize,
}

/// A conversation.
#[derive(Debug, Serialize)]
pub(in super::super) struct Chat {
    pub(in super::super) id: String,
    pub(in super::super) title: String,
    #[serde(rename = "createdAt", skip_serializing_if = "Option::is_none")]
    pub(in super::super) created_at: Option<String>,
    #[serde(rename = "updatedAt", skip_serializing_if = "Option::is_none")]
    pub(in super::super) updated_at: Option<String>,
}

/// One message.
#[derive(Debug, Serialize)]
pub(in super::super) struct Told {
    pub(in super::super) id: String,
    #[serde(rename = "chatId")]
    pub(in super::super) chat_id: String,
    pub(in super::super) role: &'static str,
    pub(in super::super) content: String,
    /// [`Metadata`] as text: browsers parse it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in super::super) metadata: Option<String>,
    #[serde(rename = "createdAt")]
    pub(in super::super) created_at: String,
}

/// What a message holds besides its text.
#[derive(Debug, Serialize)]
pub(in super::super) struct Metadata<'a> {
    #[serde(rename = "toolCalls", skip_serializing_if = "Vec::is_empty")]
    pub(in super::super) tools: Vec<ToolUse<'a>>,
    #[serde(rename = "contentBlocks")]
    pub(in super::super) blocks: Vec<Block>,
}

/// What a tool did.
#[derive(Debug, Serialize)]
pub(in super::super) struct ToolUse<'a> {
    pub(in super::super) name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in super::super) input: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in super::super) output: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in super::super) status: Option<&'static str>,
}

/// One part of a message.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(in super::super) enum Block {
    Tool {
        #[serde(rename = "toolCallIndex")]
        index: usize,
    },
    Ask {
        #[serde(rename = "askRequestId")]
        id: String,
        #[serde(rename = "askPrompt")]
        prompt: String,
        #[serde(rename = "askWidgets")]
        widgets: Vec<Widget>,
        #[serde(rename = "askResponse")]
        response: String,
    },
}

/// What is said of a conversation that nobody knows.
#[derive(Debug, Serialize)]
pub(in super::super) struct NoChat {
    pub(in super::super) error: &'static str,
}
