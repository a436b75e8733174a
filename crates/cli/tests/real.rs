//! The real Claude Code, unmodified, in every way in: judged by what its model was told and by what
//! happened on disk, never by our own word.
//!
//! `cargo xtask test --real` fetches the pinned programs and says where they are. Their model is a
//! script on loopback.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot set up its world stops at once and says where"
)]
#![expect(
    dead_code,
    reason = "the stage is shared with the other tests and has more than these need"
)]

#[path = "suite/raw.rs"]
mod raw;
#[path = "suite/stage.rs"]
mod stage;

mod real {
    mod cases;
    mod cell;
    mod forms;
    mod model;
    mod runs;
    mod scenes;
    mod start;
    mod terminal;
    mod tools;
    mod world;
}
