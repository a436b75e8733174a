//! Yes and no as the Claude CLI takes them from whoever stands next to it: on its pipe, from a hook,
//! and from an MCP permission tool.
//!
//! A no stops the agent only where the person wanted that; else its model reads the reason and goes on.
//! Silence is no decision: what becomes of it is for each way to say.

use std::borrow::Cow;

use sayso_core::action::{Action, Flag};
use sayso_core::answer::{Answer, Decision};
use sayso_core::ask::{Draft, Matter};
use sayso_core::outcome::Outcome;
use sayso_core::view::Viewer;
use serde_json::value::RawValue;

use super::super::wire::{
    Asked, CliBody, CliElicited, CliLine, CliResult, Permission, ToolRequest, Updated,
};
use super::draft::{ControlAsk, error_line, flags_of};
use super::ending::{AskEnding, TIMED_OUT, ending, exact, spliced};
use super::form::content_of;
use super::question::questions_from_wire;
use super::{QUESTION_TOOL, is_object, read_inside, said, written};
use crate::{Ended, ReadError};

/// What an agent is told when a person put a question aside without a word.
const DISMISSED: &str = "The person dismissed this and did not answer.";

/// What goes back with a plain yes to a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Echo {
    /// The stored input, because older programs refuse a yes without one.
    Stored,
    /// Nothing, unless the person edited it.
    EditedOnly,
}

/// What was asked, as far as the answer needs it.
#[derive(Debug, Clone, Copy)]
pub(super) struct ToolAsked<'a> {
    pub(super) matter: &'a Matter,
    /// The input of the tool, as it was sent.
    pub(super) input: Option<&'a RawValue>,
}

/// The yes or no; nothing when nobody decided, or when what was asked is a form.
pub(super) fn permission<'a>(
    asked: ToolAsked<'a>,
    ended: &'a Ended,
    echo: Echo,
) -> Option<Permission<'a>> {
    match ending(asked.matter, &ended.outcome, ended.late.as_ref())? {
        AskEnding::Replied(questions, replies) => Some(Permission::Allow {
            updated_input: Some(Updated::Spliced(spliced(questions, replies, asked.input))),
        }),
        AskEnding::Allowed { input } => Some(match updated(input, &ended.outcome, echo) {
            Ok(updated_input) => Permission::Allow { updated_input },
            Err(message) => deny(message),
        }),
        AskEnding::Refused {
            by_person: true, ..
        } => Some(refused(asked.matter, &ended.outcome)),
        AskEnding::Refused {
            by_person: false, ..
        }
        | AskEnding::Filled(_)
        | AskEnding::Visited => None,
    }
}

fn deny(message: &str) -> Permission<'_> {
    Permission::Deny {
        message: Cow::Borrowed(message),
        interrupt: false,
    }
}

fn updated(input: &str, outcome: &Outcome, echo: Echo) -> Result<Option<Updated>, &'static str> {
    if echo == Echo::EditedOnly && !is_edited(outcome) {
        return Ok(None);
    }
    let input = exact(input).map(Updated::Exact);
    input
        .map(Some)
        .ok_or("The allowed input is not a JSON object, so nothing can run.")
}

fn verdict(outcome: &Outcome) -> Option<&sayso_core::answer::Verdict> {
    match outcome {
        Outcome::Answered(Answer::Verdict(verdict)) => Some(verdict),
        Outcome::Answered(Answer::Replies(_) | Answer::Fields(_))
        | Outcome::Dismissed { .. }
        | Outcome::Expired
        | Outcome::Withdrawn { .. } => None,
    }
}

fn is_edited(outcome: &Outcome) -> bool {
    verdict(outcome).is_some_and(|verdict| match &verdict.decision {
        Decision::Allow { edited_input } => edited_input.is_some(),
        Decision::Deny { .. } => false,
    })
}

fn refused<'a>(matter: &Matter, outcome: &'a Outcome) -> Permission<'a> {
    let note = match outcome {
        Outcome::Dismissed { note, .. } => note.as_deref(),
        Outcome::Answered(_) | Outcome::Expired | Outcome::Withdrawn { .. } => {
            verdict(outcome).and_then(|verdict| verdict.note.as_deref())
        }
    };
    let message = match (said(note), matter, outcome) {
        (Some(note), _, _) => Cow::Borrowed(note),
        (None, Matter::Approval(action), Outcome::Answered(_)) => Cow::Owned(format!(
            "Permission denied by user for tool: {}",
            action.tool
        )),
        (None, Matter::Approval(_) | Matter::Questions(_) | Matter::Form(_), _) => {
            Cow::Borrowed(DISMISSED)
        }
    };
    Permission::Deny {
        message,
        interrupt: outcome.stops(),
    }
}

/// What became of a form; nothing when nobody decided, or when what was asked is none.
pub(super) fn elicited(matter: &Matter, ended: &Ended) -> Option<CliElicited> {
    let of = |action, content| Some(CliElicited { action, content });
    match (ending(matter, &ended.outcome, ended.late.as_ref())?, matter) {
        (AskEnding::Filled(fields), _) => of("accept", Some(content_of(fields, Viewer::Asker))),
        (AskEnding::Visited, _) => of("accept", None),
        (
            AskEnding::Refused {
                by_person: true, ..
            },
            Matter::Form(_),
        ) => of("decline", None),
        (AskEnding::Refused { .. } | AskEnding::Replied(_, _) | AskEnding::Allowed { .. }, _) => {
            None
        }
    }
}

impl ControlAsk {
    /// The line for the CLI's standard input. It never holds a line break. Where nobody decided, the
    /// CLI is told no and goes on.
    pub fn write(&self, ended: &Ended) -> String {
        let matter = &self.draft.matter;
        let asked = ToolAsked {
            matter,
            input: self.input.as_deref(),
        };
        let response = match matter {
            Matter::Form(_) => CliResult::Form(elicited(matter, ended).unwrap_or(CliElicited {
                action: "cancel",
                content: None,
            })),
            Matter::Questions(_) | Matter::Approval(_) => CliResult::Tool(
                permission(asked, ended, Echo::Stored).unwrap_or_else(|| undecided(&ended.outcome)),
            ),
        };
        written(&CliLine {
            name: "control_response",
            response: CliBody::Success {
                request_id: &self.request_id,
                response,
            },
        })
    }

    /// The line that tells the CLI why there is no answer.
    pub fn refuse(&self, why: &str) -> String {
        error_line(&self.request_id, why)
    }
}

pub(super) fn undecided(outcome: &Outcome) -> Permission<'_> {
    match outcome {
        Outcome::Withdrawn { note } => deny(said(note.as_deref()).unwrap_or(TIMED_OUT)),
        Outcome::Answered(_) | Outcome::Dismissed { .. } | Outcome::Expired => deny(TIMED_OUT),
    }
}

/// What the Claude CLI asks its MCP permission tool.
#[derive(Debug, Clone)]
pub struct PromptAsk {
    /// What is asked.
    pub draft: Draft,
    input: Box<RawValue>,
}

impl PromptAsk {
    /// Reads the arguments of the tool: `tool_name`, `input` and perhaps `tool_use_id`.
    pub fn read(arguments: &str) -> Result<Self, ReadError> {
        let tool: ToolRequest = read_inside("", arguments)?;
        let matter = call_matter("/input", tool.tool_name, &tool.input, |_| {
            Ok(Beside {
                flags: flags_of(&read_inside("", arguments)?),
                ..Beside::default()
            })
        })?;
        Ok(Self {
            draft: Draft {
                stops: true,
                ..Draft::new(matter)
            },
            input: tool.input,
        })
    }

    /// The text that the tool returns: allow or deny, nothing else.
    pub fn write(&self, ended: &Ended) -> String {
        let asked = ToolAsked {
            matter: &self.draft.matter,
            input: Some(&self.input),
        };
        prompted(asked, ended)
    }

    /// The same for whoever has kept nothing but what was asked. For an act that is everything; of
    /// questions, keys that we do not know are gone.
    pub fn write_kept(matter: &Matter, ended: &Ended) -> String {
        let asked = ToolAsked {
            matter,
            input: None,
        };
        prompted(asked, ended)
    }

    /// The text that the tool returns when nobody could be asked.
    pub fn refuse(why: &str) -> String {
        written(&deny(why))
    }
}

fn prompted(asked: ToolAsked<'_>, ended: &Ended) -> String {
    let decided = permission(asked, ended, Echo::Stored);
    written(&decided.unwrap_or_else(|| undecided(&ended.outcome)))
}

/// What may be known about a tool call beside the call.
#[derive(Debug, Default)]
pub(super) struct Beside {
    pub(super) cwd: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) flags: Vec<Flag>,
}

/// What a call is about whose input stands at a path: the questions in it, or an approval of it.
pub(super) fn call_matter(
    at: &str,
    tool: String,
    input: &RawValue,
    beside: impl FnOnce(&str) -> Result<Beside, ReadError>,
) -> Result<Matter, ReadError> {
    let input = input.get();
    if !is_object(input) {
        return Err(ReadError::at(at, "must be an object"));
    }
    if tool == QUESTION_TOOL {
        let asked: Asked = read_inside(at, input)?;
        return Ok(Matter::Questions(questions_from_wire(asked.questions)));
    }
    let Beside { cwd, reason, flags } = beside(input)?;
    let act = sayso_core::policy::act_of(&tool, input);
    Ok(Matter::Approval(Action {
        cwd,
        reason,
        flags,
        ..Action::new(tool, input, act)
    }))
}
