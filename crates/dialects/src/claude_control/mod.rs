//! The Claude control protocol: front ends that show `control_request` and answer with
//! `control_response`, and the call through which a Claude CLI asks.
//!
//! `person` is a front end's connection, `agent` the call; `wire` has the types and `map` their
//! meaning. Whoever stands next to a CLI reads what it asks with [`draft_from_control_request`] (its
//! own pipe), [`read_hook`] (its hooks) or [`PromptAsk`] (its MCP permission tool), and each knows
//! how its answer is written.

mod agent;
mod frame_id;
mod hook;
mod map;
mod person;
mod plain;
mod shown;
mod tools;
mod wire;

pub use map::{
    ASKED_TOOLS, AppSays, BeforeAsk, CliEnds, CliSays, CliTells, ControlAsk, ControlFault, DEFER,
    HookAsk, HookEvent, PromptAsk, draft_from_control_request, read_app_line, read_cli_line,
    read_hook, write_cancel, write_control, write_control_response, write_refusal, write_turn,
};

use crate::{Dialect, Door, FeedStyle, Knob, PersonSocket, Target, Way};

/// The row of this dialect.
pub const DIALECT: Dialect = Dialect {
    name: "claude-control",
    default_deadline: None,
    edits: true,
    asks_again: true,
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
                feed: FeedStyle::Faced,
            }),
        },
        Door {
            path: "/v1/dialects/claude-control/ask",
            way: Way::Call(&agent::AskCall),
        },
        Door {
            path: "/hooks/claude",
            way: Way::Call(&hook::HookCall),
        },
    ],
};

/// Whether people may switch all asking off from a front end.
const BYPASS: Knob = Knob {
    key: "bypass_permissions",
    usual: "refuse",
    about: "Whether a front end may set the mode bypassPermissions: `refuse` or `allow`",
    check: |value| match value {
        "refuse" | "allow" => None,
        _ => Some("must be `refuse` or `allow`"),
    },
};

#[cfg(test)]
mod vectors_tests;
