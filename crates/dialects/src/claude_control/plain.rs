//! Frames of a connection that are about no ask and no words: errors, modes, the end of a turn.

use sayso_core::entry::{Entry, TurnEnd};
use sayso_core::outcome::{Closer, OutcomeKind};
use sayso_core::view::AskView;

use super::frame_id::FrameId;
use super::map::{entry_stamp, written};
use super::wire::{Line, ModeLine, ModeSet};
use crate::{Control, ControlKind, PersonMove};

/// What a person is told whose decision came second.
pub(super) fn already_closed(view: &AskView) -> String {
    let Some(closing) = &view.closing else {
        return "This ask is already closed.".to_owned();
    };
    let how = match closing.outcome.kind() {
        OutcomeKind::Answered => "answered",
        OutcomeKind::Dismissed => "dismissed",
        OutcomeKind::Expired => "closed at its deadline",
        OutcomeKind::Withdrawn => "withdrawn",
    };
    match &closing.by {
        Closer::Person { person, device, .. } => {
            format!("This ask was already {how} by {person} on {device}.")
        }
        Closer::Rule { rule, .. } => format!("This ask was already {how} by the rule {rule}."),
        Closer::Agent | Closer::Clock => format!("This ask was already {how}."),
    }
}

/// The end of a turn.
pub(super) fn turn_end_line(entry: &Entry, end: TurnEnd) -> String {
    let (subtype, is_error) = match end {
        TurnEnd::Done => ("success", false),
        TurnEnd::Failed | TurnEnd::Lost | TurnEnd::Stopped => ("error_during_execution", true),
    };
    let id = FrameId::turn_end(entry.conversation.id, entry.seq);
    written(&Line::Result {
        stamp: entry_stamp(entry, id),
        subtype,
        is_error,
    })
}

/// Something went wrong, with the id it went wrong for.
pub(super) fn error_line(error: String, request_id: Option<String>) -> String {
    written(&Line::Error { error, request_id })
}

/// The same, at once.
pub(super) fn reply(why: &str, request_id: Option<String>) -> PersonMove {
    PersonMove::Reply(error_line(why.to_owned(), request_id))
}

/// What became of a wish. That an agent was interrupted shows in its turn.
pub(super) fn controlled(control: &Control, refused: Option<&str>) -> Option<String> {
    match (&control.what, refused) {
        (ControlKind::Interrupt, None) => None,
        (ControlKind::Interrupt, Some(why)) => {
            let error = format!("Failed to interrupt session: {why}");
            Some(error_line(error, None))
        }
        (ControlKind::SetMode(mode), None) => Some(mode_line(&control.wire_id, Ok(mode))),
        (ControlKind::SetMode(_), Some(why)) => {
            let error = format!("Failed to set permission mode: {why}");
            Some(mode_line(&control.wire_id, Err(error)))
        }
    }
}

/// The mode that holds from now on, or why it does not.
pub(super) fn mode_line(request_id: &str, mode: Result<&str, String>) -> String {
    let (mode, error) = match mode {
        Ok(mode) => (Some(mode), None),
        Err(error) => (None, Some(error)),
    };
    written(&ModeLine {
        name: "control_response",
        request_id,
        response: mode.map(|mode| ModeSet {
            subtype: "set_permission_mode",
            mode,
        }),
        error,
    })
}
