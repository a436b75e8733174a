//! `sayso claude`: a stand-in for the `claude` executable.
//!
//! In stream-json mode it stands between an app and the CLI, passes every line through as it is, and
//! asks people what the CLI asks; in every other mode it becomes the CLI. It marks its child, so that
//! an installed hook steps aside and nothing is asked twice.

mod ask;
mod control;
mod feed;
mod open;
mod pipes;
mod plan;
mod stand_in;
mod tools;

pub use plan::LaunchPlan;
pub use stand_in::StandIn;
pub(crate) use stand_in::code_of;
