//! The tools of an agent over the Model Context Protocol, whoever serves them: the command on standard
//! input and output, the server at its door.
//!
//! The tools and their JSON are the dialect `mcp`; the protocol and its versions are rmcp's. How an ask
//! is made and waited for is a [`Desk`], which each of the two has of its own. Nothing here knows a
//! server, a client or a socket.
#![warn(missing_docs)]

mod calls;
mod desk;
mod task;
mod tools;

pub use desk::{AskStanding, AwaitedAsk, Desk, DeskError, Left};
pub use tools::{ToolList, Tools};

use std::time::Duration;

/// How long `ask` and `wait` hold a call when nothing is said: below the 60 s at which programs give
/// up by default.
pub const HOLD: Duration = Duration::from_secs(50);
