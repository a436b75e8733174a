//! How an ask ended, in the words of this protocol, and the line that tells the Claude CLI.

use std::borrow::Cow;

use sayso_core::answer::{Answer, Decision, FieldValue, Reply};
use sayso_core::ask::{Matter, Question};
use sayso_core::form::Form;
use sayso_core::outcome::Outcome;
use sayso_core::view::{AskView, Viewer};
use serde_json::value::RawValue;

use super::super::wire::{
    CliBody, CliElicited, CliLine, CliResult, Entries, Permission, Piece, Updated,
};
use super::draft::{ControlAsk, error_line};
use super::form::content_of;
use super::question::{answers_to_cli, questions_to_cli};
use super::{is_object, said, written};

/// What an agent is told when nobody answered in time.
pub(super) const TIMED_OUT: &str = "User response timeout";
/// What an agent is told when a question was put aside without a word.
const SKIPPED: &str = "User skipped this question";

/// How an ask ended.
#[derive(Debug)]
pub(super) enum AskEnding<'a> {
    /// Questions were answered.
    Replied(&'a [Question], &'a [Reply]),
    /// A tool may run with this input.
    Allowed {
        /// The stored input, or the person's edit of it.
        input: &'a str,
    },
    /// A form was filled in.
    Filled(&'a [(String, FieldValue)]),
    /// A page was visited.
    Visited,
    /// Nothing of that.
    Refused {
        /// What the agent is told.
        message: Cow<'a, str>,
        /// Whether a person said so.
        by_person: bool,
        /// Whether that person wants the turn to end with it.
        stop: bool,
    },
}

/// How the ask ended, as this viewer takes it; nothing while it is open.
pub(super) fn ending_of(view: &AskView, viewer: Viewer) -> Option<AskEnding<'_>> {
    let closing = view.closing.as_deref()?;
    let late = match viewer {
        // Asked again under the same id, the agent gets what came too late.
        Viewer::Asker => view.late.as_deref().map(|late| &late.answer),
        Viewer::Anybody => None,
    };
    ending(&view.ask.matter, &closing.outcome, late)
}

/// What an outcome means for this matter. A late answer is never an approval.
pub(super) fn ending<'a>(
    matter: &'a Matter,
    outcome: &'a Outcome,
    late: Option<&'a Answer>,
) -> Option<AskEnding<'a>> {
    let late = late.filter(|_| match matter {
        Matter::Questions(_) | Matter::Form(_) => true,
        Matter::Approval(_) => false,
    });
    match (outcome, late) {
        (Outcome::Answered(answer), _) => answered(matter, answer),
        (Outcome::Dismissed { note, stop }, _) => Some(AskEnding::Refused {
            message: said(note.as_deref()).map_or_else(|| refusal(matter), Cow::Borrowed),
            by_person: true,
            stop: *stop,
        }),
        (Outcome::Expired, Some(late)) => answered(matter, late),
        (Outcome::Expired, None) => Some(AskEnding::Refused {
            message: Cow::Borrowed(TIMED_OUT),
            by_person: false,
            stop: false,
        }),
        (Outcome::Withdrawn { note }, _) => Some(AskEnding::Refused {
            message: Cow::Borrowed(said(note.as_deref()).unwrap_or(TIMED_OUT)),
            by_person: false,
            stop: false,
        }),
    }
}

fn answered<'a>(matter: &'a Matter, answer: &'a Answer) -> Option<AskEnding<'a>> {
    match (matter, answer) {
        (Matter::Questions(questions), Answer::Replies(replies)) => {
            Some(AskEnding::Replied(questions, replies))
        }
        (Matter::Approval(action), Answer::Verdict(verdict)) => Some(match &verdict.decision {
            Decision::Allow { edited_input } => AskEnding::Allowed {
                input: edited_input.as_deref().unwrap_or(&action.input),
            },
            Decision::Deny { stop } => AskEnding::Refused {
                message: said(verdict.note.as_deref())
                    .map_or_else(|| refusal(matter), Cow::Borrowed),
                by_person: true,
                stop: *stop,
            },
        }),
        (Matter::Form(Form::Fields { .. }), Answer::Fields(fields)) => {
            Some(AskEnding::Filled(fields))
        }
        (Matter::Form(Form::Page { .. }), Answer::Fields(_)) => Some(AskEnding::Visited),
        // The hub takes no answer that does not fit its ask.
        (Matter::Questions(_) | Matter::Approval(_) | Matter::Form(_), _) => None,
    }
}

fn refusal(matter: &Matter) -> Cow<'static, str> {
    match matter {
        Matter::Approval(action) => Cow::Owned(format!(
            "Permission denied by user for tool: {}",
            action.tool
        )),
        Matter::Questions(_) | Matter::Form(_) => Cow::Borrowed(SKIPPED),
    }
}

/// The line that brings an outcome to the Claude CLI, for an ask that was read from one of its
/// control requests and carried under this id. It never holds a line break.
pub fn write_control_response(view: &AskView, request_id: &str) -> String {
    write_line(view, request_id, None)
}

/// The same for whoever still has what was asked: keys of a question's input that we do not know
/// go back with the answers.
pub(in super::super) fn write_reply(view: &AskView, asked: &ControlAsk) -> String {
    write_line(view, &asked.request_id, asked.input.as_deref())
}

fn write_line(view: &AskView, request_id: &str, input: Option<&RawValue>) -> String {
    let Some(ending) = ending_of(view, Viewer::Asker) else {
        return error_line(request_id, "The question is still open.");
    };
    let response = match ending {
        AskEnding::Replied(questions, replies) => CliResult::Tool(Permission::Allow {
            updated_input: Some(Updated::Spliced(spliced(questions, replies, input))),
        }),
        AskEnding::Allowed { input } => {
            let Some(input) = exact(input) else {
                let error = "The allowed input is not a JSON object, so nothing can run.";
                return error_line(request_id, error);
            };
            CliResult::Tool(Permission::Allow {
                updated_input: Some(Updated::Exact(input)),
            })
        }
        AskEnding::Filled(fields) => CliResult::Form(CliElicited {
            action: "accept",
            content: Some(content_of(fields, Viewer::Asker)),
        }),
        AskEnding::Visited => CliResult::Form(CliElicited {
            action: "accept",
            content: None,
        }),
        AskEnding::Refused {
            message,
            by_person,
            stop,
        } => match &view.ask.matter {
            Matter::Form(_) => CliResult::Form(CliElicited {
                action: if by_person { "decline" } else { "cancel" },
                content: None,
            }),
            Matter::Questions(_) | Matter::Approval(_) => CliResult::Tool(Permission::Deny {
                message,
                interrupt: stop,
            }),
        },
    };
    written(&CliLine {
        name: "control_response",
        response: CliBody::Success {
            request_id,
            response,
        },
    })
}

/// The asker's keys as they came, then the answers and the notes.
pub(super) fn spliced(
    questions: &[Question],
    replies: &[Reply],
    input: Option<&RawValue>,
) -> Entries<Piece> {
    let sent: Option<Entries<Box<RawValue>>> =
        input.and_then(|input| serde_json::from_str(&one_line(input.get())).ok());
    let mut pieces: Vec<(String, Piece)> = Vec::new();
    if let Some(sent) = sent {
        let kept = |key: &str| key != "answers" && key != "annotations";
        let sent = sent.0.into_iter().filter(|(key, _)| kept(key));
        pieces.extend(sent.map(|(key, value)| (key, Piece::Sent(value))));
    } else {
        let questions = Piece::Questions(questions_to_cli(questions));
        pieces.push(("questions".to_owned(), questions));
    }
    let (answers, notes) = answers_to_cli(questions, replies);
    pieces.push(("answers".to_owned(), Piece::Answers(answers)));
    if !notes.0.is_empty() {
        pieces.push(("annotations".to_owned(), Piece::Annotations(notes)));
    }
    Entries(pieces)
}

/// An object as it was stored, on one line: its strings hold no line breaks, so those that are
/// there stand between its parts.
pub(super) fn exact(input: &str) -> Option<Box<RawValue>> {
    if !is_object(input) {
        return None;
    }
    RawValue::from_string(one_line(input)).ok()
}

fn one_line(json: &str) -> String {
    json.trim().replace(['\n', '\r'], " ")
}
