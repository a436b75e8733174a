//! The call by which a Claude CLI's question waits for a person: its control request in, the
//! control response that goes to its standard input out.

use sayso_core::id::WireId;
use sayso_core::time::Time;
use sayso_core::view::AskView;

use super::map::{
    ControlFault, draft_from_control_request, error_line, write_control_response, write_reply,
};
use crate::call::{Call, CallReply, Called};
use crate::envelope::text_under;
use crate::{ReadError, read};

/// `POST /v1/dialects/claude-control/ask`.
#[derive(Debug)]
pub(super) struct AskCall;

impl Call for AskCall {
    fn read(&self, body: &[u8], _now: Time) -> Called {
        let asked = read::text(body)
            .map_err(|error| ControlFault::Unreadable {
                request_id: None,
                error,
            })
            .and_then(draft_from_control_request);
        match asked {
            Ok(asked) => Called::Ask {
                agent: asked.agent,
                draft: Box::new(asked.draft),
            },
            Err(fault) => Called::Reply(CallReply::json(fault.write()).status(status_of(&fault))),
        }
    }

    fn write(&self, body: &[u8], view: &AskView) -> CallReply {
        let asked = std::str::from_utf8(body)
            .ok()
            .and_then(|body| draft_from_control_request(body).ok());
        let line = if let Some(asked) = asked {
            write_reply(view, &asked)
        } else {
            let wire_id = view.ask.wire_id.as_ref();
            write_control_response(view, wire_id.map_or("", WireId::as_str))
        };
        CallReply::json(line)
    }

    fn refuse(&self, body: &[u8], why: &str, status: u16) -> CallReply {
        let request_id = text_under(body, "request_id").unwrap_or_default();
        CallReply::json(error_line(&request_id, why)).status(status)
    }
}

const fn status_of(fault: &ControlFault) -> u16 {
    match fault {
        ControlFault::Unreadable {
            error: ReadError::BadJson { .. },
            ..
        } => 400,
        ControlFault::Unreadable { .. } | ControlFault::Unsupported { .. } => 422,
    }
}
