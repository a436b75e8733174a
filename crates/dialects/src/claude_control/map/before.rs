//! What a hook is told before a tool runs, whether or not the Claude CLI would ask about it, and what it
//! says back.
//!
//! Unlike the hook beside a prompt it must say something: what nobody allowed does not run.

use std::borrow::Cow;

use sayso_core::ask::Draft;
use sayso_core::id::ConversationName;

use super::super::wire::{HookInput, HookOutput, HookSpecific, Permission};
use super::hook::{HookAsk, named, tool_ask};
use super::permission::{Echo, undecided};
use super::{QUESTION_TOOL, written};
use crate::envelope::Envelope;
use crate::{Ended, ReadError};

const BEFORE: &str = "PreToolUse";
/// Our own tools are how people are asked, and are not asked about.
const OURS: &str = "mcp__sayso__";

/// The tools that the CLI requests approval for, unless something of its own settings says otherwise; a pattern
/// of its settings. Of the rest it asks its permission tool when it wants to.
pub const ASKED_TOOLS: &str =
    "AskUserQuestion|Bash|Edit|MultiEdit|NotebookEdit|WebFetch|WebSearch|Write|mcp__.*";

/// What a hook says to let a call wait after the program has ended.
pub const DEFER: &str =
    r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer"}}"#;

/// Something that must be decided before a tool runs.
#[derive(Debug, Clone)]
pub struct BeforeAsk {
    /// What is asked; its workspace is the program's working directory.
    pub draft: Draft,
    /// In which conversation.
    pub conversation: ConversationName,
    /// The program's id of the call, which is the same when it is asked again.
    pub call: String,
    ask: HookAsk,
}

impl BeforeAsk {
    /// Reads what a hook is told; nothing when nobody need be asked.
    pub fn read(bytes: &[u8]) -> Result<Option<Self>, ReadError> {
        let envelope = Envelope::open(bytes, "hook_event_name")?;
        if envelope.name() != BEFORE {
            return Ok(None);
        }
        let sent: HookInput = envelope.read_kindly()?;
        let tool = sent.tool_name.as_deref().unwrap_or_default();
        if tool.starts_with(OURS) || is_let(sent.permission_mode.as_deref(), tool) {
            return Ok(None);
        }
        let Some(call) = sent.tool_use_id.clone() else {
            return Err(ReadError::at("/tool_use_id", "is missing"));
        };
        let conversation =
            ConversationName::new(sent.session_id.as_str()).map_err(named("/session_id"))?;
        let care = envelope.read_kindly()?;
        let ask = tool_ask(sent, &care, conversation.clone())?;
        Ok(Some(Self {
            draft: ask.draft.clone(),
            conversation,
            call,
            ask,
        }))
    }

    /// What the hook says. Where nobody decided, the call does not run.
    pub fn write(&self, ended: &Ended) -> String {
        let decided = self.ask.permission(ended, Echo::EditedOnly);
        before(decided.unwrap_or_else(|| undecided(&ended.outcome)))
    }

    /// What the hook says when nobody could be asked.
    pub fn refuse(why: &str) -> String {
        before(Permission::Deny {
            message: Cow::Borrowed(why),
            interrupt: false,
        })
    }
}

/// Whether the person who started the program let it do this without asking.
fn is_let(mode: Option<&str>, tool: &str) -> bool {
    match mode {
        Some("bypassPermissions") => tool != QUESTION_TOOL,
        Some("acceptEdits") => matches!(tool, "Edit" | "MultiEdit" | "NotebookEdit" | "Write"),
        Some(_) | None => false,
    }
}

fn before(decided: Permission<'_>) -> String {
    let (permission_decision, permission_decision_reason, updated_input) = match decided {
        Permission::Allow { updated_input } => ("allow", None, updated_input),
        // There is no `interrupt` here: who runs the program ends the turn.
        Permission::Deny { message, .. } => ("deny", Some(message), None),
    };
    written(&HookOutput {
        hook_specific_output: HookSpecific::Before {
            hook_event_name: BEFORE,
            permission_decision,
            permission_decision_reason,
            updated_input,
        },
    })
}

#[cfg(test)]
mod tests {
    use sayso_core::answer::{Answer, Decision, Reply, Scope, Verdict};
    use sayso_core::ask::Matter;
    use sayso_core::outcome::Outcome;

    use super::*;

    fn told(tool: &str, input: &str, mode: &str) -> String {
        format!(
            r#"{{"session_id":"s-1","cwd":"/w","permission_mode":"{mode}","hook_event_name":"PreToolUse","tool_name":"{tool}","tool_input":{input},"tool_use_id":"toolu_1"}}"#
        )
    }

    fn read(text: &str) -> Option<BeforeAsk> {
        BeforeAsk::read(text.as_bytes()).expect("readable")
    }

    fn verdict(decision: Decision, note: Option<&str>) -> Ended {
        Ended {
            outcome: Outcome::Answered(Answer::Verdict(Verdict {
                decision,
                scope: Scope::Once,
                note: note.map(str::to_owned),
            })),
            late: None,
        }
    }

    #[test]
    fn a_call_is_asked_about_and_decided() {
        let ask = read(&told("Bash", r#"{"command":"ls"}"#, "default")).expect("an ask");
        assert_eq!(
            (ask.call.as_str(), ask.conversation.as_str()),
            ("toolu_1", "s-1")
        );
        assert!(matches!(&ask.draft.matter, Matter::Approval(action) if action.tool == "Bash"));
        let head = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"#;
        let allow = |input: Option<&str>| Decision::Allow {
            edited_input: input.map(str::to_owned),
        };
        assert_eq!(
            ask.write(&verdict(allow(None), None)),
            format!(r#"{head}"allow"}}}}"#)
        );
        assert_eq!(
            ask.write(&verdict(allow(Some(r#"{"command":"pwd"}"#)), None)),
            format!(r#"{head}"allow","updatedInput":{{"command":"pwd"}}}}}}"#)
        );
        assert_eq!(
            ask.write(&verdict(Decision::Deny { stop: false }, Some("no"))),
            format!(r#"{head}"deny","permissionDecisionReason":"no"}}}}"#)
        );
        let expired = Ended {
            outcome: Outcome::Expired,
            late: None,
        };
        assert_eq!(
            ask.write(&expired),
            format!(r#"{head}"deny","permissionDecisionReason":"User response timeout"}}}}"#)
        );
        assert_eq!(
            BeforeAsk::refuse("away"),
            format!(r#"{head}"deny","permissionDecisionReason":"away"}}}}"#)
        );
        assert_eq!(DEFER, format!(r#"{head}"defer"}}}}"#));
    }

    #[test]
    fn a_question_is_allowed_with_its_answers() {
        let input = r#"{"questions":[{"question":"Q?","header":"h","options":[{"label":"A","description":"a"},{"label":"B","description":"b"}],"multiSelect":false}]}"#;
        let ask = read(&told("AskUserQuestion", input, "bypassPermissions")).expect("an ask");
        let ended = Ended {
            outcome: Outcome::Answered(Answer::Replies(vec![Reply {
                question: 0,
                labels: vec!["B".to_owned()],
                ..Reply::default()
            }])),
            late: None,
        };
        let said: serde_json::Value = serde_json::from_str(&ask.write(&ended)).expect("JSON");
        let said = &said["hookSpecificOutput"];
        assert_eq!(said["permissionDecision"], "allow");
        assert_eq!(said["updatedInput"]["answers"]["Q?"], "B");
        assert!(said["updatedInput"]["questions"].is_array());
    }

    #[test]
    fn what_was_let_beforehand_is_not_asked() {
        for (tool, mode) in [
            ("Bash", "bypassPermissions"),
            ("Write", "acceptEdits"),
            ("mcp__sayso__ask", "default"),
        ] {
            assert!(read(&told(tool, "{}", mode)).is_none(), "{tool} {mode}");
        }
        assert!(read(&told("Bash", "{}", "acceptEdits")).is_some());
        assert!(
            read(r#"{"session_id":"s","hook_event_name":"Stop"}"#).is_none(),
            "another event"
        );
        let unnamed = r#"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{}}"#;
        assert!(BeforeAsk::read(unnamed.as_bytes()).is_err());
    }
}
