//! Our own language: the API, the feed, the agent socket and everything that prints JSON.
//!
//! `wire` has the types, `map` their meaning, and `write` the fast way out. The page beside this
//! file says what the language is.

pub mod map;
pub mod wire;
pub mod write;

pub use crate::read::{ReadError, read};

use crate::{Dialect, Door, DoorKind, Face};

/// The row of this dialect.
pub const DIALECT: Dialect = Dialect {
    name: "native",
    default_deadline: None,
    doors: &[
        Door {
            kind: DoorKind::Http,
            path: "/v1/asks",
            face: Face::Both,
        },
        Door {
            kind: DoorKind::WebSocket,
            path: "/v1/agent",
            face: Face::Agent,
        },
        Door {
            kind: DoorKind::WebSocket,
            path: "/v1/feed",
            face: Face::Person,
        },
        Door {
            kind: DoorKind::Sse,
            path: "/v1/feed.sse",
            face: Face::Person,
        },
    ],
};

#[cfg(test)]
mod fuzz_tests;
#[cfg(test)]
mod vectors_tests;
