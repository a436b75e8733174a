//! The Claude control protocol: front ends that show `control_request` and answer with
//! `control_response`, and the call through which a Claude CLI asks.
//!
//! `person` is a front end's connection, `agent` the call; `wire` has the types and `map` their
//! meaning. Whoever stands next to a CLI reads its lines with [`draft_from_control_request`] and
//! answers with [`write_control_response`].

mod agent;
mod frame_id;
mod map;
mod person;
mod plain;
mod shown;
mod tools;
mod wire;

pub use map::{ControlAsk, ControlFault, draft_from_control_request, write_control_response};

use crate::{Dialect, Door, Knob, PersonSocket, Target, Way};

/// The row of this dialect.
pub const DIALECT: Dialect = Dialect {
    name: "claude-control",
    default_deadline: None,
    knobs: &[BYPASS],
    doors: &[
        Door {
            path: "/api/claude/sessions/{id}/subscribe",
            way: Way::PersonSocket(PersonSocket {
                face: person::face,
                target: |id| Target::Named(id.to_owned()),
                unknown: 404,
                ticket: "claude-control",
                sign_in: None,
                exclusive: |_| false,
            }),
        },
        Door {
            path: "/v1/dialects/claude-control/ask",
            way: Way::Call(&agent::AskCall),
        },
    ],
};

/// Whether people may switch all asking off from a front end.
const BYPASS: Knob = Knob {
    key: "bypass_permissions",
    usual: "refuse",
    about: "whether a front end may set the mode bypassPermissions: `refuse` or `allow`",
    check: |value| match value {
        "refuse" | "allow" => None,
        _ => Some("must be `refuse` or `allow`"),
    },
};

#[cfg(test)]
mod vectors_tests;
