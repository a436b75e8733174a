//! What a hook of the Claude CLI is told, and what it says back.
//!
//! A hook that says nothing leaves the terminal's own prompt as it was; so nothing is said unless a
//! person decided.

use sayso_core::ask::{Draft, Matter};
use sayso_core::digest::Digest;
use sayso_core::id::{BadId, ConversationName, Workspace};
use sayso_core::limits;
use serde_json::value::RawValue;

use super::super::wire::{
    Care, Elicitation, HookInput, HookOutput, HookSpecific, Permission, ToolInput,
};
use super::draft::flags_of;
use super::form::form_from_wire;
use super::permission::{Beside, Echo, ToolAsked, call_matter, elicited, permission};
use super::{QUESTION_TOOL, filled, is_object, written};
use crate::envelope::Envelope;
use crate::texts::cut;
use crate::{Ended, ReadError, read};

const PERMISSION: &str = "PermissionRequest";
const ELICITATION: &str = "Elicitation";

/// What a hook is told.
#[derive(Debug, Clone)]
pub enum HookEvent {
    /// Something a person must decide.
    Ask(Box<HookAsk>),
    /// A tool has run: what was asked about this call is over.
    Ran {
        /// In which conversation.
        conversation: ConversationName,
        /// Which call.
        about: Digest,
    },
    /// The turn is over: nothing that was asked in it is open any more.
    Over {
        /// In which conversation.
        conversation: ConversationName,
    },
    /// Something a person may want to know.
    Notice {
        /// In which conversation.
        conversation: ConversationName,
        /// What.
        text: String,
    },
    /// Nothing that concerns us.
    Nothing,
}

/// Something that a hook asks.
#[derive(Debug, Clone)]
pub struct HookAsk {
    /// What is asked; its workspace is the program's working directory.
    pub draft: Draft,
    /// In which conversation.
    pub conversation: ConversationName,
    /// Which call it is about. Hooks have no other id, so equal calls of one turn look the same.
    pub about: Digest,
    input: Option<Box<RawValue>>,
}

impl HookAsk {
    /// What the hook says; nothing when nobody decided, which leaves the terminal's own prompt.
    pub fn write(&self, ended: &Ended) -> Option<String> {
        let matter = &self.draft.matter;
        let hook_specific_output = match matter {
            Matter::Form(_) => {
                let form = elicited(matter, ended)?;
                HookSpecific::Form {
                    hook_event_name: ELICITATION,
                    action: form.action,
                    content: form.content,
                }
            }
            Matter::Questions(_) | Matter::Approval(_) => HookSpecific::Tool {
                hook_event_name: PERMISSION,
                decision: self.permission(ended, Echo::EditedOnly)?,
            },
        };
        Some(written(&HookOutput {
            hook_specific_output,
        }))
    }

    /// The yes or no; nothing when nobody decided.
    pub(super) fn permission<'a>(&'a self, ended: &'a Ended, echo: Echo) -> Option<Permission<'a>> {
        let asked = ToolAsked {
            matter: &self.draft.matter,
            input: self.input.as_deref(),
        };
        permission(asked, ended, echo)
    }
}

/// Reads what a hook is told.
pub fn read_hook(bytes: &[u8]) -> Result<HookEvent, ReadError> {
    let envelope = Envelope::open(bytes, "hook_event_name")?;
    let name = envelope.name();
    if !matches!(
        name,
        PERMISSION | ELICITATION | "PostToolUse" | "Stop" | "SessionEnd" | "Notification"
    ) {
        return Ok(HookEvent::Nothing);
    }
    let sent: HookInput = envelope.read_kindly()?;
    let conversation =
        ConversationName::new(sent.session_id.as_str()).map_err(named("/session_id"))?;
    Ok(match name {
        PERMISSION => {
            let care = envelope.read_kindly()?;
            HookEvent::Ask(Box::new(tool_ask(sent, &care, conversation)?))
        }
        ELICITATION => {
            let form = envelope.read_kindly()?;
            HookEvent::Ask(Box::new(form_ask(&sent, form, conversation)?))
        }
        "PostToolUse" => {
            let (tool, input) = call_of(sent.tool_name, sent.tool_input)?;
            HookEvent::Ran {
                about: about(sent.prompt_id.as_deref(), &tool, input.get()),
                conversation,
            }
        }
        "Notification" => match (sent.notification_type.as_deref(), filled(sent.message)) {
            // The question itself says that.
            (Some("permission_prompt" | "elicitation_dialog"), _) | (_, None) => HookEvent::Nothing,
            (_, Some(text)) => HookEvent::Notice { conversation, text },
        },
        _ => HookEvent::Over { conversation },
    })
}

pub(super) fn named(at: &'static str) -> impl Fn(BadId) -> ReadError {
    move |bad| ReadError::at(at, format!("is not {}", bad.expected))
}

fn call_of(
    tool: Option<String>,
    input: Option<Box<RawValue>>,
) -> Result<(String, Box<RawValue>), ReadError> {
    let tool = tool.ok_or_else(|| ReadError::at("/tool_name", "is missing"))?;
    let input = input.ok_or_else(|| ReadError::at("/tool_input", "is missing"))?;
    if !is_object(input.get()) {
        return Err(ReadError::at("/tool_input", "must be an object"));
    }
    Ok((tool, input))
}

pub(super) fn tool_ask(
    sent: HookInput,
    care: &Care,
    conversation: ConversationName,
) -> Result<HookAsk, ReadError> {
    let (tool, input) = call_of(sent.tool_name, sent.tool_input)?;
    let about = about(sent.prompt_id.as_deref(), &tool, input.get());
    let matter = call_matter("/tool_input", tool, &input, |input| {
        let said = read::kindly::<ToolInput>(input).ok();
        let reason = said.and_then(|said| filled(said.description));
        Ok(Beside {
            cwd: filled(sent.cwd.clone()),
            reason: reason.map(|reason| cut(reason, limits::NOTE_BYTES_MAX)),
            flags: flags_of(care),
        })
    })?;
    Ok(HookAsk {
        draft: Draft {
            workspace: workspace(sent.cwd)?,
            conversation: Some(conversation.clone()),
            stops: true,
            ..Draft::new(matter)
        },
        conversation,
        about,
        input: Some(input),
    })
}

fn form_ask(
    sent: &HookInput,
    mut form: Elicitation,
    conversation: ConversationName,
) -> Result<HookAsk, ReadError> {
    let title = filled(form.mcp_server_name.take());
    let form = form_from_wire(form)?;
    let about = about(sent.prompt_id.as_deref(), ELICITATION, &format!("{form:?}"));
    Ok(HookAsk {
        draft: Draft {
            title: title.map(|title| cut(title, limits::TITLE_BYTES_MAX)),
            workspace: workspace(sent.cwd.clone())?,
            conversation: Some(conversation.clone()),
            ..Draft::new(Matter::Form(form))
        },
        conversation,
        about,
        input: None,
    })
}

fn workspace(cwd: Option<String>) -> Result<Option<Workspace>, ReadError> {
    filled(cwd)
        .map(Workspace::new)
        .transpose()
        .map_err(named("/cwd"))
}

/// The same for a call before and after it ran: what was answered in between is left out, and the
/// order of keys does not count.
fn about(prompt: Option<&str>, tool: &str, input: &str) -> Digest {
    let call = match serde_json::from_str::<serde_json::Value>(input) {
        Ok(value) if tool == QUESTION_TOOL => value.get("questions").map(ToString::to_string),
        Ok(value) => Some(value.to_string()),
        Err(_) => None,
    };
    let call = call.as_deref().unwrap_or(input);
    let prompt = prompt.unwrap_or_default();
    Digest::of(format!("{prompt}\0{tool}\0{call}").as_bytes())
}
