//! Our own language: the API, the feed, the agent socket and everything that prints JSON.
//!
//! `wire` has the types, `map` their meaning, `write` the fast way out, `agent` and `person`
//! the connections, and `feed` what every device is told. The page beside this file says what the language is.

mod agent;
pub mod feed;
pub mod map;
mod person;
pub mod wire;
pub mod write;

pub use crate::read::{ReadError, read};

use crate::{AgentSocket, Dialect, Door, FeedStyle, PersonSocket, Takes, Target, Way};

/// The row of this dialect.
pub const DIALECT: Dialect = Dialect {
    name: "native",
    default_deadline: None,
    edits: true,
    asks_again: true,
    knobs: &[],
    doors: &[
        own("/v1/asks"),
        Door {
            path: "/v1/agent",
            way: Way::AgentSocket(AgentSocket {
                face: agent::open,
                query_token: false,
                name_key: Some("agent"),
                replaced: None,
                ping_every: None,
                takes: Takes::Nothing,
                strict: true,
            }),
        },
        Door {
            path: "/v1/feed",
            way: Way::PersonSocket(PersonSocket {
                face: person::open,
                target: |_| Target::Everything,
                unknown: 404,
                ticket: "feed",
                sign_in: None,
                exclusive: |_| false,
                feed: FeedStyle::Shared(feed::write),
            }),
        },
        own("/v1/feed.sse"),
    ],
};

const fn own(path: &'static str) -> Door {
    Door {
        path,
        way: Way::Own,
    }
}

#[cfg(test)]
mod fuzz_tests;
#[cfg(test)]
mod vectors_tests;
