//! Several nodes on one PostgreSQL as real processes: cut off, failed over, raced and soaked.
//!
//! `cargo xtask nodes` runs the same tests for longer. Nodes that are killed are in `kills`.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test that cannot set up its world stops at once and says where"
)]

mod nodes {
    mod cut;
    mod failover;
    mod race;
    mod scene;
    mod soak;
}
