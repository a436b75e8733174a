//! What the Claude CLI hands to a hook, and what it takes back.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{Entries, Permission, Updated, Value};

/// What every event says, and what the events that we know say beside it. The event that names
/// itself decides which keys must be there.
#[derive(Debug, Deserialize)]
pub(crate) struct HookInput {
    pub(crate) session_id: String,
    pub(crate) cwd: Option<String>,
    pub(crate) prompt_id: Option<String>,
    pub(crate) tool_name: Option<String>,
    pub(crate) tool_input: Option<Box<RawValue>>,
    pub(crate) tool_use_id: Option<String>,
    pub(crate) permission_mode: Option<String>,
    pub(crate) message: Option<String>,
    pub(crate) notification_type: Option<String>,
}

/// The whole of what is printed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HookOutput<'a> {
    pub(crate) hook_specific_output: HookSpecific<'a>,
}

/// What was decided, which depends on the event.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum HookSpecific<'a> {
    #[serde(rename_all = "camelCase")]
    Tool {
        hook_event_name: &'static str,
        decision: Permission<'a>,
    },
    #[serde(rename_all = "camelCase")]
    Before {
        hook_event_name: &'static str,
        permission_decision: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        permission_decision_reason: Option<Cow<'a, str>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        updated_input: Option<Updated>,
    },
    #[serde(rename_all = "camelCase")]
    Form {
        hook_event_name: &'static str,
        action: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        content: Option<Entries<Value>>,
    },
}
