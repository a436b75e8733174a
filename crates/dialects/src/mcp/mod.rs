//! Asking through the Model Context Protocol: the tools that an agent's program calls, as data, what
//! their arguments mean, and what they return.
//!
//! The protocol itself, its handshakes and its transports, is spoken by whoever serves the tools.

mod map;
mod message;
mod tools;
mod wire;

pub use map::{ToolCall, read_call, write_ask, write_told};
pub use message::{Spoken, program_of, session_name};
pub use tools::{INSTRUCTIONS, TOOLS, Tool};

use crate::{Dialect, Door, Knob, Way};

/// The row of this dialect.
pub const DIALECT: Dialect = Dialect {
    name: "mcp",
    default_deadline: None,
    edits: true,
    asks_again: false,
    knobs: &[HOLD],
    doors: &[Door {
        path: "/mcp",
        way: Way::Tools,
    }],
};

/// How long a call of a tool is held.
pub const HOLD: Knob = Knob {
    key: "hold",
    usual: "50",
    about: "Seconds that `ask` and `wait` wait at `/mcp` before they report that there is no \
            answer yet; must be shorter than the client's own timeout",
    check: |value| match value.parse::<u32>() {
        Ok(1..=3600) => None,
        Ok(_) | Err(_) => Some("must be a whole number of seconds from 1 to 3600"),
    },
};

#[cfg(test)]
mod vectors_tests;
