//! The language of the Claude chat bridge: a person's front end in one conversation.
//!
//! It shows one ask at a time, in asking order, and never sets a deadline. The page beside this file
//! says what maps to what.

mod map;
mod opening;
mod person;
mod queue;
mod transcript;
mod turn_progress;
mod wire;

use crate::{CallReply, Dialect, Door, FeedStyle, Knob, Knobs, Moment, PersonSocket, Target, Way};

/// The row of this dialect.
pub const DIALECT: Dialect = Dialect {
    name: "chat",
    default_deadline: None,
    edits: false,
    asks_again: false,
    knobs: &[Knob {
        key: SHARED,
        usual: "false",
        about: "Whether several front ends may open the same conversation (true or false).",
        check: |value| (!matches!(value, "true" | "false")).then_some("must be true or false"),
    }],
    doors: &[
        Door {
            path: "/api/v1/chat/ws/{id}",
            way: Way::PersonSocket(PersonSocket {
                face: person::face,
                target,
                unknown: 403,
                ticket: "chat",
                sign_in: None,
                exclusive,
                feed: FeedStyle::Faced,
            }),
        },
        Door {
            path: "/api/v1/chat/sessions",
            way: Way::Fresh(fresh),
        },
        Door {
            path: "/api/v1/chat/sessions/{id}/messages",
            way: Way::Transcript(&transcript::Messages),
        },
    ],
};

const SHARED: &str = "shared";

/// How a connection that has no conversation yet is called.
const CONNECTION: &str = "conn_";

fn exclusive(knobs: &Knobs) -> bool {
    knobs.get(SHARED) != "true"
}

fn target(id: &str) -> Target {
    if id == "new" || id.starts_with(CONNECTION) {
        Target::New
    } else {
        Target::Named(id.to_owned())
    }
}

fn connection_id(random: &str) -> String {
    format!("{CONNECTION}{}", random.get(..16).unwrap_or(random))
}

/// A name to connect with; the conversation begins with the first message.
fn fresh(moment: &Moment<'_>) -> CallReply {
    CallReply::of(&wire::Fresh {
        session_id: connection_id(moment.random),
        created_at: crate::time::WireTime(moment.now),
    })
}

#[cfg(test)]
mod vectors_tests;
