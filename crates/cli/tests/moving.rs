//! States that move between a folder and PostgreSQL, are copied and put back, and go on after a loss: the
//! real command on a real PostgreSQL.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot set up its world stops at once and says where"
)]

#[path = "suite/raw.rs"]
#[expect(dead_code, reason = "other tests use the rest of it")]
mod raw;
#[path = "suite/stage.rs"]
#[expect(dead_code, reason = "other tests use the rest of it")]
mod stage;

mod moving {
    mod ground;
    mod journey;
    mod killing;
    mod loss;
}
