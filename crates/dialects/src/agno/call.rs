//! The two calls: `format` answers at once whatever it is given, `ask` asks and waits.

use sayso_core::time::Time;
use sayso_core::view::AskView;

use super::map::{self, AgnoError};
use super::wire::Returned;
use crate::call::{Body, Call, Called, Reply};

/// The status of a body that is none of this tool's.
const BAD_BODY: u16 = 400;
/// The status of everything the tool itself says, a failure included: it is a result for a model.
const RESULT: u16 = 200;

/// The tool as a function: nobody is asked and nothing is kept.
#[derive(Debug)]
pub(crate) struct Format;

/// The tool as an ask that waits, unless the answers came with it.
#[derive(Debug)]
pub(crate) struct AgnoAskCall;

impl Call for Format {
    fn read(&self, body: &[u8], _now: Time) -> Called {
        Called::Reply(match map::asked(body) {
            Ok(asked) => written(RESULT, &map::formatted(asked)),
            Err(error) => refused(&error),
        })
    }

    fn write(&self, _body: &[u8], view: &AskView) -> Reply {
        written(RESULT, &map::outcome(view))
    }

    fn refuse(&self, _body: &[u8], why: &str, status: u16) -> Reply {
        written(status, &map::failed(why.to_owned()))
    }
}

impl Call for AgnoAskCall {
    fn read(&self, body: &[u8], _now: Time) -> Called {
        match map::asked(body) {
            Ok(asked) if asked.answers.is_none() => Called::Ask {
                agent: None,
                draft: Box::new(map::draft(asked.questions)),
            },
            Ok(asked) => Called::Reply(written(RESULT, &map::formatted(asked))),
            Err(error) => Called::Reply(refused(&error)),
        }
    }

    fn write(&self, _body: &[u8], view: &AskView) -> Reply {
        written(RESULT, &map::outcome(view))
    }

    fn refuse(&self, _body: &[u8], why: &str, status: u16) -> Reply {
        written(status, &map::failed(why.to_owned()))
    }
}

fn refused(error: &AgnoError) -> Reply {
    let status = match error {
        AgnoError::Arguments(_) => BAD_BODY,
        AgnoError::Tool(_) => RESULT,
    };
    written(status, &map::failed(error.to_string()))
}

/// As Python's `json.dumps(.., indent=2, ensure_ascii=False)` prints it.
fn written(status: u16, returned: &Returned) -> Reply {
    Reply {
        status,
        body: Body::Json(serde_json::to_string_pretty(returned).unwrap_or_default()),
    }
}
