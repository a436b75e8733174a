//! `sayso bridge agui`: asks people what an AG-UI server, such as Agno's AgentOS, waits for.
//!
//! AG-UI itself cannot be watched: its events go to whoever started the run, and a paused run is only
//! an ended stream with a tool call that has no result. So how a pause is found depends on what the
//! server offers:
//!
//! - **An AgentOS is watched** over its own API (`watch`): it lists its sessions and their runs, says
//!   of every paused tool what it waits for (which AG-UI does not), and takes the answers, in the same
//!   form in every generation of Agno. It does not matter who started the run: a front end, a schedule,
//!   a person through us. Its database and the server's journal are the only memory: after any restart
//!   the same run finds the same ask by its key, and nothing is kept here.
//! - **Any other server is run by us** (`turns`): what a person says to the agent is a run, and what
//!   the run pauses for, interrupts of AG-UI 1.0 or tool calls without a result, is asked and posted
//!   back. AG-UI leaves the history and the pause to its front end, so they are kept in files (`book`).
//!
//! It never continues a run that is no longer paused, and silence is never a yes.

mod agent_os;
mod asking;
mod book;
mod bridge;
mod hearing;
mod interrupt;
mod need;
mod open_call;
mod questions;
mod run_steps;
mod turns;
mod watch;
mod wire;

pub use bridge::{Bridge, Tell};
