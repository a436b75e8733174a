//! Asks on their way out.

use sayso_core::agent::Agent;
use sayso_core::ask::Matter;
use sayso_core::view::{AskView, Prefill, Viewer};

use super::conversation_to_wire;
use super::draft::matter_to_wire;
use super::outcome::{late_to_wire, outcome_to_wire, prefill_to_wire};
use super::wire;
use crate::time::WireTime;

/// An ask as this viewer may see it.
pub fn ask_to_wire(view: &AskView, viewer: Viewer) -> wire::Ask {
    let ask = &*view.ask;
    let (questions, action, form) = matter_to_wire(&ask.matter);
    wire::Ask {
        id: ask.id.to_string(),
        state: if view.closing.is_some() {
            wire::State::Closed
        } else {
            wire::State::Open
        },
        matter: ask.matter.kind().into(),
        title: ask.title.clone(),
        questions,
        action,
        form,
        agent: agent_to_wire(&view.agent, view.connected),
        conversation: view.conversation.as_deref().map(conversation_to_wire),
        workspace: ask.workspace.as_ref().map(ToString::to_string),
        wire_id: ask.wire_id.as_ref().map(ToString::to_string),
        digest: ask.digest.to_string(),
        shape: ask.shape.to_string(),
        asked_at: WireTime(ask.asked_at),
        deadline: ask.deadline.map(WireTime),
        scopes: view.scopes.iter().copied().map(Into::into).collect(),
        edit: refuses_edits(view).then_some(false),
        stop: ask.stops,
        unreadable: view.is_unreadable(),
        delivery: view.delivery.into(),
        outcome: view
            .closing
            .as_ref()
            .map(|closing| outcome_to_wire(closing, &view.agent, viewer)),
        late: view
            .late
            .as_ref()
            .map(|late| late_to_wire(late, &view.agent, viewer)),
        prefill: prefill_for(view, viewer).map(|prefill| prefill_to_wire(prefill, &view.agent)),
    }
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

/// What this viewer may start from: the answer is a person's and never the asker's.
pub(in super::super) fn prefill_for(view: &AskView, viewer: Viewer) -> Option<&Prefill> {
    match viewer {
        Viewer::Anybody => view.prefill.as_deref(),
        Viewer::Asker => None,
    }
}

/// Whether a yes to this ask must be to the input as it is.
pub(in super::super) fn refuses_edits(view: &AskView) -> bool {
    match &view.ask.matter {
        Matter::Approval(_) => !crate::takes_edits(view.agent.dialect.as_str()),
        Matter::Questions(_) | Matter::Form(_) => false,
    }
}
