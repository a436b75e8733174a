//! What the frames mean: wire types to core values and back.

mod before;
mod decision;
mod draft;
mod ending;
mod form;
mod front;
mod hook;
mod permission;
mod pipe;
mod question;

pub use before::{ASKED_TOOLS, BeforeAsk, DEFER};
pub(super) use decision::{FrontDecision, decision_of};
pub(super) use draft::error_line;
pub use draft::{ControlAsk, ControlFault, draft_from_control_request};
pub use ending::write_control_response;
pub(super) use ending::write_reply;
pub(super) use front::{ask_lines, ending_lines, entry_stamp};

pub use hook::{HookAsk, HookEvent, read_hook};
pub use permission::PromptAsk;
pub use pipe::{
    AppSays, CliEnds, CliSays, CliTells, read_app_line, read_cli_line, write_cancel, write_control,
    write_refusal, write_turn,
};

use sayso_core::check::Violation;

use crate::ReadError;
pub(super) use crate::frames::written;
use crate::read;

/// The tool by which Claude asks questions.
const QUESTION_TOOL: &str = "AskUserQuestion";

/// Reads a text whose outer frame was read before; what is wrong gets the path from that frame.
fn read_inside<T: serde::de::DeserializeOwned>(at: &str, text: &str) -> Result<T, ReadError> {
    read::kindly(text).map_err(|error| match read::fault(text, &error) {
        ReadError::Invalid { violations } => ReadError::Invalid {
            violations: violations
                .into_iter()
                .map(|violation| Violation {
                    path: format!("{at}{}", violation.path),
                    ..violation
                })
                .collect(),
        },
        bad @ ReadError::BadJson { .. } => bad,
    })
}

/// Whether a JSON text is an object.
fn is_object(json: &str) -> bool {
    json.trim_ascii_start().starts_with('{')
}

/// A note that says something. The CLI takes no refusal with an empty sentence, and a journal may have
/// one.
fn said(note: Option<&str>) -> Option<&str> {
    note.filter(|note| !note.trim().is_empty())
}

/// A text that is there and says something.
fn filled(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}
