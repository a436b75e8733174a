//! From what the Claude CLI asks to a draft.

use sayso_core::action::Flag;
use sayso_core::ask::{Draft, Matter};
use sayso_core::id::{AgentName, ConversationName, WireId, Workspace};
use sayso_core::limits;
use serde_json::value::RawValue;

use super::super::wire::{Care, CliBody, CliLine, CliRequest, Elicitation, ToolRequest};
use super::form::form_from_wire;
use super::hook::named;
use super::permission::{Beside, call_matter};
use super::{filled, read_inside, written};
use crate::ReadError;
use crate::envelope::{Envelope, text_under};
use crate::texts::cut;

/// What the Claude CLI asked.
#[derive(Debug, Clone)]
pub struct ControlAsk {
    /// The CLI's own id, which its answer repeats.
    pub request_id: String,
    /// Who asks, when whoever passed it on said so.
    pub agent: Option<AgentName>,
    /// What is asked.
    pub draft: Draft,
    /// The input of a tool, as it was sent.
    pub(in super::super) input: Option<Box<RawValue>>,
}

/// Why a control request is no ask.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ControlFault {
    /// It could not be read.
    #[error("{error}")]
    Unreadable {
        /// The CLI's own id, when that could be read.
        request_id: Option<String>,
        /// What is wrong.
        error: ReadError,
    },
    /// It asks for something that no person answers.
    #[error("Unsupported control request subtype: {subtype}")]
    Unsupported {
        /// The CLI's own id.
        request_id: String,
        /// What it asks for.
        subtype: String,
    },
}

impl ControlFault {
    /// The line that tells the CLI.
    pub fn write(&self) -> String {
        let request_id = match self {
            Self::Unreadable { request_id, .. } => request_id.as_deref().unwrap_or_default(),
            Self::Unsupported { request_id, .. } => request_id,
        };
        error_line(request_id, &self.to_string())
    }
}

/// The line that tells the CLI that its question has no answer.
pub(in super::super) fn error_line(request_id: &str, error: &str) -> String {
    written(&CliLine {
        name: "control_response",
        response: CliBody::Error { request_id, error },
    })
}

/// Reads a `control_request` with `can_use_tool` or `elicitation`, as the Claude CLI writes it on
/// its standard output; `session_id`, `cwd` and `agent` may stand beside its own keys.
pub fn draft_from_control_request(text: &str) -> Result<ControlAsk, ControlFault> {
    let unreadable = |error| ControlFault::Unreadable {
        request_id: text_under(text.as_bytes(), "request_id"),
        error,
    };
    let sent: CliRequest = Envelope::open(text.as_bytes(), "type")
        .and_then(|envelope| envelope.read_kindly())
        .map_err(unreadable)?;
    if sent.name != "control_request" {
        let error = ReadError::at("/type", "must be `control_request`");
        return Err(unreadable(error));
    }
    let Some(subtype) = text_under(sent.request.get().as_bytes(), "subtype") else {
        let error = ReadError::at("/request/subtype", "must be a string");
        return Err(unreadable(error));
    };
    let asked = match subtype.as_str() {
        "can_use_tool" => tool_matter(&sent).map_err(unreadable)?,
        "elicitation" => form_matter(&sent).map_err(unreadable)?,
        _ => {
            return Err(ControlFault::Unsupported {
                request_id: sent.request_id,
                subtype: cut(subtype, limits::NAME_BYTES_MAX),
            });
        }
    };
    control_ask(sent, asked).map_err(unreadable)
}

/// What an ask is about, its title, and the input it came with.
struct MatterAsked {
    matter: Matter,
    title: Option<String>,
    input: Option<Box<RawValue>>,
    stops: bool,
}

fn control_ask(sent: CliRequest, asked: MatterAsked) -> Result<ControlAsk, ReadError> {
    let wire_id = WireId::new(sent.request_id.as_str()).map_err(named("/request_id"))?;
    let conversation = filled(sent.session_id).map(ConversationName::new);
    let workspace = filled(sent.cwd).map(Workspace::new);
    let agent = filled(sent.agent).map(AgentName::new);
    Ok(ControlAsk {
        agent: agent.transpose().map_err(named("/agent"))?,
        draft: Draft {
            title: filled(asked.title).map(|title| cut(title, limits::TITLE_BYTES_MAX)),
            conversation: conversation.transpose().map_err(named("/session_id"))?,
            workspace: workspace.transpose().map_err(named("/cwd"))?,
            wire_id: Some(wire_id),
            stops: asked.stops,
            ..Draft::new(asked.matter)
        },
        request_id: sent.request_id,
        input: asked.input,
    })
}

fn tool_matter(sent: &CliRequest) -> Result<MatterAsked, ReadError> {
    let tool: ToolRequest = read_inside("/request", sent.request.get())?;
    let reason = reason_of(&tool);
    let matter = call_matter("/request/input", tool.tool_name, &tool.input, |_| {
        Ok(Beside {
            cwd: filled(sent.cwd.clone()),
            reason,
            flags: flags_of(&read_inside("/request", sent.request.get())?),
        })
    })?;
    Ok(MatterAsked {
        matter,
        title: tool.title,
        input: Some(tool.input),
        stops: true,
    })
}

fn form_matter(sent: &CliRequest) -> Result<MatterAsked, ReadError> {
    let mut form: Elicitation = read_inside("/request", sent.request.get())?;
    let title = form.mcp_server_name.take();
    Ok(MatterAsked {
        matter: Matter::Form(form_from_wire(form)?),
        title,
        input: None,
        // What an MCP server wants to know can be declined; there is no word for more.
        stops: false,
    })
}

/// What the agent says about the call, then why its program asks.
fn reason_of(tool: &ToolRequest) -> Option<String> {
    let mut said: Vec<&str> = Vec::new();
    for text in [&tool.description, &tool.decision_reason] {
        let text = text.as_deref().filter(|text| !text.is_empty());
        said.extend(text.filter(|text| !said.contains(text)));
    }
    filled(Some(cut(said.join("\n"), limits::NOTE_BYTES_MAX)))
}

/// Sorted as [`Flag`] sorts.
pub(super) fn flags_of(care: &Care) -> Vec<Flag> {
    let is_set = |flag: Option<bool>| flag == Some(true);
    let asked_by_rule = care
        .matched_ask_rule
        .as_ref()
        .is_some_and(|rule| !matches!(rule.get(), "null" | "false"));
    let needs_person = is_set(care.requires_user_interaction)
        || is_set(care.server_policy_ask_only)
        || asked_by_rule;
    let given = [
        (Flag::DefaultNo, is_set(care.default_to_no)),
        (Flag::NoAlways, is_set(care.suppress_always_allow_rule)),
        (Flag::NeedsPerson, needs_person),
    ];
    let given = given.into_iter().filter(|(_, given)| *given);
    given.map(|(flag, _)| flag).collect()
}
