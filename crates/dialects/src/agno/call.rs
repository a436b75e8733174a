//! The two calls: `format` answers at once whatever it is given, `ask` asks and waits.

use sayso_core::time::Time;
use sayso_core::view::AskView;

use super::map::{self, AgnoError};
use super::wire::Returned;
use crate::call::{Call, CallReply, Called};

/// The status of a body that is none of this tool's.
const BAD_BODY: u16 = 400;
/// The status of everything the tool itself says, a failure included: it is a result for a model.
const RESULT: u16 = 200;

/// The tool, in the two ways it can be called.
#[derive(Debug)]
pub(crate) enum AgnoCall {
    /// As a function: nobody is asked and nothing is kept.
    Format,
    /// As an ask that waits, unless the answers came with it.
    Ask,
}

impl Call for AgnoCall {
    fn read(&self, body: &[u8], _now: Time) -> Called {
        match (map::asked(body), self) {
            (Ok(asked), Self::Ask) if asked.answers.is_none() => Called::Ask {
                agent: None,
                draft: Box::new(map::draft(asked.questions)),
            },
            (Ok(asked), Self::Ask | Self::Format) => {
                Called::Reply(written(RESULT, &map::formatted(asked)))
            }
            (Err(error), _) => Called::Reply(refused(&error)),
        }
    }

    fn write(&self, _body: &[u8], view: &AskView) -> CallReply {
        written(RESULT, &map::outcome(view))
    }

    fn refuse(&self, _body: &[u8], why: &str, status: u16) -> CallReply {
        written(status, &map::failed(why.to_owned()))
    }
}

fn refused(error: &AgnoError) -> CallReply {
    let status = match error {
        AgnoError::Arguments(_) => BAD_BODY,
        AgnoError::Tool(_) => RESULT,
    };
    written(status, &map::failed(error.to_string()))
}

/// As Python's `json.dumps(.., indent=2, ensure_ascii=False)` prints it.
fn written(status: u16, returned: &Returned) -> CallReply {
    CallReply::json(serde_json::to_string_pretty(returned).unwrap_or_default()).status(status)
}
