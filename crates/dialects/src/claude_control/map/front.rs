//! Asks and their endings as the frames that front ends show.

use sayso_core::action::{Action, Flag};
use sayso_core::answer::Scope;
use sayso_core::ask::Matter;
use sayso_core::entry::Entry;
use sayso_core::form::Form;
use sayso_core::time::Time;
use sayso_core::view::{AskView, Viewer};
use serde_json::value::RawValue;

use super::super::frame_id::{FrameId, FramePart};
use super::super::wire::{
    Block, Content, Line, Message, Outcome, Reported, Request, Response, Shown, Stamp,
};
use super::ending::{AskEnding, ending_of};
use super::form::{content_of, schema_to_wire};
use super::question::{answers_to_front, questions_to_front, sentence};
use super::{QUESTION_TOOL, is_object};
use crate::Frames;
use crate::frames::written;
use crate::time::TimeText;

/// Which frame it is, and when and where it was said.
fn stamp(id: FrameId, at: Time, conversation: Option<&str>) -> Stamp<'_> {
    Stamp {
        uuid: id.to_string(),
        timestamp: TimeText::new(at).as_str().to_owned(),
        session_id: conversation,
        session_id_camel: conversation,
    }
}

/// The same for something that stands in a conversation.
pub(in super::super) fn entry_stamp(entry: &Entry, id: FrameId) -> Stamp<'_> {
    stamp(id, entry.at, Some(entry.conversation.name.as_str()))
}

fn conversation(view: &AskView) -> Option<&str> {
    view.conversation.as_ref().map(|named| named.name.as_str())
}

fn tool_use_id(view: &AskView) -> String {
    format!("toolu_{}", view.ask.id)
}

/// What shows an ask: the tool that the agent would use, where there is one, and the request.
pub(in super::super) fn ask_lines(view: &AskView, lines: &mut dyn Frames) {
    let asked = |part| {
        stamp(
            FrameId::ask(view.ask.id, part),
            view.ask.asked_at,
            conversation(view),
        )
    };
    if let Some((name, input)) = tool_of(&view.ask.matter) {
        let block = Block::ToolUse {
            id: tool_use_id(view),
            name,
            input,
        };
        lines.push(written(&Line::Assistant {
            stamp: asked(FramePart::Use),
            message: Message {
                role: "assistant",
                content: [block],
            },
        }));
    }
    lines.push(written(&Line::ControlRequest {
        request_id: view.ask.id.to_string(),
        stamp: asked(FramePart::Itself),
        request: request(view),
    }));
}

fn tool_of(matter: &Matter) -> Option<(&str, Content<'_>)> {
    match matter {
        Matter::Questions(questions) => Some((
            QUESTION_TOOL,
            Content::Questions {
                questions: questions_to_front(questions),
            },
        )),
        Matter::Approval(action) => Some((&action.tool, stored(&action.input))),
        Matter::Form(_) => None,
    }
}

/// An input byte for byte; one that is no object is wrapped, because tools take objects.
fn stored(input: &str) -> Content<'_> {
    match serde_json::from_str::<&RawValue>(input) {
        Ok(raw) if is_object(raw.get()) => Content::Exact(raw),
        Ok(_) | Err(_) => Content::Plain { input },
    }
}

fn request(view: &AskView) -> Request<'_> {
    let title = view.ask.title.as_deref();
    let tool_use_id = tool_use_id(view);
    match &view.ask.matter {
        Matter::Questions(questions) => Request::CanUseTool {
            tool_name: QUESTION_TOOL,
            input: Content::Questions {
                questions: questions_to_front(questions),
            },
            title,
            description: None,
            tool_use_id,
            requires_user_interaction: true,
            suppress_always_allow_rule: false,
            default_to_no: false,
        },
        Matter::Approval(action) => Request::CanUseTool {
            tool_name: &action.tool,
            input: stored(&action.input),
            title,
            description: action.reason.as_deref(),
            tool_use_id,
            requires_user_interaction: has(action, Flag::NeedsPerson),
            suppress_always_allow_rule: !view.scopes.contains(&Scope::Conversation),
            default_to_no: has(action, Flag::DefaultNo),
        },
        Matter::Form(form) => Request::Elicitation {
            mcp_server_name: title.unwrap_or_else(|| view.agent.name.as_str()),
            message: form.message(),
            mode: match form {
                Form::Fields { .. } => "form",
                Form::Page { .. } => "url",
            },
            requested_schema: match form {
                Form::Fields { fields, .. } => Some(schema_to_wire(fields)),
                Form::Page { .. } => None,
            },
            property_order: match form {
                Form::Fields { fields, .. } => {
                    Some(fields.iter().map(|field| field.name.as_str()).collect())
                }
                Form::Page { .. } => None,
            },
            url: match form {
                Form::Fields { .. } => None,
                Form::Page { url, .. } => Some(url),
            },
            elicitation_id: match form {
                Form::Fields { .. } => None,
                Form::Page { .. } => Some(view.ask.id.to_string()),
            },
        },
    }
}

fn has(action: &Action, flag: Flag) -> bool {
    action.flags.contains(&flag)
}

/// What shows how an ask ended: the decision for every tab, and what the tool came to as far as
/// we know it. What a tool that may run comes to is the agent's to say.
pub(in super::super) fn ending_lines(view: &AskView, lines: &mut dyn Frames) {
    let (Some(closing), Some(ending)) = (&view.closing, ending_of(view, Viewer::Anybody)) else {
        return;
    };
    let closed = |part| {
        stamp(
            FrameId::ask(view.ask.id, part),
            closing.at,
            conversation(view),
        )
    };
    let is_form = matches!(view.ask.matter, Matter::Form(_));
    let (behavior, outcome) = outcome(&ending, is_form);
    lines.push(written(&Line::ControlResponse {
        request_id: view.ask.id.to_string(),
        behavior,
        stamp: closed(FramePart::Response),
        response: Response {
            subtype: "success",
            response: outcome,
        },
    }));
    let (content, is_error, report) = match &ending {
        AskEnding::Replied(questions, replies) => (
            sentence(questions, replies),
            false,
            Reported::Answers {
                questions: questions_to_front(questions),
                answers: answers_to_front(questions, replies),
            },
        ),
        AskEnding::Refused { message, .. } if !is_form => {
            let message = message.clone().into_owned();
            (message.clone(), true, Reported::Text(message))
        }
        AskEnding::Refused { .. }
        | AskEnding::Allowed { .. }
        | AskEnding::Filled(_)
        | AskEnding::Visited => {
            return;
        }
    };
    let block = Block::ToolResult {
        tool_use_id: tool_use_id(view),
        content,
        is_error,
    };
    lines.push(written(&Line::User {
        stamp: closed(FramePart::Result),
        message: Message {
            role: "user",
            content: [block],
        },
        tool_use_result: Some(report),
        state: None,
    }));
}

fn outcome<'a>(ending: &AskEnding<'a>, is_form: bool) -> (&'static str, Outcome<'a>) {
    let of = |behavior| Outcome {
        behavior: Some(behavior),
        message: None,
        interrupt: false,
        updated_input: None,
        action: None,
        content: None,
    };
    match ending {
        AskEnding::Replied(questions, replies) => {
            let shown = Shown::Answers {
                questions: questions_to_front(questions),
                answers: answers_to_front(questions, replies),
            };
            let outcome = Outcome {
                updated_input: Some(shown),
                ..of("allow")
            };
            ("allow", outcome)
        }
        AskEnding::Allowed { input } => {
            let outcome = Outcome {
                updated_input: Some(Shown::Input(stored(input))),
                ..of("allow")
            };
            ("allow", outcome)
        }
        AskEnding::Filled(fields) => {
            let outcome = Outcome {
                action: Some("accept"),
                content: Some(content_of(fields, Viewer::Anybody)),
                ..of("allow")
            };
            ("allow", outcome)
        }
        AskEnding::Visited => {
            let outcome = Outcome {
                action: Some("accept"),
                ..of("allow")
            };
            ("allow", outcome)
        }
        AskEnding::Refused {
            message,
            by_person,
            stop,
        } => {
            let action = if *by_person { "decline" } else { "cancel" };
            let outcome = Outcome {
                message: Some(message.clone().into_owned()),
                interrupt: *stop,
                action: is_form.then_some(action),
                ..of("deny")
            };
            ("deny", outcome)
        }
    }
}
