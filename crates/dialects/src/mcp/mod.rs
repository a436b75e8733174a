//! Asking through the Model Context Protocol: the tools that an agent's program calls, as data, what
//! their arguments mean, and what they return.
//!
//! The protocol itself, its handshakes and its transports, is spoken by whoever serves the tools.

mod map;
mod tools;
mod wire;

pub use map::{ToolCall, read_call, write_ask, write_told};
pub use tools::{INSTRUCTIONS, TOOLS, Tool};

use crate::Dialect;

/// The row of this dialect.
pub const DIALECT: Dialect = Dialect {
    name: "mcp",
    default_deadline: None,
    edits: true,
    knobs: &[],
    doors: &[],
};

#[cfg(test)]
mod vectors_tests;
