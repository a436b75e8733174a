//! Our own language: the API, the feed, the agent socket and everything that prints JSON.
//!
//! `wire` has the types, `map` their meaning, and `write` the fast way out. The page beside this
//! file says what the language is.

pub mod map;
pub mod wire;
pub mod write;

pub use crate::read::{ReadError, read};

use crate::{Dialect, Door, Way};

/// The row of this dialect.
pub const DIALECT: Dialect = Dialect {
    name: "native",
    default_deadline: None,
    edits: true,
    asks_again: true,
    knobs: &[],
    doors: &[
        own("/v1/asks"),
        own("/v1/agent"),
        own("/v1/feed"),
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
