//! What the state decides, one operation at a time: the whole plan, and how the state stands after it.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test stops where it goes wrong"
)]

mod asks;
mod delivery;
mod directory;
mod load;
mod rules;
mod scene;
mod talk;
