//! Asks on their way out.

use sayso_core::agent::Agent;
use sayso_core::view::{AskView, Viewer};

use super::super::write::write_ask;
use super::wire;

/// An ask as this viewer may see it: what is written for them, read back.
pub fn ask_to_wire(view: &AskView, viewer: Viewer) -> Option<wire::Ask> {
    let mut written = Vec::new();
    write_ask(view, viewer, &mut written);
    serde_json::from_slice(&written).ok()
}

/// How an agent is named beside something else.
pub fn agent_to_wire(agent: &Agent, connected: bool) -> wire::AgentRef {
    wire::AgentRef {
        id: agent.id.to_string(),
        name: agent.shown_name().into_owned(),
        dialect: agent.dialect.to_string(),
        connected,
    }
}
