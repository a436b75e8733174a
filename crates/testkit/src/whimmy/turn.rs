//! A turn of the agent, played by the test. It is bound to the connection on which it began.

use std::sync::Arc;

use serde_json::{Value, json};

use super::Shared;

/// A turn that a person's message began.
#[derive(Debug)]
pub struct PluginTurn {
    /// The agent, as the server spelled it.
    pub agent: String,
    /// The conversation, as the server spelled it.
    pub key: String,
    /// What the person said.
    pub message: String,
    /// The whole payload.
    pub payload: Value,
    pub(super) shared: Arc<Shared>,
    /// The connection on which the turn began.
    pub(super) link: u64,
}

impl PluginTurn {
    /// The model writes. Lost, like everything here, when the connection is no longer the same.
    pub fn chunk(&self, text: &str) -> bool {
        self.say("chat.chunk", text, false)
    }

    /// The turn ends.
    pub fn done(self) -> bool {
        self.presence("idle");
        self.say("chat.done", "", true)
    }

    /// The turn ends with an error.
    pub fn fail(self, why: &str) -> bool {
        self.say("chat.done", &format!("Error: {why}"), true)
    }

    pub(super) fn presence(&self, status: &str) -> bool {
        self.event(
            "chat.presence",
            &json!({"sessionKey": self.key, "agentId": self.agent, "status": status}),
        )
    }

    fn say(&self, name: &str, content: &str, done: bool) -> bool {
        self.event(
            name,
            &json!({"sessionKey": self.key, "agentId": self.agent, "content": content,
                "done": done}),
        )
    }

    fn event(&self, name: &str, payload: &Value) -> bool {
        self.shared.wire.event_on(self.link, name, payload)
    }
}
