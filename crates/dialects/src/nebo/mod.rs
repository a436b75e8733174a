//! The language of Nebo: an agent that dials in, and the browser it was answered from.
//!
//! Two sockets with different frames, the tool call that an agent's model writes, and what a
//! reloaded browser fetches. The page beside this file says what maps to what. Nothing here
//! answers for a person: an ask with nobody to see it waits.

mod agent;
mod call;
mod map;
mod person;
mod wire;

use crate::door::{
    AgentHello, AgentSocket, Dialect, Door, FeedStyle, Knob, PersonHello, PersonSocket, Takes,
    Target, Way,
};
use crate::{AgentFace, PersonFace};

/// The row of this dialect.
pub const DIALECT: Dialect = Dialect {
    name: "nebo",
    default_deadline: None,
    edits: false,
    asks_again: false,
    knobs: &[Knob {
        key: TELL_ALWAYS,
        usual: "no",
        about: "Whether an agent is told when an approval is for always, and then stops asking \
                by its own list.",
        check: yes_or_no,
    }],
    doors: &[
        Door {
            path: "/api/v1/agent/ws",
            way: Way::AgentSocket(AgentSocket {
                face: agent_face,
                query_token: true,
                name_key: Some("name"),
                replaced: Some("replaced"),
                ping_every: None,
                takes: Takes::TurnsAndControls,
                strict: false,
            }),
        },
        Door {
            path: "/ws",
            way: Way::PersonSocket(PersonSocket {
                face: person_face,
                target: |_| Target::Everything,
                unknown: 404,
                ticket: "nebo",
                sign_in: Some(person::sign_in),
                exclusive: |_| false,
                feed: FeedStyle::Faced,
            }),
        },
        Door {
            path: "/v1/tools/agent",
            way: Way::Call(&call::MessageCall),
        },
        Door {
            path: "/api/v1/chats/{id}",
            way: Way::Transcript(&map::History),
        },
    ],
};

const TELL_ALWAYS: &str = "tell_always";

fn yes_or_no(value: &str) -> Option<&'static str> {
    (!matches!(value, "yes" | "no")).then_some("must be `yes` or `no`")
}

fn agent_face(hello: &AgentHello<'_>) -> Box<dyn AgentFace> {
    Box::new(agent::NeboAgentFace::new(hello))
}

fn person_face(hello: &PersonHello<'_>) -> Box<dyn PersonFace> {
    Box::new(person::Person::new(hello))
}

#[cfg(test)]
mod vectors_tests;
