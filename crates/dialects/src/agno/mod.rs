//! The Agno tool `ask_user_question` as two calls: one that formats, one that asks and waits.
//!
//! It never talks to an Agno server and never pauses a run; the page beside this file says what the
//! tool's contract is.

mod call;
mod map;
mod wire;

use crate::{Dialect, Door, Way};

/// The row of this dialect.
pub const DIALECT: Dialect = Dialect {
    name: "agno",
    default_deadline: None,
    edits: false,
    asks_again: true,
    knobs: &[],
    doors: &[
        Door {
            path: "/v1/dialects/agno/format",
            way: Way::Call(&call::AgnoCall::Format),
        },
        Door {
            path: "/v1/dialects/agno/ask",
            way: Way::Call(&call::AgnoCall::Ask),
        },
    ],
};

#[cfg(test)]
mod vectors_tests;
